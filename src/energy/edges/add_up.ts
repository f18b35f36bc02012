/**
 * From the counters of a kind to one value for a set of classes: a region and all that is nested
 * in it. Package energy is the sum over packages.
 * @module
 */
import type { CounterResult } from "./counter_attribution.ts";

/** Energy of one class, or of several together, of one kind, by the difference of readings at the edges. */
export interface ExactEnergy {
  /** J. */
  readonly exactJ: number;
  /**
   * Power of the domains while all their CPUs of the application were in the class, W; NaN: never. Domains without
   * such CPUs have no part in it.
   */
  readonly powerW: number;
  /** CPU-seconds by edges, over the domains of these counters. */
  readonly cpuS: number;
}

/** Facts about one counter other than energies. */
export interface CounterFacts {
  readonly index: number;
  readonly updatePeriodS: number;
  readonly changes: number;
  readonly breaks: number;
}

/** One kind of counters. */
export interface KindResult {
  readonly totalJ: number;
  /** Class 0 is `unmarked`, class r + 1 region r; classes that were never seen are 0 J. */
  readonly of: (classIndex: number) => ExactEnergy;
  /** Several classes together. */
  readonly sum: (classes: readonly number[]) => ExactEnergy;
  /** CPUs while none of their processes lives, and domains that no process may use. */
  readonly otherCpus: ExactEnergy;
  readonly counters: readonly CounterFacts[];
}

/**
 * Adds up counters of one kind.
 *
 * @param unused Class of the energy of a domain that no process may use.
 */
export function addUp(
  parts: readonly { index: number; result: CounterResult }[],
  unused: number,
): KindResult {
  const results = parts.map((part) => part.result);
  const cpus = results.reduce((sum, { cpus }) => sum + cpus, 0);
  const sum = (classes: readonly number[]) => sumOf(results, classes, { cpus, unused });
  return {
    totalJ: results.reduce((sum, { totalJ }) => sum + totalJ, 0),
    of: (c) => sum([c]),
    sum,
    otherCpus: sum([unused]),
    counters: parts.map(({ index, result: { updatePeriodS, changes, breaks } }) => ({
      index,
      updatePeriodS,
      changes,
      breaks,
    })),
  };
}

function sumOf(
  counters: readonly CounterResult[],
  classes: readonly number[],
  { cpus, unused }: { cpus: number; unused: number },
): ExactEnergy {
  let exactJ = 0, cpuS = 0, powerS = 0;
  /** Energy of domains that no process may use. */
  let besideJ = 0;
  for (const { cpus: own, totalJ, exactJ: joules, seconds, leadS } of counters) {
    if (own === 0) {
      if (classes.includes(unused)) besideJ += totalJ;
      continue;
    }
    let ownS = 0;
    for (const c of classes) {
      exactJ += joules[c] ?? 0;
      ownS += seconds[c] > 0 ? seconds[c] : 0;
    }
    cpuS += ownS;
    powerS += classes.includes(0) && ownS > 0 ? ownS + leadS : ownS;
  }
  const powerW = cpuS > 0 ? cpus * exactJ / powerS : NaN;
  return { exactJ: exactJ + besideJ, powerW, cpuS };
}
