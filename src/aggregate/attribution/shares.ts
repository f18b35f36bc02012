/**
 * What each interval's energy is shared out by, at one lag: b = Σ σ E, M = Σ σ τᵀ, D = Σ τ.
 *
 * An interval's energy goes to its classes by σ_r = τ_r p_r / Σ τ_s p_s, with the best powers known
 * so far. What that mixes up, (D − M)π undoes: T = b + (D − M)π. Columns of M add up to those of D,
 * so Σ T = Σ E whatever the powers are. docs/how-sure.md.
 * @module
 */
import { grown } from "../../core/grow.ts";
import type { RowStore } from "./row_store.ts";

/** Least power of a class in the shares, of the greatest power. */
const FLOOR = 0.02;

/** The shares of one lag. */
export class Shares {
  /** By class: J and CPU-seconds. */
  b = new Float64Array(16);
  d = new Float64Array(16);
  /** Σ σ τᵀ, row-major by `stride`. */
  m = new Float64Array(256);
  stride = 16;
  /** σ of the row's entries, in their order, and what the powers leave of its energy, J. */
  sigma = new Float64Array(16);
  leftJ = 0;
  readonly #lag: number;
  #power: Float64Array = new Float64Array(0);
  #floor = 0;

  constructor(lag: number) {
    this.#lag = lag;
  }

  /** Powers for the rows to come, W per CPU by class. */
  use(power: Float64Array): void {
    this.#power = power;
    let most = 0;
    for (let i = 0; i < power.length; i++) if (power[i] > most) most = power[i];
    this.#floor = FLOOR * most;
  }

  /** Takes row `i`. */
  take(rows: RowStore, i: number): void {
    if (rows.count > this.stride) this.#grow(rows.count);
    const from = rows.start[i];
    const n = rows.start[i + 1] - from;
    if (n > this.sigma.length) this.sigma = grown(this.sigma, n);
    const { lags, tau, classes } = rows;
    const energy = rows.energyJ[i];
    const { sigma, b, d, m, stride } = this;
    let all = 0;
    let expected = 0;
    for (let k = 0; k < n; k++) {
      const c = classes[from + k];
      const t = tau[(from + k) * lags + this.#lag];
      const known = c < this.#power.length ? this.#power[c] : 0;
      // Without any power, all CPU time is worth the same.
      const p = known > this.#floor ? known : this.#floor > 0 ? this.#floor : 1;
      sigma[k] = t * p;
      all += t * p;
      expected += t * known;
    }
    this.leftJ = energy - expected;
    for (let k = 0; k < n; k++) {
      const c = classes[from + k];
      // An interval in which nobody had a CPU is shared evenly: it can only be a trace of one.
      const s = sigma[k] = all > 0 ? sigma[k] / all : 1 / n;
      const t = tau[(from + k) * lags + this.#lag];
      b[c] += s * energy;
      d[c] += t;
      const row = c * stride;
      for (let j = 0; j < n; j++) {
        m[row + classes[from + j]] += s * tau[(from + j) * lags + this.#lag];
      }
    }
  }

  /** T = b + (D − M)π, by class. */
  energies(power: Float64Array, out: Float64Array): void {
    for (let i = 0; i < out.length; i++) {
      let sum = this.b[i] + this.d[i] * power[i];
      const row = i * this.stride;
      for (let j = 0; j < power.length; j++) sum -= this.m[row + j] * power[j];
      out[i] = sum;
    }
  }

  #grow(classes: number): void {
    this.b = grown(this.b, classes);
    this.d = grown(this.d, this.b.length);
    const stride = this.b.length;
    const wider = new Float64Array(stride * stride);
    for (let i = 0; i < this.stride; i++) {
      wider.set(this.m.subarray(i * this.stride, (i + 1) * this.stride), i * stride);
    }
    this.m = wider;
    this.stride = stride;
  }
}
