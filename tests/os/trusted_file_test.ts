import { assertEquals, assertMatch } from "@std/assert";
import { isElevated } from "../../src/os/confinement/caller_rights.ts";
import { readTrusted } from "../../src/os/trusted_file.ts";
import { timed } from "../_support/time_limit.ts";

timed("readTrusted() takes a file of this user or root that nobody else can change", () => {
  const dir = Deno.makeTempDirSync();
  try {
    const path = `${dir}/joulemark.conf`;
    assertEquals(readTrusted(path), {});
    assertEquals(readTrusted(`${path}/x`), {});
    Deno.writeTextFileSync(path, "a = 1\n", { mode: 0o644 });
    assertEquals(readTrusted(path), { text: "a = 1\n" });
    Deno.chmodSync(path, 0o664);
    assertEquals(readTrusted(path), { refused: "others may write to it: chmod go-w" });
    Deno.chmodSync(path, 0o600);
    Deno.chmodSync(dir, 0o777);
    assertEquals(readTrusted(path), { refused: "others may write to its directory: chmod go-w" });
    Deno.chmodSync(dir, 0o700);
    Deno.symlinkSync("joulemark.conf", `${dir}/link`);
    assertEquals(readTrusted(`${dir}/link`).text, "a = 1\n");
    assertEquals(readTrusted(dir), { refused: "it is not a file" });
    if (Deno.uid() === 0) {
      Deno.chownSync(path, 65534, 65534);
      assertMatch(readTrusted(path).refused!, /^it belongs to user 65534$/);
    }
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

timed("readTrusted() never waits for a pipe", () => {
  const dir = Deno.makeTempDirSync();
  try {
    new Deno.Command("mkfifo", { args: [`${dir}/p`] }).outputSync();
    assertEquals(readTrusted(`${dir}/p`), { refused: "it is not a file" });
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

timed("isElevated() is false for a program that was started plainly", () => {
  assertEquals(isElevated(), false);
});
