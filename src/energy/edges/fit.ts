/**
 * The fit of one counter over a whole run, in memory that does not grow with the run: the first
 * intervals are kept, lag and filter are chosen on them, and from then on a few lags go on by
 * themselves. Short runs are done from what was kept. docs/how-sure.md.
 * @module
 */
import { UNTESTED, type Untested } from "./untested.ts";
import { type FitFrame, type FitOutcome, fitOutcome } from "./fit_outcome.ts";
import { Columns, MANY_CLASSES } from "./solver/columns.ts";
import { FitStream } from "./fit_stream.ts";
import { PhaseLock } from "./phase_lock.ts";
import { type Exposures, type Interval, MOST_CLASSES, RowStore } from "./solver/row_store.ts";
import { LEAST_ROWS } from "./lack_of_fit.ts";
import { LAG_GRID, ZERO_LAG } from "./solver/lag_curve.ts";
import { Selection } from "./selection.ts";
import { CONSTANTS, type VisitTerms } from "./visit_terms.ts";

/** By this interval it is seen whether the test is worth its time, and at most so many edges a second are. */
const LOOK_ROWS = 256, MOST_EDGES_A_SECOND = 4000;
/** Sooner where there are so many times as many. */
const FAR_MORE = 1.25;
/** Intervals that lag and filter are chosen on. */
const CHOICE_ROWS = 4096;
/** The same where nothing is tested: there is a lag and a filter to choose, and no time constant. */
const CHOICE_ROWS_UNTESTED = 1024;
/**
 * Rows of many classes each take long: above this sum of squares of their entries, fewer serve, but
 * three times as many as there are classes.
 */
const CHOICE_WORK = 400_000;
const CHOICE_PER_CLASS = 3;
/**
 * Intervals of many classes each are joined with those behind them, so that squares of numbers of entries
 * come to so many a second at most, with many classes to half of that; by the last intervals it is seen how many have to be.
 */
const MOST_SQUARES_A_SECOND = 120_000, MOST_SQUARES_PLAIN = 60_000;
const JOIN_LOOK = 64;
const MOST_JOINED = 16;
/** Numbers that are kept before the choice, of 4 bytes, if there are rows enough. */
const MOST_AMOUNTS = 700_000;
const LEAST_CHOICE_ROWS = 1024;
/** So many are told from few without waiting for that interval. */
const VERY_MANY_CLASSES = 1024;
/** Entries that are kept without joining rare classes: a few MB. */
const MOST_ENTRIES = 65_536;
/** Row passes of the choice, and rows that follow it, for each new row. */
const PASSES = 96;
const CATCH_UP = 8;
/** Entries × classes up to which a choice may be made in between: a few milliseconds. */
const MIDWAY_WORK = 50_000;

const NO_COLUMNS = Columns.none();

/** What powers may depend on beside the region. */
export interface FitTerms {
  readonly visits: VisitTerms;
  /** CPUs that are owned. */
  readonly cpus: () => number;
  /** Is the counter known well enough to separate such effects from its own behaviour? */
  readonly isTestable: () => boolean;
}

/** The fit of one counter. */
export class Fit {
  readonly rows: RowStore;
  readonly lock = new PhaseLock();
  #selection: Selection | undefined;
  #stream: FitStream | undefined;
  /** See `together()`. */
  #isTogether = false;
  /** Row of the store that the stream takes next. */
  #next = 0;
  #work = 0;
  /** Intervals that make one row, and those in the last one; Infinity: it is whole. */
  #together = 1;
  #leastTogether = 1;
  #joined = Infinity;
  #hasLooked = false;
  /** It was seen that nothing is to be tested. */
  #isPlain = false;
  #looks = 0;
  /** Of the last intervals: squares of their numbers of entries, seconds, and how many they are. */
  #squares = 0;
  #lookS = 0;
  #looked = 0;
  /** Chosen once. */
  #columns: Columns | undefined;
  readonly #terms: FitTerms | undefined;

  /** It was given up to test anything. */
  isUntested = false;
  /** Why nothing is tested; `undefined`: there is too little to know. */
  untested: Untested | undefined;
  /** Changes of CPUs' paths that it received. */
  edges = 0;
  /** Called where nothing is tested, since it would take too long. */
  onUntested: (() => void) | undefined;
  /** Lags of the grid that are still needed change: called with their places, and the columns. */
  onChosen: ((lags: readonly number[], columns: Columns) => void) | undefined;

  /**
   * @param parentOf See {@linkcode RowStore}.
   * @param terms What powers may depend on beside the region. @default nothing
   */
  constructor(parentOf?: (raw: number) => number, terms?: FitTerms) {
    this.#terms = terms;
    const width = LAG_GRID.length * (1 + CONSTANTS.length);
    this.rows = new RowStore(width, ZERO_LAG, parentOf);
  }

