/**
 * Variances of energies: what the blocks of a run disagree by, what lies inside intervals, and what
 * the lag is not known to. docs/how-sure.md, "How sure".
 * @module
 */
import { triangle } from "./triangle.ts";
import { type FitStream } from "./fit_stream.ts";
import { rowTimes, type Solution } from "./nnls.ts";

/** Variances in J². */
export interface Variances {
  /** By class: between blocks or between intervals, whichever is greater, and inside intervals. */
  readonly single: Float64Array;
  /** Of the sum over some classes. */
  sumOf(classes: readonly number[]): number;
}

/** V1 and V2 of the stream's middle lag. @param classes Number of classes. */
export function variances(stream: FitStream, solution: Solution, classes: number): Variances {
  const { influence } = stream;
  const members = solution.factor.members;
  const n = stream.counted;
  const between = blockInfluences(stream, solution, classes);
  const count = between.length;
  const correction = (count / Math.max(1, count - 1)) * (n / Math.max(1, n - members.length));
  const s2 = solution.rss / Math.max(1, n);
  const inner = s2 * (1 - stream.theta) ** 2;
  const each = intervalVariances(stream, solution, classes);
  const single = new Float64Array(classes);
  const inside = (c: number) => c < influence.inside.length ? influence.inside[c] * inner : 0;
  for (let c = 0; c < classes; c++) {
    let blocks = 0;
    for (const psi of between) blocks += psi[c] * psi[c];
    single[c] = Math.max(blocks, each[c]) * correction + inside(c);
  }
  return {
    single,
    sumOf(some) {
      let blocks = 0;
      for (const psi of between) {
        let sum = 0;
        for (const c of some) sum += psi[c];
        blocks += sum * sum;
      }
      let theirs = 0;
      let others = 0;
      for (let c = 0; c < classes; c++) {
        if (some.includes(c)) theirs += inside(c);
        else others += inside(c);
      }
      // What leaves one side arrives on the other.
      return blocks * correction + Math.min(theirs, others);
    },
  };
}

/** ψ of every block, by class: G(c − Aπ) + second terms. */
function blockInfluences(stream: FitStream, solution: Solution, classes: number): Float64Array[] {
  const { shares } = stream.lags[1];
  const { power, factor } = solution;
  const left = new Float64Array(classes);
  const x = new Float64Array(classes);
  return stream.influence.blocks.map(({ sums, second }) => {
    const known = Math.min(classes, sums.c.length);
    left.fill(0);
    x.fill(0);
    const part = power.subarray(0, known);
    for (let i = 0; i < known; i++) left[i] = sums.c[i] - rowTimes(sums.a, i, part);
    factor.solve(left, x);
    const psi = new Float64Array(classes);
    for (let i = 0; i < classes; i++) {
      let sum = (i < second.length ? second[i] : 0) + shares.d[i] * x[i];
      const row = i * shares.stride;
      for (let j = 0; j < classes; j++) sum -= shares.m[row + j] * x[j];
      psi[i] = sum;
    }
    return psi;
  });
}

/** Diagonal of Σ ψ_k ψ_kᵀ = G U Gᵀ + 2 G W + Σ v². */
function intervalVariances(stream: FitStream, solution: Solution, classes: number): Float64Array {
  const { shares } = stream.lags[1];
  const { u, uv, vv, stride } = stream.influence;
  const { factor } = solution;
  const unit = new Float64Array(classes);
  const g = new Float64Array(classes);
  const result = new Float64Array(classes);
  for (let r = 0; r < classes; r++) {
    // Row r of G: A⁻¹ times row r of D − M.
    for (let j = 0; j < classes; j++) {
      unit[j] = (j === r ? shares.d[r] : 0) - shares.m[r * shares.stride + j];
    }
    g.fill(0);
    factor.solve(unit, g);
    let sum = r < vv.length ? vv[r] : 0;
    for (const i of factor.members) {
      if (i >= stride) continue;
      let row = u[triangle(i) + i] * g[i] / 2;
      for (const j of factor.members) if (j < i) row += u[triangle(i) + j] * g[j];
      sum += 2 * g[i] * (row + uv[i * stride + r]);
    }
    result[r] = Math.max(0, sum);
  }
  return result;
}
