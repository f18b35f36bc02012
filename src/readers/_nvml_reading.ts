/**
 * The hot part of the NVML reader: one call per figure and GPU, no allocation.
 *
 * @module
 */
import { Counters, HIGH, LOW, STEP, TAKEN, TIME_S, TOTAL } from "../core/counter.ts";
import type { SignalReading, SignalRow } from "../core/signal.ts";
import { Troubles } from "../core/troubles.ts";
import { NVML, type NvmlDevice, type NvmlLibrary, nvmlText } from "../os/nvml.ts";

/** A wanted row. */
export interface NvmlItem {
  readonly row: SignalRow;
  readonly scale: number;
  /** Prepared query of the library. */
  readonly call: (handle: bigint) => number;
  /** By GPU; `undefined` where the library does not show it. */
  readonly devices: readonly (NvmlDevice | undefined)[];
}

/**
 * Least time between two readings. The figures change every 20 ms at the soonest, and a call may
 * take a good part of a millisecond.
 */
const LEAST_PERIOD_S = 0.009;
/** No GPU draws more: 10 kW. A larger step of the energy is none. */
const MOST_MILLIWATTS = 1e7;
const HIGH_WEIGHT = 4294967296;

interface Cell {
  readonly item: NvmlItem;
  readonly gpu: number;
  readonly handle: bigint | undefined;
  readonly counters: Counters | undefined;
  known: boolean;
}

/** See the module. */
export class NvmlReading implements SignalReading {
  readonly #library: NvmlLibrary;
  readonly #cells: Cell[] = [];
  readonly #values: Float64Array;
  readonly #last = new Float64Array(1).fill(-Infinity);
  readonly #troubles = new Troubles();

  constructor(library: NvmlLibrary, items: readonly NvmlItem[]) {
    this.#library = library;
    for (const item of items) {
      const { devices, row } = item;
      const counters = row.behavior !== "monotone" ? undefined : new Counters(devices.length, {
        range: Infinity,
        maxPerSecond: MOST_MILLIWATTS,
      });
      devices.forEach((device, gpu) => {
        this.#cells.push({ item, gpu, handle: device?.handle, counters, known: false });
      });
    }
    this.#values = new Float64Array(this.#cells.length).fill(NaN);
  }

  get troubles() {
    return this.#troubles.list;
  }

  readInto(out: Float64Array, timeS: number): void {
    if (timeS - this.#last[0] >= LEAST_PERIOD_S) {
      this.#last[0] = timeS;
      TAKEN[TIME_S] = timeS;
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
    // All ones is what the library leaves where it has no value.
    const none = low === 0xffffffff && (high === 0xffffffff || high === 0);
    if (status !== NVML.SUCCESS || none) {
      this.#values[i] = NaN;
      this.#failed(cell, status);
      return;
    }
    cell.known = true;
    if (counters === undefined) {
      this.#values[i] = (high * HIGH_WEIGHT + low) * item.scale;
      return;
    }
    TAKEN[HIGH] = high;
    TAKEN[LOW] = low;
    counters.take(cell.gpu);
    this.#values[i] = TAKEN[TOTAL] * item.scale;
    if (counters.step === STEP.RESET || counters.step === STEP.LEAP) {
      const why =
        "the counter jumped: driver reloaded or GPU reset; nothing was added over the gap";
      this.#troubles.add(item.row.name, "reset", `GPU ${cell.gpu}: ${why}`);
    }
  }

  #failed(cell: Cell, status: number): void {
    const { name } = cell.item.row;
    const kind = status === NVML.GPU_IS_LOST ? "gone" : "error";
    if (this.#troubles.again(name, kind)) return;
    const why = status === NVML.SUCCESS ? "no value" : nvmlText(status);
    this.#troubles.add(name, kind, `GPU ${cell.gpu}: ${why}`);
  }
}
