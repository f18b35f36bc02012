/**
 * What a node's counters add up to, and its gauges amount to, without keeping any sample.
 *
 * @module
 */
import { EXACT_BELOW, type RawValues } from "../formats/rawstats_columns.ts";
import type { RawCounters } from "./differ.ts";
import type { JobListener, RawSample } from "./node.ts";
import type { Exact } from "./series.ts";

/** Sums of one device. */
export interface DeviceTotals {
  readonly counters: RawCounters;
  /** Counts, by column; exact below 2^53, and in `wide` beyond. */
  readonly sums: Float64Array;
  wide: Map<number, bigint> | undefined;
  /** Gauges: smallest, greatest, last, sum and number of values. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly last: Float64Array;
  readonly added: Float64Array;
  samples: number;
  /** Seconds over which its deltas were taken. */
  seconds: number;
}

/** See the module. */
export class NodeTotals implements JobListener {
  readonly list: DeviceTotals[] = [];
  firstUs = NaN;
  lastUs = NaN;
  samples = 0;
  readonly #byIndex: (DeviceTotals | undefined)[] = [];

  constructor(readonly host: string) {}

  sample(sample: RawSample): void {
    if (this.samples++ === 0) this.firstUs = sample.timeUs;
    this.lastUs = sample.timeUs;
  }

  row(counters: RawCounters, values: RawValues, isFirst: boolean): void {
    const totals = this.#totalsOf(counters);
    totals.samples++;
    const { deltas, type } = counters;
    const { numbers } = values;
    if (!isFirst) {
      const elapsed = counters.elapsedS;
      if (elapsed === elapsed) totals.seconds += elapsed;
      const { sums } = totals;
      const { events } = type;
      for (let i = 0; i < events.length; i++) {
        const k = events[i];
        const sum = sums[k] + deltas[k];
        if (sum < EXACT_BELOW) sums[k] = sum;
        else this.#addWide(totals, k);
      }
    }
    const { gauges } = type;
    for (let i = 0; i < gauges.length; i++) {
      const k = gauges[i];
      const value = numbers[k];
      if (value !== value) continue;
      if (value < totals.least[k]) totals.least[k] = value;
      if (value > totals.most[k]) totals.most[k] = value;
      totals.last[k] = value;
      totals.added[k] += value;
    }
  }

  #totalsOf(counters: RawCounters): DeviceTotals {
    let totals = this.#byIndex[counters.index];
    if (totals === undefined) {
      const n = counters.deltas.length;
      totals = {
        counters,
        sums: new Float64Array(n),
        wide: undefined,
        least: new Float64Array(n).fill(Infinity),
        most: new Float64Array(n).fill(-Infinity),
        last: new Float64Array(n).fill(NaN),
        added: new Float64Array(n),
        samples: 0,
        seconds: 0,
      };
      this.#byIndex[counters.index] = totals;
      this.list.push(totals);
    }
    return totals;
  }

  /** A sum that plain numbers cannot hold, or no delta at all. */
  #addWide(totals: DeviceTotals, k: number): void {
    const delta = totals.counters.exactDelta(k);
    if (delta === undefined) return;
    const wide = totals.wide ??= new Map();
    const sum = (wide.get(k) ?? BigInt(totals.sums[k])) + delta;
    wide.set(k, sum);
    totals.sums[k] = Number(sum);
  }
}

/** The sum of a column, exact. */
export function sumOf(totals: DeviceTotals, k: number): Exact {
  return totals.wide?.get(k) ?? totals.sums[k];
}
