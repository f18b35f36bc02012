/**
 * Rows that are one number in one text file each: the hot part of most sysfs readers.
 *
 * A file is read by a kept descriptor and its digits are decoded by hand, so a tick allocates
 * nothing. What a file may do in one tick: fail, be empty or half-written, hold text or all ones,
 * go away and come back. Each gives NaN for that tick and a counted trouble.
 * @module
 */
import { type CounterKind, Counters, STEP } from "../core/counter.ts";
import type { Host, KeptFile } from "../core/host.ts";
import { HIGH_WEIGHT, isWhole, NumberScanner, SCAN, type Scan } from "../core/parse_number.ts";
import type { SignalReading } from "../core/signal.ts";
import { Troubles } from "../core/troubles.ts";

/** One file that feeds one value; files of the same column are added up. */
export interface TextSource {
  readonly path: string;
  /** SI value of one unit of the file. */
  readonly scale: number;
  /** Column relative to the row's first, which is the instance of its domain. */
  readonly instance: number;
  readonly counter?: CounterKind;
  /** May be below zero, as temperatures are. @default false */
  readonly signed?: boolean;
}

/** A wanted row: as many columns as its domain has instances. */
export interface TextRow {
  readonly name: string;
  readonly count: number;
  readonly sources: readonly TextSource[];
  /** Never changes: read until it answers, then kept. */
  readonly constant: boolean;
}

interface Source extends TextSource {
  readonly name: string;
  readonly column: number;
  readonly counters: Counters | undefined;
  readonly constant: boolean;
  /** Another file of the same column went before. */
  readonly adds: boolean;
  file: KeptFile | undefined;
  last: number;
  retryS: number;
}

/** A file caught half-written is read again this often. */
const TRIES = 4;
/** Seconds between two attempts to open a file that went away. */
const REOPEN_S = 1;
const ENOENT = 2;
const ENXIO = 6;
const EBADF = 9;
const EAGAIN = 11;
const ENODEV = 19;
const ESTALE = 116;

/** Is the file gone, so that only opening it anew can help? */
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

/** See the module. */
export class TextReading implements SignalReading {
  readonly #host: Host;
  readonly #troubles = new Troubles();
  readonly #sources: Source[] = [];
  readonly #scanner = new NumberScanner();
  readonly #empty: number[] = [];

  constructor(host: Host, rows: readonly TextRow[]) {
    this.#host = host;
    let first = 0;
    for (const row of rows) {
      const filled = new Set<number>();
      // A counter for each file, not for each column: each wraps by itself.
      const files = [...row.sources].sort((a, b) => a.instance - b.instance);
      for (const source of files) {
        this.#sources.push({
          ...source,
          name: row.name,
          column: first + source.instance,
          counters: source.counter === undefined ? undefined : new Counters(1, source.counter),
          constant: row.constant,
          adds: filled.has(source.instance),
          file: undefined,
          last: NaN,
          retryS: -Infinity,
        });
        filled.add(source.instance);
      }
      for (let i = 0; i < row.count; i++) if (!filled.has(i)) this.#empty.push(first + i);
      first += row.count;
    }
    for (const source of this.#sources) this.#reopen(source);
  }

  get troubles() {
    return this.#troubles.list;
  }

  readInto(out: Float64Array, timeS: number): void {
    for (let i = 0; i < this.#empty.length; i++) out[this.#empty[i]] = NaN;
    for (let i = 0; i < this.#sources.length; i++) {
      const source = this.#sources[i];
      const known = source.constant && source.last === source.last;
      const value = known ? source.last : this.#read(source, timeS);
      source.last = value;
      if (source.adds) out[source.column] += value;
      else out[source.column] = value;
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
      source.file = this.#host.keep(source.path);
    } catch (error) {
      if (!this.#troubles.again(source.name, "gone")) {
        this.#troubles.add(source.name, "gone", (error as Error).message);
      }
    }
  }

  #read(source: Source, timeS: number): number {
    if (source.file === undefined) {
      if (timeS < source.retryS) return this.#trouble(source, "gone", "cannot be opened");
      source.retryS = timeS + REOPEN_S;
      this.#reopen(source);
      if (source.file === undefined) return NaN;
    }
    let scan: Scan = SCAN.EMPTY;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const length = source.file!.read();
      if (length < 0) {
        if (length === -EAGAIN) continue;
        if (isGone(-length)) {
          source.retryS = timeS + REOPEN_S;
          source.file![Symbol.dispose]();
          source.file = undefined;
          return this.#trouble(source, "gone", "errno", -length);
        }
        return this.#trouble(source, "error", "errno", -length);
      }
      scan = this.#scanner.only(source.file!.bytes, length);
      if (scan === SCAN.OK && isWhole(source.file!.bytes, length)) {
        return this.#value(source, timeS);
      }
      if (scan === SCAN.ALL_ONES) break;
    }
    return this.#trouble(
      source,
      scan === SCAN.EMPTY || scan === SCAN.OK ? "torn" : "error",
      scan === SCAN.OK ? "half-written" : scanReason(scan),
    );
  }

  #value(source: Source, timeS: number): number {
    const s = this.#scanner;
    if (s.negative && !source.signed) return this.#trouble(source, "error", "negative");
    if (source.counters === undefined) return s.value * source.scale;
    const total = source.counters.update(0, s.high, s.low, timeS);
    const step = source.counters.step;
    if (step > STEP.WRAPPED) {
      if (step === STEP.STALLED) this.#trouble(source, "stall", "has not changed for long");
      else if (step === STEP.RESET) {
        this.#trouble(source, "reset", "went backwards by less than a wrap; nothing was added");
      } else this.#trouble(source, "reset", "grew faster than is possible; nothing was added");
    }
    return total * source.scale;
  }

  #trouble(source: Source, kind: string, reason: string, errno = 0): number {
    if (!this.#troubles.again(source.name, kind)) {
      const found = errno === 0 ? reason : `${reason} ${errno}`;
      this.#troubles.add(source.name, kind, `${source.path}: ${found}`);
    }
    return NaN;
  }
}

/** The kind of a counter in a text file: 64-bit numbers in parts of 10^9. */
export function textCounter(kind: Omit<CounterKind, "base">): CounterKind {
  return { ...kind, base: HIGH_WEIGHT };
}
