/**
 * The hot part of the Cray reader: one consistent publication a tick, without allocation.
 *
 * The counters are published together. An equal freshness before and after is the only proof that
 * energy and power belong to one publication; a set takes well under 1 ms, so that a second pass
 * nearly always succeeds.
 * @module
 */
import { errorText } from "../../../os/libc.ts";
import { Counters, HIGH, LOW, STEP, TAKEN, TIME_S, TOTAL } from "../../../core/machine/counter.ts";
import type { Host, KeptFile } from "../../../core/machine/host.ts";
import {
  HIGH_WEIGHT,
  isWhole,
  NumberScanner,
  SCAN,
  type Scan,
} from "../../../core/parse_number.ts";
import type { SignalReading } from "../../../core/signal.ts";
import { FALLBACK_W, fastest, noPower } from "./power_bound.ts";
import { isGone, scanReason } from "./text.ts";
import { Troubled } from "./troubled.ts";

/** A requested row. */
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
  /** Index in the arrays of readings. */
  readonly index: number;
  /** Reading of this pass: scan result, or −errno. */
  state: number;
}

/** The smallest distance between doubles of 64-bit counts. */
const MAX_ROUNDING = 2048;
const MAX_PASSES = 10;
const MAX_READS = 4;
const EAGAIN = 11;
const REOPEN_S = 1;
const TORN = "changed during each of ten attempts to read the counters together: " +
  "their values may be of two updates";
/** Whole joules: at 1 W an energy changes every second. */
const STALL_S = 10;
/** Seconds without an update after which the controller is called frozen. */
const FROZEN_S = 2;

/** Reads the requested rows of one publication. */
export class CrayReading extends Troubled implements SignalReading {
  readonly #host: Host;
  readonly #columns: Column[] = [];
  readonly #none: number[] = [];
  readonly #scanner = new NumberScanner();
  readonly #control: { freshness?: KeptFile; startup?: KeptFile; generation?: KeptFile } = {};
  /** Magnitudes as high × 10^9 + low, exact, and signs. */
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #negative: Uint8Array;
  /** The control file that `#bare` read last, and whether it cannot be read at all. */
  readonly #bareValue = new Float64Array(1);
  #isGone = false;
  #startup = NaN;
  #generation = NaN;
  #freshness = NaN;
  #firstFreshness = NaN;
  #freshS = NaN;
  #frozen = false;
  #retryS = -Infinity;

  constructor(host: Host, dir: string, rows: readonly CrayRow[]) {
    super();
    this.#host = host;
    let at = 0;
    for (const row of rows) {
      for (const path of row.files) {
        if (path === undefined) this.#none.push(at);
        else {
          const counters = row.counter
            ? new Counters(1, {
              range: Infinity,
              base: HIGH_WEIGHT,
              showsGaps: true,
              maxPerSecond: fastest(host, FALLBACK_W.node, 1),
              stallAfterS: STALL_S,
            })
            : undefined;
          const index = this.#columns.length;
          const file = this.#keep(path);
          this.#columns.push({ row, at, path, counters, file, index, state: SCAN.EMPTY });
        }
        at++;
      }
    }
    this.#high = new Float64Array(this.#columns.length);
    this.#low = new Float64Array(this.#columns.length);
    this.#negative = new Uint8Array(this.#columns.length);
    this.#control.freshness = this.#keep(`${dir}/freshness`);
    this.#control.startup = this.#keep(`${dir}/startup`);
    this.#control.generation = this.#keep(`${dir}/generation`);
  }

