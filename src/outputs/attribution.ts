/**
 * The energy of regions beside GEOPM's figures: which counters a run has for it, and the keys that
 * it adds to a report. docs/how-sure.md; keys: docs/formats/report.md.
 * @module
 */
import {
  Attribution,
  type AttributionResult,
  type CounterSpec,
  type Kind,
  KINDS,
} from "../aggregate/attribution/attribution.ts";
import type { Coverage, FigureCoverage } from "../aggregate/coverage.ts";
import { HASH_APPLICATION, HASH_UNMARKED } from "../core/hash.ts";
import type { Nested, ReportFields, ReportHost } from "../core/report.ts";
import type { OfferedSignal } from "../core/signal.ts";
import type { PlatformTopology } from "../core/topology.ts";
import type { RegionTracker } from "../regions/tracker.ts";
import type { Batch, NameTable } from "../signals/batch.ts";
import { type AttributionMode, parseAttribution } from "../core/attribution_mode.ts";
import type { OptionValues } from "../core/option.ts";
import type { Opener, OpenOutput } from "./output.ts";

/** Where the energy of a kind comes from, and what its counter's update period is if nobody tells. */
const SIGNALS: Readonly<Record<Kind, readonly [name: string, usualS: number | undefined]>> = {
  package: ["CPU_ENERGY", 0.001],
  dram: ["DRAM_ENERGY", 0.001],
  gpu: ["GPU_ENERGY", undefined],
  node: ["BOARD_ENERGY", undefined],
};
const STAMP = "CNL::SAMPLE_STAMP";
const STAMPED_FILES = "/sys/cray/pm_counters/";

/** Keys of the report. */
const KEYS = Object.fromEntries(KINDS.map((kind) => [kind, {
  exact: `joulemark-${kind}-energy-exact (J)`,
  fit: `joulemark-${kind}-energy-fit (J)`,
  se: `joulemark-${kind}-energy-fit-se (J)`,
}])) as Readonly<Record<Kind, { exact: string; fit: string; se: string }>>;

/** What helps where a figure cannot be told. */
const HELP: Readonly<Record<string, string>> = {
  "too few changes of the counter": "a longer run helps",
  "steps keep in step with the counter": "--period 0.005 with --dither on helps",
  "always in the same mix with other regions": "their sum is told",
  "its power would be negative": "a longer run helps",
  "uncertain by more than 10 %": "a longer run helps, and a shorter --period at 1 ms counters",
  "one of many short regions": "fewer names at a time, or a longer run, would help",
  "fewer than half of the regions can be told": "a longer run helps",
};

/** Names in a note; and in the report's list of what cannot be told, before the rest is a number. */
const NOTED_NAMES = 3;
const LISTED_NAMES = 256;

/** What it is made from. */
export interface RunAttributionOptions {
  readonly mode: AttributionMode;
  readonly batch: Batch;
  readonly table: NameTable;
  readonly topology: PlatformTopology;
  readonly tracker: RegionTracker;
  readonly coverage: Coverage;
}

/** The figures of `--attribution`. */
export function makeAttribution(values: OptionValues): Opener {
  return attributionIn(parseAttribution(values));
}

/** Figures in a mode; `sampled`: none. */
export function attributionIn(mode: AttributionMode): Opener {
  return ({ batch, table, topology, tracker, coverage }) =>
    RunAttribution.open({ mode, batch, table, topology, tracker, coverage });
}

/** The energies of regions of one run. */
export class RunAttribution implements OpenOutput {
  readonly mode: "exact" | "fit";
  readonly #tracker: RegionTracker;
  readonly #batch: Batch;
  readonly #attribution: Attribution;
  readonly #counters: readonly (CounterSpec & { handle: number })[];
  readonly #stamp: number;
  /** By kind: only what covers all of a region's time is told. */
  readonly #coverage = new Map<Kind, FigureCoverage>();
  readonly #values: Float64Array;
  readonly #stamps: Float64Array;
  #generation: number;
  /** The step before the first process: the application's energy counts from there. */
  #idleS = NaN;
  #finished = false;
  #result: AttributionResult = new Map();

