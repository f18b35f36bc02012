/**
 * Time series of raw stats as JSON, exact to the last digit of 64 bits.
 *
 * `{times, series: {TYPE: {DEVICE: {KEY: {unit, scale, kind, raw, delta, rate, corrections}}}}, …}`:
 * every array has one entry per time, null where the device had no line; `raw` is in counts,
 * `delta` in `unit` (counts × `scale`), null for gauges and control registers as a whole.
 *
 * Written in three steps, times, series and sums, each of them key by key.
 * @module
 */
import { jsonText } from "../../core/printable.ts";
import { EXACT_BELOW } from "../../formats/rawstats/columns.ts";
import { type ByteText, Piece } from "../byte_text.ts";
import type { RawCorrection } from "../differ.ts";
import { addExact, type Exact, type KeyReader, type KeySeries, type KeySpan } from "../series.ts";
import { scaled } from "../series.ts";
import type { Turns } from "../turns.ts";

const COMMA = 44;
const NULL = new Piece("null");

/** A number as JSON has it; what is not there is null. */
export function jsonNumber(value: Exact | undefined): string {
  if (value === undefined) return "null";
  if (typeof value === "bigint") return value.toString();
  return Number.isFinite(value) ? String(value) : "null";
}

function put(out: ByteText, value: Exact | undefined): void {
  if (typeof value === "number" && value - value === 0) out.number(value);
  else if (typeof value === "bigint") out.exact(value);
  else out.piece(NULL);
}

/** Writes what comes in the order TYPE, DEVICE, KEY as objects within objects. */
export class JsonTree {
  readonly #turns: Turns;
  readonly #path: string[] = [];
  #isFirst = true;

  constructor(turns: Turns) {
    this.#turns = turns;
    turns.out.text("{");
  }

  /** Opens the objects on the way to a member, which is to be written next. */
  member(...path: string[]): void {
    this.object(...path.slice(0, -1));
    this.#name(path.at(-1)!);
  }

  /** Opens the objects on a way, as far as they are not. */
  object(...path: string[]): void {
    let same = 0;
    while (same < this.#path.length && this.#path[same] === path[same]) same++;
    this.#close(same);
    for (const name of path.slice(same)) {
      this.#name(name);
      this.#turns.out.text("{");
      this.#path.push(name);
      this.#isFirst = true;
    }
  }

  /** Closes all objects. */
  end(): void {
    this.#close(0);
    this.#turns.out.text("}");
  }

  #name(name: string): void {
    this.#turns.out.text(`${this.#isFirst ? "" : ","}${jsonText(name)}:`);
    this.#isFirst = false;
  }

  #close(depth: number): void {
    while (this.#path.length > depth) {
      this.#path.pop();
      this.#turns.out.text("}");
      this.#isFirst = false;
    }
  }
}

/** The times, without braces. */
export function writeTimes(out: ByteText, times: readonly number[]): void {
  out.text(`"times":[`);
  times.forEach((us, i) => {
    if (i > 0) out.char(COMMA);
    out.number(us / 1e6);
  });
  out.text("]");
}

/** What is written of the samples at hand: by sample, and by time. */
let bySample = new Float64Array();
let byTime = new Float64Array();

/** One key of one device. */
export function writeKey(
  out: ByteText,
  times: readonly number[],
  reader: KeyReader,
  { key, unit, parts, counted, steps }: KeySeries & { readonly steps: readonly RawCorrection[] },
): void {
  out.text(`{"unit":${jsonText(unit.name)},"scale":${unit.scale},"kind":"${key.kind}",`);
  out.text(`"raw":[`);
  reader.read(parts);
  const { count } = reader;
  let place = writeValues(out, reader, reader.raw, {
    ...{ place: 0, from: 0, to: count, other: (i) => reader.exactRaw(i) },
  });
  writeNulls(out, place, times.length);
  if (key.kind !== "event") {
    out.text(`],"delta":null,"rate":null,"corrections":[]}`);
    return;
  }
  if (bySample.length < count) bySample = new Float64Array(reader.raw.length);
  const spans = reader.spans.slice(-counted.length);
  out.text(`],"delta":[`);
  place = 0;
  for (const { from, to, scale } of spans) {
    const { delta } = reader;
    for (let i = from; i < to; i++) bySample[i] = delta[i] * scale;
    const other = (i: number) => scaledDelta(reader, i, scale);
    place = writeValues(out, reader, bySample, { place, from, to, other });
  }
  writeNulls(out, place, times.length);
  out.text(`],"rate":[`);
  place = 0;
  for (const { from, to, scale } of spans) {
    fillRates(times, reader, { from, to, scale });
    const other = (i: number) => {
      if (reader.delta[i] * scale < EXACT_BELOW) return bySample[i];
      return rateOf(scaledDelta(reader, i, scale), elapsedS(times, reader, i, from));
    };
    place = writeValues(out, reader, bySample, { place, from, to, other });
  }
  writeNulls(out, place, times.length);
  out.text(`],"corrections":[`);
  steps.forEach((s, i) => {
    out.text(
      `${i > 0 ? "," : ""}{"time":${s.timeUs / 1e6},"kind":"${s.kind}","from":${s.from},` +
        `"to":${s.to},"delta":${s.delta}}`,
    );
  });
  out.text("]}");
}

