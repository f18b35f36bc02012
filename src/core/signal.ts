/**
 * Signals, the offers of their readers, and the readings that a batch takes from them.
 *
 * Names and meanings are those of geopm_pio(7). Everything is in SI base units inside the program;
 * readers scale on the way in, formats on the way out. NaN means "not available", never zero.
 * @module
 */
import type { Diagnostic } from "./diagnostics.ts";
import type { Aggregation } from "./agg.ts";
import type { Domain } from "./machine/domain.ts";

/**
 * Summary of a signal over time: `monotone` as a total, `variable` as a time-weighted mean,
 * `constant` and `label` not at all. geopm::IOGroup(3), signal_behavior().
 */
export type Behavior = "constant" | "monotone" | "variable" | "label";

/** Format of a value in traces and in `read`: `%.16g`, `%g`, whole, `0x%08x`, bit pattern. */
export type SignalFormat = "double" | "float" | "integer" | "hex" | "raw64";

/** SI units; the empty text stands for a number without unit. */
export type Unit = "" | "s" | "cycles" | "Hz" | "W" | "J" | "°C" | "A" | "V" | "B" | "B/s" | "%";

/** One signal as the catalogue lists it: true on every machine, whether the source exists or not. */
export interface SignalRow {
  /** `READER::NAME`, or a portable name without prefix. */
  readonly name: string;
  /** The domain whose instances have values of their own. */
  readonly domain: Domain;
  /** SI unit, empty for a number without. */
  readonly unit: Unit;
  /** Behavior over time. */
  readonly behavior: Behavior;
  /** Aggregation of a smaller domain's instances to one of a larger. */
  readonly agg: Aggregation;
  /** Format in print. @default "double" */
  readonly format?: SignalFormat;
  /** One sentence. */
  readonly about: string;
  /** Register, file or library call it comes from, for people. */
  readonly source?: string;
  /** Surprising properties of the signal. */
  readonly quirks?: string;
}

/**
 * Quality of a value: read from a counter (`measured`), calculated from measured ones (`derived`),
 * or made by the simulated node (`simulated`).
 */
export type Quality = "measured" | "derived" | "simulated";

/** A row whose source exists on this node. */
export interface OfferedSignal {
  /** Name, domain, unit and behavior. */
  readonly row: SignalRow;
  /** Source on this node: path, register and CPU, library. */
  readonly source: string;
  /** Quality of the values. */
  readonly quality: Quality;
  /** Something about its quality that a reader of the report must know. */
  readonly note?: string;
  /** Seconds between two changes of the counter, if known. */
  readonly updatePeriodS?: number;
  /** Smallest step, in the row's unit. */
  readonly resolution?: number;
  /** Difference at which the counter wraps, in the row's unit. */
  readonly wrapRange?: number;
}

/** Why something is not there. Absent, forbidden and zero are three different results. */
export type Lack = "absent" | "forbidden" | "unusable";

/** A missing source: an answer, not an error. */
export interface Absence {
  /** Why it is absent, in one word. */
  readonly kind: Lack;
  /** Reason in one clause. */
  readonly reason: string;
  /** The exact command that would make it readable, if any. */
  readonly remedy?: string;
}

/** Offer of a reader on this node. */
export type Offer =
  | {
    readonly ok: true;
    readonly signals: readonly OfferedSignal[];
    /** Rows of this reader that are absent on this node. */
    readonly missing?: ReadonlyMap<string, Absence>;
    /** Further notes on the source that "doctor" shows. */
    readonly notes?: readonly string[];
  }
  | ({
    readonly ok: false;
    /** Reasons of single rows, if they differ. */
    readonly missing?: ReadonlyMap<string, Absence>;
  } & Absence);

/**
 * Files and libraries that a reader opens; enforced by `Host`, shown by `doctor`, united for
 * `compile.sh`.
 */
export interface Needs {
  /** Path prefixes under /proc, /sys, /dev. */
  readonly files: readonly string[];
  /** Shared libraries loaded at run time. */
  readonly libraries: readonly string[];
  /** Linux capabilities or file rights, as in capabilities(7). */
  readonly capabilities: readonly string[];
}

/** Open sources of the requested rows. */
export interface SignalReading {
  /**
   * Reads every requested row once.
   *
   * @param out For each requested row, in order, one value per instance of its domain, ascending; SI
   * units, NaN if not available. Counters come out unwrapped, starting at their raw value.
   * @param timeS Seconds on the monotonic clock; only differences mean anything.
   * @param all A total is made of this reading: sources that are read less often are read as well.
   */
  readInto(out: Float64Array, timeS: number, all?: boolean): void;
  /** Every reading gives the same values. @default false */
  readonly isConstant?: boolean;
  /**
   * Part of a whole count beyond 2^53 that the last value at an index of `out` lacks.
   *
   * @default 0: nothing
   */
  restAt?(place: number): number;
  /** Problems so far, counted by signal and kind. */
  readonly troubles?: readonly Diagnostic[];
  /** Closes what is open. */
  [Symbol.dispose](): void;
}

/** Anything that offers signals on this node: a bound reader, the tracker, a recording. */
export interface SignalProvider {
  /** Prefix of its signals' names, and the name for `--without`. */
  readonly name: string;
  /** The signals that it has on this node. */
  readonly signals: readonly OfferedSignal[];
  /** Opens what was asked for, in the order given. */
  open(wanted: readonly OfferedSignal[]): SignalReading;
}

/** Part of a platform that the sample aggregator needs: geopm::PlatformIO(3), in camelCase. */
export interface SignalSource {
  /** Handle of the triple; the same triple gives the same handle. */
  pushSignal(name: string, domain: Domain, index: number): number;
  /** Value of the last batch; NaN: not available. */
  sample(signalIndex: number): number;
  /** Behavior of a signal over time. */
  behavior(name: string): Behavior;
}
