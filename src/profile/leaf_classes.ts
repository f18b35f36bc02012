/**
 * Leaves of stacks as classes: the functions with most time of their own, and the others as one.
 * @module
 */
import type { FunctionStack, LeafClasses } from "./function_data.ts";
import { rowKey } from "./names.ts";
import type { StackCost } from "./profile.ts";

/** Classes of stacks with samples. @param most Classes at most; what has less time shares the last one. */
export function leafClasses(
  costs: readonly StackCost[],
  stacks: readonly FunctionStack[],
  most: number,
): LeafClasses {
  const times = new Map<string, number>(), keys = new Map<number, string>();
  costs.forEach(({ node, ns, samples }, i) => {
    const leaf = stacks[i].frames.at(-1);
    if (samples === 0 || leaf === undefined) return;
    const key = rowKey(leaf);
    keys.set(node, key);
    times.set(key, (times.get(key) ?? 0) + ns);
  });
  const order = [...times].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const number = new Map(order.map(([key], i) => [key, Math.min(i, most)]));
  const count = Math.min(order.length, most + 1);
  const timeS = new Float64Array(count), briefS = new Float64Array(count);
  const of = (node: number) => number.get(keys.get(node) ?? "") ?? -1;
  for (const { node, ns, briefNs, samples } of costs) {
    if (samples === 0) continue;
    timeS[of(node)] += ns / 1e9;
    briefS[of(node)] += briefNs / 1e9;
  }
  return { count, timeS, briefS, of };
}
