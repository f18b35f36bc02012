/**
 * Leaves of stacks as classes: in each region the functions with most time of their own, and the others as one.
 * @module
 */
import type { FunctionStack, LeafClasses } from "./function_data.ts";
import { rowKey } from "./names.ts";
import type { StackCost } from "./profile.ts";

/** Classes of stacks with samples, and their regions. */
export interface LeafSources {
  readonly costs: readonly StackCost[];
  readonly stacks: readonly FunctionStack[];
  /** Number of regions; the first one is outside of all others. */
  readonly regions: number;
  /** The region of a stack. */
  regionOf(stack: FunctionStack): number;
}

/** @param most Classes at most: what has less time shares the last one of its region. */
export function leafClasses(
  { costs, stacks, regions, regionOf }: LeafSources,
  most: number,
): LeafClasses {
  interface Leaf {
    readonly key: string;
    readonly region: number;
    ns: number;
    at: number;
  }
  const leaves = new Map<string, Leaf>(), byNode = new Map<number, Leaf>();
  costs.forEach(({ node, ns, samples }, i) => {
    const frame = stacks[i].frames.at(-1);
    if (samples === 0 || frame === undefined) return;
    const region = regionOf(stacks[i]), name = rowKey(frame);
    const key = region === 0 ? name : `${name}\0${region}`;
    const leaf = leaves.getOrInsertComputed(key, () => ({ key, region, ns: 0, at: -1 }));
    leaf.ns += ns;
    byNode.set(node, leaf);
  });
  const order = [...leaves.values()].sort((a, b) => b.ns - a.ns || (a.key < b.key ? -1 : 1));
  const separate = Math.min(order.length, most - regions), classRegion: number[] = [];
  const joined = new Map<number, number>();
  order.forEach((leaf, i) => {
    const known = i < separate ? undefined : joined.get(leaf.region);
    leaf.at = known ?? classRegion.push(leaf.region) - 1;
    if (i >= separate) joined.set(leaf.region, leaf.at);
  });
  const count = classRegion.length, timeS = new Float64Array(count), briefS = timeS.slice();
  for (const { node, ns, briefNs, samples } of costs) {
    if (samples === 0) continue;
    const { at } = byNode.get(node)!;
    timeS[at] += ns / 1e9;
    briefS[at] += briefNs / 1e9;
  }
  return {
    count,
    separate,
    timeS,
    briefS,
    of: (node) => byNode.get(node)?.at ?? -1,
    regionOf: (leaf) => classRegion[leaf],
  };
}
