/**
 * The rows of `samples.csv`, and the signals that they hold as a provider for the batch.
 * docs/reference/formats/recording.md.
 * @module
 */
import { quote } from "../../core/errors.ts";
import type { OfferedSignal, SignalProvider, SignalReading } from "../../core/signal.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";
import { numberIn } from "../../formats/csv_row.ts";
import { type Instances, parseSampleColumn, type Recording } from "../../formats/recording.ts";
import type { SampleColumn } from "../../formats/recording.ts";
import type { Repairs } from "./repairs.ts";
import type { RowReader } from "./row_reader.ts";

const COMMA = 44;
const EQUALS = 61;

/** Columns by the header line. `undefined`: left out as unreadable. */
export type SampleTitles = readonly (SampleColumn | undefined)[];

/** Reads the header line; the reader is on it. */
export function sampleTitles(reader: RowReader, repairs: Repairs): SampleTitles {
  const [first, ...titles] = reader.text.split(",").map((title) => title.replace(/^"(.*)"$/, "$1"));
  if (first !== "time") {
    const what = "first column taken as the time";
    repairs.wrong(reader, what, "the column time first", quote(first));
  }
  return titles.map((title) => {
    const column = parseSampleColumn(title);
    if (column !== undefined) return column;
    repairs.wrong(reader, `column ${quote(title)} left out`, "SIGNAL@domain-index", quote(title));
  });
}

/** Number of instances of each domain in the columns. */
export function instancesOf(titles: SampleTitles): Instances {
  const seen: Instances = {};
  for (const title of titles) {
    if (title === undefined) continue;
    seen[title.domain] = Math.max(seen[title.domain] ?? 0, title.index + 1);
  }
  return seen;
}

/** Parses rows into one array, and offers the recorded signals out of it. */
export class SampleRows implements SignalProvider {
  readonly name = "RECORDING";
  readonly signals: readonly OfferedSignal[];
  /** Time of the row last parsed. */
  timeS = NaN;
  readonly #reader: RowReader;
  readonly #repairs: Repairs;
  /** All instances of all signals, of the row last parsed; NaN if nothing was recorded. */
  readonly #values: Float64Array;
  /** Values of the row that was taken last. */
  readonly #taken: Float64Array;
  /** Parts of whole numbers beyond 2^53 that the values lack. */
  readonly #rests: Float64Array;
  readonly #takenRests: Float64Array;
  /** Target index of each column's values; −1: none. */
  readonly #target: Int32Array;
  /** 1: an empty cell repeats the row above, since the signal is constant. */
  readonly #constant: Uint8Array;
  readonly #offsets = new Map<string, { offset: number; count: number }>();
  #rows = 0;

