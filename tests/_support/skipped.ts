/**
 * Skips tests that need something this machine does not have. Each skip says why in the test's name.
 *
 * @module
 */

/** Name and state of a test, for `Deno.test({ ...skippedWithout(…), fn })`. */
export interface NameAndState {
  readonly name: string;
  readonly ignore: boolean;
}

/**
 * A test that runs only if nothing is missing.
 *
 * @param missing Reasons to skip, `undefined` for what is there; the first reason is reported.
 */
export function skippedWithout(
  name: string,
  ...missing: readonly (string | undefined)[]
): NameAndState {
  const reason = missing.find((one) => one !== undefined);
  return reason === undefined
    ? { name, ignore: false }
    : { name: `${name} (skipped: ${reason})`, ignore: true };
}

/** A reason to skip if something is not there. */
export function unless(isThere: boolean, reason: string): string | undefined {
  return isThere ? undefined : reason;
}

/** Tests that become another user, mount file systems or give files away. */
export const NOT_ROOT = unless(Deno.uid() === 0, "not root");

/** Does a command succeed? A command that is not there does not. */
export function succeeds(command: string, ...args: string[]): boolean {
  try {
    return new Deno.Command(command, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}