  /** Takes an interval, and what it holds of terms. */
  add(
    row: Exposures,
    interval: Interval,
    terms: { count: number; classes: Int32Array; tau: Float64Array; width: number },
  ): void {
    const { rows } = this;
    this.#look(row.count, interval.lengthS);
    if (this.#joined < this.#together && !interval.fresh) {
      rows.extend(row, interval);
      rows.extendTerms(terms);
      this.#joined++;
    } else {
      // The part before is whole, and was taken already.
      rows.push(row, interval);
      rows.pushTerms(terms);
      this.#joined = 1;
      this.#work += row.count * row.count;
    }
    const isOpen = !this.#hasLooked && this.#selection === undefined && this.#stream === undefined;
    if (isOpen && rows.classCount > VERY_MANY_CLASSES) this.#leaveTest();
    if (rows.entries > MOST_ENTRIES) rows.limit();
    if (this.#joined < this.#together) return;
    this.#joined = Infinity;
    if (this.#stream === undefined) this.#choose();
    else this.#follow(CATCH_UP);
  }

  /** How many intervals are joined from now on. */
  #look(entries: number, lengthS: number): void {
    this.#squares += entries * entries;
    this.#lookS += lengthS;
    if (++this.#looked < JOIN_LOOK) return;
    const isMany = this.rows.classCount > MANY_CLASSES;
    const most = isMany ? MOST_SQUARES_PLAIN : MOST_SQUARES_A_SECOND;
    const needed = Math.ceil(this.#squares / this.#lookS / most);
    this.#together = Math.min(MOST_JOINED, Math.max(this.#leastTogether, needed));
    this.#squares = this.#lookS = this.#looked = 0;
    if (this.#hasLooked || this.#stream !== undefined) return;
    this.#looks++;
    const isFar = !this.#isTestable(FAR_MORE);
    if (!isMany && !isFar && this.#looks * JOIN_LOOK < LOOK_ROWS) return;
    if (this.#isTestable(1)) this.#hasLooked = true;
    else this.#leaveTest();
  }

  /** Nothing is tested: that would take too long. */
  #leaveTest(): void {
    this.#hasLooked = this.#isPlain = true;
    this.untested = this.rows.classCount > MANY_CLASSES ? UNTESTED.regions : UNTESTED.visits;
    this.#columns = NO_COLUMNS;
    this.rows.narrowNow(LAG_GRID.length);
    this.onUntested?.();
  }

  /**
   * The newest powers, W per CPU by number, where power may follow the load late and all rows so far are taken;
   * else `undefined`.
   */
  get powers(): Float64Array | undefined {
    const stream = this.#stream;
    const isBehind = this.rows.rows > 0 || stream === undefined;
    return isBehind || stream.columns.carried.length === 0 ? undefined : stream.power;
  }

  /** What power draws late comes for all classes together from now on, or by class again. */
  together(isTogether: boolean): void {
    if (isTogether === this.#isTogether) return;
    this.#isTogether = isTogether;
    // Intervals have fewer entries then; what noise remembers stays so many of them long.
    this.#leastTogether = isTogether ? this.#together : 1;
    this.#joined = Infinity;
    this.#follow(Infinity);
    this.rows.narrow(isTogether ? LAG_GRID.length : this.rows.lags);
  }

  /** What the columns need is not known any more: the plain model is what is left. */
  giveUp(why: Untested): void {
    this.untested ??= why;
    if (this.#columns === undefined) this.#columns = NO_COLUMNS;
    this.isUntested = true;
  }

  /** Does the test cost less than some per cent of a core, by so many times? */
  #isTestable(times: number): boolean {
    const { rows } = this;
    let seconds = 0;
    for (let i = 0; i < rows.rows; i++) seconds += rows.lengthS[i];
    return rows.classCount <= MANY_CLASSES && this.edges <= times * MOST_EDGES_A_SECOND * seconds;
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
    this.#joined = Infinity;
    if (this.#stream === undefined && this.#selection === undefined) {
      if (rows.rows === 0) return undefined;
      const isMuch = rows.entries * rows.count > MIDWAY_WORK || rows.classCount >= MOST_CLASSES;
      if (!isLast && isMuch) return undefined;
      if (isLast) rows.limit();
      // Only to the end of this run: the choice is made again when more is known.
      const columns = isLast ? this.#choice() : this.#columns ?? NO_COLUMNS;
      const selection = new Selection(rows, rows.rows, columns);
      selection.work(Infinity);
      const stream = new FitStream(selection.chosen, rows, this.lock, {
        columns,
        visits: this.#terms?.visits,
        isPlain: this.#isPlain,
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
    const isKnown = terms?.isTestable() === true;
    const columns = !isKnown ? NO_COLUMNS : Columns.choose(this.rows, terms.visits, terms.cpus());
    if (!isKnown) this.untested = UNTESTED.period;
    else if (columns.list.length === 0) {
      const isMany = this.rows.classCount > MANY_CLASSES;
      this.untested = isMany ? UNTESTED.regions : UNTESTED.alone;
    }
    return this.#columns = columns;
  }

  #choose(): void {
    const { rows } = this;
    if (this.#selection === undefined) {
      const classes = Math.min(rows.classCount, MOST_CLASSES);
      const isLong = this.#work > CHOICE_WORK && rows.rows >= CHOICE_PER_CLASS * classes;
      const isLarge = rows.amounts > MOST_AMOUNTS && rows.rows >= LEAST_CHOICE_ROWS;
      const most = this.#isPlain ? CHOICE_ROWS_UNTESTED : CHOICE_ROWS;
      if (rows.rows < most && !isLong && !isLarge) return;
      rows.limit();
      this.#selection = new Selection(rows, rows.rows, this.#columns = this.#choice());
    }
    if (this.#selection.work(PASSES)) this.#chosen();
  }

  #chosen(): void {
    this.#stream = new FitStream(this.#selection!.chosen, this.rows, this.lock, {
      columns: this.#choice(),
      visits: this.#terms?.visits,
      isPlain: this.#isPlain,
    });
    this.#selection = undefined;
    if (this.#choice().carried.length === 0) this.rows.narrow(LAG_GRID.length);
    this.onChosen?.(this.#stream.lags.map(({ lag }) => lag), this.#choice());
  }

  #follow(most: number): void {
    const end = Math.min(this.rows.rows, this.#next + most);
    for (; this.#next < end; this.#next++) this.#stream!.take(this.rows, this.#next);
    if (this.#next < this.rows.rows) {
      this.rows.release(this.#next);
      return;
    }
    this.rows.clear();
    this.#next = 0;
  }
}
