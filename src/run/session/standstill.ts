/**
 * Time in which this process was stopped (SIGSTOP, a machine that was suspended): counters that are
 * read after it hold time that is not the application's.
 *
 * Pure: times are handed in, ns since one origin.
 * @module
 */
import type { LoopFigures } from "../outputs/loop_figures.ts";

/**
 * Time without a look beyond which the last reading is not the application's: periods, share of the
 * run, and what a loaded machine takes now and then.
 */
const BLIND_PERIODS = 10, BLIND_SHARE = 0.01, BLIND_LEAST_NS = 0.25e9;

/** Moments when the monitor woke and looked, and the time that it did not see. */
export class Standstill {
  /** The last sample before the application's end. */
  lookedNs = NaN;
  /** Time of the last wake-up. */
  wokeNs = NaN;
  /**
   * Time when the application ended, if this process was stopped meanwhile, from `lookedNs` on;
   * else NaN.
   */
  endNs = NaN;

  /** Is this longer than a loaded machine takes? */
  isLong(ns: number): boolean {
    return ns > BLIND_LEAST_NS;
  }

  /** Nothing that is read from here on is the application's. */
  get isBlind(): boolean {
    return !Number.isNaN(this.endNs);
  }

  /**
   * The application has ended, normally a moment ago. Else the figures end at the last sample before,
   * and the report states it.
   *
   * @param reportedNs When it ended, as its guardian has it.
   */
  noteEnd(
    { nowNs, periodNs, reportedNs, launchNs }: {
      nowNs: number;
      periodNs: number;
      reportedNs: number;
      launchNs: number;
    },
    loop: Pick<LoopFigures, "missed" | "blindFromS" | "blindUntilS">,
  ): void {
    const most = Math.max(BLIND_PERIODS * periodNs, BLIND_SHARE * nowNs, BLIND_LEAST_NS);
    if (nowNs - this.lookedNs <= most) return;
    // A guardian that was stopped and goes on together with us saw the end no sooner than we do;
    // the application was alive at our last look, and the next one was due a period later.
    this.endNs = this.isLong(nowNs - reportedNs) ? reportedNs : this.lookedNs + periodNs;
    loop.missed += Math.floor((nowNs - this.lookedNs) / periodNs);
    loop.blindFromS = (this.lookedNs - launchNs) * 1e-9;
    loop.blindUntilS = (nowNs - launchNs) * 1e-9;
  }
}
