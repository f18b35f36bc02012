/**
 * One counter: from its readings and the edges of its CPUs to the energy of each class, every interval shared by
 * CPU time. docs/explanation/how-sure.md.
 * @module
 */
import {
  CHANGE,
  type ChangeOptions,
  CounterChanges,
  MAX_WAITING_CHANGES,
} from "./intervals/counter_changes.ts";
import type { EdgeLog } from "./intervals/edge_log.ts";
import { Exposure } from "./intervals/exposure.ts";
import { ExactEnergies } from "./exact.ts";
import { FoldedSplits, FoldedTimes } from "./folded_splits.ts";

/** Most that the first interval begins after the first edge, s, and the update period from which it is half of that, s. */
const MAX_LEAD_S = 0.01, HALVED_S = 0.005;
/** Changes that wait for edges behind them: as many as may come at once, and until visits are over. */
const WAITING = MAX_WAITING_CHANGES + 256;
/** Edges that are kept for the first changes, until the counter's update period is known. */
const MAX_EDGES = 65_536;

/** Result of one counter's run. Arrays by class. */
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
  readonly changes: number;
  readonly breaks: number;
  readonly updatePeriodS: number;
  /** Had the counter any reading? */
  readonly seen: boolean;
}

/** Time without edges. */
export interface FoldedOptions {
  /** Aggregated classes within others that come with edges. */
  readonly folded?: FoldedTimes;
  /** Aggregated times of whole outermost visits. */
  readonly whole?: FoldedTimes;
}

/** Attributes the energy of one counter. */
export class CounterAttribution {
  readonly changes: CounterChanges;
  readonly #log: EdgeLog;
  readonly #exposure: Exposure;
  #leadS = NaN;
  readonly #stampSlackS: number;
  /** Changes that wait: time, window, value, and whether they restart. */
  readonly #times = new Float64Array(WAITING);
  readonly #windows = new Float64Array(WAITING);
  readonly #values = new Float64Array(WAITING);
  readonly #begins = new Uint8Array(WAITING);
  /** First what whole visits took is divided, then outermost classes. */
  readonly #wholes: FoldedSplits;
  readonly #splits: FoldedSplits;
  #firstWaiting = 0;
  #lastWaiting = 0;
  /** The last boundary: time in the middle of its window, value; NaN: none yet. */
  #middleS = NaN;
  #valueJ = NaN;
  readonly #exact = new ExactEnergies();
  /** CPU-seconds by class before the first reading. */
  #beforeS = new Float64Array(0);
  /** CPU-seconds by class up to the last reading, if steps without any came after it; when that was. */
  #readS: Float64Array = new Float64Array(0);
  #readAtS = NaN;

  constructor(log: EdgeLog, options: ChangeOptions & FoldedOptions) {
    this.#log = log;
    this.changes = new CounterChanges(options);
    this.#exposure = new Exposure(log);
    this.#splits = new FoldedSplits(options.folded ?? new FoldedTimes());
    this.#wholes = new FoldedSplits(options.whole ?? new FoldedTimes());
    this.#stampSlackS = options.stamped === true ? 0.25 : 0;
  }

  /**
   * A sample: every edge up to its time has been received.
   *
   * @param valueJ Reading of the counter; NaN: none.
   * @param stampS When it was taken, on the source's clock; NaN: unknown.
   */
  step(timeS: number, valueJ: number, stampS: number): void {
    const { changes } = this;
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
    if (this.#log.next - this.#exposure.cursor > MAX_EDGES) changes.settle();
  }

  /** Edges before this number are not needed here any more. */
  get cursor(): number {
    return this.#exposure.cursor;
  }

  /** Time before which aggregated paths are not needed here any more. */
  get foldedS(): number {
    // both have the same boundaries
    return this.#splits.neededS;
  }

  /** @param isLast The run is over: what waits for edges will get none. */
  result(isLast: boolean): CounterResult {
    if (isLast) {
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
    return {
      totalJ,
      exactJ: this.#exact.of(seconds, totalJ),
      seconds,
      leadS: this.#exact.leadS(seconds),
      cpus: this.#log.owned,
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
  }

  /** Takes up edges that no change still to come reaches back to. */
  #fold(timeS: number): void {
    const at = this.#firstWaiting % WAITING;
    const oldest = this.#firstWaiting === this.#lastWaiting
      ? Math.min(timeS, this.changes.waitingSinceS)
      : this.#times[at] - this.#windows[at];
    const leadS = this.#leadS > 0 ? this.#leadS : MAX_LEAD_S;
    this.#exposure.fold(oldest - leadS - this.#stampSlackS);
  }

  /** Takes the changes whose times are known. */
  #pull(): void {
    const { changes } = this;
    for (;;) {
      const change = changes.next();
      if (change === CHANGE.NONE) return;
      if (!(this.#leadS > 0)) {
        const periodS = changes.updatePeriodS;
        this.#leadS = periodS < HALVED_S ? periodS : Math.min(periodS / 2, MAX_LEAD_S);
      }
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
    while (this.#firstWaiting < this.#lastWaiting) {
      if (this.#times[this.#firstWaiting % WAITING] > knownS) return;
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
    if (!(timeS - windowS - this.#leadS >= this.#log.firstS)) return;
    this.#exposure.boundary(timeS, windowS);
    this.#wholes.boundary(timeS, windowS);
    this.#splits.boundary(timeS, windowS);
    const middleS = timeS - windowS / 2;
    const energyJ = valueJ - this.#valueJ;
    const begins = this.#begins[at] === 1 || !(middleS > this.#middleS) || !(energyJ > 0);
    this.#middleS = middleS;
    this.#valueJ = valueJ;
    if (begins) return;
    this.#exact.add(this.#splits.divided(this.#wholes.divided(this.#exposure)), energyJ);
  }
}
