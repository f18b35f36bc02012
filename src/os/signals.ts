/**
 * Signals as libc takes them, and a handler for those that only end a wait.
 * @module
 */
import { cString, libc } from "./libc.ts";

/** A set as libc's sigset_t: 128 bytes, the kernel's 64 bits first. */
export function signalSet(bits: bigint): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(128);
  new DataView(bytes.buffer).setBigUint64(0, bits, true);
  return bytes;
}

/**
 * Handles a signal by a function of libc that has no effect (abs), since a path-scoped FFI gives no callbacks: it
 * ends what blocks, and no process.
 *
 * @returns Whether it is handled.
 */
export function handleWithoutEffect(signal: number): boolean {
  const handler = libc().dlsym(0n, cString("abs"));
  // struct sigaction of glibc, x86-64 and aarch64: handler, mask of 128 bytes, flags, restorer
  const action = new Uint8Array(152);
  new DataView(action.buffer).setBigUint64(0, handler, true);
  return handler !== 0n && libc().sigactionOf(signal, action, 0n) === 0;
}
