/**
 * The hot part of the Cray reader: one consistent publication a tick, without allocation.
 *
 * The counters are published together. An equal freshness before and after is the only proof that
 * energy and power belong to one publication; a set takes well under 1 ms, so that a second pass
 * nearly always succeeds.
 * @module
 */
import { Counters, STEP } from "../core/counter.ts";
import type { Host, KeptFile } from "../core/host.ts";
import { HIGH_WEIGHT, isWhole, NumberScanner, SCAN, type Scan } from "../core/parse_number.ts";
import type { SignalReading } from "../core/signal.ts";
import { Troubles } from "../core/troubles.ts";
import { isGone, scanReason } from "./_text_reading.ts";

/** A wanted row. */
export interface CrayRow {
  readonly name: string;
  /** By instance; `undefined`: none. */
  readonly files: readonly (string | undefined)[];
  readonly unit: "W" | "J" | "C" | undefined;
  readonly what: "value" | "stamp" | "elapsed";
  readonly counter: boolean;
  readonly rateHz: number;
}

interface Column {
  readonly row: CrayRow;
  readonly at: number;
  readonly path: string;
  readonly counters: Counters | undefined;
  file: KeptFile | undefined;
  /** Reading of this pass: scan result, or −errno. */
  state: number;
  high: number;
  low: number;
  value: number;
}

const PASSES = 10;
const TRIES = 4;
const EAGAIN = 11;
const REOPEN_S = 1;
/** Publications that may be missed before the controller is called frozen. */
const FROZEN_S = 2;

/** See the module. */
export class CrayReading implements SignalReading {
  readonly #host: Host;
  readonly #troubles = new Troubles();
  readonly #columns: Column[] = [];
  readonly #none: number[] = [];
  readonly #scanner = new NumberScanner();
  readonly #control: { freshness?: KeptFile; startup?: KeptFile; generation?: KeptFile } = {};
  #startup = NaN;
  #generation = NaN;
  #freshness = NaN;
  #firstFreshness = NaN;
  #freshS = NaN;
  #frozen = false;
  #retryS = -Infinity;

  constructor(host: Host, dir: string, rows: readonly CrayRow[]) {
    this.#host = host;
    let at = 0;
    for (const row of rows) {
      for (const path of row.files) {
        if (path === undefined) this.#none.push(at);
        else {
          const counters = row.counter
            ? new Counters(1, { range: Infinity, base: HIGH_WEIGHT })
            : undefined;
          const blank = { state: SCAN.EMPTY, high: 0, low: 0, value: NaN };
          this.#columns.push({ row, at, path, counters, file: this.#keep(path), ...blank });
        }
        at++;
      }
    }
    this.#control.freshness = this.#keep(`${dir}/freshness`);
    this.#control.startup = this.#keep(`${dir}/startup`);
    this.#control.generation = this.#keep(`${dir}/generation`);
  }

  get troubles() {
    return this.#troubles.list;
  }

