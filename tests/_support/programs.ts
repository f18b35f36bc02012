/**
 * Builds the small C programs of the end-to-end tests against the client's own header, and finds
 * the executable under test.
 */
import { assert } from "@std/assert";
import { skippedWithout, succeeds, unless } from "./skipped.ts";
import { withTimeLimit } from "./time_limit.ts";

const HERE = new URL(".", import.meta.url).pathname;
const ROOT = new URL("../../", import.meta.url).pathname;

/** The executable under test: `tests/run.sh` builds it and says where it is. */
export const BINARY = Deno.env.get("JOULEMARK_BIN") ?? `${ROOT}joulemark`;

/** Tests that compile C programs. */
export const NO_COMPILER = unless(succeeds("cc", "--version"), "no C compiler");

/** Tests that run the executable; ./compile.sh makes it. */
export const NO_BINARY = unless(succeeds("test", "-f", BINARY), `no executable at ${BINARY}`);

/**
 * An end-to-end test in a folder of its own. It needs the executable and a compiler, and fails if it
 * takes longer than its limit.
 *
 * @param missing A further reason to skip it.
 */
export function endToEnd(
  name: string,
  body: (dir: string) => void | Promise<void>,
  limitS?: number,
  missing?: string,
): void {
  Deno.test({
    ...skippedWithout(name, NO_BINARY, NO_COMPILER, missing),
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

/** Lines of a summary that were broken at the width, as one. */
export function unbroken(text: string): string {
  return text.replaceAll(/\n {2,6}(?=\S)/g, " ");
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
