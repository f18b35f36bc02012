/**
 * Numbers that look random and are not: xorshift128 of Marsaglia ("Xorshift RNGs", 2003), so that
 * a seed and a number name a case on any machine.
 */

export class Random {
  readonly #state = new Uint32Array(4);

  /** The numbers of one case of one seed; neighbours have nothing in common. */
  constructor(seed: number, number = 0) {
    let mixed = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
    for (let i = 0; i < 4; i++) {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      let word = Math.imul(mixed ^ mixed >>> 16, 0x21f0aaad);
      word = Math.imul(word ^ word >>> 15, 0x735a2d97);
      this.#state[i] = word ^ word >>> 15;
    }
    // A state of zeros alone would stay so.
    this.#state[0] |= 1;
  }

  /** The next 32 bits. */
  next(): number {
    const state = this.#state;
    let t = state[0];
    t ^= t << 11;
    t ^= t >>> 8;
    state[0] = state[1];
    state[1] = state[2];
    state[2] = state[3];
    state[3] ^= state[3] >>> 19 ^ t;
    return state[3];
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() / 0x100000000 * limit);
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  /** Mostly small, at times up to `limit`. */
  size(limit: number): number {
    return Math.floor(limit ** (this.next() / 0x100000000));
  }
}
