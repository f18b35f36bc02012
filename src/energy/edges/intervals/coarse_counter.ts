/**
 * Counters that move by so large a unit that a change tells when a unit was full, and not that an update
 * came: whole joules, updated each millisecond. Then the power decides how long an interval from change to
 * change is, which a fit of energies would take for power. Intervals of about the same length have energies
 * that are a unit off at most, as those of any counter.
 * @module
 */

/** Minimum number of changes for a judgement. */
const MIN_CHANGES = 16;
/** A growth of so many units to this part of a unit is no chance. */
const WHOLE = 1e-6;
/** Maximum number of units in a small growth. */
const MAX_SMALL_GROWTH_UNITS = 2.5;
/** Maximum number of updates or steps a unit: above it a unit is not full at each of them. */
const MAX_UPDATES_PER_UNIT = 1.5;
/** Minimum number of changes by several units, when each step sees a change. */
const MIN_LARGE_CHANGES = 3;
/** An update that takes that part of a step: as many or one more in each would be as many units. */
const SHORT_UPDATE = 0.6;
/** Units of an interval, on average. */
const INTERVAL_UNITS = 4;

/** Looks at the changes of one counter. Allocates nothing after construction. */
export class CoarseCounter {
  /**
   * Minimum time from boundary to boundary, s; 0: the counter is not coarse, as far as is known.
   */
  paceS = 0;
  readonly #periodS: number;
  #isWhole = true;
  #unitJ = Infinity;
  #changes = 0;
  #few = 0;
  #several = 0;
  #units = 0;
  #seconds = 0;

  /** @param periodS Seconds between two updates. */
  constructor(periodS: number) {
    this.#periodS = periodS;
  }

  /** Takes a change: by how much, how long after the one before, and the step that saw it. */
  observe(growthJ: number, gapS: number, stepS: number): void {
    if (!this.#isWhole || this.paceS > 0) return;
    if (growthJ < this.#unitJ * (1 - WHOLE)) this.#begin(growthJ);
    const units = Math.round(growthJ / this.#unitJ);
    this.#isWhole &&= Math.abs(growthJ / this.#unitJ - units) <= WHOLE * units;
    this.#changes++;
    this.#units += units;
    this.#seconds += gapS;
    if (units <= MAX_SMALL_GROWTH_UNITS) this.#few++;
    if (units > 1 && gapS <= MAX_UPDATES_PER_UNIT * stepS) this.#several++;
    if (this.#isWhole && this.#isCoarse(stepS)) {
      this.paceS = Math.max(stepS, INTERVAL_UNITS * this.#seconds / this.#units);
    }
  }

  /** A smaller unit, which the one before is made of. */
  #begin(unitJ: number): void {
    const parts = this.#unitJ / unitJ;
    this.#isWhole = parts === Infinity || Math.abs(parts - Math.round(parts)) <= WHOLE * parts;
    this.#unitJ = unitJ;
    this.#changes =
      this.#few =
      this.#several =
      this.#units =
      this.#seconds =
        0;
  }

  #isCoarse(stepS: number): boolean {
    if (this.#changes < MIN_CHANGES || 2 * this.#few < this.#changes) return false;
    const unitS = this.#seconds / this.#units, periodS = this.#periodS;
    return unitS > MAX_UPDATES_PER_UNIT * Math.max(stepS, periodS) ||
      (this.#several >= MIN_LARGE_CHANGES && periodS < SHORT_UPDATE * stepS);
  }
}
