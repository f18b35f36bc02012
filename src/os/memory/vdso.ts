/**
 * The code that the kernel maps into every process: vdso(7).
 * @module
 */
import { libc } from "../libc.ts";

/** AT_SYSINFO_EHDR of getauxval(3). */
const AT_SYSINFO_EHDR = 33n;
const VDSO_BYTES = 8192;

/**
 * Shared object of this process that the kernel provides, equal in all processes; `undefined`:
 * there is none.
 */
export function ownVdso(): Uint8Array | undefined {
  const at = libc().getauxval(AT_SYSINFO_EHDR);
  if (at === 0n) return undefined;
  const bytes = new Uint8Array(VDSO_BYTES);
  libc().peek(bytes, at, BigInt(VDSO_BYTES));
  return bytes;
}
