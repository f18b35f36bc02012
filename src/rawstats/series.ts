/**
 * Time series of one node: every value and every delta, per type, device and key, packed.
 *
 * @module
 */
import { grown } from "../core/grow.ts";
import { EXACT_BELOW, type RawValues } from "../formats/rawstats/columns.ts";
import type { RawKey, RawUnit } from "../formats/rawstats/schema.ts";
import type { Column, ColumnStore } from "./column_store.ts";
import type { RawCounters, RawType } from "./differ.ts";
import type { JobListener, RawSample } from "./node.ts";

/** Numbers below 2^53 as such, others exact. */
export type Exact = number | bigint;

/** Steps from here on are written whole: the numbers that stand for them have to be exact. */
const STEP_BELOW = 2 ** 51;
/** Stands for a value that is no plain step: flags follow, and their values. */
const WHOLE = 0;
const HAS_RAW = 1, HAS_DELTA = 2;

/** The samples of one device under one schema. */
export interface DeviceSeries {
  readonly type: RawType;
  readonly device: string;
  /** Number within its node, from 0. */
  readonly number: number;
  rows: number;
  /** Runs of indices into the node's times: the step from the run before, and how many follow. */
  runs: Column | undefined;
  lastAt: number;
  /** Of the run that is not appended yet. */
  step: number;
  length: number;
  /** Keys that are kept: their columns, by key. */
  kept: Int32Array;
  columns: readonly Column[];
  /** Of few samples: runs and columns in one, the lengths of all before them. */
  packed: Column | undefined;
  /** By key: the value before; NaN where a step from it has no meaning. */
  previous: Float64Array;
}

/** Which columns are kept. */
export interface SeriesWish {
  /** @default every type */
  type?(type: string): boolean;
  /** Devices of a type; further ones are left out. @default all */
  readonly most?: number;
  /** Keys whose values are kept; what is there of others is known. @default all */
  keeps?(type: RawType, device: number, column: number): boolean;
}

/** Collects the series of one node. */
export class NodeSeries implements JobListener {
  /** Microseconds since the epoch. */
  readonly times: number[] = [];
  readonly list: DeviceSeries[] = [];
  /** Devices that have no series because their type has too many: single processes. */
  leftOut = 0;
  readonly #byIndex: (DeviceSeries | null | undefined)[] = [];
  readonly #counts = new Map<RawType, number>();

  constructor(
    readonly host: string,
    readonly store: ColumnStore,
    readonly wish: SeriesWish = {},
  ) {}

  sample(sample: RawSample): void {
    this.times.push(sample.timeUs);
  }

  row(counters: RawCounters, values: RawValues, isFirst: boolean): void {
    let series = this.#byIndex[counters.index];
    if (series === undefined) series = this.#begin(counters);
    if (series === null) return;
    const at = this.times.length - 1;
    if (at === series.lastAt + 1 && series.length > 0) series.length++;
    else {
      endRun(series);
      series.step = at - series.lastAt;
      series.length = 1;
    }
    series.lastAt = at;
    series.rows++;
    const { kept, columns, previous, type } = series;
    const { deltas } = counters;
    const { numbers } = values;
    const { isEvent } = type;
    for (let i = 0; i < kept.length; i++) {
      const k = kept[i];
      const column = columns[k];
      const value = numbers[k];
      // a value that a plain number cannot hold is no step from anything
      const step = value < EXACT_BELOW ? value - previous[k] : NaN;
      if (isEvent[k] === 1) {
        if (!isFirst && deltas[k] === step && step < STEP_BELOW) {
          column.append(step + 1);
          previous[k] = value;
        } else appendWhole(column, counters, values, k, previous, isFirst);
      } else if (step < STEP_BELOW && step > -STEP_BELOW) {
        // odd numbers are steps up, even ones steps down
        column.append(step >= 0 ? 2 * step + 1 : -2 * step);
        previous[k] = value;
      } else appendWhole(column, counters, values, k, previous, isFirst);
    }
  }

  /** No sample follows: only now the series can be read. */
  end(): void {
    for (const series of this.list) {
      endRun(series);
      const all = [series.runs!, ...series.columns];
      if (all.every((column) => column.isShort)) this.#pack(series, all);
      else for (const column of all) column.end();
      series.previous = NO_NUMBERS;
      series.kept = NO_KEYS;
    }
    this.#byIndex.length = 0;
    this.#counts.clear();
  }

