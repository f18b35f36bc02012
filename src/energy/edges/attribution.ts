/**
 * The energy of every region by the difference of counter readings at the edges: each counter's domain by itself,
 * then added up over the instances of a kind. docs/explanation/how-sure.md.
 *
 * Edges come from the tracker, readings once per sample. Pure and streaming: memory depends on
 * regions, CPUs and counters, not on the length of the run.
 * @module
 */
import { CounterAttribution } from "./counter_attribution.ts";
import { EdgeLog } from "./intervals/edge_log.ts";
import { FoldedTimes } from "./folded_splits.ts";
import { WholeVisits } from "./whole_visits.ts";
import { grown } from "../../core/grow.ts";
import type { EnergyKind } from "../../core/region_tree.ts";
import { addUp, type KindResult } from "./add_up.ts";

/** Kinds of counters in the order of keys. */
export const KINDS = ["package", "dram", "gpu", "node"] as const satisfies readonly EnergyKind[];
/** Kind of energy. */
export type Kind = EnergyKind;

/** One counter of the node. */
export interface CounterSpec {
  readonly kind: Kind;
  /** Number of the package, GPU, …. */
  readonly index: number;
  /** CPUs of its domain. */
  readonly cpus: readonly number[];
  /** Seconds between two updates. @default found from the readings */
  readonly updatePeriodS?: number;
  /** Readings come with a time of their own. @default false */
  readonly stamped?: boolean;
}

/** Options of an {@linkcode Attribution}. */
export interface AttributionOptions {
  /** CPUs of the node. */
  readonly cpuCount: number;
  readonly counters: readonly CounterSpec[];
  /** Class that a class is nested in, at most 0 for none. @default no class is nested */
  readonly parentOf?: (classIndex: number) => number;
  /** Class that comes by edges around a class that comes by `folded()`. @default itself */
  readonly outermostOf?: (classIndex: number) => number;
}

/** Visits without edges, of a program that has edges too. */
export interface Between {
  /** Whole visits, of which the CPUs show the next ones already. */
  readonly isPast: boolean;
  /** True if the visits are nested in classes with edges. */
  readonly isNested: boolean;
}

/** Region number of CPUs while none of their processes lives. */
export const OTHER = -2;
/** Class of the other outermost classes; those of regions follow it inside. */
const OTHER_CLASS = 1;

/** Inside, a class of the caller: 0 is `unmarked`, c is region c − 1. */
const inner = (c: number) => c > 0 ? c + OTHER_CLASS : c;
/** The caller's class of one inside. */
const outer = (c: number) => c > OTHER_CLASS ? c - OTHER_CLASS : c === OTHER_CLASS ? -1 : c;

/** Results by kind; kinds without any reading are left out. */
export type AttributionResult = ReadonlyMap<Kind, KindResult>;

/** CPUs of counters with one set are followed once. */
interface Domain {
  readonly members: Uint8Array;
  log: EdgeLog;
  /** Nested regions without edges, and whole outermost visits without any. */
  folded: FoldedTimes;
  wholes: WholeVisits;
  /** Places in `#counters`. */
  readonly counters: number[];
  /** 1 while no process may use its CPUs: they are one CPU of no process then. */
  others: number;
}

/** Attributes the energy of all counters of a node. Class 0 is `unmarked`, class r + 1 is region r. */
export class Attribution {
  readonly #options: AttributionOptions;
  /** Has the run begun? */
  #isBegun = false;
  readonly #domains: readonly Domain[];
  #counters: CounterAttribution[] = [];
  /** By class that comes by `folded()`: the one around it; −1: not asked yet. */
  #outermost = new Int32Array(16).fill(-1);
  /** Class of each CPU; −1: it has no owner. */
  readonly #classOf: Int32Array;

