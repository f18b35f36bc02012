import { assertEquals, assertNotEquals } from "@std/assert";
import { NO_STRACE } from "../_support/strace.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { skippedWithout } from "../_support/skipped.ts";

const MISSING = "/nonexistent-of-a-test";

Deno.test({
  ...skippedWithout(
    "nothing is bound between a call that failed and its errno, the first of a process too",
    NO_STRACE,
  ),
  fn: () =>
    withTimeLimit(() => {
      const dir = Deno.makeTempDirSync();
      try {
        const files = new URL("../../src/os/files.ts", import.meta.url).href;
        Deno.writeTextFileSync(
          `${dir}/first.ts`,
          `import { openFile } from "${files}";
console.log(openFile("${MISSING}", 0));`,
        );
        const config = Deno.env.get("JOULEMARK_CONFIG");
        const output = new Deno.Command("strace", {
          args: [
            ...["-f", "-qq", "-e", "trace=openat,mprotect,write", "-o", `${dir}/calls`],
            ...[Deno.execPath(), "run", "--quiet", "--no-check", "-A", "--no-lock"],
            ...(config === undefined ? [] : ["--config", config]),
            `${dir}/first.ts`,
          ],
        }).outputSync();
        assertEquals(new TextDecoder().decode(output.stdout), "-2\n");
        const lines = Deno.readTextFileSync(`${dir}/calls`).split("\n");
        const failed = lines.findIndex((line) => line.includes(`"${MISSING}"`));
        assertNotEquals(failed, -1);
        const thread = lines[failed].split(" ")[0];
        const told = lines.findIndex((line, i) => i > failed && / write\(1, "-2/.test(line));
        assertNotEquals(told, -1);
        // A function that is bound gets memory to execute.
        const bound = lines.slice(failed, told).filter((line) =>
          line.startsWith(`${thread} `) && line.includes("PROT_EXEC")
        );
        assertEquals(bound, []);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    }),
});
