/**
 * Time series of raw stats as JSON, exact to the last digit of 64 bits.
 *
 * `{times, series: {TYPE: {DEVICE: {KEY: {unit, scale, kind, raw, delta, rate, corrections}}}}, …}`:
 * every array has one entry per time, null where the device had no line; `raw` is in counts,
 * `delta` in `unit` (counts × `scale`), null for gauges and control registers as a whole.
 *
 * Written in three steps, times, series and sums, each of them key by key: a node whose series do
 * not fit memory is read again for some of its keys at a time.
 * @module
 */
import type { ByteText } from "../byte_text.ts";
import type { RawCorrection } from "../differ.ts";
import { addExact, type Exact, type KeyPart, type KeySeries, scaled } from "../series.ts";
import { SeriesCursor } from "../series.ts";

const COMMA = 44;
const NULL = new TextEncoder().encode("null");

/** A number as JSON has it; what is not there is null. */
export function jsonNumber(value: Exact | undefined): string {
  if (value === undefined) return "null";
  if (typeof value === "bigint") return value.toString();
  return Number.isFinite(value) ? String(value) : "null";
}

function put(out: ByteText, value: Exact | undefined): void {
  if (typeof value === "number" && value - value === 0) out.number(value);
  else if (typeof value === "bigint") out.exact(value);
  else out.bytes(NULL);
}

/** Writes what comes in the order TYPE, DEVICE, KEY as objects within objects. */
export class JsonTree {
  readonly #out: ByteText;
  readonly #path: string[] = [];
  #isFirst = true;

  constructor(out: ByteText) {
    this.#out = out;
    out.text("{");
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
      this.#out.text("{");
      this.#path.push(name);
      this.#isFirst = true;
    }
  }

  /** Closes all objects. */
  end(): void {
    this.#close(0);
    this.#out.text("}");
  }

  #name(name: string): void {
    this.#out.text(`${this.#isFirst ? "" : ","}${JSON.stringify(name)}:`);
    this.#isFirst = false;
  }

  #close(depth: number): void {
    while (this.#path.length > depth) {
      this.#path.pop();
      this.#out.text("}");
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
  { key, unit, parts, counted }: KeySeries,
  steps: readonly RawCorrection[],
): void {
  out.text(`{"unit":${JSON.stringify(unit.name)},"scale":${unit.scale},"kind":"${key.kind}",`);
  out.text(`"raw":[`);
  writeColumn(out, times, parts, (cursor) => put(out, cursor.raw));
  if (key.kind !== "event") {
    out.text(`],"delta":null,"rate":null,"corrections":[]}`);
    return;
  }
  out.text(`],"delta":[`);
  writeColumn(out, times, counted, ({ delta, scale }) => {
    put(out, delta === undefined ? undefined : scaled(delta, scale));
  });
  out.text(`],"rate":[`);
  writeColumn(out, times, counted, ({ delta, scale, seconds }) => {
    put(out, delta === undefined ? undefined : Number(scaled(delta, scale)) / seconds);
  });
  out.text(`],"corrections":[`);
  steps.forEach((s, i) => {
    out.text(
      `${i > 0 ? "," : ""}{"time":${s.timeUs / 1e6},"kind":"${s.kind}","from":${s.from},` +
        `"to":${s.to},"delta":${s.delta}}`,
    );
  });
  out.text("]}");
}

/** One entry per time. */
function writeColumn(
  out: ByteText,
  times: readonly number[],
  parts: readonly KeyPart[],
  write: (cursor: SeriesCursor) => void,
): void {
  const cursor = new SeriesCursor(times, parts);
  let at = 0;
  const skipTo = (end: number) => {
    for (; at < end; at++) {
      if (at > 0) out.char(COMMA);
      out.bytes(NULL);
    }
  };
  while (cursor.next()) {
    skipTo(cursor.at);
    if (at > 0) out.char(COMMA);
    write(cursor);
    at++;
  }
  skipTo(times.length);
}

/** Deltas and rates of a counter, summed over devices. */
export function writeSums(
  out: ByteText,
  times: readonly number[],
  devices: readonly KeySeries[],
): void {
  const has = new Uint8Array(times.length);
  const deltas = new Float64Array(times.length);
  const wide = new Map<number, bigint>();
  const rates = new Float64Array(times.length);
  for (const { counted } of devices) {
    const cursor = new SeriesCursor(times, counted);
    while (cursor.next()) {
      const { at, delta, scale, seconds } = cursor;
      if (delta === undefined) continue;
      const own = scaled(delta, scale);
      const sum = addExact(wide.get(at) ?? deltas[at], own);
      if (typeof sum === "bigint") wide.set(at, sum);
      else deltas[at] = sum;
      rates[at] = has[at] === 1 ? rates[at] + Number(own) / seconds : Number(own) / seconds;
      has[at] = 1;
    }
  }
  out.text(`{"unit":${JSON.stringify(devices[0].unit.name)},"delta":[`);
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
