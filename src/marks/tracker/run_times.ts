/**
 * The run's times: whole nanoseconds inside, seconds outside.
 *
 * Counted from a whole second before the first time seen, so that sums and differences are exact.
 * @module
 */

/** Begin of the application, and its run time. */
export class RunTimes {
  /** TIME of the last step. */
  elapsedS = 0;
  #originS = NaN;
  #zeroNs = NaN;
  #startupNs = NaN;

  /** Nanoseconds of a time handed in. */
  ns(timeS: number): number {
    if (Number.isNaN(this.#originS)) this.#originS = Math.floor(timeS);
    return Math.round((timeS - this.#originS) * 1e9);
  }

  /** Seconds, in the caller's count, of nanoseconds. */
  absoluteS(ns: number): number {
    return this.#originS + ns * 1e-9;
  }

  /** A process started: time zero is the earliest start. */
  started(ns: number, isFirst: boolean): void {
    this.#zeroNs = isFirst ? ns : Math.min(this.#zeroNs, ns);
  }

  /** The run restarts with another first process. */
  forgetStartup(): void {
    this.#startupNs = NaN;
  }

  /** A step; before any process time zero is the first of them. */
  step(ns: number, connected: boolean): void {
    if (Number.isNaN(this.#zeroNs)) this.#zeroNs = ns;
    this.elapsedS = seconds(ns - this.#zeroNs);
    if (connected && Number.isNaN(this.#startupNs) && ns >= this.#zeroNs) {
      this.#startupNs = ns - this.#zeroNs;
    }
  }

  /** Time zero, in the caller's seconds. */
  get zeroS(): number {
    return this.#originS + seconds(this.#zeroNs);
  }

  /** Seconds from time zero. */
  sinceZero(ns: number): number {
    return seconds(ns - this.#zeroNs);
  }

  /** First start of a process → first step after it; 0 before that. */
  get startupS(): number {
    return Number.isNaN(this.#startupNs) ? 0 : seconds(this.#startupNs);
  }
}

/** Seconds of a whole number of nanoseconds, put together as GEOPM does from its timespec. */
function seconds(ns: number): number {
  const whole = Math.floor(ns / 1e9);
  return whole + (ns - whole * 1e9) * 1e-9;
}
