/**
 * The hot part of readers over GPU libraries: one call per figure and GPU, no allocation.
 *
 * @module
 */
import { Counters, HIGH, LOW, STEP, TAKEN, TIME_S, TOTAL } from "../../../core/machine/counter.ts";
import type { SignalReading, SignalRow } from "../../../core/signal.ts";
import type { GpuLibrary } from "../../../os/devices/library.ts";
import { FALLBACK_W, noPower } from "./power_bound.ts";
import { Troubled } from "./troubled.ts";

/** An open library, for any queries. */
export type FigureLibrary = Pick<
  GpuLibrary<unknown, unknown, unknown>,
  "low" | "high" | "text" | "isGone" | "refresh"
>;

/** A requested row. */
export interface LibraryItem<Handle> {
  readonly row: SignalRow;
  /** SI value of one unit of the library, by instance. */
  readonly scale: (instance: number) => number;
  /** Prepared call of the library: 0, or its status. */
  readonly call: (handle: Handle) => number;
  /** By instance of the row's domain; `undefined` if the library shows none. */
  readonly handles: readonly (Handle | undefined)[];
}

/**
 * Minimum time between two readings, s. Values change every 20 ms or more slowly, and a call may
 * take a good part of a millisecond.
 */
const MIN_PERIOD_S = 0.009;
const HIGH_WEIGHT = 4294967296;

interface Cell<Handle> {
  readonly item: LibraryItem<Handle>;
  readonly gpu: number;
  readonly handle: Handle | undefined;
  readonly counters: Counters | undefined;
  readonly scale: number;
  known: boolean;
}

/** Reads the requested figures of all GPUs. */
export class LibraryReading<Handle> extends Troubled implements SignalReading {
  readonly #library: FigureLibrary;
  readonly #cells: Cell<Handle>[] = [];
  readonly #values: Float64Array;
  readonly #last = new Float64Array(1).fill(-Infinity);

  constructor(library: FigureLibrary, items: readonly LibraryItem<Handle>[]) {
    super();
    this.#library = library;
    for (const item of items) {
      item.handles.forEach((handle, gpu) => {
        const scale = item.scale(gpu);
        const counters = item.row.behavior !== "monotone" ? undefined : new Counters(1, {
          range: Infinity,
          maxPerSecond: FALLBACK_W.part / scale,
          showsGaps: item.row.unit === "J",
        });
        this.#cells.push({ item, gpu, handle, counters, scale, known: false });
      });
    }
    this.#values = new Float64Array(this.#cells.length).fill(NaN);
  }

  readInto(out: Float64Array, timeS: number): void {
    if (timeS - this.#last[0] >= MIN_PERIOD_S) {
      this.#last[0] = timeS;
      TAKEN[TIME_S] = timeS;
      this.#library.refresh?.();
      for (let i = 0; i < this.#cells.length; i++) this.#read(i);
    }
    for (let i = 0; i < this.#cells.length; i++) out[i] = this.#values[i];
  }

  /** The library stays open: others may use it, and the process ends soon after. */
  [Symbol.dispose](): void {}

  #read(i: number): void {
    const cell = this.#cells[i];
    const { item, handle, counters } = cell;
    if (handle === undefined || (cell.known && item.row.behavior === "constant")) return;
    const status = item.call(handle);
    const { low, high } = this.#library;
    // All ones is what libraries leave if they have no value.
    const none = low === 0xffffffff && (high === 0xffffffff || high === 0);
    if (status !== 0 || none) {
      this.#values[i] = NaN;
      this.#failed(cell, status);
      return;
    }
    cell.known = true;
    if (counters === undefined) {
      const raw = high * HIGH_WEIGHT + low;
      const value = raw * cell.scale;
      const why = item.row.unit === "W" ? noPower(raw, value, FALLBACK_W.part) : "";
      this.#values[i] = why === "" ? value : NaN;
      if (why !== "") this.noted.add(item.row.name, "error", `GPU ${cell.gpu}: ${why}`);
      return;
    }
    TAKEN[HIGH] = high;
    TAKEN[LOW] = low;
    counters.take(0);
    this.#values[i] = TAKEN[TOTAL] * cell.scale;
    if (counters.step === STEP.RESET || counters.step === STEP.LEAP) {
      const why =
        "the counter jumped (driver reloaded or GPU reset); the energy of this time is not " +
        "counted";
      this.noted.add(item.row.name, "reset", `GPU ${cell.gpu}: ${why}`);
    }
  }

  #failed(cell: Cell<Handle>, status: number): void {
    const { name } = cell.item.row;
    const kind = status !== 0 && this.#library.isGone(status) ? "gone" : "error";
    if (this.noted.again(name, kind)) return;
    const why = status === 0 ? "no value" : this.#library.text(status);
    this.noted.add(name, kind, `GPU ${cell.gpu}: ${why}`);
  }
}