  /** @returns `undefined` where nothing is asked for, or no counter serves. */
  static open(options: RunAttributionOptions): RunAttribution | undefined {
    const { mode } = options;
    if (mode === "sampled") return undefined;
    const counters = findCounters(options);
    return counters.length === 0 ? undefined : new RunAttribution(options, mode, counters);
  }

  private constructor(
    { batch, table, topology, tracker, coverage }: RunAttributionOptions,
    mode: "exact" | "fit",
    counters: readonly (CounterSpec & { handle: number })[],
  ) {
    this.mode = mode;
    this.#tracker = tracker;
    this.#batch = batch;
    this.#counters = counters;
    this.#generation = tracker.generation;
    this.#stamp = counters.some((counter) => counter.stamped) && offered(table, STAMP) !== undefined
      ? batch.pushSignal(STAMP, "board", 0)
      : -1;
    for (const kind of new Set(counters.map((counter) => counter.kind))) {
      const figure = coverage.watch(SIGNALS[kind][0], "board", 0);
      if (figure !== undefined) this.#coverage.set(kind, figure);
    }
    this.#values = new Float64Array(counters.length);
    this.#stamps = new Float64Array(counters.length).fill(NaN);
    this.#attribution = new Attribution({
      cpuCount: topology.count("cpu"),
      counters,
      method: mode,
    });
  }

  /** CPUs of a process change their region, as the tracker tells it. */
  readonly edge = (timeS: number, cpus: Int32Array, region: number): void => {
    if (this.#tracker.generation !== this.#generation) {
      // Another process took the command's place; what was before is not the application's.
      this.#generation = this.#tracker.generation;
      if (this.#generation > 1) this.#attribution.restart();
    }
    this.#attribution.edge(timeS, cpus, region);
  };

  /** Steps keep in step with counters, and a fit cannot tell them apart then. */
  get wantsDither(): boolean {
    return this.mode === "fit";
  }

  /** A settled sample. */
  sample(timeS: number): void {
    const { connected, finished } = this.#tracker;
    if (!connected) {
      this.#read();
      this.#idleS = timeS;
      return;
    }
    // One step sees the end; those after it are nobody's.
    if (finished && this.#finished) return;
    this.#finished = finished;
    if (this.#idleS === this.#idleS) {
      this.#attribution.step(this.#idleS, this.#values, this.#stamps);
      this.#idleS = NaN;
    }
    this.#read();
    this.#attribution.step(timeS, this.#values, this.#stamps);
  }

  /**
   * Adds keys to the sections of a host.
   *
   * @param partial The run goes on: what takes long is left out.
   */
  addTo(host: ReportHost, partial: boolean): void {
    const result = this.#result = this.#attribution.result(!partial);
    const { table } = this.#tracker;
    for (const { region, hash, fields } of host.regions ?? []) {
      this.#add(fields, result, table.find(region) + 1);
      this.#forget(fields, result, hash);
    }
    if (host.unmarked !== undefined) {
      this.#add(host.unmarked, result, 0);
      this.#forget(host.unmarked, result, HASH_UNMARKED);
    }
    for (const [kind, { totalJ }] of result) {
      host.application[KEYS[kind].exact] = totalJ;
      if (this.mode === "fit") host.application[KEYS[kind].fit] = totalJ;
    }
    this.#forget(host.application, result, HASH_APPLICATION);
    if (host.joulemark !== undefined) host.joulemark.attribution = this.#facts(result);
  }

  /** Lines for people: what cannot be told, why, and what would help. As of the last report. */
  notes(): string[] {
    const lines: string[] = [];
    if (this.mode !== "fit") return lines;
    for (const [kind, { of }] of this.#result) {
      const byReason = new Map<string, string[]>();
      for (const { name, count } of this.#tracker.regions()) {
        const { why } = of(this.#tracker.table.find(name) + 1);
        if (why === undefined || count === 0) continue;
        const names = byReason.get(why);
        if (names === undefined) byReason.set(why, [name]);
        else if (names.length <= NOTED_NAMES) names.push(name);
      }
      for (const [why, names] of byReason) {
        const some = names.slice(0, NOTED_NAMES).join(", ") +
          (names.length > NOTED_NAMES ? ", ..." : "");
        const help = HELP[why] === undefined ? "" : `; ${HELP[why]}`;
        lines.push(`${kind} energy of ${some} cannot be told (${why})${help}`);
      }
    }
    return lines;
  }

  #add(fields: ReportFields, result: AttributionResult, classIndex: number): void {
    for (const [kind, { of }] of result) {
      const keys = KEYS[kind];
      const { exactJ, fitJ, seJ } = of(classIndex);
      fields[keys.exact] = exactJ;
      if (this.mode !== "fit") continue;
      fields[keys.fit] = fitJ;
      // An error of nothing is none.
      fields[keys.se] = fitJ === fitJ ? seJ : NaN;
    }
  }

  /** What covers a part of the time is no figure. */
  #forget(fields: ReportFields, result: AttributionResult, hash: number): void {
    for (const kind of result.keys()) {
      if (this.#coverage.get(kind)?.isWhole(hash) !== false) continue;
      for (const key of Object.values(KEYS[kind])) if (key in fields) fields[key] = NaN;
    }
  }

  #read(): void {
    for (let k = 0; k < this.#counters.length; k++) {
      this.#values[k] = this.#batch.sample(this.#counters[k].handle);
      if (this.#stamp >= 0 && this.#counters[k].stamped === true) {
        this.#stamps[k] = this.#batch.sample(this.#stamp);
      }
    }
  }

  #facts(result: AttributionResult): Nested {
    const facts: { [key: string]: Nested } = { method: this.mode };
    const nameOf = (c: number) => c === 0 ? "unmarked" : this.#tracker.table.name(c - 1);
    for (const [kind, { counters }] of result) {
      for (const counter of counters) {
        facts[`${kind}-${counter.index}`] = {
          untold: counter.untold.slice(0, LISTED_NAMES).map(nameOf),
          ...numbers({
            "untold beside these": counter.untold.length > LISTED_NAMES
              ? counter.untold.length - LISTED_NAMES
              : NaN,
            "untold energy (J)": counter.untold.length === 0 ? NaN : counter.jointJ,
            "untold energy se (J)": counter.untold.length === 0 ? NaN : counter.jointSeJ,
            "condition number": counter.condition,
            "lag (s)": counter.lagS,
            "lag se (s)": counter.lagSeS,
            "update period (s)": counter.updatePeriodS,
            intervals: counter.intervals,
            "changes seen": counter.changes,
            // The first stretch begins too.
            ...(counter.breaks > 1 ? { "begun anew": counter.breaks - 1 } : {}),
          }),
        };
      }
    }
    return facts;
  }
}

