/**
 * Energies of pairs of classes on different lanes, and what cannot be known of them.
 *
 * The counter has Q_ab, the joules of a beside b, not its parts. Rule: reference is a beside its like (Q_aa/2); what
 * a mixed pair draws beyond both references is divided in proportion to powers.
 * @module
 */
import type { Pairs } from "./pairs.ts";
import type { Domain } from "./domain.ts";
import { clamp, dot, quadratic } from "./linear.ts";
import { FAMILY } from "./model.ts";
import type { Solution } from "./solve.ts";

/**
 * Pair effects are real if rms(û/se) is above this: it was .05 to .42 on machines without, .94 to 1.35 with strong
 * contention. Part by which what a class does to all others alike is unknown: chosen on strong contention.
 */
const REAL = 0.7, ALIKE = 0.6;

/** Watts of pairs, as linear functions of θ. */
interface Watts {
  /** g: beyond the powers of its classes; delta: beyond both references. */
  readonly of: readonly { readonly g: Float64Array; readonly delta: Float64Array }[];
  /** Activity beside CPUs of the same class, by class. */
  readonly like: ReadonlyMap<number, Float64Array>;
  readonly none: Float64Array;
}

/** Watts of the pairs. @param first Column of the first pair; the common one follows the last. */
export function pairWatts(pairs: Pairs, solution: Solution, first: number): Watts {
  const p = solution.fit.theta.length, { scale } = solution, none = new Float64Array(p);
  const common = first + pairs.list.length;
  const g = pairs.list.map(({ a, b }, j) => {
    const own = new Float64Array(p);
    own[first + j] = scale[first + j];
    own[common] = pairs.activity[a] * pairs.activity[b] * scale[common];
    return own;
  });
  const like = new Map<number, Float64Array>();
  pairs.list.forEach(({ a, b }, j) => a === b && like.set(a, g[j].map((x) => x / 2)));
  const of = pairs.list.map(({ a, b }, j) => {
    const la = like.get(a) ?? none, lb = like.get(b) ?? none;
    return { g: g[j], delta: g[j].map((x, k) => x - la[k] - lb[k]) };
  });
  return { of, like, none };
}

/** Adds pairs' energies to their classes' rows of D. */
export function addPairs(d: Float64Array, pairs: Pairs, watts: Watts, powers: Float64Array): void {
  const p = watts.none.length;
  const add = (c: number, v: Float64Array, factor: number) => {
    for (let k = 0; k < p; k++) d[c * p + k] += factor * v[k];
  };
  pairs.list.forEach(({ a, b, seconds }, j) => {
    const { g, delta } = watts.of[j], part = powers[a] / (powers[a] + powers[b]);
    if (a === b) return add(a, g, seconds);
    add(a, watts.like.get(a) ?? watts.none, seconds);
    add(a, delta, seconds * part);
    add(b, watts.like.get(b) ?? watts.none, seconds);
    add(b, delta, seconds * (1 - part));
  });
}

/**
 * Covariance of how pairs' energies are divided: X Xᵀ/2 with X = diag(P1) − P: the victim takes all, or nothing, for
 * all partners of a class alike, and sums stay exact. P_ab: joules of the pair that could be the other's.
 */
export function dividedCovariance(
  domain: Domain,
  solution: Solution,
  pairs: Pairs,
  watts: Watts,
): Float64Array {
  const { classes: n, seconds } = domain, { fit: { theta, v }, powers } = solution;
  const columns = [...solution.families.keys()].filter((j) =>
    solution.families[j] === FAMILY.beside
  );
  const out = new Float64Array(n * n), joules = new Float64Array(n * n);
  const size = (of: Float64Array) => Math.abs(dot(of, theta));
  pairs.list.forEach(({ a, b, seconds: s }, j) => {
    if (a === b) return;
    const { g, delta } = watts.of[j];
    const la = watts.like.get(a) ?? watts.none, lb = watts.like.get(b) ?? watts.none;
    joules[a * n + b] = joules[b * n + a] = s / 2 *
      Math.max(size(delta), size(g), size(la), size(lb));
    const x = s * s / 4 * quadratic(v, delta);
    out[a * n + a] += x;
    out[b * n + b] += x;
    out[a * n + b] -= x;
    out[b * n + a] -= x;
  });
  addExtremes(out, joules, n);
  let square = 0, ratio = 0;
  for (const j of columns) {
    square += theta[j] ** 2 / columns.length;
    ratio += theta[j] ** 2 / v[j * theta.length + j] / columns.length;
  }
  if (!(Math.sqrt(ratio) > REAL)) return out;
  // What a class does to all others alike looks like its own power, and shows only by the spread of theirs.
  let all = 0, mean = 0, spread = 0;
  for (let c = 0; c < n; c++) all += seconds[c];
  for (let c = 0; c < n; c++) mean += seconds[c] * powers[c] / all;
  for (let c = 0; c < n; c++) spread += seconds[c] * (powers[c] - mean) ** 2 / all;
  const unknown = Math.sqrt(square) / clamp(Math.sqrt(spread) / mean, 0.2, 1) * ALIKE;
  for (let a = 0; a < n; a++) {
    for (let b = 0; b < n; b++) {
      const shared = pairs.together[a * n + b] * Math.sqrt(powers[a] * powers[b]);
      joules[a * n + b] = a === b ? 0 : shared * unknown;
    }
  }
  addExtremes(out, joules, n);
  return out;
}

function addExtremes(out: Float64Array, joules: Float64Array, n: number): void {
  const x = joules.map((s) => -s);
  for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) x[a * n + a] += joules[a * n + b];
  for (let a = 0; a < n; a++) {
    for (let b = 0; b < n; b++) out[a * n + b] += dot(x, x, n, a * n, b * n) / 2;
  }
}
