/**
 * The fit as it goes on: five lags side by side, one filter, shares by the newest powers.
 * @module
 */
import { Influence } from "./solver/influence.ts";
import { type Columns, MANY_CLASSES } from "./solver/columns.ts";
import { FOLLOWED, FOLLOWED_PLAIN, LAG_GRID } from "./solver/lag_curve.ts";
import { LagRow, type Powers } from "./solver/lag_row.ts";
import type { PhaseLock } from "./phase_lock.ts";
import { type Between, lesser, type Solution } from "./solver/nnls.ts";
import { slownesses, stretchAt } from "./solver/slowness.ts";
import { NormalSums } from "./solver/normal_sums.ts";
import type { RowStore } from "./solver/row_store.ts";
import type { Chosen } from "./selection.ts";
import { Shares } from "./solver/shares.ts";
import type { VisitTerms } from "./visit_terms.ts";
import { FILTERS, WhitenedRows } from "./solver/whitened_rows.ts";

/**
 * Rows after which the powers are found again, or a sixteenth of those so far where that is more; sooner
 * where a class has doubled its CPU time.
 */
const RENEW_ROWS = 512, RENEW_SHIFT = 4;
const CHECK_ROWS = 32;

/** One of the lags. */
export interface LagSums {
  /** Place in `LAG_GRID`. */
  readonly lag: number;
  readonly row: LagRow;
  readonly rows: WhitenedRows;
  readonly sums: NormalSums;
  readonly shares: Shares;
}

/** The fit of the intervals behind the first ones. */
export class FitStream {
  /** Lags around the chosen one, ascending; the middle one keeps its sums in blocks. */
  readonly lags: readonly LagSums[];
  readonly influence: Influence;
  /** Place of the lag in the middle. */
  readonly middle: number;
  readonly theta: number;
  readonly filter: number;
  /** Rows taken, and those of them that were filtered. */
  taken = 0;
  counted = 0;
  #power: Float64Array;
  #powers: Powers;
  /** Classes without power at the lag in the middle: where the others begin. */
  #held: ReadonlySet<number> | undefined;
  /** Rows at which the powers are found again, and at which it is seen whether that is due. */
  #again: number;
  #check: number;
  /** CPU-seconds by class that the powers were found on. */
  #foundOn: Float64Array;

  readonly columns: Columns;
  /** Where numbers are given. */
  readonly store: RowStore;
  /** Visits: what power that follows the load carries. */
  readonly visits: VisitTerms | undefined;
  /** What is left unexplained by row, W² of weight 1. */
  s2: number;

  /** @param rows Those that the choice was made from. @param lock Gets what boundaries moved. */
  constructor(
    chosen: Chosen,
    rows: RowStore,
    lock: PhaseLock,
    { columns, visits, isPlain }: {
      columns: Columns;
      visits: VisitTerms | undefined;
      /** Nothing is ever tested. */
      isPlain: boolean;
    },
  ) {
    this.visits = visits;
    this.columns = columns;
    this.store = rows;
    this.s2 = chosen.s2;
    this.influence = new Influence(lock);
    this.filter = chosen.filter;
    this.theta = FILTERS[chosen.filter][1];
    const isFew = columns.list.length === 0 && (isPlain || rows.classCount > MANY_CLASSES);
    const followed = isFew ? FOLLOWED_PLAIN : FOLLOWED;
    const beside = this.middle = followed >> 1;
    const middle = Math.min(Math.max(chosen.lag, beside), LAG_GRID.length - followed + beside);
    this.lags = Array.from({ length: followed }, (_, k) => middle + k - beside).map((lag) => ({
      lag,
      row: new LagRow(lag),
      rows: new WhitenedRows(FILTERS[chosen.filter]),
      sums: new NormalSums(),
      shares: new Shares(),
    }));
    this.#power = chosen.solution.power;
    this.#powers = { now: this.#power, first: this.#power };
    for (const { shares } of this.lags) shares.use(chosen.solution, rows.isColumn);
    this.#foundOn = rows.seconds();
    this.#again = rows.rows + RENEW_ROWS;
    this.#check = CHECK_ROWS;
  }

