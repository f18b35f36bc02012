/**
 * The idle baseline: power before a run from the changes of a counter, and what a run drew above it.
 * @module
 */

/** Fewest changes of a counter that make a power: the first begins the time, the others end it. */
const MIN_CHANGES = 3;

/**
 * Mean power of one counter while nothing runs.
 *
 * Energy counts between the first change seen and the last, not between the ends of the watch: a
 * counter of 10 Hz would otherwise be off by up to two of its steps.
 */
export class IdleMeter {
  /** Changes seen. */
  changes = 0;
  #lastJ = NaN;
  #firstChangeS = NaN;
  #firstChangeJ = NaN;
  #lastChangeS = NaN;

  /** A reading; NaN is none. A counter that falls restarts. */
  add(timeS: number, energyJ: number): void {
    if (energyJ !== energyJ) return;
    if (energyJ < this.#lastJ) this.changes = 0;
    else if (energyJ > this.#lastJ) {
      if (this.changes === 0) {
        this.#firstChangeS = timeS;
        this.#firstChangeJ = energyJ;
      }
      this.changes++;
      this.#lastChangeS = timeS;
    }
    this.#lastJ = energyJ;
  }

  /** In W; NaN if too few changes were seen. */
  get powerW(): number {
    if (this.changes < MIN_CHANGES) return NaN;
    return (this.#lastJ - this.#firstChangeJ) / (this.#lastChangeS - this.#firstChangeS);
  }
}

/** Energy of a run and the part of it that the node would have drawn anyway, in J. */
export interface NetEnergy {
  readonly grossJ: number;
  readonly idleJ: number;
  /** Below 0 if the run drew less than the baseline: nothing is cut off. */
  readonly netJ: number;
}

/** Gross, idle and net; `undefined` if one of the figures is missing. */
export function netEnergy(grossJ: number, idleW: number, runtimeS: number): NetEnergy | undefined {
  const idleJ = idleW * runtimeS;
  const netJ = grossJ - idleJ;
  return Number.isFinite(netJ) ? { grossJ, idleJ, netJ } : undefined;
}
