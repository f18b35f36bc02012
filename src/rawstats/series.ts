/**
 * Time series of one node: every value and every delta, per type, device and key, packed.
 *
 * @module
 */
import { EXACT_BELOW, type RawValues } from "../formats/rawstats/columns.ts";
import type { RawKey, RawUnit } from "../formats/rawstats/schema.ts";
import { Column, ColumnReader, type ColumnStore } from "./column_store.ts";
import type { RawCounters, RawType } from "./differ.ts";
import type { JobListener, RawSample } from "./node.ts";

/** Numbers below 2^53 as such, others exact. */
export type Exact = number | bigint;

/** Steps from here on are written whole: the numbers that stand for them have to be exact. */
const STEP_BELOW = 2 ** 51;
/** Stands for a value that is no plain step: flags follow, and what they say. */
const WHOLE = 0;
const HAS_RAW = 1, HAS_DELTA = 2;

/** The samples of one device under one schema. */
export interface DeviceSeries {
  readonly type: RawType;
  readonly device: string;
  rows: number;
  /** Indices into the node's times, each as the step from the one before. */
  readonly at: Column;
  lastAt: number;
  /** By key; nothing where it was not asked for. */
  readonly columns: (Column | undefined)[];
  /** By key: the value before; NaN where a step from it says nothing. */
  readonly previous: Float64Array;
}

/** Which columns are kept. */
export interface SeriesWish {
  /** @default every type */
  type?(type: string): boolean;
  /** Devices of a type; further ones are left out. @default all */
  readonly most?: number;
  /** @default every key */
  key?(type: string, device: string, key: string): boolean;
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
    series.at.append(at - series.lastAt);
    series.lastAt = at;
    series.rows++;
    const { columns, previous, type } = series;
    const { deltas } = counters;
    const { numbers } = values;
    const { isEvent } = type;
    for (let k = 0; k < columns.length; k++) {
      const column = columns[k];
      if (column === undefined) continue;
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

  #begin({ type, device, index }: RawCounters): DeviceSeries | null {
    const { schema, keys } = type;
    const { type: wantsType, key: wantsKey, most = Infinity } = this.wish;
    const wanted = keys.map((key) =>
      (wantsType === undefined || wantsType(schema.type)) &&
      (wantsKey === undefined || wantsKey(schema.type, device, key.name))
    );
    if (!wanted.includes(true)) return this.#byIndex[index] = null;
    const count = (this.#counts.get(type) ?? 0) + 1;
    this.#counts.set(type, count);
    if (count > most) {
      this.leftOut++;
      return this.#byIndex[index] = null;
    }
    const previous = new Float64Array(keys.length).fill(NaN);
    const columns = wanted.map((is) => is ? this.store.column() : undefined);
    const at = this.store.column();
    const series = { type, device, rows: 0, at, lastAt: -1, columns, previous };
    this.#byIndex[index] = series;
    this.list.push(series);
    return series;
  }
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

function readWord(reader: ColumnReader): Exact {
  const low = reader.next();
  const high = reader.next();
  return high < 2097152 ? high * 4294967296 + low : (BigInt(high) << 32n) | BigInt(low);
}

/** A key of a device under one schema. */
export interface KeyPart {
  readonly device: DeviceSeries;
  readonly column: number;
}

/** Goes through a key's samples, over changes of the schema. */
export class SeriesCursor {
  /** Index into the node's times. */
  at = -1;
  /** In counts; `undefined` where a fast sample omits it. */
  raw: Exact | undefined;
  /** In counts. */
  delta: Exact | undefined;
  /** Seconds since the device's sample before; NaN at its first. */
  seconds = NaN;
  scale = 1;
  readonly #times: readonly number[];
  readonly #parts: readonly KeyPart[];
  #part = -1;
  #left = 0;
  #isEvent = false;
  #before = NaN;
  #value = 0;
  #ats: ColumnReader | undefined;
  #values: ColumnReader | undefined;

  constructor(times: readonly number[], parts: readonly KeyPart[]) {
    this.#times = times;
    this.#parts = parts;
  }

  /** Goes to the next sample; false where there is none. */
  next(): boolean {
    while (this.#left === 0) if (!this.#nextPart()) return false;
    this.#left--;
    const at = this.at = this.at + this.#ats!.next();
    const us = this.#times[at];
    this.seconds = (us - this.#before) / 1e6;
    this.#before = us;
    const step = this.#values!.next();
    if (step === WHOLE) this.#whole();
    else if (this.#isEvent) {
      this.delta = step - 1;
      this.raw = this.#value += step - 1;
    } else {
      this.delta = undefined;
      this.raw = this.#value += (step & 1) === 1 ? (step - 1) / 2 : -step / 2;
    }
    return true;
  }

  #whole(): void {
    const values = this.#values!;
    const flags = values.byte();
    this.raw = (flags & HAS_RAW) !== 0 ? readWord(values) : undefined;
    this.delta = (flags & HAS_DELTA) !== 0 ? readWord(values) : undefined;
    if (this.raw !== undefined) this.#value = typeof this.raw === "number" ? this.raw : NaN;
  }

  #nextPart(): boolean {
    const part = this.#parts[++this.#part];
    if (part === undefined) return false;
    const { device, column } = part;
    this.#left = device.rows;
    this.#ats = new ColumnReader(device.at);
    this.#values = new ColumnReader(device.columns[column]!);
    this.#isEvent = device.type.isEvent[column] === 1;
    this.scale = device.type.units[column].scale;
    this.#before = NaN;
    this.at = -1;
    return true;
  }
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
      const keys = devices.get(device.device) ?? new Map<string, KeySeries>();
      devices.set(device.device, keys);
      device.type.keys.forEach((key, column) => {
        if (device.columns[column] === undefined) return;
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

/** A sum, exact. */
export function addExact(a: Exact, b: Exact): Exact {
  if (typeof a === "number" && typeof b === "number" && a + b < EXACT_BELOW) return a + b;
  return BigInt(a) + BigInt(b);
}
