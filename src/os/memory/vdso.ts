/**
 * The code that the kernel maps into every process: vdso(7).
 * @module
 */
import { libc } from "../libc.ts";

/** AT_SYSINFO_EHDR of getauxval(3). */
const AT_SYSINFO_EHDR = 33n;
/** Bytes of the head, and places in it: offset, size and number of section headers, which end the file. */
const HEAD_BYTES = 64, SECTIONS_AT = 40, SIZE_AT = 58, COUNT_AT = 60;
const BYTES_MOST = 1 << 20;

/**
 * Shared object of this process that the kernel provides, equal in all processes; `undefined`:
 * there is none.
 */
export function ownVdso(): Uint8Array | undefined {
  const at = libc().getauxval(AT_SYSINFO_EHDR);
  if (at === 0n) return undefined;
  const bytesAt = (size: number) => {
    const bytes = new Uint8Array(size);
    libc().peek(bytes, at, BigInt(size));
    return bytes;
  };
  const head = new DataView(bytesAt(HEAD_BYTES).buffer);
  const sections = Number(head.getBigUint64(SECTIONS_AT, true));
  const size = sections + head.getUint16(SIZE_AT, true) * head.getUint16(COUNT_AT, true);
  return size <= BYTES_MOST ? bytesAt(size) : undefined;
}
