/**
 * What a reader has bound to the references of snapshots, for one list of attribute ids.
 *
 * A trace has some hundreds of such beginnings and millions of records: the row of an aggregation,
 * say, is looked up by them, and nothing but the values is read. The table forgets when it is full:
 * what takes the place of another one is bound again when it comes. Binding is worth its cost where
 * references come again, so they are bound when they come for the second time.
 * @module
 */

/** Snapshots of more references have no place. */
const MAX_REFS = 2;
const BITS = 12;
/** So many times nothing may be bound to references before nobody is asked any more. */
const MAX_REFUSALS = 8;

/** A table by references, of two places per hash. */
export class Bindings {
  readonly #first = new Int32Array(1 << BITS);
  readonly #second = new Int32Array(1 << BITS);
  readonly #bound: (object | null)[] = new Array(1 << BITS).fill(null);
  readonly #refusals = new Uint8Array(1 << BITS);

  /** What is bound to the references; null: nothing. */
  find(refs: Int32Array, count: number): object | null {
    if (count > MAX_REFS) return null;
    const first = count > 0 ? refs[0] : -1, second = count > 1 ? refs[1] : -1;
    const at = placeOf(first, second);
    if (this.#first[at] === first && this.#second[at] === second) return this.#bound[at];
    const other = at ^ 1;
    return this.#first[other] === first && this.#second[other] === second
      ? this.#bound[other]
      : null;
  }

  /** Notes that references have come; did they before, and can something be bound to them? */
  note(refs: Int32Array, count: number): boolean {
    if (count > MAX_REFS) return false;
    const first = count > 0 ? refs[0] : -1, second = count > 1 ? refs[1] : -1;
    let at = placeOf(first, second);
    let isKnown = this.#first[at] === first && this.#second[at] === second;
    if (!isKnown && this.#bound[at] !== null) {
      at ^= 1;
      isKnown = this.#first[at] === first && this.#second[at] === second;
    }
    if (isKnown) return this.#refusals[at] < MAX_REFUSALS;
    this.#first[at] = first;
    this.#second[at] = second;
    this.#bound[at] = null;
    this.#refusals[at] = 0;
    return false;
  }

  /** Binds something to the references that were noted last; null: nothing this time. */
  bind(refs: Int32Array, count: number, bound: object | null): void {
    const first = count > 0 ? refs[0] : -1, second = count > 1 ? refs[1] : -1;
    let at = placeOf(first, second);
    if (this.#first[at] !== first || this.#second[at] !== second) at ^= 1;
    this.#bound[at] = bound;
    if (bound === null) this.#refusals[at]++;
  }
}

function placeOf(first: number, second: number): number {
  return (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 32 - BITS;
}
