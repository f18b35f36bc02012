/**
 * Least squares with powers that are not negative, by active set. Lawson, Hanson: "Solving Least
 * Squares Problems", chapter 23; started from the free solution, which is nearly always it.
 * @module
 */
import { Cholesky } from "./cholesky.ts";
import { triangle } from "./triangle.ts";

/** What came out, by class. */
export interface Solution {
  /** W per CPU, not negative; 0 for classes that were held or never seen. */
  readonly power: Float64Array;
  /** Classes whose power would be negative. */
  readonly held: ReadonlySet<number>;
  /** Factor of the free classes' system. */
  readonly factor: Cholesky;
  /** q − 2cᵀπ + πᵀAπ, not negative. */
  readonly rss: number;
}

/** Minimises πᵀAπ − 2cᵀπ + q over π ≥ 0. @param start Classes to hold at first. */
export function nonNegative(
  system: { a: Float64Array; c: Float64Array; q: number; classes: number },
  start: Iterable<number> = [],
): Solution {
  const { a, c, q, classes } = system;
  const seen: number[] = [];
  for (let i = 0; i < classes; i++) if (a[triangle(i) + i] > 0) seen.push(i);
  const held = new Set<number>(start);
  const power = new Float64Array(classes);
  const freed = new Set<number>();
  let factor = new Cholesky(a, seen.filter((i) => !held.has(i)));
  for (let round = 0; round < 3 * classes; round++) {
    power.fill(0);
    factor.solve(c, power);
    const worst = mostNegative(power, factor.members);
    if (worst >= 0) {
      // Many classes: all negative ones at once, and back one by one where that was too many.
      if (classes > 32 && round < 3) {
        for (const i of factor.members) if (power[i] < 0) held.add(i);
      } else held.add(worst);
    } else {
      const back = mostWanted(system, power, held, freed);
      if (back < 0) break;
      held.delete(back);
      freed.add(back);
    }
    factor = new Cholesky(a, seen.filter((i) => !held.has(i)));
  }
  for (let i = 0; i < classes; i++) if (power[i] < 0) power[i] = 0;
  let rss = q;
  for (let i = 0; i < classes; i++) {
    if (power[i] !== 0) rss += power[i] * (rowTimes(a, i, power) - 2 * c[i]);
  }
  return { power, held, factor, rss: Math.max(0, rss) };
}

/** Element i of A·x. */
export function rowTimes(a: Float64Array, i: number, x: Float64Array): number {
  let sum = 0;
  const row = triangle(i);
  for (let j = 0; j <= i; j++) sum += a[row + j] * x[j];
  for (let j = i + 1; j < x.length; j++) sum += a[triangle(j) + i] * x[j];
  return sum;
}

function mostNegative(power: Float64Array, members: readonly number[]): number {
  let worst = -1;
  for (const i of members) {
    if (power[i] < 0 && (worst < 0 || power[i] < power[worst])) worst = i;
  }
  return worst;
}

/** The held class whose power wants to grow most; each comes back once, so that it ends. */
function mostWanted(
  { a, c }: { a: Float64Array; c: Float64Array },
  power: Float64Array,
  held: ReadonlySet<number>,
  freed: ReadonlySet<number>,
): number {
  let best = -1;
  let most = 0;
  for (const i of held) {
    if (freed.has(i) || i >= power.length || !(a[triangle(i) + i] > 0)) continue;
    const gradient = (c[i] - rowTimes(a, i, power)) / Math.sqrt(a[triangle(i) + i]);
    if (gradient > most * (1 + 1e-9) && gradient > 1e-9 * Math.abs(c[i])) {
      most = gradient;
      best = i;
    }
  }
  return best;
}
