/**
 * The energy of regions beside GEOPM's figures: which counters a run has for it, and the keys that
 * it adds to a report. docs/explanation/how-sure.md; keys: docs/reference/formats/report.md.
 * @module
 */
import {
  Attribution,
  type AttributionResult,
  type Kind,
  KINDS,
  OTHER,
} from "../../energy/edges/attribution.ts";
import type { ExactEnergy } from "../../energy/edges/add_up.ts";
import type { DomainFacts } from "../../energy/attribution/kind.ts";
import { helpFor } from "../../energy/attribution/run_sum.ts";
import { SURE } from "../../energy/attribution/estimate.ts";
import { PathFamilies } from "../../energy/totals/build_tree.ts";
import { EnergyHistory } from "../../energy/totals/energy_history.ts";
import { PeakPower } from "../../energy/totals/peak_power.ts";
import { PowerCurve } from "../../energy/totals/power_curve.ts";
import type { FigureCoverage, Known } from "../../energy/totals/coverage.ts";
import { HASH_APPLICATION, HASH_UNMARKED } from "../../core/hash.ts";
import type { Finding } from "../../core/finding.ts";
import { ENERGY_SIGNALS } from "../../core/job_totals.ts";
import { ROOT } from "../../core/path_stats.ts";
import { OUTSIDE_REGIONS } from "../../core/region_rows.ts";
import {
  COMPONENT_NAMES,
  ENERGY_KINDS,
  type EnergyKind,
  type PathEnergies,
  regionName,
  type RegionTree,
  type TreeRow,
} from "../../core/region_tree.ts";
import type { Nested, RegionTotal, ReportFields, ReportHost } from "../../core/report.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";
import { allProcesses, weights } from "../../caliper/channels/shares.ts";
import type { Batch } from "../../sources/signals/batch.ts";
import { type AttributionMode, parseAttribution } from "../../core/attribution_mode.ts";
import type { OptionValues } from "../../core/option.ts";
import { ENERGY_KEYS as KEYS, fitFacts, numbers, takeEnergies } from "./section_energies.ts";
import { type EnergyCounter, findCounters, offered, STAMP } from "./energy_counters.ts";
import { FittedEnergies, TOO_MANY } from "./fitted_energies.ts";
import { outermostPlain, tooFastNote } from "./paths_without_edges.ts";
import type { Opener, OpenOutput } from "./output.ts";
import type { RunView } from "./run_view.ts";

/** Most names in a note and in the report's list of regions without a figure; the rest is a count. */
const NOTED_NAMES = 3;
/** Unmarked energy below this part of the total needs no note, and with so many paths only outermost ones have one. */
const NOTED_SHARE = 0.01, NOTED_PATHS = 1000;
/** Number of begins and ends of processes that are followed one by one while a process is in one region. */
const MAX_TURNS = 100;
/** Key of the node's energy. */
const NODE_KEY = "node-energy (J)";
const LISTED_NAMES = 256;
/** Why nothing is reported of a region that took time, but none between two readings. */
const NEVER_SHOWN = "the region had no time between two readings of the counter";

/** Why nothing is reported of the time outside regions, if it has more than this part of the energy. */
const ALL_BUSY = "threads in regions used all CPUs", MIN_OUTSIDE = 1e-4;

/** Code of the note on regions without an error. */
export function coarseCode(kind: EnergyKind): string {
  return `coarse-${kind}`;
}

/** Sources of the attribution. */
type AttributionSources = Pick<RunView, "batch" | "table" | "topology" | "tracker" | "coverage">;

/** The figures of `--attribution`. */
export function makeAttribution(values: OptionValues): Opener {
  return attributionIn(parseAttribution(values));
}

/** Figures in a mode; `sampled`: none. */
export function attributionIn(mode: AttributionMode): Opener {
  return (run) => RunAttribution.open(run, mode);
}

