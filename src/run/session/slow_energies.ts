/**
 * Energies of slow counters at the begin and the end of a run.
 *
 * A counter that is renewed every 0.1 s shows at its first change energy from before the run, and after
 * its last change nothing. From the first two changes in the run and the first two after it, the energy
 * at the begin and at the end is known as if the power between two changes was constant. docs/reference/coverage.md.
 * @module
 */
import type { Batch } from "../../sources/signals/batch.ts";

/** Counters that are renewed more often lose less than a sample, s. */
const MIN_PERIOD_S = 0.01;
/** Periods after the end for which reading goes on, with what publications come late. */
const MAX_PERIODS_AFTER = 2.2;
/** Readings within a period after the end. */
const READINGS_A_PERIOD = 20;

/** A counter at an instance, from a moment on. */
interface Watched {
  /** Index among the values of the batch. */
  readonly place: number;
  /** Signal of the counter. */
  readonly name: string;
  readonly periodS: number;
  /** Value as read: at that moment, or before the change that is awaited. */
  value: number;
  /** Times and values of the changes so far. */
  changes: { timeS: number; value: number }[];
}

/** One from the begin of the run on. */
interface Slow extends Watched {
  /** Energy in its readings from before the run, J: of it from before an earlier begin; taken away so far. */
  before: number;
  earlier: number;
  taken: number;
  /** Last reading. */
  last: number;
}

/** One from the end of the run on. */
interface Ended extends Watched {
  readonly slow: Slow;
  /** Energy subtracted from its reading at the end, J. */
  readonly taken: number;
}

/** Corrects readings of slow counters in a batch, between `read` and `settle`. */
export class SlowEnergies {
  readonly #batch: Batch;
  readonly #list: Slow[];
  #ended: Ended[] = [];
  /** Counters whose first update after the run was read. */
  readonly #known = new Set<Slow>();
  #endS = NaN;
  #startS = NaN;
  #lastS = NaN;