  readInto(out: Float64Array, timeS: number): void {
    for (let i = 0; i < this.#none.length; i++) out[this.#none[i]] = NaN;
    if (timeS >= this.#retryS) this.#reopen(timeS);
    let before = this.#bare(this.#control.freshness);
    let startup = NaN;
    let agreed = false;
    for (let pass = 0; pass < PASSES && !agreed; pass++) {
      for (let i = 0; i < this.#columns.length; i++) this.#read(this.#columns[i]);
      startup = this.#bare(this.#control.startup);
      const after = this.#bare(this.#control.freshness);
      // Two times NaN: no freshness here, and nothing to agree on.
      agreed = before === after || (before !== before && after !== after);
      before = after;
    }
    if (!agreed) this.#note("freshness", "torn", "kept changing through ten passes");
    this.#watch(before, startup, timeS);
    for (let i = 0; i < this.#columns.length; i++) {
      out[this.#columns[i].at] = this.#value(this.#columns[i], timeS);
    }
  }

  [Symbol.dispose](): void {
    for (const column of this.#columns) column.file?.[Symbol.dispose]();
    for (const file of Object.values(this.#control)) file?.[Symbol.dispose]();
  }

  #keep(path: string): KeptFile | undefined {
    try {
      return this.#host.keep(path);
    } catch {
      return undefined;
    }
  }

  #reopen(timeS: number): void {
    this.#retryS = timeS + REOPEN_S;
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i];
      if (column.file === undefined) column.file = this.#keep(column.path);
    }
  }

  /** A control file: a bare number, whatever follows it; NaN when it cannot be read. */
  #bare(file: KeptFile | undefined): number {
    if (file === undefined) return NaN;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const length = file.read();
      if (length < 0 && length !== -EAGAIN) return NaN;
      if (length < 0) continue;
      if (this.#scanner.quantity(file.bytes, length, undefined) === SCAN.OK) {
        return this.#scanner.value;
      }
    }
    return NaN;
  }

  #read(column: Column): void {
    column.value = NaN;
    column.state = -2;
    const file = column.file;
    if (file === undefined) return;
    const { unit, what } = column.row;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const length = file.read();
      if (length < 0) {
        column.state = length;
        // The controller is busy.
        if (length === -EAGAIN) continue;
        if (isGone(-length)) {
          file[Symbol.dispose]();
          column.file = undefined;
        }
        return;
      }
      const scanner = this.#scanner;
      let scan: Scan = scanner.quantity(file.bytes, length, unit);
      const negative = scanner.negative;
      if (scan === SCAN.OK && what === "stamp") scan = scanner.stamp(file.bytes, length);
      column.state = scan;
      if (scan !== SCAN.OK) continue;
      column.high = scanner.high;
      column.low = scanner.low;
      column.value = scanner.value;
      if (negative && column.row.counter) column.state = SCAN.NOT_A_NUMBER;
      // Without a last line feed it may be half of a number; after four readings it is taken.
      if (isWhole(file.bytes, length)) return;
    }
  }

  /** Restart, change of a cap, and frozen controller: told apart once for all columns. */
  #watch(freshness: number, startup: number, timeS: number): void {
    if (startup === startup) {
      if (this.#startup === this.#startup && startup !== this.#startup) {
        for (let i = 0; i < this.#columns.length; i++) {
          const column = this.#columns[i];
          if (column.counters === undefined) continue;
          column.counters.restart(0);
          this.#note(column.row.name, "reset", "the controller restarted; the gap adds nothing");
        }
      }
      this.#startup = startup;
    }
    const generation = this.#bare(this.#control.generation);
    if (generation === generation) {
      if (this.#generation === this.#generation && generation !== this.#generation) {
        this.#note("CNL::POWER_CAP", "cap", "a power cap was changed during the run");
      }
      this.#generation = generation;
    }
    if (freshness !== freshness) return;
    if (this.#firstFreshness !== this.#firstFreshness) this.#firstFreshness = freshness;
    if (freshness !== this.#freshness) {
      this.#freshness = freshness;
      this.#freshS = timeS;
      this.#frozen = false;
    } else if (!this.#frozen && timeS - this.#freshS > FROZEN_S) {
      this.#frozen = true;
      this.#note("CNL::FRESHNESS", "stall", "the controller has published nothing for 2 s");
    }
  }

  #value(column: Column, timeS: number): number {
    if (column.row.what === "elapsed") {
      return (this.#freshness - this.#firstFreshness) / column.row.rateHz;
    }
    if (column.state !== SCAN.OK) return this.#failed(column);
    if (column.row.what === "stamp") return column.value / 1e6;
    if (column.counters === undefined) return column.value;
    const total = column.counters.update(0, column.high, column.low, timeS);
    if (column.counters.step === STEP.RESET) {
      this.#note(column.row.name, "reset", "went backwards; nothing was added over the gap");
    }
    return total;
  }

  #failed(column: Column): number {
    const { state, path } = column;
    const kind = state === SCAN.EMPTY ? "torn" : state < 0 && isGone(-state) ? "gone" : "error";
    if (!this.#troubles.again(column.row.name, kind)) {
      const found = state < 0 ? `errno ${-state}` : scanReason(state as Scan);
      this.#troubles.add(column.row.name, kind, `${path}: ${found}`);
    }
    return NaN;
  }

  #note(signal: string, kind: string, reason: string): void {
    this.#troubles.add(signal, kind, reason);
  }
}
