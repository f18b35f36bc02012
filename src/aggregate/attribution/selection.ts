/**
 * Which lag and which filter: the pair that leaves least unexplained, by profile likelihood.
 *
 * The counter shows the energy of a moment ago, by an unknown constant; the noise has an unknown
 * memory. Both are searched in turn, lags with one filter, then filters at the best lag, then once
 * more around what came out. Work comes in pieces, so that no step of a live run waits for it.
 * @module
 */
import type { Solution } from "./nnls.ts";
import { NormalSums } from "./normal_sums.ts";
import type { RowStore } from "./row_store.ts";
import { FILTERS, WhitenedRows } from "./whitened_rows.ts";

/** Lags that are tried, as multiples of the update period (of 10 ms at most). */
export const LAG_GRID: readonly number[] = [-0.5, -0.25, 0, 0.25, 0.5, 0.75, 1];
/** Where the grid is 0. */
export const ZERO_LAG = 2;
const FIRST_LAG = 3;
const FIRST_FILTER = 1;

/** The best pair, and what the rows say with it. */
export interface Chosen {
  /** Place in {@linkcode LAG_GRID}. */
  readonly lag: number;
  /** Place in `FILTERS`. */
  readonly filter: number;
  readonly solution: Solution;
}

/** Compares the lags and filters of a fit. */
export class Selection {
  readonly #rows: RowStore;
  readonly #count: number;
  /** Pairs tried so far, by lag × filters + filter: RSS over rows. */
  readonly #tried = new Map<number, number>();
  #best: Chosen | undefined;
  #least = Infinity;
  /** The pair in work. */
  #pair: { lag: number; filter: number; rows: WhitenedRows; sums: NormalSums } | undefined;
  #next = 0;
  #wanted: { lag: number; filter: number }[];

  /** @param count Rows to judge by. */
  constructor(rows: RowStore, count: number) {
    this.#rows = rows;
    this.#count = count;
    this.#wanted = LAG_GRID.map((_, lag) => ({ lag, filter: FIRST_FILTER }));
    // The likeliest first: its solution is a good start for the others.
    this.#wanted.unshift({ lag: FIRST_LAG, filter: FIRST_FILTER });
  }

  /** Passes over so many rows at most. @returns Whether all is done. */
  work(rows: number): boolean {
    for (let left = rows; left > 0;) {
      const pair = this.#pair ??= this.#begin();
      if (pair === undefined) return true;
      const end = Math.min(this.#count, this.#next + left);
      left -= end - this.#next;
      for (; this.#next < end; this.#next++) {
        pair.rows.take(this.#rows, this.#next);
        if (pair.rows.counts) pair.sums.add(pair.rows);
      }
      if (this.#next < this.#count) return false;
      this.#judge();
    }
    return this.#pair === undefined && this.#wanted.length === 0 && this.#done();
  }

  /** The result; all work is done. */
  get chosen(): Chosen {
    return this.#best!;
  }

  #begin() {
    for (;;) {
      const next = this.#wanted.shift();
      if (next === undefined) {
        if (this.#done()) return undefined;
        continue;
      }
      if (this.#tried.has(key(next.lag, next.filter))) continue;
      this.#next = 0;
      return {
        ...next,
        rows: new WhitenedRows(FILTERS[next.filter], next.lag),
        sums: new NormalSums(),
      };
    }
  }

  #judge(): void {
    const { lag, filter, sums } = this.#pair!;
    this.#pair = undefined;
    const solution = sums.solve(this.#rows.count, this.#best?.solution.held);
    const left = solution.rss / Math.max(1, sums.rows);
    this.#tried.set(key(lag, filter), left);
    if (this.#best !== undefined && !(left < this.#least)) return;
    this.#least = left;
    this.#best = { lag, filter, solution };
  }

  /** Asks for what has not been tried around the best pair. @returns Whether there is nothing. */
  #done(): boolean {
    const { lag, filter } = this.#best!;
    const around = [
      ...FILTERS.map((_, other) => ({ lag, filter: other })),
      ...LAG_GRID.map((_, other) => ({ lag: other, filter })),
    ];
    this.#wanted = around.filter((pair) => !this.#tried.has(key(pair.lag, pair.filter)));
    return this.#wanted.length === 0;
  }
}

function key(lag: number, filter: number): number {
  return lag * FILTERS.length + filter;
}
