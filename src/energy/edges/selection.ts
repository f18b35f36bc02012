/**
 * Which lag and which filter: the pair that leaves least unexplained, by profile likelihood.
 *
 * The counter shows the energy of a moment ago, by an unknown constant; the noise has an unknown
 * memory. Both are searched in turn, lags with one filter, then filters at the best lag, then once
 * more around what came out. Work comes in pieces, so that no step of a live run waits for it.
 * @module
 */
import { ALL_FAMILIES, type Columns } from "./solver/columns.ts";
import { LAG_GRID, ZERO_LAG } from "./solver/lag_curve.ts";
import { LagRow } from "./solver/lag_row.ts";
import { type Between, lesser, type Solution } from "./solver/nnls.ts";
import { slownesses } from "./solver/slowness.ts";
import { NormalSums } from "./solver/normal_sums.ts";
import type { RowStore } from "./solver/row_store.ts";
import { FILTERS, WhitenedRows } from "./solver/whitened_rows.ts";

const FIRST_LAG = 3;
const FIRST_FILTER = 1;
/** Twice a logarithm of likelihoods up to which both may be true. */
const ALIKE = 40;
const NONE = new Float64Array(0);
/** Passes at the end that find the powers again: what power carries is made with those of the pass before. */
const POLISH = 2;

/** The best pair, and the rows' result with it. */
export interface Chosen {
  /** Place in {@linkcode LAG_GRID}. */
  readonly lag: number;
  /** Place in `FILTERS`. */
  readonly filter: number;
  readonly solution: Solution;
  /** What is left unexplained by row, W² of weight 1. */
  readonly s2: number;
}

/** A pair in work. */
interface Pair {
  readonly lag: number;
  readonly filter: number;
  readonly row: LagRow;
  readonly rows: WhitenedRows;
  readonly sums: NormalSums;
  /** The constant with which power follows the load, −1: at once, where nothing else is let in. */
  readonly constant?: number;
}

type Wanted = Pick<Pair, "lag" | "filter" | "constant">;

/** Compares the lags and filters of a fit. */
export class Selection {
  readonly #rows: RowStore;
  readonly #count: number;
  /** Pairs tried so far, by lag × filters + filter: RSS over rows. */
  readonly #tried = new Map<number, number>();
  /** The same for power that follows the load at once. */
  readonly #atOnce = new Map<number, number>();
  /** Of powers that follow the load with one constant each, and depend on nothing else: the best. */
  #start: { lag: number; solution: Solution } | undefined;
  #hasStarted: boolean;
  #best: Chosen | undefined;
  #least = Infinity;
  /** The pair in work. */
  #pair: Pair | undefined;
  #next = 0;
  #wanted: Wanted[];
  readonly #columns: Columns;
  /** Passes for the powers that are still to come, and that the one in work is such. */
  #polish: number;
  #isPolish = false;
  /** The first solution has no columns, and gives them their powers. */
  #isFirst: boolean;