function fillRates(
  times: readonly number[],
  { at, delta }: KeyReader,
  { from, to, scale }: KeySpan,
): void {
  let before = NaN;
  for (let i = from; i < to; i++) {
    const us = times[at[i]];
    bySample[i] = delta[i] * scale / ((us - before) / 1e6);
    before = us;
  }
}

/** Seconds since the sample before, under the same schema. */
function elapsedS(times: readonly number[], { at }: KeyReader, i: number, from: number): number {
  return i === from ? NaN : (times[at[i]] - times[at[i - 1]]) / 1e6;
}

/**
 * Writes samples at the places of their times, null where there is none.
 *
 * @returns The place that is next.
 */
function writeValues(
  out: ByteText,
  { at }: KeyReader,
  values: Float64Array,
  { from, to, place, other }: {
    readonly from: number;
    readonly to: number;
    readonly place: number;
    /** What a sample has that is no number below 2^53. */
    other(sample: number): Exact | undefined;
  },
): number {
  let next = place;
  for (let i = from; i < to;) {
    writeNulls(out, next, at[i]);
    next = at[i];
    let end = i;
    if (next > 0) {
      // samples that follow each other
      const shift = next - i;
      do end++; while (end < to && at[end] - end === shift);
      end = out.numbers(values, i, end);
    }
    if (end === i) {
      if (next > 0) out.char(COMMA);
      if (values[i] < EXACT_BELOW) out.number(values[i]);
      else put(out, other(i));
      end++;
    }
    next += end - i;
    i = end;
  }
  return next;
}

/** Writes null for the times from one place to before another. */
function writeNulls(out: ByteText, from: number, to: number): void {
  for (let place = from; place < to; place++) {
    if (place > 0) out.char(COMMA);
    out.piece(NULL);
  }
}

function scaledDelta(reader: KeyReader, sample: number, scale: number): Exact | undefined {
  const delta = reader.exactDelta(sample);
  return delta === undefined ? undefined : scaled(delta, scale);
}

function rateOf(delta: Exact | undefined, seconds: number): number | undefined {
  return delta === undefined ? undefined : Number(delta) / seconds;
}

/** Deltas and rates of a counter, summed over devices. */
export function writeSums(
  out: ByteText,
  times: readonly number[],
  reader: KeyReader,
  devices: readonly KeySeries[],
): void {
  const { length } = times;
  if (byTime.length < 2 * length) byTime = new Float64Array(2 * length);
  const deltas = byTime.subarray(0, length).fill(NaN);
  const rates = byTime.subarray(length, 2 * length).fill(NaN);
  const wide = new Map<number, bigint>();
  for (const { counted } of devices) {
    reader.read(counted);
    for (const span of reader.spans) addSpan(times, reader, span, { deltas, rates, wide });
  }
  out.text(`{"unit":${jsonText(devices[0].unit.name)},"delta":[`);
  writeAll(out, deltas, (i) => wide.get(i) ?? deltas[i]);
  out.text(`],"rate":[`);
  writeAll(out, rates, (i) => rates[i]);
  out.text("]}");
}

interface TimeSums {
  /** NaN where there is none. */
  readonly deltas: Float64Array;
  readonly rates: Float64Array;
  /** Deltas from 2^53 on. */
  readonly wide: Map<number, bigint>;
}

function addSpan(
  times: readonly number[],
  reader: KeyReader,
  { from, to, scale }: KeySpan,
  { deltas, rates, wide }: TimeSums,
): void {
  const { at, delta } = reader;
  let before = NaN;
  for (let i = from; i < to; i++) {
    const place = at[i];
    const us = times[place];
    const seconds = (us - before) / 1e6;
    before = us;
    const plain = delta[i] * scale;
    const sum = deltas[place] === deltas[place] ? deltas[place] + plain : plain;
    if (sum < EXACT_BELOW && plain < EXACT_BELOW && wide.size === 0) {
      rates[place] = deltas[place] === deltas[place]
        ? rates[place] + plain / seconds
        : plain / seconds;
      deltas[place] = sum;
      continue;
    }
    const own = plain < EXACT_BELOW ? plain : scaledDelta(reader, i, scale);
    if (own === undefined) continue;
    const isFirst = deltas[place] !== deltas[place];
    const all = addExact(wide.get(place) ?? (isFirst ? 0 : deltas[place]), own);
    if (typeof all === "bigint") {
      wide.set(place, all);
      deltas[place] = Infinity;
    } else deltas[place] = all;
    const rate = Number(own) / seconds;
    rates[place] = isFirst ? rate : rates[place] + rate;
  }
}

/** An array of a value for each time, null for NaN. */
function writeAll(
  out: ByteText,
  values: Float64Array,
  other: (place: number) => Exact | undefined,
): void {
  for (let i = 0; i < values.length;) {
    const end = i === 0 ? 0 : out.numbers(values, i, values.length);
    if (end > i) {
      i = end;
      continue;
    }
    if (i > 0) out.char(COMMA);
    put(out, values[i] < EXACT_BELOW ? values[i] : other(i));
    i++;
  }
}
