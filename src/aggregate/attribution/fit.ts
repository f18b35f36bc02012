/**
 * The fit of one counter over a whole run, in memory that does not grow with the run: the first
 * intervals are kept, lag and filter are chosen on them, and from then on three lags go on by
 * themselves. Short runs are done from what was kept. docs/how-sure.md.
 * @module
 */
import { type FitFrame, type FitOutcome, fitOutcome } from "./fit_outcome.ts";
import { Columns, MANY_CLASSES } from "./columns.ts";
import { FitStream } from "./fit_stream.ts";
import { PhaseLock } from "./phase_lock.ts";
import { type Interval, MOST_CLASSES, RowStore } from "./row_store.ts";
import { LEAST_ROWS } from "./lack_of_fit.ts";
import { LAG_GRID, ZERO_LAG } from "./lag_curve.ts";
import { Selection } from "./selection.ts";
import { CONSTANTS, type VisitTerms } from "./visit_terms.ts";

/** At this interval it is seen whether the test is worth its time, and at most so many edges a second are. */
const LOOK_ROWS = 256, MOST_EDGES_A_SECOND = 4000;
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

const NO_COLUMNS = Columns.none();

/** What powers may depend on beside the region. */
export interface FitTerms {
  readonly visits: VisitTerms;
  /** CPUs that are owned. */
  readonly cpus: () => number;
  /** Is the counter known well enough to tell such things from its own ways? */
  readonly isTestable: () => boolean;
}

/** The fit of one counter. */
export class Fit {
  readonly rows: RowStore;
  readonly lock = new PhaseLock();
  #selection: Selection | undefined;
  #stream: FitStream | undefined;
  /** Row of the store that the stream takes next. */
  #next = 0;
  #work = 0;
  /** Chosen once. */
  #columns: Columns | undefined;
  readonly #terms: FitTerms | undefined;

  /** It was given up to test anything. */
  isUntested = false;
  /** Changes of CPUs' paths that it was told of. */
  edges = 0;
  /** Called where nothing is tested, since it would take too long. */
  onUntested: (() => void) | undefined;
  /** Lags of the grid that are still needed change: called with their places, and the columns. */
  onChosen: ((lags: readonly number[], columns: Columns) => void) | undefined;

  /**
   * @param parentOf See {@linkcode RowStore}.
   * @param terms What powers may depend on beside the region. @default nothing
   */
  constructor(
    parentOf?: (raw: number) => number,
    terms?: FitTerms,
  ) {
    this.#terms = terms;
    const width = LAG_GRID.length * (1 + CONSTANTS.length);
    this.rows = new RowStore(width, ZERO_LAG, parentOf);
  }

  /** Takes an interval, and what it holds of terms. */
  add(
    row: { count: number; classes: Int32Array; tau: Float64Array },
    interval: Interval,
    terms: { count: number; classes: Int32Array; tau: Float64Array; width: number },
  ): void {
    const { rows } = this;
    rows.push(row, interval);
    rows.pushTerms(terms);
    if (rows.entries > MOST_ENTRIES) rows.limit();
    this.#work += row.count * row.count;
    if (rows.rows === LOOK_ROWS && this.#stream === undefined && !this.#isTestable()) {
      this.#columns = NO_COLUMNS;
      this.onUntested?.();
    }
    if (this.#stream === undefined) this.#choose();
    else this.#follow(CATCH_UP);
  }

  /** What the columns need is not known any more: the plain model is what is left. */
  giveUp(): void {
    if (this.#columns === undefined) this.#columns = NO_COLUMNS;
    this.isUntested = true;
  }

  /** Does the test cost less than some per cent of a core? */
  #isTestable(): boolean {
    const { rows } = this;
    let seconds = 0;
    for (let i = 0; i < rows.rows; i++) seconds += rows.lengthS[i];
    return rows.classCount <= MANY_CLASSES && this.edges <= MOST_EDGES_A_SECOND * seconds;
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
      const isMuch = rows.entries * rows.count > MIDWAY_WORK || rows.classCount >= MOST_CLASSES;
      if (!isLast && isMuch) return undefined;
      if (isLast) rows.limit();
      // Only to the end of this run: the choice is made anew when more is known.
      const columns = isLast ? this.#choice() : this.#columns ?? NO_COLUMNS;
      const selection = new Selection(rows, rows.rows, columns);
      selection.work(Infinity);
      const stream = new FitStream(selection.chosen, rows, this.lock, {
        columns,
        visits: this.#terms?.visits,
      });
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

  /** The columns, chosen once there are rows enough to test anything. */
  #choice(): Columns {
    const terms = this.#terms;
    if (this.#columns !== undefined) return this.#columns;
    if (this.rows.rows < LEAST_ROWS) return NO_COLUMNS;
    return this.#columns = terms === undefined || !terms.isTestable()
      ? NO_COLUMNS
      : Columns.choose(this.rows, terms.visits, terms.cpus());
  }

  #choose(): void {
    const { rows } = this;
    if (this.#selection === undefined) {
      const classes = Math.min(rows.classCount, MOST_CLASSES);
      const isLong = this.#work > CHOICE_WORK && rows.rows >= CHOICE_PER_CLASS * classes;
      if (rows.rows < CHOICE_ROWS && !isLong) return;
      rows.limit();
      this.#selection = new Selection(rows, rows.rows, this.#columns = this.#choice());
    }
    if (this.#selection.work(PASSES)) this.#chosen();
  }

  #chosen(): void {
    this.#stream = new FitStream(this.#selection!.chosen, this.rows, this.lock, {
      columns: this.#choice(),
      visits: this.#terms?.visits,
    });
    this.#selection = undefined;
    this.onChosen?.(this.#stream.lags.map(({ lag }) => lag), this.#choice());
  }

  #follow(most: number): void {
    const end = Math.min(this.rows.rows, this.#next + most);
    for (; this.#next < end; this.#next++) this.#stream!.take(this.rows, this.#next);
    if (this.#next < this.rows.rows) return;
    this.rows.clear();
    this.#next = 0;
  }
}