/** The energies of regions of one run. */
export class RunAttribution implements OpenOutput {
  readonly #tracker: RegionTracker;
  readonly #batch: Batch;
  readonly #attribution: Attribution;
  readonly #counters: readonly EnergyCounter[];
  readonly #stamp: number;
  /** By kind: only a figure that covers all of a region's time is reported. */
  readonly #coverage = new Map<Kind, FigureCoverage>();
  readonly #peaks: PeakPower;
  readonly #curve: PowerCurve;
  readonly #history: EnergyHistory;
  readonly #values: Float64Array;
  readonly #stamps: Float64Array;
  #generation: number;
  /** The step before the first process: the application's energy counts from there. */
  #idleS = NaN;
  #hasEdges = false;
  /** Time of the last step. */
  #stepS = -Infinity;
  #held: { timeS: number; values: Float64Array; stamps: Float64Array }[] = [];
  #finished = false;
  /** Samples so far, and how many there were when the end was asked for. */
  #samples = 0;
  #endSamples = -1;
  #result: AttributionResult = new Map();
  /** The energies by fit are those of the whole run so far. */
  #isFitted = false;
  /** Kinds for which caused energy is reported beside drawn energy. */
  readonly #caused = new Set<Kind>();

  /** @returns `undefined` where nothing is asked for, or no counter serves. */
  static open(run: AttributionSources, mode: AttributionMode): RunAttribution | undefined {
    if (mode === "sampled") return undefined;
    const counters = findCounters(run);
    return counters.length === 0 ? undefined : new RunAttribution(run, mode, counters);
  }

