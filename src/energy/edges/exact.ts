/**
 * Every interval's energy shared out by CPU time: biased by what intervals mix. docs/explanation/how-sure.md.
 * @module
 */
import type { ExposureRow } from "./folded_splits.ts";
import { grown } from "../../core/grow.ts";

/** Energies of one counter, by class. */
export class ExactEnergies {
  /** In intervals: J, and CPU-seconds. */
  #joules = new Float64Array(16);
  #inS = new Float64Array(16);

  /** Takes an interval. */
  add({ count, classes, tau }: ExposureRow, energyJ: number): void {
    let all = 0;
    for (let i = 0; i < count; i++) {
      all += tau[i];
      if (classes[i] >= this.#inS.length) {
        this.#inS = grown(this.#inS, classes[i] + 1);
        this.#joules = grown(this.#joules, this.#inS.length);
      }
    }
    if (!(all > 0)) return;
    for (let i = 0; i < count; i++) {
      const t = tau[i];
      this.#inS[classes[i]] += t;
      this.#joules[classes[i]] += energyJ * t / all;
    }
  }

  /**
   * CPU-seconds of unmarked time before the first reading that intervals hold: the counter was updated up to a
   * period before it was read, and the energy since that update is in the total.
   */
  leadS(seconds: Float64Array): number {
    return Math.max(0, this.#inS[0] - (seconds[0] ?? 0));
  }

  /** Adds the energy before the first change and after the last, and scales to the total. */
  of(seconds: Float64Array, totalJ: number): Float64Array {
    const classes = seconds.length;
    const result = new Float64Array(classes);
    let allJ = 0;
    let allS = 0;
    for (let c = 0; c < Math.min(classes, this.#inS.length); c++) {
      allJ += this.#joules[c];
      allS += this.#inS[c];
    }
    // Without any interval the energy goes by CPU time.
    const mean = allS > 0 && allJ > 0 ? allJ / allS : 1;
    let sum = 0;
    for (let c = 0; c < classes; c++) {
      const inS = c < this.#inS.length ? this.#inS[c] : 0;
      const power = inS > 0 ? this.#joules[c] / inS : mean;
      result[c] = (inS > 0 ? this.#joules[c] : 0) + power * Math.max(0, seconds[c] - inS);
      sum += result[c];
    }
    if (sum > 0) { for (let c = 0; c < classes; c++) result[c] *= totalJ / sum; }
    else if (classes > 0) result[0] = totalJ;
    return result;
  }
}
