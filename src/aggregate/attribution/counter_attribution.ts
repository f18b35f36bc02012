/**
 * One counter: from its readings and the edges of its CPUs to the energy of each class.
 *
 * `exact` shares every interval by CPU time; `fit` by powers found over the whole run.
 * docs/how-sure.md.
 * @module
 */
import { CHANGE, type ChangeOptions, CounterChanges } from "./counter_changes.ts";
import type { EdgeLog } from "./edge_log.ts";
import { Exposure } from "./exposure.ts";
import { Fit } from "./fit.ts";
import type { FitFrame, FitOutcome } from "./fit_outcome.ts";
import { grown } from "../../core/grow.ts";
import type { RowStore } from "./row_store.ts";
import { LAG_GRID, ZERO_LAG } from "./selection.ts";

/** What is attributed how: see the module. */
export type Method = "exact" | "fit";

/** Longest unit of the lags, s. */
const MOST_UNIT_S = 0.01;
/** Changes that wait for edges behind them. */
const WAITING = 16;

/** What one counter's run came to. Arrays by class. */
export interface CounterResult {
  /** Energy from the first reading to the last, J. */
  readonly totalJ: number;
  readonly exactJ: Float64Array;
  /** CPU-seconds in that time. */
  readonly seconds: Float64Array;
  /** Sum of `seconds`. */
  readonly allS: number;
  readonly fit: FitOutcome | undefined;
  /** Number of each class in the fit; −1: not in it. */
  readonly fitOf: (classIndex: number) => number;
  readonly changes: number;
  readonly breaks: number;
  readonly updatePeriodS: number;
  /** Had the counter any reading? */
  readonly seen: boolean;
}

/** Attributes the energy of one counter. */
export class CounterAttribution {
  readonly changes: CounterChanges;
  readonly #log: EdgeLog;
  readonly #exposure: Exposure;
  readonly #fit: Fit | undefined;
  #unitS = NaN;
  #stampSlackS: number;
  /** Changes that wait: time, window, value, and whether they begin anew. */
  readonly #times = new Float64Array(WAITING);
  readonly #windows = new Float64Array(WAITING);
  readonly #values = new Float64Array(WAITING);
  readonly #begins = new Uint8Array(WAITING);
  #firstWaiting = 0;
  #lastWaiting = 0;
  /** The last boundary: time in the middle of its window, value; NaN: none yet. */
  #middleS = NaN;
  #valueJ = NaN;
  /** The next row does not follow the one before it. */
  #fresh = true;
  #windowSum = 0;
  #rowsTold = 0;
  /** By class: exact energy and CPU-seconds in intervals, and CPU-seconds before the first reading. */
  #exactJ = new Float64Array(16);
  #inS = new Float64Array(16);
  #beforeS = new Float64Array(0);

