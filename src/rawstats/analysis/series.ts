/**
 * Time series of one node in memory: every value and every delta by type, device and key.
 *
 * @module
 */
import { UsageError } from "../../core/errors.ts";
import { EXACT_BELOW, type RawValues } from "../format/columns.ts";
import type { RawKey, RawUnit } from "../format/schema.ts";
import type { RawCorrection, RawCounters } from "./differ.ts";
import { type Exact, scaled } from "./exact.ts";
import type { JobListener, RawSample } from "./node.ts";

/** One key of one device over time; NaN stands for a time without a value. */
export interface KeySeries {
  /** Key and unit of the last schema. */
  key: RawKey;
  unit: RawUnit;
  /** Index of the first value among the node's times. */
  readonly first: number;
  /** Values in counts. */
  readonly raw: Exact[];
  /** Differences in the unit, and per second; empty for gauges and control registers. */
  readonly delta: Exact[];
  readonly rate: number[];
}

/** Numbers that all series of one run may hold: about 200 MB of memory. */
export class SeriesBudget {
  constructor(public left = 16_000_000) {}

  /** @throws {UsageError} If there is no more room. */
  spend(count: number): void {
    this.left -= count;
    if (this.left >= 0) return;
    throw new UsageError({
      action: "write JSON",
      expected: "values that fit in memory, for example those of one job",
      found: "more",
      remedy: "use --format csv or jsonl, or select values with --job and --types",
    });
  }
}

/** Collects the series of one node. */
export class NodeSeries implements JobListener {
  /** Microseconds since the epoch. */
  readonly times: number[] = [];
  /** Steps backwards. */
  readonly corrections: RawCorrection[] = [];
  /** Keys by type and device. */
  readonly types = new Map<string, Map<string, Map<string, KeySeries>>>();
  /** Series of each column, by the number of the device. */
  readonly #byIndex: (KeySeries[] | undefined)[] = [];

  /** @param wants Types whose series are kept. */
  constructor(
    readonly host: string,
    readonly budget = new SeriesBudget(Infinity),
    readonly wants: (type: string) => boolean = () => true,
  ) {}

  sample(sample: RawSample): void {
    this.times.push(sample.timeUs);
  }

  row(counters: RawCounters, values: RawValues, isFirst: boolean): void {
    const { type } = counters;
    if (!this.wants(type.schema.type)) return;
    if (!isFirst) this.corrections.push(...counters.steps ?? []);
    const series = this.#byIndex[counters.index] ??= this.#begin(counters);
    const at = this.times.length - 1;
    const { numbers } = values;
    for (let k = 0; k < series.length; k++) {
      const one = series[k];
      const value = numbers[k];
      this.#append(one, one.raw, at, value < EXACT_BELOW ? value : exactOr(value, values, k));
      if (type.isEvent[k] === 0) continue;
      const exact = isFirst ? undefined : counters.exactDelta(k);
      const plain = exact !== undefined && exact < EXACT_BELOW ? Number(exact) : exact;
      const delta = plain === undefined ? NaN : scaled(plain, type.units[k].scale);
      this.#append(one, one.delta, at, delta);
      this.#append(one, one.rate, at, Number(delta) / counters.secondsOf(k));
    }
  }

  #append(series: KeySeries, list: Exact[], at: number, value: Exact): void {
    const missing = at - series.first - list.length;
    this.budget.spend(missing + 1);
    for (let i = 0; i < missing; i++) list.push(NaN);
    list.push(value);
  }

  /** The series that a device's columns go to. */
  #begin({ type, device }: RawCounters): KeySeries[] {
    const devices = this.types.getOrInsertComputed(type.schema.type, () => new Map());
    const keys: Map<string, KeySeries> = devices.getOrInsertComputed(device, () => new Map());
    return type.keys.map((key, k) => {
      const unit = type.units[k];
      const first = this.times.length - 1;
      const made = { key, unit, first, raw: [], delta: [], rate: [] };
      const known: KeySeries = keys.getOrInsertComputed(key.name, () => made);
      if (key.kind !== "event") known.delta.length = known.rate.length = 0;
      known.key = key;
      known.unit = unit;
      return known;
    });
  }
}

function exactOr(value: number, values: RawValues, k: number): Exact {
  return value === value ? values.exact(k) : NaN;
}