  /** Nodes of few samples are many, and each of their columns would take a chunk. */
  #pack(series: DeviceSeries, all: readonly Column[]): void {
    const packed = this.store.column();
    for (const column of all) packed.append(column.shortLength);
    for (const column of all) column.moveTo(packed);
    packed.end();
    series.packed = packed;
    series.runs = undefined;
    series.columns = NO_COLUMNS;
  }

  #begin({ type, device, index }: RawCounters): DeviceSeries | null {
    const { schema, keys } = type;
    const { type: wants, most = Infinity, keeps = () => true } = this.wish;
    if (wants !== undefined && !wants(schema.type)) return this.#byIndex[index] = null;
    const count = (this.#counts.get(type) ?? 0) + 1;
    this.#counts.set(type, count);
    if (count > most) {
      this.leftOut++;
      return this.#byIndex[index] = null;
    }
    const previous = new Float64Array(keys.length).fill(NaN);
    const columns = keys.map(() => this.store.column());
    const runs = this.store.column();
    const number = this.list.length;
    const kept = Int32Array.from(keys.flatMap((_, k) => keeps(type, number, k) ? [k] : []));
    const series = {
      ...{ type, device, number, rows: 0, runs, lastAt: -1, step: 0, length: 0 },
      ...{ kept, columns, previous, packed: undefined },
    };
    this.#byIndex[index] = series;
    this.list.push(series);
    return series;
  }
}

/** Of series that have ended: there may be a million of them. */
const NO_NUMBERS = new Float64Array(), NO_KEYS = new Int32Array();
const NO_COLUMNS: readonly Column[] = [];

function endRun(series: DeviceSeries): void {
  if (series.length === 0) return;
  series.runs!.append(series.step);
  series.runs!.append(series.length);
  series.length = 0;
}

/** A first value, a missing one, a wide one, or a delta that is no difference. */
function appendWhole(
  column: Column,
  counters: RawCounters,
  values: RawValues,
  k: number,
  previous: Float64Array,
  isFirst: boolean,
): void {
  const value = values.numbers[k];
  const delta = isFirst ? undefined : counters.exactDelta(k);
  const hasRaw = value === value;
  column.append(WHOLE);
  column.byte((hasRaw ? HAS_RAW : 0) | (delta === undefined ? 0 : HAS_DELTA));
  if (hasRaw) appendWord(column, values.exact(k));
  if (delta !== undefined) appendWord(column, delta);
  if (hasRaw) previous[k] = value < EXACT_BELOW ? value : NaN;
}

function appendWord(column: Column, value: bigint): void {
  column.append(Number(value & 0xffffffffn));
  column.append(Number(value >> 32n));
}

/** A key of a device under one schema. */
export interface KeyPart {
  readonly device: DeviceSeries;
  readonly column: number;
}

/** The samples of a key under one schema, among those that were read. */
export interface KeySpan {
  readonly from: number;
  readonly to: number;
  /** What a count is worth in its unit. */
  readonly scale: number;
}

/** The samples of one key after the other, over changes of the schema. Arrays are reused. */
export class KeyReader {
  /** Samples read. */
  count = 0;
  /** Indices into the node's times, ascending. */
  at = new Int32Array();
  /** In counts; NaN where a fast sample omits it; rounded from 2^53 on. */
  raw = new Float64Array();
  /** In counts; NaN where there is none. */
  delta = new Float64Array();
  /** Those from 2^53 on, by sample. */
  readonly wideRaw = new Map<number, bigint>();
  readonly wideDelta = new Map<number, bigint>();
  readonly spans: KeySpan[] = [];
  #bytes = new Uint8Array(4096);
  #next = 0;

  /** Reads one key. */
  read(parts: readonly KeyPart[]): void {
    const count = parts.reduce((sum, { device }) => sum + device.rows, 0);
    if (count > this.at.length) {
      this.at = grown(this.at, count);
      this.raw = grown(this.raw, count);
      this.delta = grown(this.delta, count);
    }
    this.wideRaw.clear();
    this.wideDelta.clear();
    this.spans.length = 0;
    let from = 0;
    for (const { device, column } of parts) {
      const to = from + device.rows;
      this.spans.push({ from, to, scale: device.type.units[column].scale });
      this.#open(device, device.runs, 0);
      this.#runs(from, to);
      this.#open(device, device.columns[column], 1 + column);
      if (device.type.isEvent[column] === 1) this.#counter(from, to);
      else this.#gauge(from, to);
      from = to;
    }
    this.count = count;
  }

