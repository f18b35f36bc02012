/**
 * The fit of regions' energies in a run: one for each kind of counters, over the lanes of the tracker.
 * @module
 */
import { KINDS } from "../../energy/edges/attribution.ts";
import type { EnergyKind } from "../../core/region_tree.ts";
import { type DomainFacts, KindEnergies, workOn } from "../../energy/attribution/kind.ts";
import { OWN } from "../../energy/attribution/pieces.ts";
import type { FittedEnergy } from "../../energy/attribution/run_sum.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";
import type { EnergyCounter } from "./energy_counters.ts";
import { outermostPlain } from "./paths_without_edges.ts";

/** More paths, or more threads over time, cost a fit too much: no energy is determined then. */
const MAX_PATHS = 10_000, MAX_THREADS = 2_000;
/** Fits go on in this part of the time between two samples: what is not done in the run is waited for after it. */
const WORK_PART = 0.08;
/** The reason then. */
export const TOO_MANY = `more than ${MAX_PATHS} regions or ${MAX_THREADS} threads`;

/** Energies by fit; classes are paths, 0 is outside of all regions. */
export class FittedEnergies {
  readonly #kinds = new Map<EnergyKind, {
    readonly energies: KindEnergies;
    /** Places of its counters. */
    readonly at: readonly number[];
    readonly values: Float64Array;
    readonly stamps: Float64Array;
  }>();
  readonly #all: readonly KindEnergies[];
  #generation = 0;
  #threads = 0;
  /** Time of the last step. */
  #stepS = NaN;
  /** There are too many paths or threads. */
  isOver = false;

  constructor(
    counters: readonly EnergyCounter[],
    cpuCount: number,
    readonly tracker: RegionTracker,
  ) {
    for (const kind of KINDS) {
      const at = counters.flatMap((counter, k) => counter.kind === kind ? [k] : []);
      if (at.length === 0) continue;
      this.#kinds.set(kind, {
        energies: new KindEnergies(
          at.map((k) => counters[k]),
          cpuCount,
          kind === "gpu",
          kind === "node" ? this.#kinds.get("package")?.energies : undefined,
        ),
        at,
        values: new Float64Array(at.length),
        stamps: new Float64Array(at.length),
      });
    }
    this.#all = [...this.#kinds.values()].map(({ energies }) => energies);
    tracker.lanes.push({
      live: (timeS, lane, cpus) => {
        if (this.isOver || ++this.#threads > MAX_THREADS) return this.#giveUp();
        // Another process took the command's place; what was before is not the application's.
        if (tracker.generation !== this.#generation && this.#generation > 0) {
          for (const kind of this.#all) kind.restart();
        }
        this.#generation = tracker.generation;
        for (const kind of this.#all) kind.live(timeS, lane, cpus);
      },
      move: (timeS, lane, path) => {
        if (this.isOver || path > MAX_PATHS) return this.#giveUp();
        for (let k = 0; k < this.#all.length; k++) this.#all[k].edge(timeS, lane, path);
      },
      fold: (lane, path, seconds, around) => {
        if (this.isOver || path > MAX_PATHS) return this.#giveUp();
        const outer = around < 0 ? outermostPlain(tracker, path) : around;
        for (const kind of this.#all) kind.fold(lane, path, seconds, outer);
      },
      ranOutside: (timeS, lane, seconds) => {
        if (this.isOver) return;
        for (const kind of this.#all) kind.ranOutside(timeS, lane, seconds);
      },
      end: (timeS, lane) => {
        if (this.isOver) return;
        for (const kind of this.#all) kind.end(timeS, lane);
      },
    });
  }

  #giveUp(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const kind of this.#all) kind.restart();
  }

  /** A sample: values of all counters, J, and when they were taken, s; NaN: there is none. */
  step(timeS: number, valuesJ: Float64Array, stampsS: Float64Array): void {
    if (this.isOver) return;
    for (const { energies, at, values, stamps } of this.#kinds.values()) {
      for (let k = 0; k < at.length; k++) {
        values[k] = valuesJ[at[k]];
        stamps[k] = stampsS[at[k]];
      }
      energies.step(timeS, values, stamps);
    }
    const spareMs = 1000 * WORK_PART * (timeS - this.#stepS), beganMs = performance.now();
    this.#stepS = timeS;
    workOn(this.#all, () => performance.now() - beganMs < spareMs);
  }

  /** The run is over, or a report is due. */
  finish(): void {
    if (this.isOver) return;
    for (const kind of this.#all) kind.finish();
  }

  /** Energy of some paths together. */
  sum(kind: EnergyKind, paths: readonly number[]): FittedEnergy {
    return this.#kinds.get(kind)!.energies.sum.sum(paths);
  }

  /** Energy of CPUs that no lane may use, and of the time without lanes, J. */
  rest(kind: EnergyKind): { fitJ: number; seJ: number } {
    if (this.isOver) return { fitJ: NaN, seJ: NaN };
    const { energyJ, seJ } = this.#kinds.get(kind)!.energies.sum.total([OWN.other, OWN.outside]);
    return { fitJ: energyJ, seJ };
  }

  /** Classes that are not determined, and what they have together; what no lane has, J. */
  all(kind: EnergyKind): {
    undetermined: number[];
    energyJ: number;
    seJ: number;
    otherJ: number;
    outsideJ: number;
  } {
    const { sum } = this.#kinds.get(kind)!.energies;
    const undetermined = sum.ids.filter((id) => sum.sum([id]).why !== undefined);
    const { energyJ, seJ } = sum.total(undetermined);
    const joulesOf = (id: number) => sum.total([id]).energyJ;
    const otherJ = joulesOf(OWN.other), outsideJ = joulesOf(OWN.outside);
    return { undetermined, energyJ, seJ, otherJ, outsideJ };
  }

  /** Facts of counters, by the index of the first of those that count as one. */
  *facts(kind: EnergyKind): Generator<{ index: number; facts: DomainFacts }> {
    if (this.isOver) return;
    const { energies } = this.#kinds.get(kind)!;
    for (const [first, facts] of energies.facts) {
      yield { index: energies.counters[first].index, facts };
    }
  }
}
