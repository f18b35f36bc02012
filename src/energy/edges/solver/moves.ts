/**
 * How many CPUs went from class to class: all that is kept of orders where nothing else is followed.
 * @module
 */

/** Classes below this are found without a search. */
const DENSE = 64;
const MOST_PAIRS = 16_384;

/** Counts of one domain instance. */
export class Moves {
  readonly #dense = new Float64Array(DENSE * DENSE);
  readonly #others = new Map<number, number>();

  add(from: number, to: number, count: number): void {
    if (from < DENSE && to < DENSE) {
      this.#dense[from * DENSE + to] += count;
      return;
    }
    const key = from * 65536 + to;
    const known = this.#others.get(key);
    if (known === undefined && this.#others.size === MOST_PAIRS) return;
    this.#others.set(key, (known ?? 0) + count);
  }

  /** Gives each pair of classes that has any. */
  each(take: (from: number, to: number, count: number) => void): void {
    for (let at = 0; at < this.#dense.length; at++) {
      const count = this.#dense[at];
      if (count > 0) take(Math.floor(at / DENSE), at % DENSE, count);
    }
    for (const [key, count] of this.#others) take(Math.floor(key / 65536), key % 65536, count);
  }
}
