/**
 * Totals of a node's counters, and values of its gauges, without keeping any sample.
 *
 * @module
 */
import { EXACT_BELOW, type RawValues } from "../format/columns.ts";
import type { RawCounters, RawType } from "./differ.ts";
import type { JobListener, RawSample } from "./node.ts";
import { addExact, type Exact } from "./exact.ts";

/** Sums of one type under one schema, over all of its devices or of one of them. */
export class TypeTotals {
  /** Seconds over which deltas were taken. */
  seconds = 0;
  /** Counts of each column. */
  readonly #sums: Exact[];
  /** `CORRECTED` and `AT_LEAST` of each column. */
  readonly flags: Uint8Array;
  /** Gauges, summed over the devices of a sample: smallest, largest and last of these sums. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly last: Float64Array;
  readonly #now: Float64Array;
  #sample = -1;
  /** Times of the sample before and of the one at hand, in microseconds. */
  #timeUs = NaN;
  #nowUs = NaN;
  #elapsedS = 0;

  constructor(readonly type: RawType) {
    const { length } = type.keys;
    this.#sums = new Array<Exact>(length).fill(0);
    this.flags = new Uint8Array(length);
    this.least = new Float64Array(length).fill(NaN);
    this.most = new Float64Array(length).fill(NaN);
    this.last = new Float64Array(length).fill(NaN);
    this.#now = new Float64Array(length).fill(NaN);
  }

  /** Microseconds since the epoch: the last sample that has the type, or the device. */
  get lastUs(): number {
    return this.#nowUs;
  }

  /** The sum of a column, exact. */
  sumOf(column: number): Exact {
    return this.#sums[column];
  }

  /**
   * Adds a line.
   *
   * @param sample Number of its sample.
   * @param isFirst Are its deltas before the job?
   */
  add(counters: RawCounters, values: RawValues, sample: number, isFirst: boolean): void {
    if (sample !== this.#sample) this.#begin(sample);
    const { deltas, type: { events, gauges }, flags } = counters;
    if (!isFirst) {
      // A device that missed a sample has a longer interval than the others.
      const mostS = (counters.timeUs - this.#timeUs) / 1e6;
      const elapsedS = Math.min(counters.elapsedS, mostS === mostS ? mostS : Infinity);
      if (elapsedS > this.#elapsedS) this.#elapsedS = elapsedS;
      for (let i = 0; i < events.length; i++) {
        const k = events[i];
        const sum = Number(this.#sums[k]) + deltas[k];
        if (sum < EXACT_BELOW) this.#sums[k] = sum;
        else if (deltas[k] === deltas[k]) {
          this.#sums[k] = addExact(this.#sums[k], counters.exactDelta(k)!);
        }
      }
      flags?.forEach((bits, k) => this.flags[k] |= bits);
    }
    for (let i = 0; i < gauges.length; i++) {
      const k = gauges[i];
      const value = values.numbers[k];
      if (value === value) {
        this.#now[k] = this.#now[k] === this.#now[k] ? this.#now[k] + value : value;
      }
    }
    this.#nowUs = counters.timeUs;
  }

  /** Ends the current sample: no line of it follows. */
  end(): void {
    this.#timeUs = this.#nowUs;
    this.seconds += this.#elapsedS;
    this.#elapsedS = 0;
    for (const k of this.type.gauges) {
      const value = this.#now[k];
      if (value !== value) continue;
      this.last[k] = value;
      if (!(value >= this.least[k])) this.least[k] = value;
      if (!(value <= this.most[k])) this.most[k] = value;
      this.#now[k] = NaN;
    }
  }

  #begin(sample: number): void {
    if (this.#sample >= 0) this.end();
    this.#sample = sample;
  }
}

/** Selection of totals to keep. */
export interface TotalsWish {
  /** @default every type */
  wants?(type: string): boolean;
  /** Totals of each device, not of all devices of a type. @default false */
  readonly perDevice?: boolean;
}

/** Totals of one type, or of one device of it. */
export interface TotalsEntry {
  readonly type: string;
  /** Names of the devices. */
  readonly devices: Set<string>;
  /** A part for each schema, in the order of time. */
  readonly parts: TypeTotals[];
}

/** Adds up one node's counters. */
export class NodeTotals implements JobListener {
  readonly entries = new Map<string, TotalsEntry>();
  firstUs = NaN;
  lastUs = NaN;
  samples = 0;
  #gapsUs = 0;
  /** By number of the device; null: not wanted. */
  readonly #byIndex: (TypeTotals | null | undefined)[] = [];
  readonly #wish: TotalsWish;

  constructor(readonly host: string, wish: TotalsWish = {}) {
    this.#wish = wish;
  }

  sample({ timeUs }: RawSample, isFirst: boolean): void {
    if (this.samples++ === 0) this.firstUs = timeUs;
    else if (isFirst) this.#gapsUs += timeUs - this.lastUs;
    this.lastUs = timeUs;
  }

  /** Seconds of the samples, without gaps in the job and steps of the clock. */
  get seconds(): number {
    return (this.lastUs - this.firstUs - this.#gapsUs) / 1e6;
  }

  row(counters: RawCounters, values: RawValues, isFirst: boolean): void {
    let totals = this.#byIndex[counters.index];
    if (totals === undefined) totals = this.#byIndex[counters.index] = this.#totalsOf(counters);
    totals?.add(counters, values, this.samples, isFirst);
  }

  /** Ends the totals: no sample follows. */
  end(): void {
    for (const { parts } of this.entries.values()) parts.forEach((part) => part.end());
  }

  #totalsOf({ type, device }: RawCounters): TypeTotals | null {
    const { wants = () => true, perDevice = false } = this.#wish;
    const name = type.schema.type;
    if (!wants(name)) return null;
    const entry: TotalsEntry = this.entries.getOrInsertComputed(
      perDevice ? `${name} ${device}` : name,
      () => ({ type: name, devices: new Set<string>(), parts: [] }),
    );
    entry.devices.add(device);
    const known = entry.parts.find((part) => part.type === type);
    if (known !== undefined) return known;
    const made = new TypeTotals(type);
    entry.parts.push(made);
    return made;
  }
}
