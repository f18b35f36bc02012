/**
 * What each interval's energy is shared out by, at one lag: b = Σ σ E, M = Σ σ τᵀ, D = Σ τ.
 *
 * An interval's energy goes to its classes by σ_r = τ_r p_r / Σ τ_s p_s, with the best powers known
 * so far. What that mixes up, (D − M)π undoes: T = b + (D − M)π. Columns of M add up to those of D,
 * so Σ T = Σ E whatever the powers are. Columns are in M and D like classes, but take no share.
 * docs/how-sure.md.
 * @module
 */
import { grown } from "../../../core/grow.ts";
import type { LagRow } from "./lag_row.ts";
import { widened } from "./triangle.ts";

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
  /** Whether the powers of all classes of the row are known. */
  certain = true;
  #power: Float64Array = new Float64Array(0);
  #isKnown: Uint8Array = new Uint8Array(0);
  #floor = 0;
  #allJ = 0;
  #allS = 0;

  /** Powers for the rows to come, W per CPU by class. The mean stands for those not known. */
  use({ power, seen }: { power: Float64Array; seen: Uint8Array }, isColumn: Uint8Array): void {
    this.#power = power;
    this.#isKnown = seen;
    let most = 0;
    for (let i = 0; i < power.length; i++) {
      if (isColumn[i] !== 1 && power[i] > most) most = power[i];
    }
    this.#floor = FLOOR * most;
  }

  /** Takes an interval of so much energy. @param count Numbers so far. */
  take({ numbers, values, classes: n, length }: LagRow, energy: number, count: number): void {
    if (count > this.stride) this.#grow(count);
    if (n > this.sigma.length) this.sigma = grown(this.sigma, n);
    const { sigma, b, d, m, stride } = this;
    let all = 0;
    let expected = 0;
    this.certain = true;
    const mean = this.meanW;
    this.#allJ += energy;
    for (let k = 0; k < n; k++) {
      const c = numbers[k];
      const t = values[k];
      const isKnown = c < this.#isKnown.length && this.#isKnown[c] === 1;
      const known = isKnown ? this.#power[c] : mean;
      if (!isKnown && t > 0) this.certain = false;
      this.#allS += t;
      // Without any power, all CPU time is worth the same.
      const p = known > this.#floor ? known : this.#floor > 0 ? this.#floor : 1;
      sigma[k] = t * p;
      all += t * p;
      expected += t * known;
    }
    for (let k = n; k < length; k++) {
      const c = numbers[k];
      d[c] += values[k];
      if (c < this.#power.length) expected += this.#power[c] * values[k];
    }
    this.leftJ = energy - expected;
    for (let k = 0; k < n; k++) {
      const c = numbers[k];
      // An interval without CPU time is shared evenly: it can only be a small part of one.
      const s = sigma[k] = all > 0 ? sigma[k] / all : 1 / n;
      b[c] += s * energy;
      d[c] += values[k];
      const row = c * stride;
      for (let j = 0; j < length; j++) m[row + numbers[j]] += s * values[j];
    }
  }

  /** Energy over CPU-seconds of all rows, W; 0 without any. */
  get meanW(): number {
    return this.#allS > 0 ? this.#allJ / this.#allS : 0;
  }

  /**
   * T = b + (S − M)π, by class.
   *
   * @param seconds S: CPU-seconds that a class's power stands for. @param out What columns give each
   * class comes in, and stays in it.
   */
  energies(power: Float64Array, seconds: Float64Array, out: Float64Array): void {
    for (let i = 0; i < out.length; i++) {
      let sum = out[i] + this.b[i] + seconds[i] * power[i];
      const row = i * this.stride;
      for (let j = 0; j < power.length; j++) sum -= this.m[row + j] * power[j];
      out[i] = sum;
    }
  }

  #grow(classes: number): void {
    this.b = grown(this.b, classes);
    this.d = grown(this.d, this.b.length);
    this.m = widened(this.m, this.stride, this.b.length);
    this.stride = this.b.length;
  }
}
