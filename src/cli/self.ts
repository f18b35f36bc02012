/**
 * How this program starts itself once more.
 *
 * @module
 */

/** This program, with arguments. */
export function selfCommand(...args: string[]): string[] {
  const self = Deno.execPath();
  const packed = (globalThis as { __JOULEMARK_FORM?: string }).__JOULEMARK_FORM === "packed";
  if (packed || Deno.build.standalone) return [self, ...args];
  const permissions = ["--allow-ffi", "--allow-read", "--allow-write", "--allow-env"];
  return [self, "run", "--quiet", "--no-lock", ...permissions, Deno.mainModule, ...args];
}
