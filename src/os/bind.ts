/**
 * Functions of the C library without code of their own: one is bound in 10 µs, while the runtime takes 200 to
 * compile its way to it, and a call takes 0.4 µs. For what is called seldom, and for a start.
 * @module
 */

import { AccessError } from "../core/errors.ts";

/** Usual paths of libc; `--allow-ffi` lists the same, and paths are compared as written. */
export const LIBC_PATHS: readonly string[] = [
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/lib64/libc.so.6",
  "/usr/lib64/libc.so.6",
  "/usr/lib/x86_64-linux-gnu/libc.so.6",
  "/lib/aarch64-linux-gnu/libc.so.6",
  "/usr/lib/aarch64-linux-gnu/libc.so.6",
  "/usr/lib/libc.so.6",
];

/** A function as it is called: values of any kind. */
export type Call = (...values: unknown[]) => unknown;
type Calls<S extends Deno.ForeignLibraryInterface> = Deno.DynamicLibrary<S>["symbols"];

/** One more argument in a register, or on the caller's side of the stack, which the function never reads. */
const UNREAD = new Uint8Array(8), STRUCTURE = { struct: ["u64"] } as const;

/**
 * Binds functions without compiled code: the runtime compiles none for a function with a structure
 * parameter, so one is added.
 */
export function bindWithoutCode<S extends Deno.ForeignLibraryInterface>(
  path: string,
  symbols: S,
): Calls<S> {
  const wanted: Record<string, Deno.ForeignFunction> = {};
  for (const [name, symbol] of Object.entries(symbols as Record<string, Deno.ForeignFunction>)) {
    wanted[name] = { ...symbol, parameters: [...symbol.parameters, STRUCTURE] };
  }
  const bound = Deno.dlopen(path, wanted).symbols as Record<string, Call>;
  const calls = Object.entries(bound).map(([name, call]) => {
    return [name, withUnread(call, wanted[name].parameters.length - 1)];
  });
  return Object.fromEntries(calls);
}

/** A call of so many values, and the one that is not read. */
function withUnread(call: Call, count: number): Call {
  switch (count) {
    case 1:
      return (a) => call(a, UNREAD);
    case 2:
      return (a, b) => call(a, b, UNREAD);
    case 3:
      return (a, b, c) => call(a, b, c, UNREAD);
    case 4:
      return (a, b, c, d) => call(a, b, c, d, UNREAD);
  }
  return (...values) => call(...values, UNREAD);
}

/**
 * More functions of libc; `undefined`: it is at no usual place, or not permitted.
 *
 * @param often They are called for every sample. @default without code
 */
export function bindMore<S extends Deno.ForeignLibraryInterface>(
  symbols: S,
  often = false,
): Calls<S> | undefined {
  for (const path of LIBC_PATHS) {
    try {
      return often ? Deno.dlopen(path, symbols).symbols : bindWithoutCode(path, symbols);
    } catch {
      // not at this place
    }
  }
}

/**
 * Binds functions that are required. @throws {AccessError} If libc is at no usual place, or not
 * permitted.
 */
export function bindNeeded<S extends Deno.ForeignLibraryInterface>(
  symbols: S,
  often = false,
): Calls<S> {
  const calls = bindMore(symbols, often);
  if (calls !== undefined) return calls;
  throw new AccessError({ action: "open the C library", expected: "glibc at a usual place" });
}
