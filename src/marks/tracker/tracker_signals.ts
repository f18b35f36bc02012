/**
 * The signals that come from the application rather than from a counter: time, region, hint,
 * progress, epoch, and the time under each hint. geopm_pio_profile(7), geopm_pio_time(7).
 * @module
 */
import { HASH_APPLICATION, HASH_UNMARKED } from "../../core/hash.ts";
import { HINTS, REPORTED_HINTS } from "../../core/hints.ts";
import type { OfferedSignal, SignalReading, SignalRow } from "../../core/signal.ts";
import type { CpuStates } from "./cpu_states.ts";

const NS = 1e-9;

/** Rows of the tracker's signals; all have a value for each CPU. */
export const TRACKER_SIGNALS: readonly SignalRow[] = [
  {
    name: "TIME",
    domain: "cpu",
    unit: "s",
    behavior: "monotone",
    agg: "select_first",
    about: "Seconds since the first process of the application started.",
    source: "CLOCK_MONOTONIC_RAW",
  },
  {
    name: "REGION_HASH",
    domain: "cpu",
    unit: "",
    behavior: "label",
    agg: "region_hash",
    format: "hex",
    about: "Hash of the region that the CPU's process is in.",
    quirks: "the value is 0x725e8066 outside of all regions, and NaN on CPUs that no process of " +
      "the run may use.",
  },
  {
    name: "REGION_HINT",
    domain: "cpu",
    unit: "",
    behavior: "label",
    agg: "region_hint",
    format: "hex",
    about: "Hint of the innermost region that the CPU's process is in.",
  },
  {
    name: "REGION_PROGRESS",
    domain: "cpu",
    unit: "",
    behavior: "variable",
    agg: "sum",
    format: "float",
    about: "Share of the work units of a region that the CPU has done. The program announces " +
      "the number of work units. At the end, the sum over all CPUs is 1.",
  },
  {
    name: "EPOCH_COUNT",
    domain: "cpu",
    unit: "",
    behavior: "monotone",
    agg: "min",
    format: "integer",
    about: "Number of epochs that the CPU's process has begun.",
  },
  ...REPORTED_HINTS.map((hint): SignalRow => ({
    name: `TIME_HINT_${hint}`,
    domain: "cpu",
    unit: "s",
    behavior: "monotone",
    agg: "average",
    about: `Time that the CPU has spent under the hint ${hint}.`,
    quirks: "the value changes only at samples. The time between two samples counts for the hint " +
      "that the CPU had at the first of these two samples.",
  })),
];

/** Other names of the same signals. */
export const TRACKER_ALIASES: Readonly<Record<string, string>> = {
  "TIME::ELAPSED": "TIME",
  "EPOCH::EPOCH_COUNT": "EPOCH_COUNT",
  ...Object.fromEntries(
    TRACKER_SIGNALS.filter((row) => row.name !== "TIME" && row.name !== "EPOCH_COUNT")
      .map((row) => [`PROFILE::${row.name}`, row.name]),
  ),
};

/** Does this name stand for one of them? */
export function isTrackerSignal(name: string): boolean {
  return name in TRACKER_ALIASES || TRACKER_SIGNALS.some((row) => row.name === name);
}

/** Source of the signals: the state after the last step. */
export interface TrackedState {
  /** Current region and hint of each CPU. */
  readonly cpus: CpuStates;
  /** Has any process ever connected? */
  readonly connected: boolean;
  /** TIME of the last step. */
  readonly elapsedS: number;
  /** GEOPM's hash of a region's name. */
  hashOf(region: number): number;
}

/** Fills in the values of each requested signal, CPU by CPU. */
export class TrackerReading implements SignalReading {
  readonly #state: TrackedState;
  readonly #fill: ((out: Float64Array, at: number) => void)[];

  constructor(state: TrackedState, wanted: readonly OfferedSignal[]) {
    this.#state = state;
    this.#fill = wanted.map((signal) => this.#filler(signal.row.name));
  }

  readInto(out: Float64Array): void {
    const count = this.#state.cpus.count;
    for (let i = 0; i < this.#fill.length; i++) this.#fill[i](out, i * count);
  }

  [Symbol.dispose](): void {}

  #filler(name: string): (out: Float64Array, at: number) => void {
    switch (name) {
      case "TIME":
        return (out, at) => out.fill(this.#state.elapsedS, at, at + this.#state.cpus.count);
      case "REGION_HASH":
        return (out, at) => this.#hashes(out, at);
      case "REGION_HINT":
        return (out, at) => this.#whereUsed(out, at, this.#state.cpus.hint, 1);
      case "REGION_PROGRESS":
        return (out, at) => this.#progress(out, at);
      case "EPOCH_COUNT":
        return (out, at) => this.#whereUsed(out, at, this.#state.cpus.epoch, 1);
    }
    const hint = (HINTS as readonly string[]).indexOf(name.slice("TIME_HINT_".length));
    const times = this.#state.cpus.hintNs[hint];
    return (out, at) => this.#whereUsed(out, at, times, NS);
  }

  #hashes(out: Float64Array, at: number): void {
    const { cpus, connected } = this.#state;
    for (let cpu = 0; cpu < cpus.count; cpu++) {
      const region = cpus.region[cpu];
      out[at + cpu] = !connected
        ? HASH_APPLICATION
        : cpus.used[cpu] === 0
        ? NaN
        : region < 0
        ? HASH_UNMARKED
        : this.#state.hashOf(region);
    }
  }

  #progress(out: Float64Array, at: number): void {
    const { cpus } = this.#state;
    for (let cpu = 0; cpu < cpus.count; cpu++) {
      const total = cpus.unitsTotal[cpu];
      out[at + cpu] = total === 0 ? NaN : cpus.unitsDone[cpu] / total;
    }
  }

  #whereUsed(out: Float64Array, at: number, values: ArrayLike<number>, scale: number): void {
    const { cpus } = this.#state;
    for (let cpu = 0; cpu < cpus.count; cpu++) {
      out[at + cpu] = cpus.used[cpu] === 0 ? NaN : values[cpu] * scale;
    }
  }
}
