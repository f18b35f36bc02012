/**
 * The fit of one counter over a whole run, in memory that does not grow with the run: the first
 * intervals are kept, lag and filter are chosen on them, and from then on three lags go on by
 * themselves. Short runs are done from what was kept. docs/how-sure.md.
 * @module
 */
import { type FitFrame, type FitOutcome, fitOutcome } from "./fit_outcome.ts";
import { FitStream } from "./fit_stream.ts";
import { MOST_CLASSES, RowStore } from "./row_store.ts";
import { LAG_GRID, Selection, ZERO_LAG } from "./selection.ts";

/** Intervals that lag and filter are chosen on. */
const CHOICE_ROWS = 4096;
/**
 * Rows of many classes each take long: above this sum of squares of their entries, fewer serve, but
 * three times as many as there are classes.
 */
const CHOICE_WORK = 400_000;
const CHOICE_PER_CLASS = 3;
/** Entries that are kept without joining rare classes: a few MB. */
const MOST_ENTRIES = 65_536;
/** Row passes of the choice, and rows that follow it, for each new row. */
const PASSES = 24;
const CATCH_UP = 8;
/** Entries × classes up to which a choice may be made in between: a few milliseconds. */
const MIDWAY_WORK = 50_000;

/** The fit of one counter. */
export class Fit {
  readonly rows = new RowStore(LAG_GRID.length, ZERO_LAG);
  #selection: Selection | undefined;
  #stream: FitStream | undefined;
  /** Row of the store that the stream takes next. */
  #next = 0;
  #work = 0;

  /** Lags of the grid that are still needed change: called with their places. */
  onChosen: ((lags: readonly number[]) => void) | undefined;

  /** Takes an interval. */
  add(
    row: { count: number; classes: Int32Array; tau: Float64Array },
    energyJ: number,
    lengthS: number,
    fresh: boolean,
  ): void {
    const { rows } = this;
    rows.push(row, energyJ, lengthS, fresh);
    if (rows.entries > MOST_ENTRIES) rows.limit();
    this.#work += row.count * row.count;
    if (this.#stream === undefined) this.#choose();
    else this.#follow(CATCH_UP);
  }

  /**
   * The result so far.
   *
   * @param frame Made when classes have their numbers.
   * @param isLast The run is over. Before that, only what takes little time is done.
   * @returns `undefined` without any interval, or where it would take long.
   */
  outcome(frame: (rows: RowStore) => FitFrame, isLast: boolean): FitOutcome | undefined {
    const { rows } = this;
    if (this.#stream === undefined && this.#selection === undefined) {
      if (rows.rows === 0) return undefined;
      const isMuch = rows.entries * rows.count > MIDWAY_WORK || rows.count >= MOST_CLASSES;
      if (!isLast && isMuch) return undefined;
      if (isLast) rows.limit();
      // Only to the end of this run: the choice is made anew when more is known.
      const selection = new Selection(rows, rows.rows);
      selection.work(Infinity);
      const stream = new FitStream(selection.chosen, rows.rows);
      for (let i = 0; i < rows.rows; i++) stream.take(rows, i);
      return fitOutcome(stream, rows.count, frame(rows));
    }
    if (this.#stream === undefined) {
      if (!isLast) return undefined;
      this.#selection!.work(Infinity);
      this.#chosen();
    }
    this.#follow(Infinity);
    return fitOutcome(this.#stream!, rows.count, frame(rows));
  }

  #choose(): void {
    const { rows } = this;
    if (this.#selection === undefined) {
      const classes = Math.min(rows.count, MOST_CLASSES);
      const isLong = this.#work > CHOICE_WORK && rows.rows >= CHOICE_PER_CLASS * classes;
      if (rows.rows < CHOICE_ROWS && !isLong) return;
      rows.limit();
      this.#selection = new Selection(rows, rows.rows);
    }
    if (this.#selection.work(PASSES)) this.#chosen();
  }

  #chosen(): void {
    this.#stream = new FitStream(this.#selection!.chosen, this.rows.rows);
    this.#selection = undefined;
    this.onChosen?.(this.#stream.lags.map(({ lag }) => lag));
  }

  #follow(most: number): void {
    const end = Math.min(this.rows.rows, this.#next + most);
    for (; this.#next < end; this.#next++) this.#stream!.take(this.rows, this.#next);
    if (this.#next < this.rows.rows) return;
    this.rows.clear();
    this.#next = 0;
  }
}