  constructor(options: AttributionOptions) {
    const { parentOf, outermostOf } = options;
    this.#options = {
      ...options,
      ...parentOf && { parentOf: (c) => c <= OTHER_CLASS ? 0 : inner(parentOf(outer(c))) },
      ...outermostOf && { outermostOf: (c) => c <= OTHER_CLASS ? c : inner(outermostOf(outer(c))) },
    };
    this.#classOf = new Int32Array(options.cpuCount).fill(-1);
    const bySet = new Map<string, Domain>();
    options.counters.forEach(({ cpus }, k) => {
      const key = [...cpus].sort((a, b) => a - b).join();
      const { counters } = bySet.getOrInsertComputed(key, () => {
        const members = new Uint8Array(options.cpuCount);
        for (const cpu of cpus) if (cpu < members.length) members[cpu] = 1;
        return { members, ...this.#begin(), counters: [] };
      });
      counters.push(k);
    });
    this.#domains = [...bySet.values()];
    this.#open();
  }

  /** Restarts: all edges so far are not the application's. */
  restart(): void {
    this.#classOf.fill(-1);
    this.#isBegun = false;
    for (const domain of this.#domains) Object.assign(domain, this.#begin());
    this.#open();
  }

  /**
   * CPUs of a process enter a region, at its exact time.
   *
   * @param region −1: they leave all; {@linkcode OTHER}: their last process has ended, or has not begun.
   */
  edge(timeS: number, cpus: ArrayLike<number>, region: number): void {
    const to = region === OTHER ? OTHER_CLASS : inner(region + 1);
    this.#beginAt(timeS, cpus);
    for (let k = 0; k < this.#domains.length; k++) {
      const { members, log } = this.#domains[k];
      let from = -2;
      let count = 0;
      for (let i = 0; i < cpus.length; i++) {
        const cpu = cpus[i];
        if (members[cpu] !== 1) continue;
        const was = this.#classOf[cpu];
        if (was !== from) {
          if (count > 0 && from !== to) log.move(timeS, from, to, count);
          from = was;
          count = 0;
        }
        count++;
      }
      if (count > 0 && from !== to) log.move(timeS, from, to, count);
    }
    for (let i = 0; i < cpus.length; i++) {
      if (cpus[i] < this.#classOf.length) this.#classOf[cpus[i]] = to;
    }
  }

  /**
   * A region took time since the last step, without edges.
   *
   * @param cpus Those that it took it on, each for so long.
   * @param between By edges that time is that of what the CPUs show.
   * @default it is that of the outermost region around it
   */
  folded(region: number, seconds: number, cpus: ArrayLike<number>, between?: Between): void {
    const c = inner(region + 1);
    for (const { members, folded, wholes } of this.#domains) {
      let count = 0, shown = -1;
      for (let i = 0; i < cpus.length; i++) {
        if (members[cpus[i]] !== 1) continue;
        count++;
        shown = this.#classOf[cpus[i]];
      }
      if (count === 0) continue;
      if (between === undefined) folded.add(c, this.#outermostOf(c), seconds * count);
      else if (!between.isNested) wholes.add(c, seconds * count, between.isPast ? -1 : shown, 0);
      else wholes.add(c, seconds * count, this.#commonOf(c, shown), this.#outermostOf(c));
    }
  }

  /** The innermost class that two are in, or are; −1: none but `unmarked`. Parents have lesser numbers. */
  #commonOf(a: number, b: number): number {
    const parentOf = this.#options.parentOf;
    if (parentOf === undefined) return -1;
    while (a !== b && a > 0 && b > 0) {
      if (a > b) a = parentOf(a);
      else b = parentOf(b);
    }
    return a === b && a > 0 ? a : -1;
  }

  #outermostOf(c: number): number {
    if (c >= this.#outermost.length) this.#outermost = grown(this.#outermost, c + 1, -1);
    const known = this.#outermost[c];
    return known >= 0 ? known : this.#outermost[c] = this.#options.outermostOf?.(c) ?? c;
  }

  /**
   * A sample: every edge up to its time has been received.
   *
   * @param valuesJ Readings in the order of the counters, without wraps; NaN: none.
   * @param stampsS When they were taken, on the source's clock; NaN: it has none.
   */
  step(timeS: number, valuesJ: Float64Array, stampsS: Float64Array): void {
    for (let d = 0; d < this.#domains.length; d++) {
      const { log, folded, wholes, counters } = this.#domains[d];
      let needed = log.next;
      let neededS = timeS;
      folded.sample(timeS);
      wholes.sample(timeS);
      for (let i = 0; i < counters.length; i++) {
        const k = counters[i];
        const counter = this.#counters[k];
        counter.step(timeS, valuesJ[k], stampsS[k]);
        if (counter.cursor < needed) needed = counter.cursor;
        if (counter.foldedS < neededS) neededS = counter.foldedS;
      }
      log.release(needed);
      folded.release(neededS);
      wholes.times.release(neededS);
    }
  }

  /**
   * Energies so far.
   *
   * @param isLast The run is over.
   */
  result(isLast: boolean): AttributionResult {
    const results = this.#counters.map((counter) => counter.result(isLast));
    const kinds = new Map<Kind, KindResult>();
    for (const kind of KINDS) {
      const own = this.#options.counters.flatMap((spec, k) =>
        spec.kind === kind && results[k].seen ? [{ index: spec.index, result: results[k] }] : []
      );
      if (own.length === 0) continue;
      // A process may use a device whatever its CPUs are.
      kinds.set(kind, outside(addUp(own, kind === "gpu" ? 0 : OTHER_CLASS)));
    }
    return kinds;
  }

  /**
   * A process has not these CPUs, as it seemed at its begin. In a domain that others use they count for nothing; the
   * energy of another domain is that of no process.
   */
  disown(timeS: number, cpus: ArrayLike<number>): void {
    for (const domain of this.#domains) {
      const { members, log } = domain;
      for (let i = 0; i < cpus.length; i++) {
        const c = members[cpus[i]] === 1 ? this.#classOf[cpus[i]] : -1;
        if (c < 0) continue;
        log.insert(timeS, c, -1);
        log.owned--;
      }
      if (log.owned === 0) this.#leave(domain, timeS);
    }
    for (let i = 0; i < cpus.length; i++) this.#classOf[cpus[i]] = -1;
  }

  #leave(domain: Domain, timeS: number): void {
    if (domain.others === 0) domain.log.insert(timeS, OTHER_CLASS, 1);
    domain.others = 1;
  }

  /** A domain has no process from the run's begin to the first process on its CPUs. */
  #beginAt(timeS: number, cpus: ArrayLike<number>): void {
    const isFirst = !this.#isBegun;
    this.#isBegun = true;
    for (const domain of this.#domains) {
      const { members, log } = domain;
      if (!isFirst && domain.others === 0) continue;
      let isHere = false;
      for (let i = 0; i < cpus.length && !isHere; i++) isHere = members[cpus[i]] === 1;
      if (!isHere && isFirst) {
        log.firstS = timeS;
        this.#leave(domain, timeS);
      } else if (isHere && domain.others > 0) {
        log.insert(timeS, OTHER_CLASS, -1);
        domain.others = 0;
      }
    }
  }

  #begin(): Omit<Domain, "members" | "counters"> {
    const log = new EdgeLog();
    return { log, folded: new FoldedTimes(), wholes: new WholeVisits(log), others: 0 };
  }

  #open(): void {
    const { counters } = this.#options;
    this.#counters = [];
    counters.forEach(({ updatePeriodS, stamped }, k) => {
      const { log, folded, wholes } = this.#domains
        .find(({ counters }) => counters.includes(k))!;
      this.#counters.push(
        new CounterAttribution(log, { updatePeriodS, stamped, folded, whole: wholes.times }),
      );
    });
  }
}

/** Results by the classes of the caller. */
function outside(result: KindResult): KindResult {
  return {
    totalJ: result.totalJ,
    of: (c) => result.of(inner(c)),
    sum: (classes) => result.sum(classes.map(inner)),
    otherCpus: result.of(OTHER_CLASS),
    counters: result.counters,
  };
}
