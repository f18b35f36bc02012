/**
 * `equal` with the meaning of `@std/assert`: structure and prototype, `NaN` equal to itself, 0 equal
 * to -0. (`deepStrictEqual` of `node:assert` tells 0 from -0, and objects without prototype from
 * plain ones; @std does not, and tests must not notice which of the two they run on.)
 */

/** Values whose own keys say nothing: their text does. */
const BY_TEXT: (abstract new (...args: never[]) => unknown)[] = [
  RegExp,
  URL,
  URLSearchParams,
];
const TypedArray = Object.getPrototypeOf(Uint8Array) as new () => Uint8Array;

/** Whether two values have the same structure. Cycles are followed once. */
export function equal(a: unknown, b: unknown): boolean {
  return compare(a, b, new Map());
}

function compare(a: unknown, b: unknown, seen: Map<object, object>): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b) || !samePrototype(a, b)) return false;
  if (a instanceof Date) return Object.is(a.getTime(), (b as Date).getTime());
  if (a instanceof TypedArray) return sameItems(a, b as Uint8Array);
  if (a instanceof ArrayBuffer || a instanceof SharedArrayBuffer) {
    return sameItems(new Uint8Array(a), new Uint8Array(b as ArrayBuffer));
  }
  if (a instanceof WeakMap || a instanceof WeakSet) {
    throw new TypeError(`Cannot compare ${a.constructor.name} instances`);
  }
  if (a instanceof WeakRef) {
    return compare(a.deref(), (b as WeakRef<object>).deref(), seen);
  }
  if (BY_TEXT.some((type) => a instanceof type)) return String(a) === String(b);
  if (seen.get(a) === b) return true;
  if (Object.keys(a).length !== Object.keys(b).length) return false;
  seen.set(a, b);
  if (a instanceof Set) {
    return sameEntries(
      [...a].map(pair),
      [...(b as Set<unknown>)].map(pair),
      seen,
    );
  }
  if (a instanceof Map) {
    return sameEntries([...a], [...(b as Map<unknown, unknown>)], seen);
  }
  for (const key of new Set([...keysOf(a), ...keysOf(b)])) {
    if (
      (key in a) !== (key in b) ||
      !compare(Reflect.get(a, key), Reflect.get(b, key), seen)
    ) {
      return false;
    }
  }
  return true;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function samePrototype(a: object, b: object): boolean {
  return (Object.getPrototypeOf(a) ?? Object.prototype) ===
    (Object.getPrototypeOf(b) ?? Object.prototype);
}

function sameItems(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i] && !Object.is(a[i], b[i])) return false;
  }
  return true;
}

function pair(value: unknown): [unknown, unknown] {
  return [value, value];
}

/** Entries of two maps or sets, in any order; each of `b` is used once. */
function sameEntries(
  a: [unknown, unknown][],
  b: [unknown, unknown][],
  seen: Map<object, object>,
): boolean {
  if (a.length !== b.length) return false;
  const left = [...b];
  return a.every(([key, value]) => {
    const at = left.findIndex(([k, v]) => compare(key, k, seen) && compare(value, v, seen));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** Own keys for plain objects and arrays; for instances of a class its accessors too. */
function keysOf(object: object): Set<PropertyKey> {
  const keys = new Set<PropertyKey>();
  const prototype = Object.getPrototypeOf(object);
  if (
    prototype === null || prototype === Object.prototype ||
    prototype === Array.prototype
  ) {
    for (const key of Reflect.ownKeys({ ...object })) keys.add(key);
    return keys;
  }
  for (
    let at: object | null = object;
    at !== null && at !== Object.prototype && at !== Array.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const key of Reflect.ownKeys(at)) keys.add(key);
  }
  return keys;
}
