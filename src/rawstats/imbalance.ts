/**
 * How unevenly a job works: over its nodes, and over its time.
 *
 * @module
 */
import type { MetricSums } from "./metric_sums.ts";

/** Greatest over nodes of mean((max − rate) / max) of user time: 0 for even nodes; NaN without any. */
export function nodeImbalance(nodes: readonly MetricSums[]): number {
  const length = Math.min(...nodes.map((node) => node.userRates.length));
  if (nodes.length === 0 || length === 0) return NaN;
  const sums = new Float64Array(nodes.length);
  for (let i = 0; i < length; i++) {
    const max = Math.max(...nodes.map((node) => node.userRates[i]));
    nodes.forEach((node, n) => sums[n] += max > 0 ? (max - node.userRates[i]) / max : 0);
  }
  return Math.max(...sums) / length;
}

/** How far the work falls off: 1 for an even job, towards 0 for one that stops early. */
export function timeImbalance(node: MetricSums): number {
  const { userTimes: t, userRates: r } = node;
  const area = new Float64Array(t.length);
  for (let i = 1; i < t.length; i++) {
    area[i] = area[i - 1] + (r[i] + r[i - 1]) / 2 * (t[i] - t[i - 1]);
  }
  const end = t.length - 1;
  let least = NaN;
  for (let i = 2; i <= end - 2; i++) {
    const before = area[i] / (t[i] - t[0]);
    const after = (area[end] - area[i]) / (t[end] - t[i]);
    if (before > 0 && !(after / before >= least)) least = after / before;
  }
  return least;
}
