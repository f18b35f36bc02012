/**
 * One counter: from its readings and the edges of its CPUs to the energy of each class.
 *
 * `exact` shares every interval by CPU time; `fit` by powers found over the whole run.
 * docs/how-sure.md.
 * @module
 */
import { UNTESTED } from "./untested.ts";
import {
  CHANGE,
  type ChangeOptions,
  CounterChanges,
  MOST_WAITING,
} from "./intervals/counter_changes.ts";
import type { EdgeLog } from "./intervals/edge_log.ts";
import { Exposure } from "./intervals/exposure.ts";
import { ExactEnergies } from "./exact.ts";
import { FoldedSplits, FoldedTimes } from "./folded_splits.ts";
import { Fit } from "./fit.ts";
import type { FitFrame, FitOutcome } from "./fit_outcome.ts";
import type { RowStore } from "./solver/row_store.ts";
import { LAG_GRID, ZERO_LAG } from "./solver/lag_curve.ts";
import { CONSTANTS, LONGEST_S, type VisitTerms } from "./visit_terms.ts";

/** What is attributed how: see the module. */
export type Method = "exact" | "fit";

/** Longest unit of the lags, and the update period from which it is half of that, s. */
const MOST_UNIT_S = 0.01, HALVED_S = 0.005;
/** Part of an interval that the window before its end may be, for the fit to be tested by it. */
const MOST_WINDOW = 0.6;
/** Changes that wait for edges behind them: as many as may come at once, and until visits are over. */
const WAITING = MOST_WAITING + 256;
const NO_TERMS = { count: 0, classes: new Int32Array(0), tau: new Float64Array(0), width: 0 };
/** Edges that are kept for the first changes, until the counter's update period is known. */
const MOST_EDGES = 65_536;

/** What one counter's run came to. Arrays by class. */
export interface CounterResult {
  /** Energy from the first reading to the last, J. */
  readonly totalJ: number;
  readonly exactJ: Float64Array;
  /** CPU-seconds in that time. */
  readonly seconds: Float64Array;
  /** CPU-seconds of unmarked time before the first reading, whose energy is in `totalJ`. */
  readonly leadS: number;
  /** CPUs of the domain that belonged to processes, at most. */
  readonly cpus: number;
  readonly fit: FitOutcome | undefined;
  /** Of a class that came folded: the class whose time was divided; −1: it did not. */
  readonly foldedIn: (classIndex: number) => number;
  /** Number of each class in the fit; −1: not in it. */
  readonly fitOf: (classIndex: number) => number;
  readonly changes: number;
  readonly breaks: number;
  readonly updatePeriodS: number;
  /** Had the counter any reading? */
  readonly seen: boolean;
}

/** How classes belong together. */
export interface ClassOptions {
  /** Class that a class is nested in, at most 0 for none. @default no class is nested */
  readonly parentOf?: (classIndex: number) => number;
  /** Time of classes that come without edges, within others that come with edges. */
  readonly folded?: FoldedTimes;
  /** Time of whole outermost visits that come without edges. */
  readonly whole?: FoldedTimes;
  /** What powers may depend on beside the class. @default nothing */
  readonly visits?: VisitTerms;
}

/** Attributes the energy of one counter. */
export class CounterAttribution {
  readonly changes: CounterChanges;
  readonly #log: EdgeLog;
  readonly #exposure: Exposure;
  /** The same of terms. */
  #terms: Exposure | undefined;
  readonly #visits: VisitTerms | undefined;
  /** It uses `#visits`. */
  #follows = false;
  readonly #fit: Fit | undefined;
  readonly #parentOf: (classIndex: number) => number;
  #unitS = NaN;
  #stampSlackS: number;
  /** Changes that wait: time, window, value, and whether they restart. */
  readonly #times = new Float64Array(WAITING);
  readonly #windows = new Float64Array(WAITING);
  readonly #values = new Float64Array(WAITING);
  readonly #begins = new Uint8Array(WAITING);
  /** First what whole visits took is divided, then outermost classes. */
  readonly #folded: FoldedTimes;
  readonly #whole: FoldedTimes;
  readonly #wholes: FoldedSplits;
  readonly #splits: FoldedSplits;
  #firstWaiting = 0;
  #lastWaiting = 0;
  /** The last boundary: time in the middle of its window, value; NaN: none yet. */
  #middleS = NaN;
  #beginS = NaN;
  #valueJ = NaN;
  /** Those that what is drawn late is followed with, W per CPU by number. */
  #powers: Float64Array | undefined;
  /** The next row does not follow the one before it. */
  #fresh = true;
  #windowSum = 0;
  #lengthSum = 0;
  #rowsTold = 0;
  readonly #exact = new ExactEnergies();
  /** CPU-seconds by class before the first reading. */
  #beforeS = new Float64Array(0);
  /** CPU-seconds by class up to the last reading, where steps without any came after it; when that was. */
  #readS: Float64Array = new Float64Array(0);
  #readAtS = NaN;

