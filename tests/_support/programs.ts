/**
 * Builds the small C programs of the end-to-end tests against the client's own header, and finds
 * the executable under test.
 */
import { assert } from "@std/assert";
import { withTimeLimit } from "./time_limit.ts";

const HERE = new URL(".", import.meta.url).pathname;
const ROOT = new URL("../../", import.meta.url).pathname;

/** The executable under test: `tests/run.sh` builds it and says where it is. */
export const BINARY = Deno.env.get("JOULEMARK_BIN") ?? `${ROOT}joulemark`;

/** Is there a C compiler? Tests that need one say so and are skipped. */
export const HAS_COMPILER = (() => {
  try {
    return new Deno.Command("cc", { args: ["--version"], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
})();

/** Is the executable there? */
export const HAS_BINARY = (() => {
  try {
    return Deno.statSync(BINARY).isFile;
  } catch {
    return false;
  }
})();

if (!HAS_BINARY) console.log(`skipped: no executable at ${BINARY}; ./compile.sh makes it`);
if (!HAS_COMPILER) console.log("skipped: no C compiler (cc) for the programs under test");

/**
 * An end-to-end test: runs where the executable and a compiler are, in a folder of its own, and
 * fails where it takes longer than its limit.
 */
export function endToEnd(
  name: string,
  body: (dir: string) => void | Promise<void>,
  limitS?: number,
): void {
  Deno.test({
    name,
    ignore: !HAS_BINARY || !HAS_COMPILER,
    async fn() {
      const dir = Deno.makeTempDirSync({ prefix: "joulemark-e2e-" });
      try {
        await withTimeLimit(() => body(dir), limitS);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

/** Compiles a program of `tests/e2e/programs` against the header that `client c` writes. */
export function build(name: string, dir: string, flags: string[] = []): string {
  const written = new Deno.Command(BINARY, { args: ["client", "c", "--dir", dir] }).outputSync();
  assert(written.success, new TextDecoder().decode(written.stderr));
  const out = `${dir}/${name}`;
  const made = new Deno.Command("cc", {
    args: [
      "-O2",
      "-Wall",
      "-Wextra",
      "-Werror",
      `-I${dir}`,
      `${HERE}../e2e/programs/${name}.c`,
      "-o",
      out,
      "-pthread",
      ...flags,
    ],
  }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
  return out;
}

/** What a run of the executable gave. */
export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the executable in a folder, with variables beside the test's own. */
export function joulemark(
  dir: string,
  args: string[],
  env: Record<string, string> = {},
): Outcome {
  const out = new Deno.Command(BINARY, { args, cwd: dir, env, stdin: "null" }).outputSync();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code: out.code, stdout: text(out.stdout), stderr: text(out.stderr) };
}