  constructor(reader: RowReader, repairs: Repairs, recording: Recording, titles: SampleTitles) {
    this.#reader = reader;
    this.#repairs = repairs;
    const { topology } = recording;
    let width = 0;
    for (const { row } of recording.signals) {
      const count = topology.count(row.domain);
      this.#offsets.set(row.name, { offset: width, count });
      width += count;
    }
    this.#values = new Float64Array(width).fill(NaN);
    this.#taken = new Float64Array(width).fill(NaN);
    this.#rests = new Float64Array(width);
    this.#takenRests = new Float64Array(width);
    this.#target = Int32Array.from(titles, (title) => this.#place(title, recording, topology));
    this.#constant = Uint8Array.from(titles, (title) => {
      const signal = recording.signals.find(({ row }) => row.name === title?.name);
      return signal?.row.behavior === "constant" ? 1 : 0;
    });
    const recorded = new Set(titles.map((title) => title?.name));
    this.signals = recording.signals.filter(({ row }) => recorded.has(row.name));
  }

  /** Parses the row that the reader is on. @returns False when it was left out. */
  parse(): boolean {
    const { bytes, start, end, carriage } = this.#reader;
    if (carriage) this.#wrong("CR at the end of a line dropped", "lines that end in LF", "CRLF");
    const columns = this.#target.length;
    let at = start;
    let column = -1;
    while (at <= end) {
      let stop = bytes.indexOf(COMMA, at);
      if (stop < 0 || stop > end) stop = end;
      if (column < 0) {
        if (!this.#time(at, stop)) return false;
      } else if (column < columns) this.#cell(column, at, stop);
      column++;
      at = stop + 1;
    }
    if (column !== columns) {
      this.#wrong(
        column < columns ? "missing cells taken as NaN" : "cells too many left out",
        `${columns + 1} cells`,
        `${column + 1}`,
      );
      for (let i = column; i < columns; i++) this.#set(i, NaN);
    }
    this.#rows++;
    return true;
  }

  /** Makes the row last parsed the one that is read; the next may then be parsed already. */
  take(): void {
    this.#taken.set(this.#values);
    this.#takenRests.set(this.#rests);
  }

  open(wanted: readonly OfferedSignal[]): SignalReading {
    const places = wanted.map((signal) => this.#offsets.get(signal.row.name)!);
    const values = this.#taken;
    return {
      readInto(out: Float64Array) {
        let at = 0;
        for (let i = 0; i < places.length; i++) {
          const { offset, count } = places[i];
          for (let k = 0; k < count; k++) out[at + k] = values[offset + k];
          at += count;
        }
      },
      restAt: (place) => this.#restAt(places, place),
      [Symbol.dispose]() {},
    };
  }

  #restAt(places: readonly { offset: number; count: number }[], place: number): number {
    let at = place;
    for (const { offset, count } of places) {
      if (at < count) return this.#takenRests[offset + at];
      at -= count;
    }
    return 0;
  }

  #place(
    title: SampleColumn | undefined,
    recording: Recording,
    topology: PlatformTopology,
  ): number {
    if (title === undefined) return -1;
    const row = recording.signals.find((signal) => signal.row.name === title.name)?.row;
    const what = `column ${title.name}@${title.domain}-${title.index} left out`;
    if (row === undefined || row.domain !== title.domain) {
      this.#wrong(what, "a signal and domain that recording.yaml lists", title.name);
      return -1;
    }
    if (title.index >= topology.count(title.domain)) {
      const expected = `an index below ${topology.count(title.domain)}`;
      this.#wrong(what, expected, `${title.domain}-${title.index}`);
      return -1;
    }
    return this.#offsets.get(title.name)!.offset + title.index;
  }

  #time(start: number, end: number): boolean {
    const timeS = numberIn(this.#reader.bytes, start, end);
    if (timeS === undefined || !Number.isFinite(timeS)) {
      this.#wrong("row without a time left out", "a time in seconds", this.#text(start, end));
      return false;
    }
    if (timeS < this.timeS) {
      this.#wrong("row whose time steps back left out", "times that do not step back", `${timeS}`);
      return false;
    }
    this.timeS = timeS;
    return true;
  }

  #cell(column: number, start: number, end: number): void {
    if (start === end) {
      if (this.#constant[column] === 0) this.#set(column, NaN);
      return;
    }
    if (end - start === 1 && this.#reader.bytes[start] === EQUALS) {
      if (this.#rows > 0) return;
      this.#wrong("= in the first row taken as NaN", "a number in the first row", "=");
      return;
    }
    const value = numberIn(this.#reader.bytes, start, end);
    if (value === undefined) {
      this.#wrong("cell that is no number taken as NaN", "a number", this.#text(start, end));
    }
    const isLarge = value !== undefined && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    this.#set(column, value ?? NaN, isLarge ? this.#restOf(start, end, value) : 0);
  }

  #set(column: number, value: number, rest = 0): void {
    const target = this.#target[column];
    if (target < 0) return;
    this.#values[target] = value;
    this.#rests[target] = rest;
  }

  #restOf(start: number, end: number, value: number): number {
    const text = new TextDecoder().decode(this.#reader.bytes.subarray(start, end));
    return /^-?[0-9]+$/.test(text) ? Number(BigInt(text) - BigInt(value)) : 0;
  }

  #text(start: number, end: number): string {
    return quote(new TextDecoder().decode(this.#reader.bytes.subarray(start, end)));
  }

  #wrong(what: string, expected: string, found: string): void {
    this.#repairs.wrong(this.#reader, what, expected, found);
  }
}
