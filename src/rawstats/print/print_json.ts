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
import { addExact, type Exact, type KeyReader, type KeySeries, scaled } from "../series.ts";
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
  const { at, raw, delta } = reader;
  let place = 0;
  for (let i = 0; i < reader.count; i++) {
    place = skipTo(out, place, at[i]);
    if (raw[i] < EXACT_BELOW) out.number(raw[i]);
    else put(out, reader.exactRaw(i));
  }
  skipTo(out, place, times.length, true);
  if (key.kind !== "event") {
    out.text(`],"delta":null,"rate":null,"corrections":[]}`);
    return;
  }
  const spans = reader.spans.slice(-counted.length);
  out.text(`],"delta":[`);
  place = 0;
  for (const { from, to, scale } of spans) {
    for (let i = from; i < to; i++) {
      place = skipTo(out, place, at[i]);
      const plain = delta[i] * scale;
      if (plain < EXACT_BELOW) out.number(plain);
      else put(out, scaledDelta(reader, i, scale));
    }
  }
  skipTo(out, place, times.length, true);
  out.text(`],"rate":[`);
  place = 0;
  for (const { from, to, scale } of spans) {
    let before = NaN;
    for (let i = from; i < to; i++) {
      const us = times[at[i]];
      const seconds = (us - before) / 1e6;
      before = us;
      place = skipTo(out, place, at[i]);
      const plain = delta[i] * scale;
      const rate = plain / seconds;
      if (rate < EXACT_BELOW) out.number(rate);
      else if (plain < EXACT_BELOW) put(out, rate);
      else put(out, rateOf(scaledDelta(reader, i, scale), seconds));
    }
  }
  skipTo(out, place, times.length, true);
  out.text(`],"corrections":[`);
  steps.forEach((s, i) => {
    out.text(
      `${i > 0 ? "," : ""}{"time":${s.timeUs / 1e6},"kind":"${s.kind}","from":${s.from},` +
        `"to":${s.to},"delta":${s.delta}}`,
    );
  });
  out.text("]}");
}

/** Writes null for the times without a sample, and what separates this entry from them; its next. */
function skipTo(out: ByteText, place: number, at: number, isEnd = false): number {
  for (; place < at; place++) {
    if (place > 0) out.char(COMMA);
    out.piece(NULL);
  }
  if (!isEnd && place > 0) out.char(COMMA);
  return place + 1;
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
  const has = new Uint8Array(times.length);
  const deltas = new Float64Array(times.length);
  const wide = new Map<number, bigint>();
  const rates = new Float64Array(times.length);
  for (const { counted } of devices) {
    reader.read(counted);
    const { at } = reader;
    for (const { from, to, scale } of reader.spans) {
      let before = NaN;
      for (let i = from; i < to; i++) {
        const place = at[i];
        const us = times[place];
        const seconds = (us - before) / 1e6;
        before = us;
        const plain = reader.delta[i] * scale;
        const own = plain < EXACT_BELOW ? plain : scaledDelta(reader, i, scale);
        if (own === undefined) continue;
        const sum = addExact(wide.get(place) ?? deltas[place], own);
        if (typeof sum === "bigint") wide.set(place, sum);
        else deltas[place] = sum;
        const rate = Number(own) / seconds;
        rates[place] = has[place] === 1 ? rates[place] + rate : rate;
        has[place] = 1;
      }
    }
  }
  out.text(`{"unit":${jsonText(devices[0].unit.name)},"delta":[`);
  for (let i = 0; i < has.length; i++) {
    if (i > 0) out.char(COMMA);
    put(out, has[i] === 0 ? undefined : wide.get(i) ?? deltas[i]);
  }
  out.text(`],"rate":[`);
  for (let i = 0; i < has.length; i++) {
    if (i > 0) out.char(COMMA);
    put(out, has[i] === 0 ? undefined : rates[i]);
  }
  out.text("]}");
}