  constructor(log: EdgeLog, method: Method, options: ChangeOptions & ClassOptions) {
    this.#log = log;
    this.#parentOf = options.parentOf ?? (() => 0);
    this.changes = new CounterChanges(options);
    const { visits } = options;
    const terms = visits && {
      visits,
      cpus: () => this.#log.owned,
      isTestable: () => this.changes.isPeriodKnown,
    };
    const fit = this.#fit = method === "fit" ? new Fit(options.parentOf, terms) : undefined;
    const onEdge = fit === undefined ? undefined : (timeS: number) => {
      fit.edges++;
      fit.lock.edge(timeS);
    };
    const lags = new Float64Array(LAG_GRID.length);
    const constants = fit === undefined ? [] : CONSTANTS;
    this.#exposure = new Exposure(log, lags, onEdge, constants);
    if (fit !== undefined && visits !== undefined) {
      this.#visits = visits;
      visits.readers++;
      visits.followers++;
      this.#follows = true;
      this.#terms = new Exposure(visits.log, lags);
      this.#terms.wanted = this.#exposure.wanted;
    }
    this.#folded = options.folded ?? new FoldedTimes();
    this.#whole = options.whole ?? new FoldedTimes();
    this.#splits = new FoldedSplits(this.#folded, this.#exposure);
    this.#wholes = new FoldedSplits(this.#whole, this.#exposure);
    this.#stampSlackS = options.stamped === true ? 0.25 : 0;
    if (fit === undefined) {
      this.#exposure.wanted.fill(0);
      this.#exposure.wanted[ZERO_LAG] = 1;
      return;
    }
    fit.onUntested = () => this.#leaveVisits();
    fit.onChosen = (lags, columns) => {
      if (columns.list.length === 0) this.#leaveVisits();
      if (!columns.needsTerms) this.#leaveTerms();
      if (columns.carried.length === 0) this.#exposure.ignoreResponses();
      const { wanted } = this.#exposure;
      for (let l = 0; l < wanted.length; l++) {
        wanted[l] = lags.includes(l) || l === ZERO_LAG ? 1 : 0;
      }
    };
  }

