/**
 * Keeps the monitor's own cost within a share of one core, whatever the application does.
 *
 * When a stretch of the run cost more than the budget: first short visits are folded as they are
 * read (counts and times stay exact, their edges are gone), then the sampling period is lengthened,
 * twofold each time. Both are taken back, one by one, when half the budget would do. The report and
 * the card list what was done. Pure: times are arguments.
 * @module
 */

/** Seconds of a stretch, and of the start, which is not judged. */
const STRETCH_S = 0.5;
const START_S = 1.5;
/** Longest period: this many times the one asked for. */
const MAX_FACTOR = 16;
/** Quiet stretches before something is taken back; twice as many each time that this was too soon. */
const QUIET = 4, MOST_QUIET = 256;
/** Too soon: it is needed again within so many stretches. */
const SOON = 4;
/** Visits up to this long are folded, ns: longer ones are few. */
export const SHORT_NS = 1e6;

/** What is left out to keep the monitor within its share of a core. */
export class Budget {
  /** Visits that are shorter are folded, ns; 0: none. */
  foldBelowNs = 0;
  /** The period is so many times the one asked for. */
  periodFactor = 1;
  /** The most that it was. */
  mostFactor = 1;
  /** Seconds of the run in which visits were folded, and in which the period was longer. */
  foldingS = 0;
  longerS = 0;
  readonly #share: number;
  #fromS = NaN;
  #fromCpuS = NaN;
  #quiet = 0;
  #wanted = QUIET;
  /** Stretches since something was taken back. */
  #since = Infinity;

  /** @param percent Of one core; Infinity: no bound. */
  constructor(percent: number) {
    this.#share = percent / 100;
  }

  /**
   * A tick.
   *
   * @param nowS Since the start of the run.
   * @param cpuTimeS CPU time of the monitor; asked for at the ends of stretches only.
   */
  note(nowS: number, cpuTimeS: () => number): void {
    if (!(nowS >= START_S) || this.#share === Infinity) return;
    if (Number.isNaN(this.#fromS)) return this.#begin(nowS, cpuTimeS());
    const elapsedS = nowS - this.#fromS;
    if (elapsedS < STRETCH_S) return;
    const cpuS = cpuTimeS();
    if (this.foldBelowNs > 0) this.foldingS += elapsedS;
    if (this.periodFactor > 1) this.longerS += elapsedS;
    this.#judge((cpuS - this.#fromCpuS) / elapsedS);
    this.#begin(nowS, cpuS);
  }

  #begin(nowS: number, cpuS: number): void {
    this.#fromS = nowS;
    this.#fromCpuS = cpuS;
  }

  #judge(share: number): void {
    this.#since++;
    if (share > this.#share) {
      this.#quiet = 0;
      if (this.#since <= SOON) this.#wanted = Math.min(MOST_QUIET, this.#wanted * 2);
      this.#since = Infinity;
      if (this.foldBelowNs === 0) this.foldBelowNs = SHORT_NS;
      else if (this.periodFactor < MAX_FACTOR) this.periodFactor *= 2;
      if (this.periodFactor > this.mostFactor) this.mostFactor = this.periodFactor;
      return;
    }
    if (share > this.#share / 2 || this.foldBelowNs === 0) {
      this.#quiet = 0;
      return;
    }
    if (++this.#quiet < this.#wanted) return;
    this.#quiet = this.#since = 0;
    if (this.periodFactor > 1) this.periodFactor /= 2;
    else this.foldBelowNs = 0;
  }
}
