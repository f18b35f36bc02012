/**
 * Record filter `edit_distance`: finds the period in the sequence of region entries, and makes an
 * epoch each time the sequence has gone through one.
 *
 * The detector compares, after every entry, the latest entries with the ones before them by their
 * edit distance; cells are kept for the last BUFFER entries. Parameters and defaults are those of
 * geopmlaunch(1), as its program has them: BUFFER is 50, there are five values, and the two
 * factors count as whole numbers (docs/explanation/aggregation.md, "Record filters").
 * @module
 */
import { type RecordFilter, refused, wholeNumber } from "./filter_words.ts";

const DEFAULTS = [50, 4, 3, 1, 1];
const LIMITS = [2, 0, 0, 0, 0];
const NAMES = ["BUFFER", "BASE", "MIN", "STABLE", "UNSTABLE"];
/** From here on the values are factors. */
const FIRST_FACTOR = 3;
/** BUFFER cubed cells of 4 bytes are kept for each process. */
const MAX_BUFFER = 256;
const INSERT = 1;
const REPLACE = 2;
/** Cells that are no longer kept are as far away as can be. */
const FARTHEST = 2 ** 31 - 1;

/** Makes instances from `edit_distance[,BUFFER[,BASE[,MIN[,STABLE[,UNSTABLE]]]]]`. */
export function editDistance(text: string, parts: string[]): () => RecordFilter {
  if (parts.length > 6) throw refused(text, "at most five values");
  const values = DEFAULTS.map((preset, i) => {
    const given = parts[i + 1];
    if (given === undefined) return preset;
    const value = i < FIRST_FACTOR ? wholeNumber(given) : Math.trunc(Number.parseFloat(given));
    if (!(value >= LIMITS[i])) throw refused(text, `${NAMES[i]} of at least ${LIMITS[i]}`);
    return value;
  });
  if (values[0] > MAX_BUFFER) throw refused(text, `BUFFER of at most ${MAX_BUFFER}`);
  return () => new EditDistance(new PeriodDetector(values[0]), values);
}

class EditDistance implements RecordFilter {
  readonly #detector: PeriodDetector;
  readonly #base: number;
  readonly #least: number;
  readonly #stableFactor: number;
  readonly #unstableFactor: number;
  #found = false;
  #lastPeriod = -1;
  #stable = 0;
  #unstable = 0;
  #mark = -1;
  #epochs = 0;

  constructor(detector: PeriodDetector, values: number[]) {
    this.#detector = detector;
    [, this.#base, this.#least, this.#stableFactor, this.#unstableFactor] = values;
  }

  onEntry(regionHash: number): number {
    this.#detector.add(regionHash);
    return this.#isEpoch() ? ++this.#epochs : 0;
  }

  #isEpoch(): boolean {
    return this.#found ? this.#isNextEpoch() : this.#isFirstEpoch();
  }

  #isFirstEpoch(): boolean {
    const { period, score } = this.#detector;
    if (score >= period || period < this.#least) {
      this.#lastPeriod = -1;
      this.#stable = 0;
    } else if (period === this.#lastPeriod) {
      this.#stable++;
    } else {
      this.#lastPeriod = period;
      this.#stable = 0;
    }
    const found = period <= this.#base
      ? this.#stable === this.#stableFactor * this.#base
      : this.#stable >= this.#stableFactor * period;
    if (!found) return false;
    this.#found = true;
    this.#mark = this.#detector.entries;
    this.#stable = 0;
    return true;
  }

  #isNextEpoch(): boolean {
    const { period, entries } = this.#detector;
    this.#unstable = period === this.#lastPeriod ? 0 : this.#unstable + 1;
    if (this.#unstable >= this.#unstableFactor * this.#lastPeriod) {
      this.#found = false;
      this.#unstable = 0;
      return false;
    }
    if (period < this.#lastPeriod || entries - this.#mark < period) return false;
    this.#mark = entries;
    return true;
  }
}

/** The sequence of entries, and the period that fits its end best. */
export class PeriodDetector {
  /** Entries so far. */
  entries = 0;
  /** Length of the shortest repeating pattern at the end; −1 before the second entry. */
  period = -1;
  /** Edit distance of the best fit. */
  score = -1;
  readonly #size: number;
  /** The last entries, a ring. */
  readonly #history: Float64Array;
  /** D(i, j, m): distance of the first i entries to the j entries from m on; each index a ring. */
  readonly #cells: Uint32Array;

  constructor(size: number) {
    this.#size = size;
    this.#history = new Float64Array(size);
    this.#cells = new Uint32Array(size ** 3);
  }

  /** Takes the next entry. */
  add(hash: number): void {
    this.#history[this.entries % this.#size] = hash;
    this.entries++;
    if (this.entries < 2) return;
    this.#extend(hash);
    this.#choose();
  }

  #index(i: number, j: number, m: number): number {
    const n = this.#size;
    return ((i % n) * n + j % n) * n + m % n;
  }

  #get(i: number, j: number, m: number): number {
    const n = this.#size;
    const kept = this.entries - i < n && j < n && this.entries - m < n;
    return kept ? this.#cells[this.#index(i, j, m)] : FARTHEST;
  }

  /** The column of the newest entry. */
  #extend(hash: number): void {
    const n = this.entries;
    const oldest = Math.max(0, n - this.#size);
    for (let i = oldest; i < n; i++) this.#cells[this.#index(i, 0, n - 1)] = 0;
    for (let m = oldest; m < n; m++) this.#cells[this.#index(0, n - m, m)] = n - m;
    for (let m = Math.max(1, oldest); m < n; m++) {
      for (let i = Math.max(1, oldest); i <= m; i++) {
        const kept = n - (i - 1) <= this.#size;
        const same = kept && this.#history[(i - 1) % this.#size] === hash;
        this.#cells[this.#index(i, n - m, m)] = Math.min(
          this.#get(i - 1, n - m, m) + INSERT,
          this.#get(i, n - m - 1, m) + INSERT,
          this.#get(i - 1, n - m - 1, m) + (same ? 0 : REPLACE),
        );
      }
    }
  }

  #choose(): void {
    const n = this.entries;
    let best = Math.max(Math.floor(n / 2 + 0.5), n - this.#size);
    let score = this.#get(best, n - best, best);
    for (let m = best + 1; m < n; m++) {
      const value = this.#get(m, n - m, m);
      if (value < score) {
        score = value;
        best = m;
      }
    }
    this.score = score;
    this.period = this.#shortestPattern(n - best);
  }

  /** Smallest divisor d of `length` such that the last `length` entries repeat with period d. */
  #shortestPattern(length: number): number {
    const first = this.entries - length;
    for (let d = 1; d <= length / 2; d++) {
      if (length % d === 0 && this.#repeats(first, length, d)) return d;
    }
    return length;
  }

  #repeats(first: number, length: number, period: number): boolean {
    const n = this.#size;
    for (let k = first + period; k < first + length; k++) {
      if (this.#history[k % n] !== this.#history[(k - period) % n]) return false;
    }
    return true;
  }
}
