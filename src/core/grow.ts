/**
 * Typed arrays that grow: a longer copy, the old elements first.
 * @module
 */

/** Arrays whose elements are numbers. */
type Growable = Uint8Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** Type of the grown array, with a buffer of its own. */
type Grown<T extends Growable> = T extends Float64Array ? Float64Array<ArrayBuffer>
  : T extends Float32Array ? Float32Array<ArrayBuffer>
  : T extends Int32Array ? Int32Array<ArrayBuffer>
  : T extends Uint32Array ? Uint32Array<ArrayBuffer>
  : Uint8Array<ArrayBuffer>;

/** A copy of exactly this length, `fill` beyond the old one. */
export function lengthened<T extends Growable>(old: T, length: number, fill = 0): Grown<T> {
  const made = new (old.constructor as { new (length: number): Grown<T> })(length);
  made.set(old);
  if (fill !== 0) made.fill(fill, old.length);
  return made;
}

/** A copy of at least this length and at least twice the old one, `fill` beyond that. */
export function grown<T extends Growable>(old: T, least = 16, fill = 0): Grown<T> {
  return lengthened(old, Math.max(16, least, old.length * 2), fill);
}