  /**
   * A sample: every edge up to its time has been received.
   *
   * @param valueJ Reading of the counter; NaN: none.
   * @param stampS When it was taken, on the source's clock; NaN: unknown.
   */
  step(timeS: number, valueJ: number, stampS: number): void {
    const { changes } = this;
    const tooMuch = this.#visits?.tooMuch;
    if (tooMuch !== undefined && this.#fit?.isUntested === false) {
      this.#leaveVisits();
      this.#fit.giveUp(tooMuch);
    }
    const before = changes.readings;
    changes.observe(timeS, valueJ, stampS);
    if (before === 0 && changes.readings === 1) this.#begin(timeS);
    if (changes.readings > 0 && Number.isNaN(valueJ) && this.#readAtS !== changes.lastS) {
      this.#readAtS = changes.lastS;
      this.#readS = this.#log.exposures(changes.lastS);
    }
    this.#pull();
    this.#process(timeS);
    this.#fold(timeS);
    if (this.#log.next - this.#exposure.cursor > MOST_EDGES) changes.settle();
  }

  /** Edges before this number are not needed here any more. */
  get cursor(): number {
    return this.#exposure.cursor;
  }

  /** The same of the edges of terms. */
  get termCursor(): number {
    return this.#terms?.cursor ?? Infinity;
  }

  /** No column needs them. */
  #leaveTerms(): void {
    if (this.#terms === undefined) return;
    this.#terms = undefined;
    this.#visits!.readers--;
  }

  /** Nothing but exposures to classes is needed. */
  #leaveVisits(): void {
    this.#leaveTerms();
    this.#exposure.ignoreResponses();
    if (this.#follows) this.#visits!.followers--;
    this.#follows = false;
  }

  /** What folded paths took before this is not needed here any more. */
  get foldedS(): number {
    // both have the same boundaries
    return this.#splits.neededS;
  }

  /** @param isLast The run is over: what waits for edges will get none. */
  result(isLast: boolean, wantsFit = true): CounterResult {
    if (isLast) {
      this.#visits?.end(this.changes.lastS);
      this.changes.settle();
      this.#pull();
      this.#process(Infinity);
    }
    const { changes } = this;
    const classes = this.#log.classes;
    const totalJ = Math.max(0, changes.totalJ);
    const byEdges = new Float64Array(classes);
    for (let c = 0; c < classes && changes.readings > 0; c++) {
      const before = c < this.#beforeS.length ? this.#beforeS[c] : 0;
      const until = this.#readAtS === changes.lastS
        ? this.#readS[c] ?? 0
        : this.#log.exposure(c, changes.lastS);
      byEdges[c] = Math.max(0, until - before);
    }
    const seconds = this.#splits.dividedSeconds(this.#wholes.dividedSeconds(byEdges));
    const exactJ = this.#exact.of(seconds, totalJ);
    const rows = this.#fit?.rows;
    const frame = (r: RowStore) => this.#frame(r, { seconds, exactJ, totalJ });
    const fit = wantsFit ? this.#fit?.outcome(frame, isLast) : undefined;
    return {
      totalJ,
      exactJ,
      seconds,
      leadS: this.#exact.leadS(seconds),
      cpus: this.#log.owned,
      fit,
      foldedIn: (c) => Math.max(this.#folded.foldedIn(c), this.#whole.foldedIn(c)),
      fitOf: (c) => rows !== undefined && c < rows.fitOf.length ? rows.fitOf[c] : -1,
      changes: changes.changes,
      breaks: changes.breaks,
      updatePeriodS: changes.updatePeriodS,
      seen: changes.readings > 0,
    };
  }

  #begin(timeS: number): void {
    const { classes } = this.#log;
    this.#beforeS = new Float64Array(classes);
    for (let c = 0; c < classes; c++) this.#beforeS[c] = this.#log.exposure(c, timeS);
    this.#wholes.begin();
    this.#splits.begin();
    // How many there are is judged by the intervals, which begin here.
    if (this.#fit !== undefined) this.#fit.edges = 0;
  }

  /** Takes up edges that no change still to come reaches back to. */
  #fold(timeS: number): void {
    const at = this.#firstWaiting % WAITING;
    const oldest = this.#firstWaiting === this.#lastWaiting
      ? Math.min(timeS, this.changes.waitingSinceS)
      : this.#times[at] - this.#windows[at];
    const unitS = this.#unitS > 0 ? this.#unitS : MOST_UNIT_S;
    const beforeS = oldest - LAG_GRID[LAG_GRID.length - 1] * unitS - this.#stampSlackS;
    this.#exposure.fold(beforeS);
    // Edges of terms come when a visit's length is known.
    this.#terms?.fold(Math.min(beforeS, timeS - LONGEST_S));
  }

  /** Takes the changes whose times are known. */
  #pull(): void {
    const { changes } = this;
    for (;;) {
      const change = changes.next();
      if (change === CHANGE.NONE) return;
      if (!(this.#unitS > 0)) this.#learnUnit();
      this.#wait(change);
    }
  }

  #wait(change: number): void {
    // Never more than a few; the oldest gives way rather than growing without end.
    if (this.#lastWaiting - this.#firstWaiting === WAITING) this.#take(this.#firstWaiting++);
    const at = this.#lastWaiting++ % WAITING;
    this.#times[at] = this.changes.timeS;
    this.#windows[at] = this.changes.windowS;
    this.#values[at] = this.changes.valueJ;
    this.#begins[at] = change === CHANGE.BREAK ? 1 : 0;
  }

  /** Takes the changes behind which all edges are known. */
  #process(knownS: number): void {
    const behind = -LAG_GRID[0] * this.#unitS + (this.#terms === undefined ? 0 : LONGEST_S);
    while (this.#firstWaiting < this.#lastWaiting) {
      if (this.#times[this.#firstWaiting % WAITING] + behind > knownS) return;
      this.#take(this.#firstWaiting++);
      if (this.#firstWaiting < this.#lastWaiting) this.#fold(knownS);
    }
  }

  #take(index: number): void {
    const at = index % WAITING;
    const timeS = this.#times[at];
    const windowS = this.#windows[at];
    const valueJ = this.#values[at];
    // Energy before the first process is not the application's.
    const lead = LAG_GRID[LAG_GRID.length - 1] * this.#unitS;
    if (!(timeS - windowS - lead >= this.#log.firstS)) return;
    this.#exposure.boundary(timeS, windowS);
    this.#terms?.boundary(timeS, windowS);
    this.#wholes.boundary(timeS, windowS);
    this.#splits.boundary(timeS, windowS);
    const middleS = timeS - windowS / 2;
    const lengthS = middleS - this.#middleS;
    const energyJ = valueJ - this.#valueJ;
    const begins = this.#begins[at] === 1 || !(lengthS > 0) || !(energyJ > 0);
    this.#middleS = middleS;
    this.#valueJ = valueJ;
    if (begins) this.#fresh = true;
    else {
      const { wanted } = this.#exposure;
      const row = this.#splits.divided(this.#wholes.divided(this.#exposure, wanted), wanted);
      this.#exact.add(row, energyJ);
      const interval = { energyJ, lengthS, fresh: this.#fresh, beginS: this.#beginS };
      this.#fit?.add(row, interval, this.#terms ?? NO_TERMS);
      this.#weigh();
      this.#windowSum += windowS;
      this.#lengthSum += lengthS;
      this.#rowsTold++;
      this.#fresh = false;
    }
    this.#beginS = timeS;
    // A change that has a time of its own is in no window.
    if (this.#fit !== undefined && windowS === 0) this.#fit.lock.periodS = 0;
  }

  /** Once powers are known, what power draws late is followed for all classes together. */
  #weigh(): void {
    const fit = this.#fit;
    if (fit === undefined || this.#exposure.lateJ === undefined && !this.#exposure.responds) return;
    // What is divided has responses by class.
    if (this.#folded.length > 0 || this.#whole.length > 0) {
      if (this.#exposure.lateJ === undefined) return;
      fit.together(false);
      this.#exposure.respond();
      this.#powers = undefined;
      return;
    }
    const { powers } = fit;
    if (powers === undefined || powers === this.#powers) return;
    this.#powers = powers;
    this.#exposure.weigh(fit.rows.byClass(powers));
    fit.together(true);
  }

  /** As soon as the update period is known, so are the lags to try. */
  #learnUnit(): void {
    const periodS = this.changes.updatePeriodS;
    // Lags further apart than that are too few to know the curve between them.
    this.#unitS = periodS < HALVED_S ? periodS : Math.min(periodS / 2, MOST_UNIT_S);
    if (this.#fit !== undefined) this.#fit.lock.periodS = this.changes.updatePeriodS;
    for (let l = 0; l < LAG_GRID.length; l++) this.#exposure.lags[l] = LAG_GRID[l] * this.#unitS;
  }

  #frame(
    rows: RowStore,
    { seconds, exactJ, totalJ }: { seconds: Float64Array; exactJ: Float64Array; totalJ: number },
  ): FitFrame {
    const own = new Float64Array(rows.count);
    // Most outermost regions have one number, by far: only those of several get a set.
    const first = new Int32Array(seconds.length).fill(-1);
    const several = new Map<number, Set<number>>();
    let rest = 0;
    for (let c = 0; c < seconds.length; c++) {
      const k = c < rows.fitOf.length ? rows.fitOf[c] : -1;
      if (k < 0) {
        rest += exactJ[c];
        continue;
      }
      own[k] += seconds[c];
      if (!(seconds[c] > 0)) continue;
      let top = c;
      for (let p = this.#parentOf(c); p > 0; p = this.#parentOf(p)) top = p;
      if (first[top] === k) continue;
      if (first[top] < 0) first[top] = k;
      else if (several.has(top)) several.get(top)!.add(k);
      else several.set(top, new Set([first[top], k]));
    }
    const alone = new Int32Array(rows.count);
    first.forEach((k, top) => k >= 0 && !several.has(top) && alone[k]++);
    return {
      lagUnitS: this.#unitS,
      windowS: this.#rowsTold > 0 ? this.#windowSum / this.#rowsTold : 0,
      isClose: this.#windowSum > MOST_WINDOW * this.#lengthSum,
      isUntested: this.#fit?.isUntested === true,
      untested: this.#fit?.untested ?? UNTESTED.few,
      inStep: this.changes.inStep,
      isSteady: this.changes.isSteady,
      isLocked: this.#fit?.lock.isLocked === true,
      totalJ: Math.max(0, totalJ - rest),
      seconds: own,
      groups: [...several.values()].map((group) => [...group]),
      alone,
      shared: rows.shared,
    };
  }
}
