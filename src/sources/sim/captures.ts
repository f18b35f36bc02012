/**
 * Values of a counter, taken at regular moments and seen a constant lag later.
 *
 * @module
 */

/** The values that a counter showed at regular moments. Moments are counted from 0; values of the last few are kept. */
export class Captures {
  readonly #periodNs: number;
  readonly #lagNs: number;
  readonly #startNs: number;
  readonly #width: number;
  readonly #kept: number;
  readonly #values: Float64Array;
  #taken = 0;

  /** @param width Values of one moment. */
  constructor(periodNs: number, lagNs: number, startNs: number, width: number) {
    this.#periodNs = periodNs;
    this.#lagNs = lagNs;
    this.#startNs = startNs;
    this.#width = width;
    this.#kept = Math.ceil(lagNs / periodNs) + 3;
    this.#values = new Float64Array(width * this.#kept);
  }

  /** Time when the values of a moment were taken, ns. */
  takenNs(moment: number): number {
    return this.#startNs + moment * this.#periodNs;
  }

  /** Takes the values of the moment that is due. */
  take(values: Float64Array): void {
    this.#taken++;
    this.#values.set(values, (this.#taken % this.#kept) * this.#width);
  }

  /** The moment whose values are seen at a time; 0 is the beginning. */
  seen(nowNs: number): number {
    const moment = Math.floor((nowNs - this.#lagNs - this.#startNs) / this.#periodNs);
    return Math.min(Math.max(moment, 0), this.#taken);
  }

  /** One value of a moment that is still kept. */
  value(moment: number, column: number): number {
    return this.#values[(moment % this.#kept) * this.#width + column];
  }
}
