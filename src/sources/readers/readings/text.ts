/**
 * Rows that are one number in one text file each: the hot part of most sysfs readers.
 *
 * A file is read by a kept descriptor and its digits are decoded by hand, so a tick allocates
 * nothing. What a file may do in one tick: fail, be empty or half-written, hold text or all ones,
 * go away and come back. Each gives NaN for that tick and a counted trouble.
 * @module
 */
import {
  type CounterKind,
  Counters,
  HIGH,
  LOW,
  STEP,
  TAKEN,
  TIME_S,
  TOTAL,
} from "../../../core/machine/counter.ts";
import type { Host, KeptFile } from "../../../core/machine/host.ts";
import {
  HIGH_WEIGHT,
  isWhole,
  NumberScanner,
  SCAN,
  type Scan,
} from "../../../core/parse_number.ts";
import { errorText } from "../../../os/libc.ts";
import type { OfferedSignal, SignalReading, SignalRow } from "../../../core/signal.ts";
import { FALLBACK_W, fastest, noPower } from "./power_bound.ts";
import { Troubled } from "./troubled.ts";

/** One file that feeds one value; files of the same column are added up. */
export interface TextSource {
  readonly path: string;
  /** SI value of one unit of the file. */
  readonly scale: number;
  /** Column relative to the row's first, which is the instance of its domain. */
  readonly instance: number;
  readonly counter?: CounterKind;
  /** Maximum possible value of a measured power, W. @default it is no measured power */
  readonly mostW?: number;
  /** May be below zero, as temperatures are. @default false */
  readonly signed?: boolean;
  /** Path of the file after it disappeared: chips may get another number. @default the same path */
  readonly relocate?: () => string | undefined;
}

interface Source extends TextSource {
  readonly name: string;
  readonly column: number;
  readonly counters: Counters | undefined;
  readonly constant: boolean;
  /** Another file of the same column went before. */
  readonly adds: boolean;
  /** Index of its last value in their array. */
  readonly index: number;
  file: KeptFile | undefined;
}

/** A file caught half-written is read again this often. */
const MAX_READS = 4;
/** Seconds between two attempts to open a file that went away. */
const REOPEN_S = 1;
const ENOENT = 2;
const ENXIO = 6;
const EBADF = 9;
const EAGAIN = 11;
const ENODEV = 19;
const ESTALE = 116;

/** Is the file gone, so that only opening it again can help? */
export function isGone(errno: number): boolean {
  return errno === ENOENT || errno === ENXIO || errno === EBADF || errno === ENODEV ||
    errno === ESTALE;
}

/** Why a scan gave no number. */
export function scanReason(scan: Scan): string {
  switch (scan) {
    case SCAN.EMPTY:
      return "empty";
    case SCAN.ALL_ONES:
      return "2^64 − 1, which stands for no value";
    case SCAN.WRONG_UNIT:
      return "not in the unit that is due";
    default:
      return "no number";
  }
}

/** Reads the requested files. */
export class TextReading extends Troubled implements SignalReading {
  readonly #host: Host;
  readonly #sources: Source[] = [];
  readonly #scanner = new NumberScanner();
  readonly #empty: number[] = [];
  /** Values of the sources, and when to try again those that went away. */
  readonly #values: Float64Array;
  readonly #retryS: Float64Array;
  /** The first opening is over: what is opened now went away before. */
  #moving = false;

