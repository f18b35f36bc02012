/** Output to what is no plain file: a device stays a device, a pipe a pipe, a link a link. */
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { AccessError } from "../../src/core/errors.ts";
import { probeDocument, writeDocument } from "../../src/files/whole_file.ts";
import { claimPath } from "../../src/job/claim.ts";
import { WholeFile } from "../../src/files/whole_file.ts";

function inTemp(body: (dir: string) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const dir = Deno.makeTempDirSync();
    try {
      await body(dir);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  };
}

const names = (dir: string) => [...Deno.readDirSync(dir)].map((entry) => entry.name).sort();

Deno.test("a document for /dev/null leaves the device", () => {
  assertEquals(probeDocument("/dev/null"), undefined);
  writeDocument("/dev/null", "text");
  using file = new WholeFile("/dev/null");
  file.write("line\n");
  file.keep();
  using _claim = { [Symbol.dispose]: claimPath("/dev/null").release };
  assertEquals(claimPath("/dev/null").path, "/dev/null");
  assertEquals(Deno.statSync("/dev/null").isCharDevice, true);
});

Deno.test(
  "a document behind a link goes to the file, and the link stays",
  inTemp((dir) => {
    Deno.mkdirSync(`${dir}/deep`);
    Deno.writeTextFileSync(`${dir}/deep/real`, "old");
    Deno.symlinkSync("deep/real", `${dir}/link`);
    Deno.symlinkSync("link", `${dir}/link to it`);
    writeDocument(`${dir}/link to it`, "new");
    assertEquals(Deno.readTextFileSync(`${dir}/deep/real`), "new");
    assertEquals(Deno.lstatSync(`${dir}/link to it`).isSymlink, true);
    Deno.symlinkSync("deep/made", `${dir}/dangling`);
    {
      using file = new WholeFile(`${dir}/dangling`);
      file.write("made\n");
      file.keep();
    }
    assertEquals(Deno.readTextFileSync(`${dir}/deep/made`), "made\n");
    assertEquals(names(`${dir}/deep`), ["made", "real"]);
  }),
);

Deno.test(
  "a document goes into a pipe that somebody reads; without a reader one line says so",
  inTemp(async (dir) => {
    const pipe = `${dir}/pipe`;
    assertEquals(new Deno.Command("mkfifo", { args: [pipe] }).outputSync().code, 0);
    const error = assertThrows(() => writeDocument(pipe, "text"), AccessError);
    assertMatch(error.message, /pipe/);
    assertEquals(Deno.lstatSync(pipe).isFifo, true);
    const reader = new Deno.Command("cat", { args: [pipe], stdout: "piped" }).spawn();
    for (let tries = 0;; tries++) {
      try {
        writeDocument(pipe, "read\n".repeat(30_000));
        break;
      } catch (cause) {
        if (tries > 500) throw cause;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    const { stdout } = await reader.output();
    assertEquals(stdout.length, 150_000);
    assertEquals(names(dir), ["pipe"]);
  }),
);
