/**
 * Seeded random numbers: the same seed gives the same node, program and noise on every machine.
 *
 * xoshiro128** (Blackman, Vigna: "Scrambled linear pseudorandom number generators", 2021), seeded
 * by splitmix32.
 * @module
 */

/** A generator with a seed. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;
  #spare = NaN;

  /** @param seed Any number; its lower 53 bits count. */
  constructor(seed: number) {
    let state = (seed ^ Math.floor(seed / 4294967296)) >>> 0;
    const next = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return (z ^ (z >>> 15)) >>> 0;
    };
    [this.#a, this.#b, this.#c, this.#d] = [next(), next(), next(), next()];
  }

  /** 32 random bits. */
  bits(): number {
    const times5 = Math.imul(this.#b, 5);
    const result = Math.imul((times5 << 7) | (times5 >>> 25), 9) >>> 0;
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /** Evenly from [low, high). */
  uniform(low = 0, high = 1): number {
    return low + (high - low) * ((this.bits() + this.bits() / 4294967296) / 4294967296);
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.uniform(0, count));
  }

  /** Normal, mean 0, deviation 1: the polar method. */
  normal(): number {
    if (!Number.isNaN(this.#spare)) {
      const kept = this.#spare;
      this.#spare = NaN;
      return kept;
    }
    for (;;) {
      const x = this.uniform(-1, 1);
      const y = this.uniform(-1, 1);
      const s = x * x + y * y;
      if (s >= 1 || s === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(s)) / s);
      this.#spare = y * factor;
      return x * factor;
    }
  }
}
