/**
 * True energies of a simulated node, by region, exact to rounding.
 * @module
 */

/** One class of CPU time: a region, time outside all regions, or CPUs without an owner. */
export interface ClassTruth {
  /** J, with its part of the energy without an owner: see power_model.ts. */
  readonly joules: number;
  readonly cpuSeconds: number;
}

/** One counter's domain. */
export interface DomainTruth {
  readonly joules: number;
  readonly regions: ReadonlyMap<string, ClassTruth>;
  readonly unmarked: ClassTruth;
  readonly unowned: ClassTruth;
}

/** Since the node began; regions and the rest add up to each domain's energy. */
export interface SimTruth {
  readonly seconds: number;
  /** By package. */
  readonly package: readonly DomainTruth[];
  readonly dram: readonly DomainTruth[];
  readonly node: DomainTruth;
  /** Edges that came for a time already published, and were moved to the present. */
  readonly lateEdges: number;
}

/** Energies that counters show at a moment, J since the beginning, in their own resolution. */
export interface ShownCounters {
  readonly packageJ: readonly number[];
  readonly dramJ: readonly number[];
  /** Energy of pm_counters, whole joules, and the time of that sample, s since 1970. */
  readonly nodeJ: number;
  readonly nodeStampS: number;
}