  readInto(out: Float64Array, timeS: number): void {
    for (let i = 0; i < this.#none.length; i++) out[this.#none[i]] = NaN;
    TAKEN[TIME_S] = timeS;
    if (timeS >= this.#retryS) this.#reopen();
    this.#bare(this.#control.freshness);
    let before = this.#bareValue[0];
    let startup = NaN;
    let agreed = false;
    for (let pass = 0; pass < MAX_PASSES && !agreed; pass++) {
      for (let i = 0; i < this.#columns.length; i++) this.#read(this.#columns[i]);
      this.#bare(this.#control.startup);
      startup = this.#bareValue[0];
      this.#bare(this.#control.freshness);
      const after = this.#bareValue[0];
      // Without the file there is nothing to agree on; an empty one is being written.
      agreed = before === after || this.#isGone;
      before = after;
    }
    if (!agreed) this.noted.add("CNL::FRESHNESS", "torn", TORN);
    if (startup === startup) {
      if (this.#startup === this.#startup && startup !== this.#startup) this.#restarted();
      this.#startup = startup;
    }
    this.#watchCaps();
    if (before === before) {
      if (this.#firstFreshness !== this.#firstFreshness) this.#firstFreshness = before;
      if (before !== this.#freshness) {
        this.#freshness = before;
        this.#freshS = timeS;
        this.#frozen = false;
      } else if (!this.#frozen && timeS - this.#freshS > FROZEN_S) {
        this.#frozen = true;
        this.noted.add("CNL::FRESHNESS", "stall", "the controller has published nothing for 2 s");
      }
    }
    for (let i = 0; i < this.#columns.length; i++) this.#put(this.#columns[i], out);
  }

  restAt(place: number): number {
    const column = this.#columns.find(({ at }) => at === place);
    if (column?.counters === undefined || column.state !== SCAN.OK) return 0;
    const base = BigInt(HIGH_WEIGHT);
    const count = BigInt(this.#high[column.index]) * base + BigInt(this.#low[column.index]);
    const rest = Number(count - BigInt(column.counters.total(0)));
    // After a restart the total is not the count.
    return Math.abs(rest) < MAX_ROUNDING ? rest : 0;
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

  #reopen(): void {
    this.#retryS = TAKEN[TIME_S] + REOPEN_S;
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i];
      if (column.file === undefined) column.file = this.#keep(column.path);
    }
  }

  /** A control file: a bare number, then any text; NaN when it cannot be read. */
  #bare(file: KeptFile | undefined): void {
    this.#bareValue[0] = NaN;
    this.#isGone = file === undefined;
    if (file === undefined) return;
    for (let attempt = 0; attempt < MAX_READS; attempt++) {
      const length = file.read();
      this.#isGone = length < 0 && length !== -EAGAIN;
      if (this.#isGone) return;
      if (length < 0) continue;
      if (this.#scanner.quantity(file.bytes, length, undefined) !== SCAN.OK) continue;
      this.#bareValue[0] = this.#scanner.high * HIGH_WEIGHT + this.#scanner.low;
      return;
    }
  }

  #read(column: Column): void {
    column.state = -2;
    const file = column.file;
    if (file === undefined) return;
    const { unit, what } = column.row;
    for (let attempt = 0; attempt < MAX_READS; attempt++) {
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
      this.#high[column.index] = scanner.high;
      this.#low[column.index] = scanner.low;
      this.#negative[column.index] = negative ? 1 : 0;
      if (negative && column.row.counter) column.state = SCAN.NOT_A_NUMBER;
      // Without a last line feed it may be half of a number; after four readings it is taken.
      if (isWhole(file.bytes, length)) return;
    }
  }

  #restarted(): void {
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i];
      if (column.counters === undefined) continue;
      column.counters.restart(0);
      this.noted.add(column.row.name, "reset", "the controller restarted; the gap adds nothing");
    }
  }

  #watchCaps(): void {
    this.#bare(this.#control.generation);
    const generation = this.#bareValue[0];
    if (generation !== generation) return;
    if (this.#generation === this.#generation && generation !== this.#generation) {
      this.noted.add("CNL::POWER_CAP", "cap", "a power cap was changed during the run");
    }
    this.#generation = generation;
  }

  /** Writes the value of a column. */
  #put(column: Column, out: Float64Array): void {
    const { at, index, row, counters } = column;
    if (row.what === "elapsed") {
      out[at] = (this.#freshness - this.#firstFreshness) / row.rateHz;
      return;
    }
    if (column.state !== SCAN.OK) {
      out[at] = NaN;
      this.#failed(column);
      return;
    }
    if (counters === undefined) {
      const magnitude = this.#high[index] * HIGH_WEIGHT + this.#low[index];
      const value = this.#negative[index] === 1 ? -magnitude : magnitude;
      const why = row.unit !== "W"
        ? ""
        : value < 0
        ? "negative"
        : noPower(magnitude, value, FALLBACK_W.node);
      if (why !== "") {
        out[at] = NaN;
        this.noted.add(row.name, "error", `${column.path}: ${why}`);
        return;
      }
      out[at] = row.what === "stamp" ? value / 1e6 : value;
      return;
    }
    TAKEN[HIGH] = this.#high[index];
    TAKEN[LOW] = this.#low[index];
    counters.take(0);
    out[at] = TAKEN[TOTAL];
    if (counters.step === STEP.STALLED) {
      this.noted.add(row.name, "stall", "has not changed for long");
    } else if (counters.step === STEP.RESET) {
      this.noted.add(row.name, "reset", "went backwards; nothing was added over the gap");
    } else if (counters.step === STEP.LEAP) {
      this.noted.add(
        row.name,
        "leap",
        "grew faster than is possible; nothing was added over the gap",
      );
    }
  }

  #failed(column: Column): void {
    const { state, path } = column;
    const kind = state === SCAN.EMPTY ? "torn" : state < 0 && isGone(-state) ? "gone" : "error";
    if (!this.noted.again(column.row.name, kind)) {
      const found = state < 0 ? errorText(-state) : scanReason(state as Scan);
      this.noted.add(column.row.name, kind, `${path}: ${found}`);
    }
  }
}
