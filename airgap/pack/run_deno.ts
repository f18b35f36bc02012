/** Runs a script for what V8 makes of texts. */

/** Deno does each step in less than a second. */
const LIMIT_SECONDS = 60;

/**
 * @param flags `--v8-flags=…`
 * @param directory Deno's own.
 * @throws {Error} What it said, if it fails.
 */
export async function runDeno(
  deno: string,
  flags: string,
  directory: string,
  args: string[],
): Promise<void> {
  const { code, stderr } = await new Deno.Command(deno, {
    args: ["run", "--quiet", "--no-config", "--no-lock", "--ext=js", "-A", flags, ...args],
    env: { DENO_DIR: directory, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    signal: AbortSignal.timeout(LIMIT_SECONDS * 1000),
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr).trim());
}
