/**
 * Fields of model specific registers: bits, function and scalar.
 *
 * Functions and names of geopm::MSRFieldSignal. Registers come as two 32-bit halves, since no
 * double holds 64 bits; a field is at most 53 bits wide.
 * @module
 */

/** `overflow` fields are counters: {@link import("./counter.ts").Counters} unwraps them. */
export type FieldFunction = "scale" | "logic" | "log_half" | "7_bit_float" | "overflow";

/** The unsigned number in bits `begin` to `end`, both included, of a register. */
export function bits(high: number, low: number, begin: number, end: number): number {
  const h = high >>> 0;
  const l = low >>> 0;
  if (end < 32) return (l >>> begin) % 2 ** (end - begin + 1);
  if (begin >= 32) return (h >>> (begin - 32)) % 2 ** (end - begin + 1);
  const upper = end === 63 ? h : h % 2 ** (end - 31);
  return upper * 2 ** (32 - begin) + (l >>> begin);
}

/**
 * 2^Y · (1 + Z/4), Y the low five bits, Z the next two: the RAPL time windows.
 *
 * Intel SDM volume 3B, 15.10.3 "Package RAPL Domain".
 */
export function sevenBitFloat(field: number): number {
  return 2 ** (field & 31) * (1 + ((field >>> 5) & 3) / 4);
}

/** Value of a field's number, scalar not yet applied. */
export function applyFunction(kind: FieldFunction, field: number): number {
  switch (kind) {
    case "log_half":
      return 2 ** -field;
    case "7_bit_float":
      return sevenBitFloat(field);
    default:
      return field;
  }
}
