/**
 * Time series of one node: every value and every delta, per type, device and key.
 *
 * @module
 */
import { EXACT_BELOW, type RawValues } from "../formats/rawstats_columns.ts";
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