  /** A sample's value, exact; `undefined` where there is none. */
  exactRaw(sample: number): Exact | undefined {
    return exactOf(this.raw[sample], this.wideRaw, sample);
  }

  /** The same of a delta. */
  exactDelta(sample: number): Exact | undefined {
    return exactOf(this.delta[sample], this.wideDelta, sample);
  }

  /** Goes to the begin of a column, or to that one of those in one. */
  #open({ packed, type }: DeviceSeries, column: Column | undefined, place: number): void {
    this.#next = 0;
    if (packed === undefined) {
      this.#bytes = column!.read(this.#bytes);
      return;
    }
    this.#bytes = packed.read(this.#bytes);
    let before = 0;
    for (let i = 0; i <= type.keys.length; i++) {
      const length = this.#number();
      if (i < place) before += length;
    }
    this.#next += before;
  }

  #runs(from: number, to: number): void {
    let at = -1;
    for (let i = from; i < to;) {
      at += this.#number();
      for (const end = i + this.#number(); i < end; i++) this.at[i] = at++;
      at--;
    }
  }

  #counter(from: number, to: number): void {
    const { raw, delta } = this;
    let value = 0;
    for (let i = from; i < to; i++) {
      const step = this.#number();
      if (step === WHOLE) value = this.#whole(i, value);
      else {
        delta[i] = step - 1;
        raw[i] = value += step - 1;
      }
    }
  }

  #gauge(from: number, to: number): void {
    const { raw, delta } = this;
    let value = 0;
    for (let i = from; i < to; i++) {
      const step = this.#number();
      if (step === WHOLE) value = this.#whole(i, value);
      else {
        delta[i] = NaN;
        raw[i] = value += step % 2 === 1 ? (step - 1) / 2 : -step / 2;
      }
    }
  }

  /** A value that is no plain step; what the next step is from: where it is missing, the one before. */
  #whole(i: number, before: number): number {
    const flags = this.#bytes[this.#next++];
    this.raw[i] = (flags & HAS_RAW) !== 0 ? this.#word(i, this.wideRaw) : NaN;
    this.delta[i] = (flags & HAS_DELTA) !== 0 ? this.#word(i, this.wideDelta) : NaN;
    return (flags & HAS_RAW) !== 0 ? this.raw[i] : before;
  }

  #word(i: number, wide: Map<number, bigint>): number {
    const low = this.#number();
    const high = this.#number();
    if (high < 2097152) return high * 4294967296 + low;
    const exact = (BigInt(high) << 32n) | BigInt(low);
    wide.set(i, exact);
    return Number(exact);
  }

  #number(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#next++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let factor = 128;
    do {
      byte = bytes[this.#next++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte >= 128);
    return value;
  }
}

function exactOf(value: number, wide: Map<number, bigint>, sample: number): Exact | undefined {
  return value < EXACT_BELOW ? value : wide.get(sample);
}

/** One key of one device over all times of a node, across changes of the schema. */
export interface KeySeries {
  /** As the last schema has it. */
  readonly key: RawKey;
  readonly unit: RawUnit;
  /** In the order of time. */
  readonly parts: KeyPart[];
  /** Those since the key last was none of a counter: where deltas are. */
  readonly counted: KeyPart[];
}

/** Keys by type and device, types in ascending order. */
export function* keySeries(
  series: NodeSeries,
): Generator<[type: string, devices: Map<string, Map<string, KeySeries>>]> {
  const byType = Map.groupBy(series.list, (device) => device.type.schema.type);
  for (const type of [...byType.keys()].sort()) {
    const devices = new Map<string, Map<string, KeySeries>>();
    for (const device of byType.get(type)!) {
      const keys = devices.getOrInsertComputed(device.device, () => new Map());
      device.type.keys.forEach((key, column) => {
        const before = keys.get(key.name);
        const part = { device, column };
        const counted = key.kind === "event" ? [...before?.counted ?? [], part] : [];
        const unit = device.type.units[column];
        keys.set(key.name, { key, unit, parts: [...before?.parts ?? [], part], counted });
      });
    }
    yield [type, devices];
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

/** A sum, exact where both are whole. */
export function addExact(a: Exact, b: Exact): Exact {
  if (typeof a === "number" && typeof b === "number" && a + b < EXACT_BELOW) return a + b;
  return isWhole(a) && isWhole(b) ? BigInt(a) + BigInt(b) : Number(a) + Number(b);
}

function isWhole(value: Exact): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}
