/**
 * What a node's counters add up to, and its gauges amount to, without keeping any sample.
 *
 * @module
 */
import { EXACT_BELOW, type RawValues } from "../formats/rawstats/columns.ts";
import type { RawCounters, RawType } from "./differ.ts";
import type { JobListener, RawSample } from "./node.ts";
import { addExact, type Exact } from "./exact.ts";

/** The number of devices of a type that are always kept separate. */
const MAX_SEPARATE_DEVICES = 4096;

/** Sums of one device, or of those of a type that are gone: then gauges are sums, too. */
export interface DeviceTotals {
  readonly counters: RawCounters;
  devices: number;
  /** Counts, by column; exact below 2^53, and in `wide` beyond. */
  readonly sums: Float64Array;
  wide: Map<number, bigint> | undefined;
  /** Gauges: smallest, greatest and last value, and number of values. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly last: Float64Array;
  samples: number;
  /** Seconds over which its deltas were taken. */
  seconds: number;
}

/** Adds up one node's counters. */
export class NodeTotals implements JobListener {
  list: DeviceTotals[] = [];
  firstUs = NaN;
  lastUs = NaN;
  samples = 0;
  readonly #byIndex: (DeviceTotals | undefined)[] = [];
  /** By type: devices in the list, and how many there may be. */
  readonly #counts = new Map<RawType, number>();
  readonly #most = new Map<RawType, number>();
  /** Time of the sample before. */
  #beforeUs = NaN;

  constructor(readonly host: string) {}

  sample(sample: RawSample): void {
    if (this.samples++ === 0) this.firstUs = sample.timeUs;
    this.#beforeUs = this.lastUs;
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
    }
  }

  #totalsOf(counters: RawCounters): DeviceTotals {
    let totals = this.#byIndex[counters.index];
    if (totals === undefined) {
      this.#makeRoom(counters.type);
      const n = counters.deltas.length;
      totals = {
        counters,
        devices: 1,
        sums: new Float64Array(n),
        wide: undefined,
        least: new Float64Array(n).fill(Infinity),
        most: new Float64Array(n).fill(-Infinity),
        last: new Float64Array(n).fill(NaN),
        samples: 0,
        seconds: 0,
      };
      this.#byIndex[counters.index] = totals;
      this.list.push(totals);
    }
    return totals;
  }

  /** Adds up the devices of a type that are gone, when there are many: single processes. */
  #makeRoom(type: RawType): void {
    const count = (this.#counts.get(type) ?? 0) + 1;
    this.#counts.set(type, count);
    if (count <= (this.#most.get(type) ?? MAX_SEPARATE_DEVICES)) return;
    let gone: DeviceTotals | undefined;
    let kept = 0;
    const list: DeviceTotals[] = [];
    for (const totals of this.list) {
      if (totals.counters.type !== type) list.push(totals);
      else if (totals.devices === 1 && totals.counters.timeUs >= this.#beforeUs) {
        list.push(totals);
        kept++;
      } else {
        if (totals.devices === 1) this.#byIndex[totals.counters.index] = undefined;
        if (gone === undefined) list.push(gone = totals);
        else addGone(gone, totals);
      }
    }
    this.list = list;
    this.#counts.set(type, kept);
    this.#most.set(type, Math.max(MAX_SEPARATE_DEVICES, 2 * kept));
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

/** Adds the totals of a device to those that are gone. */
function addGone(gone: DeviceTotals, more: DeviceTotals): void {
  const { isEvent } = gone.counters.type;
  for (let k = 0; k < isEvent.length; k++) {
    if (isEvent[k] === 1) {
      const sum = addExact(sumOf(gone, k), sumOf(more, k));
      gone.sums[k] = Number(sum);
      if (typeof sum === "bigint") (gone.wide ??= new Map()).set(k, sum);
    } else if (more.last[k] === more.last[k]) {
      const isFirst = gone.last[k] !== gone.last[k];
      gone.last[k] = more.last[k] + (isFirst ? 0 : gone.last[k]);
      gone.least[k] = more.least[k] + (isFirst ? 0 : gone.least[k]);
      gone.most[k] = more.most[k] + (isFirst ? 0 : gone.most[k]);
    }
  }
  gone.devices += more.devices;
  gone.samples += more.samples;
  gone.seconds = Math.max(gone.seconds, more.seconds);
}

/** The sum of a column, exact. */
export function sumOf(totals: DeviceTotals, k: number): Exact {
  return totals.wide?.get(k) ?? totals.sums[k];
}