  /** @param count Rows to judge by. */
  constructor(rows: RowStore, count: number, columns: Columns) {
    this.#rows = rows;
    this.#columns = columns;
    this.#isFirst = columns.list.length > 0;
    this.#hasStarted = columns.carried.length === 0;
    this.#polish = this.#hasStarted ? 0 : POLISH;
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
      const power = this.#best?.solution.power ?? NONE;
      const powers = { now: power, first: power };
      left -= end - this.#next;
      for (; this.#next < end; this.#next++) {
        if (pair.constant === undefined) {
          pair.row.take(this.#rows, this.#next, powers, this.#columns);
        } else pair.row.takeSlow(this.#rows, this.#next, pair.constant);
        pair.rows.take(this.#rows, this.#next, pair.row);
        if (pair.rows.counts) pair.sums.add(pair.rows);
      }
      if (this.#next < this.#count) return false;
      this.#judge();
    }
    return this.#pair === undefined && this.#wanted.length === 0 && this.#done();
  }

  /**
   * The result; all work is done.
   *
   * A lag and a power that follows the load look alike: where both explain the rows, the lag is chosen
   * next to the best of either.
   */
  get chosen(): Chosen {
    const best = this.#best!;
    const { filter, s2 } = best;
    let atOnce = best.lag;
    let least = Infinity;
    for (let lag = 0; lag < LAG_GRID.length; lag++) {
      const left = this.#atOnce.get(key(lag, filter));
      if (left === undefined || !(left < least)) continue;
      least = left;
      atOnce = lag;
    }
    if ((least - s2) * this.#count > ALIKE * s2) return best;
    const lag = Math.abs(atOnce - best.lag) === 2 ? (atOnce + best.lag) / 2 : atOnce;
    return { ...best, lag };
  }

  #begin() {
    for (;;) {
      const next = this.#wanted.shift();
      if (next === undefined) {
        if (this.#done()) return undefined;
        continue;
      }
      const isOther = next.constant === undefined && !this.#isPolish;
      if (isOther && this.#tried.has(key(next.lag, next.filter))) continue;
      this.#next = 0;
      return {
        ...next,
        row: new LagRow(next.lag),
        rows: new WhitenedRows(FILTERS[next.filter]),
        sums: new NormalSums(),
      };
    }
  }

  #judge(): void {
    const { lag, filter, sums, constant } = this.#pair!;
    this.#pair = undefined;
    if (constant !== undefined) {
      const solution = this.#solve(sums, 0);
      if (this.#start === undefined || solution.rss < this.#start.solution.rss) {
        this.#start = { lag, solution };
      }
      return;
    }
    if (this.#isPolish) {
      this.#best = { ...this.#best!, solution: this.#ways(sums, 0).reduce(lesser) };
      return;
    }
    const ways = this.#isFirst ? [this.#solve(sums, 0)] : this.#ways(sums, ALL_FAMILIES);
    const solution = ways.reduce(lesser);
    const left = solution.rss / Math.max(1, sums.rows);
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#best = { lag, filter, solution, s2: left };
      this.#wanted.unshift({ lag, filter });
      return;
    }
    this.#tried.set(key(lag, filter), left);
    this.#atOnce.set(key(lag, filter), ways[0].rss / Math.max(1, sums.rows));
    if (this.#best !== undefined && !(left < this.#least)) return;
    this.#least = left;
    // The plain powers: see `FitStream`.
    const plain = this.#ways(sums, 0).reduce(lesser);
    this.#best = { lag, filter, solution: plain, s2: left };
  }

  #solve(sums: NormalSums, families: number, between?: Between): Solution {
    const { isColumn, count } = this.#rows;
    return sums.solve(count, this.#best?.solution.held, {
      isColumn,
      ridge: this.#ridge(families),
      between,
      parts: this.#columns.carried,
    });
  }

  /** The ways that power may follow the load. */
  #ways(sums: NormalSums, families: number): Solution[] {
    return slownesses(this.#columns, (between?: Between) => this.#solve(sums, families, between));
  }

  #ridge(families: number): Float64Array {
    if (this.#best === undefined) return new Float64Array(this.#rows.count);
    const { solution: { power }, s2 } = this.#best;
    return this.#columns.ridge(this.#rows, { power, s2, families });
  }

  /** Requests the untried places around the best pair. @returns Whether none is left. */
  #done(): boolean {
    const { lag, filter } = this.#best!;
    const around = [
      ...FILTERS.map((_, other) => ({ lag, filter: other })),
      ...LAG_GRID.map((_, other) => ({ lag: other, filter })),
    ];
    this.#wanted = around.filter((pair) => !this.#tried.has(key(pair.lag, pair.filter)));
    return this.#wanted.length === 0 && this.#isPolished();
  }

  /**
   * Requests what the powers are found with at last. What power carries from class to class is made with the
   * powers themselves: so that they begin near enough, they are found first with each constant alone, where that
   * is not needed.
   */
  #isPolished(): boolean {
    const { filter } = this.#best!;
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      for (let constant = -1; constant < this.#columns.carried.length; constant++) {
        for (let lag = ZERO_LAG; lag < LAG_GRID.length; lag++) {
          this.#wanted.push({ lag, filter, constant });
        }
      }
      return false;
    }
    if (this.#polish === 0) return true;
    if (!this.#isPolish) this.#best = { ...this.#best!, solution: this.#start!.solution };
    this.#isPolish = true;
    this.#polish--;
    this.#wanted.push({ lag: this.#start!.lag, filter });
    return false;
  }
}

function key(lag: number, filter: number): number {
  return lag * FILTERS.length + filter;
}
