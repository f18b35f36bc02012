/**
 * From the domains of a kind to one value for some classes: a region and all that is nested in it. Package energy is
 * the sum over packages; covariances of classes go with it.
 * @module
 */
import { MAX_ERROR } from "./estimate.ts";
import type { DomainResult } from "./node.ts";
import { OWN } from "./pieces.ts";

/** Energy of some classes together, J. */
export interface FittedEnergy {
  /** NaN: it cannot be determined. */
  readonly fitJ: number;
  readonly seJ: number;
  /** What their load caused, whenever it was drawn. */
  readonly causedJ: number;
  /** Seconds of CPUs. */
  readonly cpuS: number;
  /** Power of the domains while all their CPUs were in these classes, W. */
  readonly powerW: number;
  /** Why it cannot be determined. */
  readonly why?: string;
}

/** Of a class without a place of its own, half of what it would have by time is unknown. */
const JOINED_ERROR = 0.5;

/** Where most of an error comes from, in words. */
const CAUSES: Record<string, string> = {
  posterior: "powers cannot be separated",
  blocks: "power varies more than the regions explain",
  edges: "the counter's updates are too coarse for these visits",
  beside: "shared with regions on other CPUs",
  outside: "most of its time is before the first or after the last update of the counter",
  responses: "how the counter answers is not known",
  joined: "one of many short regions",
};

/** Energy of some classes, over the domains of one kind. */
export function sumOf(domains: readonly DomainResult[], classes: readonly number[]): FittedEnergy {
  let energyJ = 0, causedJ = 0, variance = 0, cpuS = 0, capacity = 0;
  let refusal: string | undefined;
  const causes = new Map<string, number>();
  const add = (name: string, of: number) => causes.set(name, (causes.get(name) ?? 0) + of);
  for (const domain of domains) {
    const { ids, seconds, joinedS, covariance } = domain, n = ids.length, at: number[] = [];
    let ownS = 0, joined = 0;
    const shared = ids.indexOf(OWN.joined);
    for (const id of classes) {
      const c = domain.indexOf.get(id);
      if (c !== undefined) {
        at.push(c);
        ownS += seconds[c];
      } else joined += joinedS.get(id) ?? 0;
    }
    cpuS += ownS + joined;
    if (!(ownS + joined > 0)) continue;
    capacity += domain.capacity;
    refusal ??= domain.refusal;
    for (const c of at) {
      energyJ += domain.energyJ[c];
      causedJ += domain.causedJ[c];
      for (const r of at) variance += covariance[r * n + c];
      for (const [name, of] of Object.entries(domain.parts ?? {})) add(name, of[c]);
    }
    if (!(joined > 0)) continue;
    const part = joined / seconds[shared], joules = part * domain.energyJ[shared];
    energyJ += joules;
    causedJ += joules;
    variance += (JOINED_ERROR * joules) ** 2;
    add("joined", (JOINED_ERROR * joules) ** 2);
  }
  const seJ = Math.sqrt(Math.max(0, variance)), powerW = capacity * energyJ / cpuS;
  const known = { cpuS, seJ, powerW };
  if (refusal !== undefined) {
    return { ...known, fitJ: NaN, causedJ: NaN, powerW: NaN, why: refusal };
  }
  if (cpuS === 0) return { ...known, fitJ: 0, causedJ: 0, powerW: NaN };
  if (energyJ > 0 && seJ <= MAX_ERROR * energyJ) return { ...known, fitJ: energyJ, causedJ };
  const [cause] = [...causes].sort((a, b) => b[1] - a[1])[0] ?? ["posterior"];
  return { ...known, fitJ: NaN, causedJ: NaN, powerW: NaN, why: CAUSES[cause] };
}
