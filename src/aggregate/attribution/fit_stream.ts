/**
 * The fit as it goes on: three lags side by side, one filter, shares by the newest powers.
 * @module
 */
import { Influence } from "./influence.ts";
import type { Solution } from "./nnls.ts";
import { NormalSums } from "./normal_sums.ts";
import type { RowStore } from "./row_store.ts";
import { type Chosen, LAG_GRID } from "./selection.ts";
import { Shares } from "./shares.ts";
import { FILTERS, WhitenedRows } from "./whitened_rows.ts";

/** One of the three lags. */
export interface LagSums {
  /** Place in `LAG_GRID`. */
  readonly lag: number;
  readonly rows: WhitenedRows;
  readonly sums: NormalSums;
  readonly shares: Shares;
}

/** The fit of the intervals behind the first ones. */
export class FitStream {
  /** Lags around the chosen one, ascending; the middle one keeps its sums in blocks. */
  readonly lags: readonly LagSums[];
  readonly influence = new Influence();
  readonly theta: number;
  readonly filter: number;
  /** Rows taken, and those of them that were filtered. */
  taken = 0;
  counted = 0;
  #power: Float64Array;
  /** Rows at which the powers are found again. */
  #again: number;

  /** @param rows Rows that the choice was made from. */
  constructor(chosen: Chosen, rows: number) {
    this.filter = chosen.filter;
    this.theta = FILTERS[chosen.filter][1];
    const middle = Math.min(Math.max(chosen.lag, 1), LAG_GRID.length - 2);
    this.lags = [middle - 1, middle, middle + 1].map((lag) => ({
      lag,
      rows: new WhitenedRows(FILTERS[chosen.filter], lag),
      sums: new NormalSums(),
      shares: new Shares(lag),
    }));
    this.#power = chosen.solution.power;
    for (const { shares } of this.lags) shares.use(this.#power);
    this.#again = 2 * rows;
  }

  /** Takes row `i`. */
  take(rows: RowStore, i: number): void {
    for (let k = 0; k < 3; k++) {
      const lag = this.lags[k];
      lag.rows.take(rows, i);
      lag.shares.take(rows, i);
      if (k === 1) this.influence.take(rows, i, lag.rows, lag.shares, this.#power);
      else if (lag.rows.counts) lag.sums.add(lag.rows);
    }
    this.taken++;
    if (this.lags[1].rows.counts) this.counted++;
    if (this.taken < this.#again) return;
    this.#again *= 2;
    this.#renew(rows.count);
  }

  /** The powers at each lag, now. */
  solve(classes: number): Solution[] {
    this.#gather();
    let held: ReadonlySet<number> | undefined;
    return [1, 0, 2].map((k) => {
      const solution = this.lags[k].sums.solve(classes, held);
      held ??= solution.held;
      return { k, solution };
    }).sort((a, b) => a.k - b.k).map(({ solution }) => solution);
  }

  #gather(): void {
    const { sums } = this.lags[1];
    sums.clear();
    for (const block of this.influence.blocks) sums.addAll(block.sums);
  }

  #renew(classes: number): void {
    const solutions = this.solve(classes);
    this.#power = solutions[1].power;
    solutions.forEach(({ power }, k) => this.lags[k].shares.use(power));
  }
}