  /** @param batch An open one. */
  constructor(batch: Batch) {
    this.#batch = batch;
    const places = new Map<number, Pick<Watched, "name" | "periodS">>();
    for (const { name, signal: { row, updatePeriodS = 0 }, offset, count } of batch.columns) {
      if (row.unit !== "J" || row.behavior !== "monotone" || updatePeriodS < MIN_PERIOD_S) continue;
      // Counters of single cores are not read at each sample.
      if (row.domain === "cpu" || row.domain === "core") continue;
      for (let i = 0; i < count; i++) places.set(offset + i, { name, periodS: updatePeriodS });
    }
    this.#list = [...places].map(([place, { name, periodS }]) => {
      return {
        place,
        name,
        periodS,
        before: 0,
        earlier: 0,
        taken: 0,
        last: NaN,
        value: NaN,
        changes: [],
      };
    });
  }

  /** There is no slow counter. */
  get isEmpty(): boolean {
    return this.#list.length === 0;
  }

  /** Signals whose energy between the last update in the run and its end is not known. */
  get unread(): string[] {
    const open = this.#list.filter((slow) => slow.changes.length > 0 && !this.#known.has(slow));
    return [...new Set(open.map(({ name }) => name))];
  }

  /** The run begins with the values of the batch. */
  begin(timeS: number): void {
    this.#startS = this.#lastS = timeS;
    this.goOn();
    for (const slow of this.#list) {
      slow.value = slow.last = this.#batch.values[slow.place] + slow.taken;
      slow.changes = [];
      slow.earlier = slow.before;
    }
  }

  /** Corrects a reading of the batch. */
  read(timeS: number): void {
    const { values } = this.#batch;
    for (const counter of this.#ended) {
      if (counter.changes.length < 2) this.#watch(counter, timeS, values[counter.place]);
    }
    for (const slow of this.#list) {
      const value = values[slow.place];
      if (slow.changes.length < 2) {
        // Known by the period at the first change, by the time between both at the second one.
        if (this.#watch(slow, timeS, value)) slow.before = slow.earlier + this.#beforeStart(slow);
      }
      // Never more than it grows: a step back means that a counter began again.
      const grown = value - slow.last, rest = slow.before - slow.taken;
      if (rest < 0) slow.taken = slow.before;
      else if (rest > 0 && grown > 0) slow.taken += Math.min(rest, grown);
      if (value === value) slow.last = value;
      values[slow.place] = value - slow.taken;
    }
    this.#lastS = timeS;
  }

  /** The run ends with the values that were read last, unless it goes on. */
  end(): void {
    // Nothing is known of a run without a change.
    this.#ended = this.#list.filter(({ changes }) => changes.length > 0).map((slow) => {
      const { place, name, periodS, taken } = slow;
      const value = this.#batch.values[place] + taken;
      return { slow, place, name, periodS, taken, value, changes: [] };
    });
    this.#endS = this.#lastS;
  }

  /** The run that had ended goes on. */
  goOn(): void {
    this.#ended.length = 0;
  }

  /**
   * Reads on until each counter has changed twice since the end, or for two periods.
   *
   * @param wait Waits until a time, s, and returns what time it is then; NaN: the rest is not to be read.
   * @returns Corrects values that were read at a time up to the end.
   */
  readOn(wait: (untilS: number) => number): (values: Float64Array, timeS: number) => void {
    const batch = this.#batch, stride = batch.cpuStride, ended = this.#ended, endS = this.#endS;
    batch.cpuStride = Number.MAX_SAFE_INTEGER;
    batch.readsAll = false;
    const isOpen = ({ value, changes, periodS }: Ended) => {
      return value === value && changes.length < 2 &&
        this.#lastS < endS + MAX_PERIODS_AFTER * periodS;
    };
    for (let open = ended.filter(isOpen); open.length > 0; open = open.filter(isOpen)) {
      const stepS = Math.min(...open.map(({ periodS }) => periodS)) / READINGS_A_PERIOD;
      const timeS = wait(this.#lastS + stepS);
      if (Number.isNaN(timeS)) break;
      batch.read(timeS);
      for (const counter of open) this.#watch(counter, timeS, batch.values[counter.place]);
      this.#lastS = timeS;
    }
    batch.cpuStride = stride;
    // The second change after the begin may be one after the end.
    for (const { slow, changes: [first] } of ended) {
      if (first !== undefined) this.#known.add(slow);
      if (slow.changes.length > 1 || first === undefined) continue;
      const changes = [...slow.changes, first];
      slow.before = slow.earlier + this.#beforeStart({ ...slow, changes });
    }
    return (values, timeS) => {
      for (const counter of ended) {
        const { slow, place, taken, value } = counter;
        const joules = Math.max(values[place] + taken, energyAt(counter, timeS)) - slow.before;
        if (joules === joules) values[place] = Math.max(joules, value - taken);
      }
    };
  }

  /** @returns Did it change? */
  #watch(slow: Watched, timeS: number, value: number): boolean {
    const { changes } = slow;
    const last = changes.at(-1)?.value ?? slow.value;
    if (value === last) return false;
    const isChange = value > last;
    if (isChange) changes.push({ timeS: (this.#lastS + timeS) / 2, value });
    // Of a counter that failed or began again nothing is known from before.
    else slow.value = NaN;
    return isChange;
  }

  /** Energy of the first change from before the run, by the time between the first two, at most the period. */
  #beforeStart({ value, changes: [first, second], periodS }: Slow): number {
    const lengthS = Math.min(periodS, (second?.timeS ?? Infinity) - first.timeS);
    const beforeS = lengthS - (first.timeS - this.#startS);
    const joules = (first.value - value) * beforeS / lengthS;
    return joules > 0 ? joules : 0;
  }
}

/** Energy at a time up to the first change after it; NaN: not known better than by the last reading. */
function energyAt({ value, changes: [first, second], periodS }: Watched, timeS: number): number {
  if (first === undefined || value !== value) return NaN;
  const watts = second === undefined
    ? (first.value - value) / periodS
    : (second.value - first.value) / (second.timeS - first.timeS);
  return Math.max(value, first.value - watts * Math.max(0, first.timeS - timeS));
}
