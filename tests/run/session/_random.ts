/** A small seeded generator: the same seed gives the same test anywhere. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2654435761) >>> 0 || 1;
  }

  /** In [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** Whole, both ends included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)];
  }

  shuffled<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let i = copy.length - 1; i > 0; i--) {
      const k = this.int(0, i);
      [copy[i], copy[k]] = [copy[k], copy[i]];
    }
    return copy;
  }

  /** Characters of all sorts, up to `most`. */
  text(most: number): string {
    const sorts = 'abcXYZ012 .-_:#"\\\n\r\t{}[]|,=@%&*!?~éß😀\u2028\0';
    return Array.from({ length: this.int(0, most) }, () => this.pick([...sorts])).join("");
  }

  /** The text with some of it changed, cut or repeated. */
  damage(text: string): string {
    let out = text;
    for (let n = this.int(1, 4); n > 0; n--) {
      const a = this.int(0, out.length);
      const b = Math.min(out.length, a + this.int(0, 30));
      const kind = this.int(0, 3);
      if (kind === 0) out = out.slice(0, a) + out.slice(b);
      else if (kind === 1) out = out.slice(0, a) + this.text(10) + out.slice(a);
      else if (kind === 2) out = out.slice(0, b) + out.slice(a);
      else out = out.slice(0, a);
    }
    return out;
  }
}