  /** The newest powers, W per CPU by number. */
  get power(): Float64Array {
    return this.#power;
  }

  /** Takes row `i`. */
  take(rows: RowStore, i: number): void {
    for (let k = 0; k < this.lags.length; k++) {
      const lag = this.lags[k];
      lag.row.take(rows, i, this.#powers, this.columns);
      lag.rows.take(rows, i, lag.row);
      lag.shares.take(lag.row, rows.energyJ[i], rows.count);
      if (k === this.middle) this.influence.take(rows, i, lag.rows, lag.shares, this.#power);
      else if (lag.rows.counts) lag.sums.add(lag.rows);
    }
    this.taken++;
    if (this.lags[this.middle].rows.counts) this.counted++;
    if (this.taken < this.#check) return;
    this.#check = this.taken + CHECK_ROWS;
    if (this.taken < this.#again && !this.#hasDoubled()) return;
    this.#again = this.taken + Math.max(RENEW_ROWS, this.taken >> RENEW_SHIFT);
    this.#renew(rows.count);
  }

  /** Has a class twice the CPU time that its power was found on? */
  #hasDoubled(): boolean {
    const { d } = this.lags[this.middle].shares;
    const { isColumn } = this.store;
    for (let c = 0; c < d.length; c++) {
      const known = c < this.#foundOn.length ? this.#foundOn[c] : 0;
      if (isColumn[c] !== 1 && d[c] > 2 * known) return true;
    }
    return false;
  }

  /**
   * The powers at each lag, now.
   *
   * @param families Bits of the families of columns that are let in.
   * @param slowness How power follows the load: see `stretchAt()`.
   */
  solve(classes: number, families: number, slowness: number): Solution[] {
    const between = stretchAt(this.columns, slowness);
    const middle = this.#solveAt(this.middle, classes, families)(between);
    return this.lags.map((_, k) =>
      k === this.middle ? middle : this.#solveAt(k, classes, families)(between)
    );
  }

  #solveAt(k: number, classes: number, families: number): (between?: Between) => Solution {
    const { isColumn } = this.store;
    const ridge = this.columns.ridge(this.store, { power: this.#power, s2: this.s2, families });
    const { sums } = this.lags[k];
    return (between?: Between) => {
      const known = { isColumn, ridge, between, parts: this.columns.carried };
      const solution = sums.solve(classes, k === this.middle ? undefined : this.#held, known);
      if (k === this.middle) this.#held = solution.held;
      return solution;
    };
  }

  /** Brings the sums of the lag in the middle together: before `solve()`. */
  gather(): void {
    const { sums } = this.lags[this.middle];
    sums.clear();
    for (const block of this.influence.blocks) sums.addAll(block.sums);
  }

  #renew(classes: number): void {
    this.gather();
    // The plain powers: with columns of their own classes' powers would be those beside them. At the lag where
    // they explain most: a time constant found at another one makes up for it, each time more.
    const all = this.lags.map((_, k) =>
      slownesses(this.columns, this.#solveAt(k, classes, 0)).reduce(lesser)
    );
    const best = all.reduce(lesser);
    const solutions = this.lags.map((_, k) =>
      all[k].between === best.between ? all[k] : this.#solveAt(k, classes, 0)(best.between)
    );
    this.#power = best.power;
    this.#powers = { now: this.#power, first: this.#powers.first };
    this.s2 = solutions[this.middle].rss / Math.max(1, this.counted);
    const { isColumn } = this.store;
    solutions.forEach((solution, k) => this.lags[k].shares.use(solution, isColumn));
    this.#foundOn = this.lags[this.middle].shares.d.slice();
  }
}