  constructor(log: EdgeLog, method: Method, options: ChangeOptions) {
    this.#log = log;
    this.changes = new CounterChanges(options);
    this.#exposure = new Exposure(log, new Float64Array(LAG_GRID.length));
    this.#stampSlackS = options.stamped === true ? 0.25 : 0;
    if (method === "exact") {
      this.#exposure.wanted.fill(0);
      this.#exposure.wanted[ZERO_LAG] = 1;
      return;
    }
    this.#fit = new Fit();
    this.#fit.onChosen = (lags) => {
      const { wanted } = this.#exposure;
      for (let l = 0; l < wanted.length; l++) {
        wanted[l] = lags.includes(l) || l === ZERO_LAG ? 1 : 0;
      }
    };
  }

  /**
   * A step: every edge up to its time has been told.
   *
   * @param valueJ Reading of the counter; NaN: none.
   * @param stampS When it was taken, on the source's clock; NaN: unknown.
   */
  step(timeS: number, valueJ: number, stampS: number): void {
    const { changes } = this;
    const before = changes.readings;
    const change = changes.observe(timeS, valueJ, stampS);
    if (before === 0 && changes.readings === 1) this.#begin(timeS);
    if (change !== CHANGE.NONE) this.#wait(change);
    this.#process(timeS);
    const oldest = this.#firstWaiting === this.#lastWaiting
      ? timeS
      : this.#times[this.#firstWaiting % WAITING] - this.#windows[this.#firstWaiting % WAITING];
    const unitS = this.#unitS > 0 ? this.#unitS : MOST_UNIT_S;
    this.#exposure.fold(oldest - LAG_GRID[LAG_GRID.length - 1] * unitS - this.#stampSlackS);
  }

  /** Edges before this number are not needed here any more. */
  get cursor(): number {
    return this.#exposure.cursor;
  }

  /** @param isLast The run is over: what waits for edges will get none. */
  result(isLast: boolean): CounterResult {
    if (isLast) this.#process(Infinity);
    const { changes } = this;
    const classes = this.#log.classes;
    const totalJ = Math.max(0, changes.totalJ);
    const seconds = new Float64Array(classes);
    let allS = 0;
    for (let c = 0; c < classes && changes.readings > 0; c++) {
      const before = c < this.#beforeS.length ? this.#beforeS[c] : 0;
      seconds[c] = Math.max(0, this.#log.exposure(c, changes.lastS) - before);
      allS += seconds[c];
    }
    const exactJ = this.#exact(seconds, totalJ);
    const rows = this.#fit?.rows;
    const fit = this.#fit?.outcome((r) => this.#frame(r, seconds, exactJ, totalJ), isLast);
    return {
      totalJ,
      exactJ,
      seconds,
      allS,
      fit,
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
    const behind = this.#unitS > 0 ? -LAG_GRID[0] * this.#unitS : 0;
    while (this.#firstWaiting < this.#lastWaiting) {
      if (this.#times[this.#firstWaiting % WAITING] + behind > knownS) return;
      this.#take(this.#firstWaiting++);
    }
  }

  #take(index: number): void {
    const at = index % WAITING;
    const timeS = this.#times[at];
    const windowS = this.#windows[at];
    const valueJ = this.#values[at];
    // What lies before the first process is not the application's.
    const lead = LAG_GRID[LAG_GRID.length - 1] * (this.#unitS > 0 ? this.#unitS : 0);
    if (!(timeS - windowS - lead >= this.#log.firstS)) return;
    const exposure = this.#exposure;
    exposure.boundary(timeS, windowS);
    const middleS = timeS - windowS / 2;
    const lengthS = middleS - this.#middleS;
    const energyJ = valueJ - this.#valueJ;
    const begins = this.#begins[at] === 1 || !(lengthS > 0) || !(energyJ > 0);
    this.#middleS = middleS;
    this.#valueJ = valueJ;
    if (begins) this.#fresh = true;
    else {
      this.#addExact(energyJ);
      if (this.#unitS > 0) {
        this.#fit?.add(exposure, energyJ, lengthS, this.#fresh);
        this.#windowSum += windowS;
        this.#rowsTold++;
        this.#fresh = false;
      }
    }
    if (this.#fit !== undefined && !(this.#unitS > 0)) this.#learnUnit(timeS, windowS);
  }

  /** As soon as the update period is known, so are the lags to try. */
  #learnUnit(timeS: number, windowS: number): void {
    const period = this.changes.updatePeriodS;
    if (!(period > 0)) return;
    this.#unitS = Math.min(period, MOST_UNIT_S);
    for (let l = 0; l < LAG_GRID.length; l++) this.#exposure.lags[l] = LAG_GRID[l] * this.#unitS;
    // The same boundary once more: every lag begins here.
    this.#exposure.boundary(timeS, windowS);
    this.#fresh = true;
  }

  #addExact(energyJ: number): void {
    const { count, classes, tau, lags } = this.#exposure;
    let all = 0;
    for (let i = 0; i < count; i++) {
      all += tau[i * lags.length + ZERO_LAG];
      if (classes[i] >= this.#inS.length) {
        this.#inS = grown(this.#inS, classes[i] + 1);
        this.#exactJ = grown(this.#exactJ, this.#inS.length);
      }
    }
    if (!(all > 0)) return;
    for (let i = 0; i < count; i++) {
      const t = tau[i * lags.length + ZERO_LAG];
      this.#inS[classes[i]] += t;
      this.#exactJ[classes[i]] += energyJ * t / all;
    }
  }

  /** Adds what lies before the first change and after the last, and scales to the total. */
  #exact(seconds: Float64Array, totalJ: number): Float64Array {
    const classes = seconds.length;
    const result = new Float64Array(classes);
    let allJ = 0;
    let allS = 0;
    for (let c = 0; c < Math.min(classes, this.#inS.length); c++) {
      allJ += this.#exactJ[c];
      allS += this.#inS[c];
    }
    // Without any interval the energy goes by CPU time.
    const mean = allS > 0 && allJ > 0 ? allJ / allS : 1;
    let sum = 0;
    for (let c = 0; c < classes; c++) {
      const inS = c < this.#inS.length ? this.#inS[c] : 0;
      const power = inS > 0 ? this.#exactJ[c] / inS : mean;
      result[c] = (inS > 0 ? this.#exactJ[c] : 0) + power * Math.max(0, seconds[c] - inS);
      sum += result[c];
    }
    if (sum > 0) { for (let c = 0; c < classes; c++) result[c] *= totalJ / sum; }
    else if (classes > 0) result[0] = totalJ;
    return result;
  }

  #frame(rows: RowStore, seconds: Float64Array, exactJ: Float64Array, totalJ: number): FitFrame {
    const own = new Float64Array(rows.count);
    let rest = 0;
    for (let c = 0; c < seconds.length; c++) {
      const k = c < rows.fitOf.length ? rows.fitOf[c] : -1;
      if (k >= 0) own[k] += seconds[c];
      else rest += exactJ[c];
    }
    return {
      lagUnitS: this.#unitS,
      windowS: this.#rowsTold > 0 ? this.#windowSum / this.#rowsTold : 0,
      inStep: this.changes.inStep,
      totalJ: Math.max(0, totalJ - rest),
      seconds: own,
      shared: rows.shared,
    };
  }
}