/** What there is no number for is left out. */
function numbers(all: { [key: string]: number }): { [key: string]: number } {
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => Number.isFinite(value))
      .map(([key, value]) => [key, Number(value.toPrecision(9))]),
  );
}

/** Only what counts energy by itself; a sum over readings of power has no changes to find. */
function offered(table: NameTable, name: string): OfferedSignal | undefined {
  const resolved = table.resolve(name);
  if (resolved.kind !== "offered" || resolved.signal.row.behavior !== "monotone") return undefined;
  return resolved.signal.quality === "derived" ? undefined : resolved.signal;
}

function findCounters(
  { batch, table, topology }: RunAttributionOptions,
): (CounterSpec & { handle: number })[] {
  const stamps = offered(table, STAMP) !== undefined;
  return KINDS.flatMap((kind) => {
    const [name, usualS] = SIGNALS[kind];
    const signal = offered(table, name);
    if (signal === undefined) return [];
    const { domain } = signal.row;
    const isCray = signal.row.name.startsWith("CNL::") || signal.source.startsWith(STAMPED_FILES);
    return Array.from({ length: topology.count(domain) }, (_, index) => ({
      kind,
      index,
      cpus: topology.cpus(domain, index),
      updatePeriodS: signal.updatePeriodS ?? (isCray ? undefined : usualS),
      stamped: stamps && isCray,
      handle: batch.pushSignal(name, domain, index),
    }));
  });
}
