/**
 * Time series of one node: every value and every delta, per type, device and key.
 *
 * @module
 */
import { EXACT_BELOW, type RawValues } from "../formats/rawstats_columns.ts";
import type { RawKey, RawUnit } from "../formats/rawstats_schema.ts";
import type { RawCounters, RawType } from "./differ.ts";
import type { JobListener, RawSample } from "./node.ts";

/** Numbers below 2^53 as such, others exact. */
export type Exact = number | bigint;

/** The samples of one device; each column has one entry per entry of `at`. */
export interface DeviceSeries {
  readonly type: RawType;
  readonly device: string;
  /** Indices into the node's times. */
  readonly at: number[];
  readonly raw: Exact[][];
  /** In counts; `undefined` where there is none. */
  readonly delta: (Exact | undefined)[][];
}

/** See the module. */
export class NodeSeries implements JobListener {
  /** Microseconds since the epoch. */
  readonly times: number[] = [];
  readonly samples: RawSample[] = [];
  readonly list: DeviceSeries[] = [];
  readonly #byIndex: (DeviceSeries | undefined)[] = [];

  /** @param wants Which types are kept. @default all */
  constructor(readonly host: string, readonly wants: (type: string) => boolean = () => true) {}

  sample(sample: RawSample): void {
    this.times.push(sample.timeUs);
    this.samples.push(sample);
  }

  row(counters: RawCounters, values: RawValues, isFirst: boolean): void {
    let series = this.#byIndex[counters.index];
    if (series === undefined) {
      const { type, device } = counters;
      if (!this.wants(type.schema.type)) return;
      const raw = type.keys.map(() => []);
      const delta = type.keys.map(() => []);
      series = { type, device, at: [], raw, delta };
      this.#byIndex[counters.index] = series;
      this.list.push(series);
    }
    series.at.push(this.times.length - 1);
    const { deltas } = counters;
    for (let k = 0; k < deltas.length; k++) {
      const value = values.numbers[k];
      series.raw[k].push(value < EXACT_BELOW ? value : values.exact(k));
      const d = deltas[k];
      const none = isFirst || d !== d;
      series.delta[k].push(none ? undefined : d < EXACT_BELOW ? d : counters.exactDelta(k));
    }
  }
}

/** One key of one device over all times of a node, across changes of the schema. */
export interface KeySeries {
  /** As the last schema has it. */
  readonly key: RawKey;
  readonly unit: RawUnit;
  /** In counts. */
  readonly raw: (Exact | undefined)[];
  /** In the unit; empty for gauges and control registers. */
  readonly delta: (Exact | undefined)[];
  /** Per second, in the unit. */
  readonly rate: (number | undefined)[];
}

/** Keys by type and device, types in ascending order. */
export function* keySeries(
  series: NodeSeries,
): Generator<[type: string, devices: Map<string, Map<string, KeySeries>>]> {
  const byType = Map.groupBy(series.list, (device) => device.type.schema.type);
  for (const type of [...byType.keys()].sort()) {
    const devices = new Map<string, Map<string, KeySeries>>();
    for (const part of byType.get(type)!) {
      const keys = devices.get(part.device) ?? new Map<string, KeySeries>();
      devices.set(part.device, keys);
      part.type.keys.forEach((key, k) => addPart(keys, series, part, k, key));
    }
    yield [type, devices];
  }
}

/** Puts what one schema's columns hold into the series of a key. */
function addPart(
  keys: Map<string, KeySeries>,
  { times }: NodeSeries,
  part: DeviceSeries,
  k: number,
  key: RawKey,
): void {
  const before = keys.get(key.name);
  const none = () => new Array<undefined>(times.length).fill(undefined);
  const isEvent = key.kind === "event";
  const unit = part.type.units[k];
  const own: KeySeries = {
    key,
    unit,
    raw: before?.raw ?? none(),
    delta: !isEvent ? [] : before?.delta.length ? before.delta : none(),
    rate: !isEvent ? [] : before?.rate.length ? before.rate : none(),
  };
  keys.set(key.name, own);
  part.at.forEach((at, i) => {
    own.raw[at] = part.raw[k][i];
    const d = part.delta[k][i];
    if (!isEvent || d === undefined) return;
    const delta = scaled(d, unit.scale);
    own.delta[at] = delta;
    own.rate[at] = Number(delta) / ((times[at] - times[part.at[i - 1]]) / 1e6);
  });
}

/** A count times the factor of its unit. */
export function scaled(count: Exact, scale: number): Exact {
  if (typeof count === "bigint") {
    return Number.isInteger(scale) ? count * BigInt(scale) : Number(count) * scale;
  }
  const product = count * scale;
  if (product < EXACT_BELOW || !Number.isInteger(scale)) return product;
  return BigInt(count) * BigInt(scale);
}

/** A sum, exact. */
export function addExact(a: Exact, b: Exact): Exact {
  if (typeof a === "number" && typeof b === "number" && a + b < EXACT_BELOW) return a + b;
  return BigInt(a) + BigInt(b);
}