  /** @param sourcesOf The files of a row; those of a constant row are read until they answer. */
  constructor(
    host: Host,
    wanted: readonly OfferedSignal[],
    sourcesOf: (row: SignalRow) => readonly TextSource[],
  ) {
    super();
    this.#host = host;
    let first = 0;
    for (const { row } of wanted) {
      const filled = new Set<number>();
      // A counter for each file, not for each column: each wraps by itself.
      const files = sourcesOf(row).toSorted((a, b) => a.instance - b.instance);
      for (const source of files) {
        this.#sources.push({
          ...source,
          name: row.name,
          column: first + source.instance,
          counters: source.counter === undefined ? undefined : new Counters(1, source.counter),
          constant: row.behavior === "constant",
          adds: filled.has(source.instance),
          index: this.#sources.length,
          file: undefined,
        });
        filled.add(source.instance);
      }
      const count = host.topology.count(row.domain);
      for (let i = 0; i < count; i++) if (!filled.has(i)) this.#empty.push(first + i);
      first += count;
    }
    this.#values = new Float64Array(this.#sources.length).fill(NaN);
    this.#retryS = new Float64Array(this.#sources.length).fill(-Infinity);
    for (const source of this.#sources) this.#reopen(source);
    this.#moving = true;
  }

  readInto(out: Float64Array, timeS: number): void {
    for (let i = 0; i < this.#empty.length; i++) out[this.#empty[i]] = NaN;
    TAKEN[TIME_S] = timeS;
    for (let i = 0; i < this.#sources.length; i++) {
      const source = this.#sources[i];
      const known = source.constant && this.#values[i] === this.#values[i];
      if (!known) this.#read(source);
      if (source.adds) out[source.column] += this.#values[i];
      else out[source.column] = this.#values[i];
    }
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources) {
      source.file?.[Symbol.dispose]();
      source.file = undefined;
    }
  }

  #reopen(source: Source): void {
    source.file?.[Symbol.dispose]();
    source.file = undefined;
    try {
      const path = this.#moving ? source.relocate?.() ?? source.path : source.path;
      source.file = this.#host.keep(path);
    } catch (error) {
      if (!this.noted.again(source.name, "gone")) {
        this.noted.add(source.name, "gone", (error as Error).message);
      }
    }
  }

  /** Reads into `#values`; a number that it returned would be allocated. */
  #read(source: Source): void {
    if (source.file === undefined) {
      if (TAKEN[TIME_S] < this.#retryS[source.index]) {
        this.#fail(source, "gone", "cannot be opened");
        return;
      }
      this.#retryS[source.index] = TAKEN[TIME_S] + REOPEN_S;
      this.#reopen(source);
      if (source.file === undefined) {
        this.#values[source.index] = NaN;
        return;
      }
    }
    let scan: Scan = SCAN.EMPTY;
    for (let attempt = 0; attempt < MAX_READS; attempt++) {
      const length = source.file!.read();
      if (length < 0) {
        if (length === -EAGAIN) continue;
        if (isGone(-length)) this.#drop(source);
        this.#fail(source, isGone(-length) ? "gone" : "error", errorText(-length));
        return;
      }
      scan = this.#scanner.only(source.file!.bytes, length);
      if (scan === SCAN.OK && isWhole(source.file!.bytes, length)) {
        this.#take(source);
        return;
      }
      if (scan === SCAN.ALL_ONES) break;
    }
    this.#fail(
      source,
      scan === SCAN.EMPTY || scan === SCAN.OK ? "torn" : "error",
      scan === SCAN.OK ? "half-written" : scanReason(scan),
    );
  }

  #drop(source: Source): void {
    this.#retryS[source.index] = TAKEN[TIME_S] + REOPEN_S;
    source.file![Symbol.dispose]();
    source.file = undefined;
  }

  #take(source: Source): void {
    const s = this.#scanner;
    if (s.negative && !source.signed) {
      this.#fail(source, "error", "negative");
      return;
    }
    if (source.counters === undefined) {
      const raw = s.high * HIGH_WEIGHT + s.low;
      const magnitude = raw * source.scale;
      if (source.mostW !== undefined) {
        const why = noPower(raw, magnitude, source.mostW);
        if (why !== "") {
          this.#fail(source, "error", why);
          return;
        }
      }
      this.#values[source.index] = s.negative ? -magnitude : magnitude;
      return;
    }
    TAKEN[HIGH] = s.high;
    TAKEN[LOW] = s.low;
    source.counters.take(0);
    this.#values[source.index] = TAKEN[TOTAL] * source.scale;
    const step = source.counters.step;
    if (step === STEP.STALLED) this.#note(source, "stall", "has not changed for long");
    else if (step === STEP.RESET) {
      this.#note(source, "reset", "went backwards by less than a wrap; nothing was added");
    } else if (step === STEP.LEAP) {
      this.#note(source, "leap", "grew faster than is possible; nothing was added");
    }
  }

  #fail(source: Source, kind: string, reason: string): void {
    this.#values[source.index] = NaN;
    this.#note(source, kind, reason);
  }

  #note(source: Source, kind: string, reason: string): void {
    if (this.noted.again(source.name, kind)) return;
    this.noted.add(source.name, kind, `${source.path}: ${reason}`);
  }
}

/** The kind of an energy in a text file, in microjoules: 64-bit numbers in parts of 10^9. */
export function energyCounter(
  host: Host,
  kind: Partial<CounterKind>,
  mostW: number = FALLBACK_W.part,
): CounterKind {
  const maxPerSecond = fastest(host, mostW, 1e-6);
  return { range: Infinity, ...kind, maxPerSecond, showsGaps: true, base: HIGH_WEIGHT };
}
