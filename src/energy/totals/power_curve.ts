/**
 * Power over the time of a run in at most 128 parts of equal length: parts join in pairs when they do not suffice.
 * @module
 */
import type { EnergyKind } from "../../core/region_tree.ts";

const MAX_PARTS = 128, FIRST_WIDTH_S = 0.05;
/** Maximum power of a node, W. */
const MAX_W = 1e6;

/** Readings of the counters of one kind, added up. */
class Part {
  readonly joules = new Float64Array(MAX_PARTS);
  readonly seconds = new Float64Array(MAX_PARTS);
  lastS = NaN;
  lastJ = NaN;

  constructor(readonly kind: EnergyKind, readonly places: readonly number[]) {}
}

/** Follows readings of counters. */
export class PowerCurve {
  widthS = FIRST_WIDTH_S;
  #beginS = NaN;
  #parts: Part[] = [];
  readonly #of: readonly EnergyKind[];

  /** @param kinds Of each counter, in the order of its readings. */
  constructor(kinds: readonly EnergyKind[]) {
    this.#of = kinds;
    this.restart();
  }

  /** Takes the readings of a sample, J; NaN: none. What a counter gains between two updates spreads over that time. */
  sample(timeS: number, joules: Float64Array): void {
    if (Number.isNaN(this.#beginS)) this.#beginS = timeS;
    for (const part of this.#parts) {
      let sum = 0;
      for (const place of part.places) sum += joules[place];
      const { lastS, lastJ } = part;
      if (sum === lastJ) continue;
      const grew = sum - lastJ;
      if (grew > 0 && grew < MAX_W * (timeS - lastS + 1)) this.#spread(part, lastS, timeS, grew);
      part.lastS = timeS;
      part.lastJ = sum;
    }
  }

  /** Power of the parts, W; NaN: not measured. Empty: less than two parts are known. */
  watts(kind: EnergyKind): number[] {
    const part = this.#parts.find((one) => one.kind === kind);
    if (part === undefined) return [];
    const count = 1 + part.seconds.findLastIndex((seconds) => seconds > 0);
    if (count < 2) return [];
    return Array.from({ length: count }, (_, k) => {
      return part.seconds[k] > 0.5 * this.widthS ? part.joules[k] / part.seconds[k] : NaN;
    });
  }

  /** Restarts: earlier values do not count. */
  restart(): void {
    this.#beginS = NaN;
    this.widthS = FIRST_WIDTH_S;
    this.#parts = [...new Set(this.#of)].map((kind) =>
      new Part(kind, this.#of.flatMap((other, place) => other === kind ? [place] : []))
    );
  }

  #spread({ joules, seconds }: Part, fromS: number, toS: number, grew: number): void {
    const begin = fromS - this.#beginS, end = toS - this.#beginS;
    while (end >= MAX_PARTS * this.widthS) this.#join();
    const first = Math.floor(begin / this.widthS), last = Math.floor(end / this.widthS);
    for (let k = first; k <= last; k++) {
      const inside = Math.min(end, (k + 1) * this.widthS) - Math.max(begin, k * this.widthS);
      joules[k] += grew * inside / (end - begin);
      seconds[k] += inside;
    }
  }

  #join(): void {
    this.widthS *= 2;
    for (const { joules, seconds } of this.#parts) {
      for (const values of [joules, seconds]) {
        for (let k = 0; k < MAX_PARTS / 2; k++) values[k] = values[2 * k] + values[2 * k + 1];
        values.fill(0, MAX_PARTS / 2);
      }
    }
  }
}
