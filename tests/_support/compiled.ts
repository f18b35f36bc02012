/**
 * Small C files of the tests, compiled when they are needed.
 *
 * @module
 */
import { assert } from "@std/assert";
export { NO_COMPILER } from "./programs.ts";

const TESTS = new URL("../", import.meta.url).pathname;

/**
 * Compiles a file of the tests.
 *
 * @param source Below tests/.
 * @param out Where the result goes.
 */
export function compile(source: string, out: string, flags: readonly string[]): void {
  const args = ["-O1", "-Wall", "-Wextra", "-Werror", `${TESTS}${source}`, "-o", out, ...flags];
  const made = new Deno.Command("cc", { args }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
}
