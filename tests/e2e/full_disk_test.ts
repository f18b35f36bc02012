/** A disk that is full: one clear line each, the old file whole, the command untouched. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

/** Mounts a small file system; `false` where that is not allowed. */
function mountSmall(dir: string, bytes: number): boolean {
  Deno.mkdirSync(dir);
  return new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", `size=${bytes}`, "none", dir],
    stderr: "null",
  }).outputSync().success;
}

endToEnd("run on a full disk leaves the old report whole and tells so", (dir) => {
  const small = `${dir}/small`;
  if (!mountSmall(small, 16384)) {
    console.log("skipped: mounting a small file system needs root");
    return;
  }
  try {
    Deno.writeTextFileSync(`${small}/joulemark.report`, "the old report\n");
    // Everything that is left, but a few bytes.
    try {
      Deno.writeFileSync(`${small}/filler`, new Uint8Array(20000));
    } catch {
      // That is the point.
    }
    const out = joulemark(dir, [
      "run",
      "-q",
      "--report",
      "small/joulemark.report",
      "--trace",
      "small/trace",
      "--",
      "sh",
      "-c",
      "sleep 0.5; exit 6",
    ]);
    assertEquals(out.code, 6);
    assertStringIncludes(out.stderr, "No space left on device");
    for (const line of out.stderr.trimEnd().split("\n")) assertStringIncludes(line, "joulemark: ");
    assertEquals(Deno.readTextFileSync(`${small}/joulemark.report`), "the old report\n");
    const left = [...Deno.readDirSync(small)].map((e) => e.name).filter((n) => n.includes(".new"));
    assertEquals(left, []);
  } finally {
    new Deno.Command("umount", { args: [small] }).outputSync();
  }
});
