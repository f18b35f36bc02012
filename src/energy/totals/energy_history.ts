/**
 * Energies of the node over the run so far, in bounded memory: the older a moment, the fewer of the samples
 * near it are kept. Between two samples that are kept a counter is assumed to grow evenly.
 * @module
 */

/** Number of samples at which every second one of the older half goes. */
const SAMPLES_MAX = 4096;

/** Cumulative energies by time. */
export class EnergyHistory {
  #timesS: number[] = [];
  #valuesJ: Float64Array[] = [];
  /** By counter: the last sample without a reading, or with a value below the one before. */
  readonly #brokenS: Float64Array;

  /** @param counters Number of counters of a sample. */
  constructor(counters: number) {
    this.#brokenS = new Float64Array(counters).fill(-Infinity);
  }

  /** A sample. @param valuesJ Readings without wraps; NaN: none. */
  sample(timeS: number, valuesJ: Float64Array): void {
    const before = this.#valuesJ.at(-1);
    for (let k = 0; k < valuesJ.length; k++) {
      const isFine = before === undefined ? valuesJ[k] === valuesJ[k] : valuesJ[k] >= before[k];
      if (!isFine) this.#brokenS[k] = timeS;
    }
    this.#timesS.push(timeS);
    this.#valuesJ.push(valuesJ.slice());
    if (this.#timesS.length < SAMPLES_MAX) return;
    const isKept = (_: unknown, i: number) => i > SAMPLES_MAX / 2 || i % 2 === 0;
    this.#timesS = this.#timesS.filter(isKept);
    this.#valuesJ = this.#valuesJ.filter(isKept);
  }

  /** Time of the last sample, s; NaN: there is none. */
  get lastS(): number {
    return this.#timesS.at(-1) ?? NaN;
  }

  /** Energy of a counter between two moments, J; NaN: not known. */
  between(counter: number, fromS: number, untilS: number): number {
    if (!(fromS > this.#brokenS[counter])) return NaN;
    return this.#at(counter, untilS) - this.#at(counter, fromS);
  }

  #at(counter: number, timeS: number): number {
    const times = this.#timesS;
    let low = 0, high = times.length - 1;
    if (!(times[0] <= timeS && timeS <= times[high])) return NaN;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= timeS) low = middle;
      else high = middle;
    }
    const from = this.#valuesJ[low][counter], tookS = times[high] - times[low];
    const part = tookS > 0 ? (timeS - times[low]) / tookS : 0;
    return from + part * (this.#valuesJ[high][counter] - from);
  }
}
