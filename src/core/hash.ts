/**
 * Region hashes: CRC-32 of the name, as geopm_prof(3) has made them since GEOPM 3.1.
 *
 * The constants are older than the function and did not change with it.
 * @module
 */

/** Hash of no region: a scope without an application process. */
export const HASH_INVALID = 0;
/** Stands for the totals since the first epoch. */
export const HASH_EPOCH = 0x66c91423;
/** Stands for the totals of the application; also every CPU's hash while nothing is connected. */
export const HASH_APPLICATION = 0x9d540c53;
export { HASH_UNMARKED } from "./agg.ts";

/** Four bits a step, reflected polynomial 0xEDB88320: a start makes 16 entries faster than zlib's 256. */
const TABLE = /* @__PURE__ */ makeTable();
const encoder = new TextEncoder();

/**
 * Hash of a region name: CRC-32 over its UTF-8 bytes, without terminator.
 *
 * @returns Unsigned 32 bits; 0 for the empty name.
 * @example
 * ```ts
 * regionHash("MPI_Barrier"); // 0x82e72b30
 * ```
 */
export function regionHash(name: string): number {
  return crc32(encoder.encode(name));
}

/**
 * CRC-32 as in zlib and in `.gnu_debuglink`.
 *
 * @param before That of the bytes before these. @default there are none
 * @returns Unsigned 32 bits.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = before ^ 0xffffffff;
  for (let i = 0; i < bytes.length; i++) {
    crc ^= bytes[i];
    crc = (crc >>> 4) ^ TABLE[crc & 15];
    crc = (crc >>> 4) ^ TABLE[crc & 15];
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function makeTable(): Uint32Array {
  const table = new Uint32Array(16);
  for (let n = 0; n < 16; n++) {
    let c = n;
    for (let bit = 0; bit < 4; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    table[n] = c >>> 0;
  }
  return table;
}