  private constructor(
    { batch, table, topology, tracker, coverage }: AttributionSources,
    readonly mode: "exact" | "fit",
    counters: readonly EnergyCounter[],
  ) {
    this.#tracker = tracker;
    this.#families = new PathFamilies(tracker.paths);
    this.#batch = batch;
    this.#counters = counters;
    this.#generation = tracker.generation;
    this.#stamp = counters.some((counter) => counter.stamped) && offered(table, STAMP) !== undefined
      ? batch.pushSignal(STAMP, "board", 0)
      : -1;
    for (const kind of new Set(counters.map((counter) => counter.kind))) {
      const figure = coverage.watch(ENERGY_SIGNALS[kind], "board", 0);
      if (figure !== undefined) this.#coverage.set(kind, figure);
    }
    this.#peaks = new PeakPower(counters.map(({ kind }) => kind));
    this.#curve = new PowerCurve(counters.map(({ kind }) => kind));
    this.#history = new EnergyHistory(counters.length);
    this.#values = new Float64Array(counters.length);
    this.#stamps = new Float64Array(counters.length).fill(NaN);
    this.#attribution = new Attribution({
      cpuCount: topology.count("cpu"),
      counters,
      parentOf: (path) => tracker.paths.parent(path),
      outermostOf: (path) => outermostPlain(tracker, path),
    });
    tracker.pathCpus.foldedListener = (path, seconds, cpus, between) =>
      this.#attribution.folded(path - 1, seconds, cpus, between);
    tracker.pathCpus.listener = this.#move;
    if (mode === "fit") {
      this.#fitted = new FittedEnergies(counters, topology.count("cpu"), tracker);
    }
  }

  readonly #fitted: FittedEnergies | undefined;

  /** CPUs change their path, as reported by the tracker. */
  readonly #move = (timeS: number, cpus: Int32Array, path: number): void => {
    if (this.#tracker.generation !== this.#generation) {
      // Another process took the command's place; what was before is not the application's.
      this.#generation = this.#tracker.generation;
      if (this.#generation > 1) {
        this.#attribution.restart();
        this.#peaks.restart();
        this.#curve.restart();
      }
      this.#hasEdges = false;
    }
    if (path < -1) return this.#attribution.disown(timeS, cpus);
    if (path < 0) return this.#leave(timeS, cpus);
    // The application's energy counts from the reading before its first process.
    const isFirst = !this.#hasEdges && this.#idleS < timeS;
    this.#attribution.edge(isFirst ? this.#idleS : timeS, cpus, path - 1);
    this.#hasEdges = true;
  };

  /**
   * Marks the CPUs as free of processes. Values read while no process lived at all are counted now.
   */
  #leave(timeS: number, cpus: Int32Array): void {
    this.#attribution.edge(Math.max(timeS, this.#stepS), cpus, OTHER);
    for (const { timeS, values, stamps } of this.#held) {
      this.#attribution.step(timeS, values, stamps);
      this.#fitted?.step(timeS, values, stamps);
    }
    this.#held = [];
  }

  /** Keeps the last two samples without a process: the run may go on, and then they end an interval. */
  #hold(timeS: number): void {
    const last = this.#held.length < 2 ? undefined : this.#held.shift();
    this.#read();
    const { values, stamps } = last ??
      { values: this.#values.slice(), stamps: this.#stamps.slice() };
    values.set(this.#values);
    stamps.set(this.#stamps);
    this.#held.push({ timeS, values, stamps });
  }

  /** Samples stay in phase with counters, and a fit cannot separate them then. */
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
    // One sample includes the end; later ones belong to no run.
    if (finished && this.#finished) return this.#hold(timeS);
    this.#finished = finished;
    this.#held = [];
    if (this.#idleS === this.#idleS) {
      this.#attribution.step(this.#idleS, this.#values, this.#stamps);
      this.#fitted?.step(this.#idleS, this.#values, this.#stamps);
      this.#idleS = NaN;
    }
    this.#read();
    this.#attribution.step(timeS, this.#values, this.#stamps);
    this.#fitted?.step(timeS, this.#values, this.#stamps);
    this.#stepS = timeS;
    this.#peaks.sample(timeS, this.#values);
    this.#curve.sample(timeS, this.#values);
    this.#history.sample(timeS, this.#values);
    this.#samples++;
  }

  /** Maximum power so far by kind, W. */
  get peaksW(): ReadonlyMap<Kind, number> {
    return this.#peaks.watts;
  }

  /**
   * Energies that a process used since a moment, by signal, J: its part of the node's, as a snapshot has it.
   * Energies that are not known are absent.
   */
  energiesSince(process: number, fromS: number): { [signal: string]: number } {
    const all = allProcesses(this.#tracker), untilS = this.#history.lastS;
    const turns = all.flatMap(({ startS, endS }) => [startS, endS])
      .filter((timeS) => timeS > fromS && timeS < untilS).sort((a, b) => a - b);
    const each = Math.ceil(turns.length / MAX_TURNS);
    const times = [fromS, ...turns.filter((_, i) => i % each === 0), untilS];
    const parts = times.slice(0, -1).map((timeS) => weights(timeS, all)[process]);
    const energies: { [signal: string]: number } = {};
    this.#counters.forEach(({ kind }, k) => {
      const name = ENERGY_SIGNALS[kind];
      energies[name] = parts.reduce((sum, part, i) => {
        return sum + part * this.#history.between(k, times[i], times[i + 1]);
      }, energies[name] ?? 0);
    });
    return numbers(energies);
  }

  /**
   * Adds keys to the sections of a host.
   *
   * @param partial The run goes on: what takes long is left out.
   * @param isQuick What takes time is left out.
   */
  addTo(host: ReportHost, partial: boolean, isQuick = false): void {
    const result = this.#resolve(isQuick, !partial);
    this.#caused.clear();
    for (const kind of result.keys()) if (this.#hasCaused(kind)) this.#caused.add(kind);
    this.#shown = { host, hasNested: !partial && !isQuick };
    if (host.unmarked !== undefined) this.#add(host.unmarked, [ROOT], HASH_UNMARKED);
    for (const [kind, { totalJ, otherCpus }] of result) {
      host.application[KEYS[kind].exact] = totalJ;
      if (otherCpus.exactJ > 0) host.application[KEYS[kind].other] = otherCpus.exactJ;
      if (this.mode !== "fit") continue;
      host.application[KEYS[kind].fit] = totalJ;
      if (this.#caused.has(kind)) host.application[KEYS[kind].caused] = totalJ;
    }
    this.#forget(host.application, result, HASH_APPLICATION);
    const node = this.gaps().get(NODE_KEY);
    if (node !== undefined) {
      host.application["joulemark-node-energy-known (J)"] = node.value;
      host.application["joulemark-node-energy-coverage (%)"] = 100 * node.share;
    }
    if (host.joulemark === undefined) return;
    host.joulemark.attribution = this.#facts(result);
    // A run without regions has its power over time instead.
    if (host.regions === undefined || host.regions.length === 0) this.#addCurve(host.joulemark);
  }

  #addCurve(own: { [key: string]: Nested }): void {
    const curves = KINDS.map((kind) => [kind, this.#curve.watts(kind)] as const)
      .filter(([, watts]) => watts.length > 0);
    if (curves.length === 0) return;
    own["power curve"] = {
      "width (s)": this.#curve.widthS,
      ...Object.fromEntries(curves.map(([kind, watts]) => {
        return [`${kind} (W)`, watts.map((w) => Number(w.toPrecision(4))).join(" ")];
      })),
    };
  }

  /** Sections and tree have the same energies. */
  takeTree({ application, unmarked }: ReportHost, tree: RegionTree | undefined): void {
    const outermost = tree?.rows.filter(({ depth }) => depth === 0) ?? [];
    this.#rows = Map.groupBy(outermost, ({ region }) => region);
    if (tree === undefined) return;
    if (unmarked !== undefined) takeEnergies(unmarked, [tree.unmarked]);
    for (const [kind, { joules, exactJ }] of tree.otherCpus) {
      const key = KEYS[kind].other;
      if (Number.isNaN(joules) && Number.isFinite(application[key])) application[key] = exactJ;
    }
  }

  /** Adds the energies as of the last `addTo`. */
  addToRegion(fields: ReportFields, { name, hash }: RegionTotal): void {
    this.#add(fields, this.#families.outermost(name), hash);
    const rows = this.#rows.get(name);
    if (rows !== undefined) takeEnergies(fields, rows.map(({ energies }) => energies));
  }

  /** The run has ended: other outputs use these energies. */
  finish(isQuick = false): void {
    this.#resolve(isQuick, true);
    // And so it stays.
    this.#endSamples = this.#samples;
  }

  /** Takes up the energies as they are now, and which paths others hid: outputs at the end ask before the report. */
  #resolve(isQuick: boolean, isLast: boolean): AttributionResult {
    this.#result = isQuick ? this.#attribution.result(false) : this.#resultNow(isLast);
    this.#families.update();
    return this.#result;
  }

  /** The end takes long, and is asked for more than once. */
  #resultNow(isLast: boolean): AttributionResult {
    if (isLast && this.#endSamples === this.#samples) return this.#result;
    if (isLast) this.#endSamples = this.#samples;
    if (isLast) this.#fitted?.finish();
    this.#isFitted = isLast;
    return this.#attribution.result(isLast);
  }

  /** Regions without an error by each counter, and how the most inclusive counter answers. */
  notes(): Finding[] {
    const tooFast = this.#result.size === 0 ? [] : tooFastNote(this.#tracker, NOTED_NAMES);
    if (this.mode !== "fit") return tooFast;
    return [...this.#coarseNotes(), ...tooFast, ...this.#lackNote()];
  }

  /** Power depends on more than the region, by the most inclusive counter. */
  #lackNote(): Finding[] {
    for (const kind of ENERGY_KINDS) {
      if (!this.#result.has(kind) || this.#fitted === undefined) continue;
      const notes = new Set<string>();
      for (const { facts } of this.#fitted.facts(kind)) {
        for (const note of facts.notes) notes.add(note);
      }
      if (notes.size === 0) return [];
      const caused = this.#caused.has(kind)
        ? " The keys energy-caused (J) have the energy that each region caused, even if it was drawn later."
        : "";
      return [{
        code: "lack-of-fit",
        severity: "info",
        text: `${COMPONENT_NAMES[kind]} energy: ${[...notes].join("; ")}. ` +
          `The standard errors include this.${caused}`,
      }];
    }
    return [];
  }

  /** Regions without an error, why, and what would help, by counter. */
  #coarseNotes(): Finding[] {
    const paths = this.#shown?.host.regions?.map(({ region }) => this.#families.outermost(region));
    return ENERGY_KINDS.flatMap((kind): Finding[] => {
      const isStill = this.#coverage.get(kind)?.isStill === true;
      const coarse = isStill ? undefined : this.#coarseOf(kind, paths ?? []);
      if (coarse === undefined) return [];
      const { why, count, matters } = coarse;
      const names = [...coarse.names].slice(0, NOTED_NAMES).join(", ") +
        (coarse.names.size > NOTED_NAMES ? ", …" : "");
      const which = count === 1 ? "1 region" : `${count} regions`;
      return [{
        code: coarseCode(kind),
        severity: matters ? "warning" : "info",
        text: `${COMPONENT_NAMES[kind]} energy of ${which} is coarse (~: ${names}): ${why}`,
        remedy: helpFor(why, coarse.names),
      }];
    });
  }

  /** Node energy, for which GEOPM has no field, if it does not cover the whole time. */
  gaps(): ReadonlyMap<string, Known> {
    const figure = this.#coverage.get("node");
    return figure === undefined || figure.isWhole(HASH_APPLICATION)
      ? new Map()
      : new Map([[NODE_KEY, figure.known()]]);
  }

  /** Energies of paths, as of the last report. */
  get energies(): PathEnergies {
    const result = this.#result;
    return {
      kinds: ENERGY_KINDS.filter((kind) =>
        result.has(kind) && this.#coverage.get(kind)?.isWhole(HASH_APPLICATION) !== false
      ),
      of: (kind, paths) => this.#sum(result, kind, paths),
      otherCpus: (kind) => ({
        ...result.get(kind)!.otherCpus,
        ...(this.#fitted !== undefined && this.#isFitted
          ? this.#fitted.rest(kind)
          : { fitJ: NaN, seJ: NaN }),
      }),
      totalJ: (kind) => result.get(kind)!.totalJ,
    };
  }

  /** Energy of paths. */
  #sum(result: AttributionResult, kind: Kind, paths: readonly number[]): PathSum {
    const { exactJ, powerW, cpuS } = result.get(kind)!.sum(paths);
    const exact = (why?: string) => ({
      exactJ,
      powerW,
      cpuS,
      fitJ: NaN,
      seJ: NaN,
      causedJ: NaN,
      why,
    });
    if (this.#fitted === undefined) return exact();
    if (!this.#isFitted) return exact("checkpoints have no estimates");
    if (this.#fitted.isOver) return exact(TOO_MANY);
    const fitted = this.#fitted.sum(kind, paths);
    const power = Number.isFinite(fitted.powerW) ? fitted.powerW : powerW;
    if (fitted.cpuS > 0) return { exactJ, ...fitted, powerW: power };
    const { stats } = this.#tracker.regionPaths;
    const isSeen = paths.some((path) => path !== ROOT && stats.selfNs[path] > 0);
    if (isSeen) return exact(NEVER_SHOWN);
    // Time outside regions has no row here: its share of the readings shows whether there was much.
    const isOutside = exactJ > MIN_OUTSIDE * result.get(kind)!.totalJ;
    return isOutside ? exact(ALL_BUSY) : { exactJ, ...fitted, powerW: power };
  }

  /** Outermost rows of the tree of the last report, by region. */
  #rows = new Map<string, TreeRow[]>();
  /** The last report, and whether its notes name nested regions. */
  #shown: { host: ReportHost; hasNested: boolean } | undefined;
  readonly #families: PathFamilies;

  /** Adds the energies of a region with the paths, or of unmarked time. */
  #add(fields: ReportFields, paths: readonly number[], hash: number): void {
    const result = this.#result;
    for (const kind of result.keys()) {
      const keys = KEYS[kind];
      const { exactJ, fitJ, seJ, causedJ } = this.#sum(result, kind, paths);
      fields[keys.exact] = exactJ;
      if (this.mode !== "fit") continue;
      fields[keys.fit] = fitJ;
      // An error of nothing is none.
      fields[keys.se] = fitJ === fitJ ? seJ : NaN;
      if (this.#caused.has(kind)) fields[keys.caused] = causedJ;
    }
    this.#forget(fields, result, hash);
  }

  /**
   * Regions of the last report whose energy cannot be determined, those with most time first.
   *
   * @param paths Of each region of the report.
   */
  #coarseOf(
    kind: Kind,
    paths: readonly (readonly number[])[],
  ): { names: Set<string>; count: number; why: string; matters: boolean } | undefined {
    const result = this.#result, of = result.get(kind);
    if (of === undefined || this.#shown === undefined) return undefined;
    const { host: { regions = [], unmarked }, hasNested } = this.#shown;
    const coverage = this.#coverage.get(kind), names = new Set<string>();
    let count = 0, first: string | undefined, matters = false;
    const note = (name: string, { why, exactJ }: PathSum) => {
      if (why === undefined) return;
      first ??= why;
      if (exactJ >= NOTED_SHARE * of.totalJ) matters = true;
      count++;
      if (names.size <= NOTED_NAMES) names.add(regionName(name));
    };
    // What covers a part of the time has a note of its own.
    const isWhole = (hash: number) => coverage?.isWhole(hash) !== false;
    for (const [i, { region, hash }] of regions.entries()) {
      if (isWhole(hash)) note(region, this.#sum(result, kind, paths[i]));
    }
    if (hasNested && isWhole(HASH_APPLICATION)) {
      for (const path of this.#nested()) {
        note(this.#tracker.paths.name(path), this.#sum(result, kind, this.#families.family(path)));
      }
    }
    const outside = this.#sum(result, kind, [ROOT]);
    const isSmall = outside.exactJ < NOTED_SHARE * of.totalJ || count > 0;
    if (unmarked !== undefined && !isSmall && isWhole(HASH_UNMARKED)) {
      note(OUTSIDE_REGIONS, outside);
    }
    return first === undefined ? undefined : { names, count, why: first, matters };
  }

  /** Nested regions that took time, which have rows of their own. */
  *#nested(): Generator<number> {
    const { paths, regionPaths: { stats } } = this.#tracker;
    if (this.mode !== "fit" || paths.length > NOTED_PATHS) return;
    for (let path = 1; path < paths.length; path++) {
      if (paths.parent(path) !== ROOT && stats.selfNs[path] > 0) yield path;
    }
  }

  /** Power follows the load late, and a region caused significantly more or less than was drawn in it. */
  #hasCaused(kind: Kind): boolean {
    if (this.#fitted === undefined || !this.#isFitted) return false;
    const isLate = [...this.#fitted.facts(kind)].some(({ facts: { response } }) =>
      response !== undefined && response.kernel.loadS > 0 && response.weight > SURE
    );
    return isLate && this.#tracker.regions().some(({ name }) => {
      const { fitJ, seJ, causedJ } = this.#fitted!.sum(kind, this.#families.outermost(name));
      return Math.abs(causedJ - fitJ) > seJ;
    });
  }

  /** Removes values that cover only a part of the time. */
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
    for (const [kind, { counters }] of result) {
      const fits = new Map<number, DomainFacts>();
      for (const { index, facts: of } of this.#fitted?.facts(kind) ?? []) fits.set(index, of);
      if (this.#fitted !== undefined && this.#isFitted) {
        Object.assign(
          facts,
          this.#fitted.isOver ? { [kind]: { "lack of fit": TOO_MANY } } : this.#notDetermined(kind),
        );
      }
      for (const { index, updatePeriodS, changes, breaks } of counters) {
        const fit = fits.get(index);
        facts[`${kind}-${index}`] = {
          ...(fit === undefined ? {} : fitFacts(fit)),
          ...numbers({
            "update period (s)": fit !== undefined && fit.periodS > 0 ? fit.periodS : updatePeriodS,
            "changes seen": changes,
            // The first stretch begins too.
            ...(breaks > 1 ? { breaks: breaks - 1 } : {}),
          }),
        };
      }
    }
    return facts;
  }

  /** Classes of a kind whose energy cannot be determined, and what they have together. */
  #notDetermined(kind: Kind): { [key: string]: Nested } {
    const of = this.#fitted!.all(kind),
      names = of.undetermined.map((c) =>
        c === ROOT ? "unmarked" : this.#tracker.paths.names(c).join("/")
      );
    const more = names.length - LISTED_NAMES;
    const figures = numbers({
      "not determined beside these": more > 0 ? more : NaN,
      "not determined energy (J)": names.length > 0 ? of.energyJ : NaN,
      "not determined energy se (J)": names.length > 0 ? of.seJ : NaN,
      "other CPUs (J)": of.otherJ > 0 ? of.otherJ : NaN,
      "outside (J)": of.outsideJ > 0 ? of.outsideJ : NaN,
    });
    const all: { [key: string]: Nested } = names.length === 0
      ? figures
      : { "not determined": names.slice(0, LISTED_NAMES), ...figures };
    return Object.keys(all).length === 0 ? {} : { [kind]: all };
  }
}

/** Energy of some paths, J, and why it is not determined. */
type PathSum = ExactEnergy & {
  readonly fitJ: number;
  readonly seJ: number;
  readonly causedJ: number;
  readonly why?: string;
};
