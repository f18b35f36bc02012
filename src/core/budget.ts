/**
 * Keeps the monitor's own cost within a share of one core, whatever the application does.
 *
 * Time grows a credit of CPU time by that share, and what the monitor takes is drawn from it. The start has
 * one of its own. If the credit is used up and more is taken still: first short visits and what else
 * needs no order are folded as they are read (counts and times stay exact, edges of visits are gone), then
 * the sampling period is lengthened. Both are taken back, one by one, when half the budget would do.
 * If marks come faster than the share can ever emit one by one they are folded at once
 * (`marksPerS`). The report and the summary list what was done. Pure: times are arguments.
 * @module
 */

/** Seconds of a stretch. */
const STRETCH_S = 0.25;
/** CPU time of the start: program text is read, and compiled as it gets warm. */
const START_CPU_S = 0.15;
/** Maximum credit, as seconds of the share: it may be used at once. */
const MAX_CREDIT_S = 2;
/** Maximum factors of the period: over the requested one, and by one stretch. */
const MAX_FACTOR = 16, MAX_STEP_FACTOR = 2;
/** Quiet stretches before a reduction is taken back; twice as many after each one that was too soon. */
const MIN_QUIET_STRETCHES = 8, MAX_QUIET_STRETCHES = 512;
/** Number of stretches: a reduction needed again within it was taken back too soon. */
const MAX_SOON_STRETCHES = 8;
/** CPU time of one event that is emitted by itself, s: 2 to 5 µs. */
const MARK_S = 4e-6;
/** Maximum rate of single events, with any budget: more cannot be emitted before the next sample. */
const MAX_MARKS_PER_S = 200_000;
/** Maximum length of aggregated visits, ns: longer ones are few. */
export const SHORT_NS = 1e6;

/** Reductions that keep the monitor within its share of a core. */
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
  /** The last stretch's end. */
  #fromS = 0;
  #fromCpuS = 0;
  /** CPU time that may be taken now; below 0: that was too much. */
  #creditS = START_CPU_S;
  #quiet = 0;
  #wanted = MIN_QUIET_STRETCHES;
  /** Stretches since something was taken back. */
  #since = Infinity;

  /** @param percent Of one core; Infinity: no bound. */
  constructor(percent: number) {
    this.#share = percent / 100;
  }

  /** Marks a second that may be emitted one by one. */
  get marksPerS(): number {
    return Math.min(MAX_MARKS_PER_S, this.#share / MARK_S);
  }

  /**
   * A tick.
   *
   * @param nowS Since the start of the run.
   * @param cpuTimeS CPU time of the monitor since then; asked for at the ends of stretches only.
   */
  note(nowS: number, cpuTimeS: () => number): void {
    if (this.#share === Infinity) return;
    const elapsedS = nowS - this.#fromS;
    if (!(elapsedS >= STRETCH_S)) return;
    const cpuS = cpuTimeS(), takenS = cpuS - this.#fromCpuS;
    if (this.foldBelowNs > 0) this.foldingS += elapsedS;
    if (this.periodFactor > 1) this.longerS += elapsedS;
    this.#fromS = nowS;
    this.#fromCpuS = cpuS;
    // What is left of the start's credit stays, but does not grow.
    const mostS = Math.max(this.#creditS, MAX_CREDIT_S * this.#share);
    this.#creditS = Math.min(mostS, this.#creditS + elapsedS * this.#share - takenS);
    this.#judge(takenS / elapsedS);
  }

  #judge(share: number): void {
    this.#since++;
    if (share > this.#share) {
      this.#quiet = 0;
      if (this.#creditS < 0) this.#leaveOut(share);
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

  #leaveOut(share: number): void {
    if (this.#since <= MAX_SOON_STRETCHES) {
      this.#wanted = Math.min(MAX_QUIET_STRETCHES, this.#wanted * 2);
    }
    this.#since = Infinity;
    if (this.foldBelowNs === 0) this.foldBelowNs = SHORT_NS;
    else {
      const wanted = 2 ** Math.ceil(Math.log2(share / this.#share));
      const factor = this.periodFactor * Math.min(MAX_STEP_FACTOR, wanted);
      this.periodFactor = Math.min(MAX_FACTOR, factor);
    }
    if (this.periodFactor > this.mostFactor) this.mostFactor = this.periodFactor;
  }
}
