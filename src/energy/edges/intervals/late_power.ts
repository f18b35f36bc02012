/**
 * What power that follows the load draws beyond what it would draw at once, for all classes together: their
 * powers are known, so that one number a lag and time constant does, where `exposure.ts` has one a class.
 *
 * At load P(y) and its first-order response F(y) of time constant T, both averaged over the window before a
 * boundary, that is T·(F − P): what it was at the boundary before is taken off. docs/how-sure.md.
 * @module
 */
import type { EdgeLog } from "./edge_log.ts";
import { grown } from "../../../core/grow.ts";

/** Windows that are so much longer than a time constant see nothing of it. */
const MOST_EXPONENT = 300;

/** What e^(−x/T) is to be multiplied by for its average over the window before x. */
export function overWindow(windowS: number, constant: number): number {
  if (windowS === 0) return 1;
  return Math.expm1(Math.min(MOST_EXPONENT, windowS / constant)) * constant / windowS;
}

/** The load that edges taken up have left: W, and by time constant what of it is still to come. */
export interface Load {
  readonly loadW: number;
  readonly restW: Float64Array;
  /** When that was. */
  readonly timeS: number;
}

/** Follows one {@linkcode EdgeLog} for one counter, with the powers of a while. */
export class LatePower {
  /** J of the interval before the last boundary: at `m * lags + l` for time constant m. */
  readonly joules: Float64Array;
  readonly #log: EdgeLog;
  readonly #constants: readonly number[];
  readonly #lags: Float64Array;
  /** Places of the lags that are calculated, and the least of these lags. */
  readonly #used: readonly number[];
  readonly #leastS: number;
  /** By time constant and lag: what a response at the least lag is to be multiplied by. */
  readonly #ofLag: Float64Array;
  /** At the last boundary, as `joules`. */
  #before: Float64Array;
  #now: Float64Array;
  /** W per CPU by class; 0: not known. */
  #watts: Float64Array = new Float64Array(0);
  #loadW = 0;
  #restW: Float64Array = new Float64Array(0);
  #sinceS = 0;
  /** Moments of edges that are not taken up, and W more at each. */
  #atS = new Float64Array(16);
  #moreW = new Float64Array(16);
  #left = new Float64Array(16);
  #windowS = NaN;
  readonly #ofWindow: Float64Array;

  /** @param wanted 1 for lags that are calculated: these stay. */
  constructor(
    log: EdgeLog,
    { lags, wanted, constants }: {
      lags: Float64Array;
      wanted: Uint8Array;
      constants: readonly number[];
    },
  ) {
    this.#log = log;
    this.#lags = lags;
    this.#constants = constants;
    const width = lags.length * constants.length;
    this.joules = new Float64Array(width);
    this.#before = new Float64Array(width);
    this.#now = new Float64Array(width);
    this.#ofWindow = new Float64Array(constants.length);
    this.#used = [...lags.keys()].filter((l) => wanted[l] === 1);
    const leastS = this.#leastS = Math.min(...this.#used.map((l) => lags[l]));
    this.#ofLag = new Float64Array(width);
    constants.forEach((constant, m) =>
      this.#used.forEach((l) => {
        this.#ofLag[m * lags.length + l] = Math.exp((lags[l] - leastS) / constant);
      })
    );
  }

  /**
   * Other powers from the last boundary on.
   *
   * @param load What edges before `cursor` have left with these powers.
   */
  weigh(
    watts: Float64Array,
    load: Load,
    last: { timeS: number; windowS: number; cursor: number },
  ): void {
    this.#watts = watts;
    this.#loadW = load.loadW;
    this.#restW = load.restW;
    this.#sinceS = load.timeS;
    this.#at(last);
    [this.#before, this.#now] = [this.#now, this.#before];
  }

  /** An edge is taken up. */
  fold(timeS: number, classIndex: number, change: number): void {
    const watts = classIndex < this.#watts.length ? this.#watts[classIndex] * change : 0;
    const rest = this.#restW;
    const sinceS = timeS - this.#sinceS;
    if (sinceS > 0) {
      for (let m = 0; m < rest.length; m++) rest[m] *= Math.exp(-sinceS / this.#constants[m]);
      this.#sinceS = timeS;
    }
    for (let m = 0; m < rest.length; m++) rest[m] += watts;
    this.#loadW += watts;
  }

  /** Ends an interval at a boundary. @param cursor Edges before this number are taken up. */
  boundary(timeS: number, windowS: number, cursor: number): void {
    this.#at({ timeS, windowS, cursor });
    const { joules } = this, now = this.#now, before = this.#before;
    for (let k = 0; k < joules.length; k++) joules[k] = now[k] - before[k];
    this.#before = now;
    this.#now = before;
  }

  #at({ timeS, windowS, cursor }: { timeS: number; windowS: number; cursor: number }): void {
    const mostS = timeS - this.#leastS, moments = this.#moments(cursor, mostS);
    if (windowS !== this.#windowS) {
      this.#windowS = windowS;
      this.#constants.forEach((one, m) => this.#ofWindow[m] = overWindow(windowS, one));
    }
    const lags = this.#lags, used = this.#used, now = this.#now;
    const atS = this.#atS, moreW = this.#moreW, left = this.#left;
    for (let m = 0; m < this.#constants.length; m++) {
      const constant = this.#constants[m], ofWindow = this.#ofWindow[m];
      const rest = this.#restW[m] * Math.exp((this.#sinceS - mostS) / constant);
      for (let k = 0; k < moments; k++) left[k] = Math.exp((atS[k] - mostS) / constant);
      for (let u = 0; u < used.length; u++) {
        const l = used[u], y = timeS - lags[l], ofLag = this.#ofLag[m * lags.length + l];
        // The load without what of it is still to come.
        let lateW = this.#loadW - rest * ofLag * ofWindow;
        for (let k = 0; k < moments; k++) {
          const x = y - atS[k];
          if (x <= 0) break;
          const own = left[k] * ofLag;
          lateW += moreW[k] *
            (x < windowS ? x / windowS - (1 - own) * constant / windowS : 1 - own * ofWindow);
        }
        now[m * lags.length + l] = -constant * lateW;
      }
    }
  }

  /** Gathers edges of one moment that a boundary may see. @returns Moments. */
  #moments(cursor: number, mostS: number): number {
    const log = this.#log, watts = this.#watts;
    let count = 0, lastS = -Infinity;
    for (let k = cursor; k < log.next; k++) {
      const at = k & log.mask, s = log.timeS[at];
      if (!(s < mostS)) break;
      if (s !== lastS) {
        if (count === this.#atS.length) {
          this.#atS = grown(this.#atS, count + 1);
          this.#moreW = grown(this.#moreW, count + 1);
          this.#left = grown(this.#left, count + 1);
        }
        this.#atS[count] = lastS = s;
        this.#moreW[count++] = 0;
      }
      const c = log.classOf[at];
      if (c < watts.length) this.#moreW[count - 1] += watts[c] * log.change[at];
    }
    return count;
  }
}
