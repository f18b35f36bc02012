/**
 * CPU-seconds of each class between two changes of a counter, for several lags at once, and the same
 * as power would see them that follows the load with a time constant.
 *
 * That a counter changed is seen at a step; it happened somewhere in the window of length a before
 * it. The exposure at such a boundary is averaged over the window: what is left of the error is then
 * independent of the exposure (Berkson, "Are there two regressions?", 1950), so that a fit over many
 * intervals is not drawn to the mean, as it would be with the middle of the window.
 * With one edge at s, c CPUs more, and y = boundary − lag, the average of c·max(0, y′ − s) over
 * y′ in (y − a, y) is c·(Q(y − s) − Q(y − a − s)) / a, Q(x) = max(x, 0)² / 2. A first-order response of
 * time constant T takes c·T·(1 − e^(−x/T)) from it, averaged alike. docs/how-sure.md.
 * @module
 */
import type { EdgeLog } from "./edge_log.ts";
import { grown } from "../../../core/grow.ts";
import { LatePower, overWindow } from "./late_power.ts";

/** Part of a CPU below which what a class left behind no longer counts. */
const LEAST_TAIL = 0.002;

/** Time constants after which nothing is left of a response. */
const FADED = 12, MOST_FADED = 40;

/** Follows one {@linkcode EdgeLog} for one counter. */
export class Exposure {
  /** Lags in seconds; those whose `wanted` is 0 are not calculated. */
  lags: Float64Array;
  wanted: Uint8Array;
  /** The row of the last boundary: classes that had CPU time since the boundary before. */
  count = 0;
  classes = new Int32Array(16);
  /** Numbers of an entry: one a lag, then one a lag for each time constant. */
  readonly width: number;
  /** CPU-seconds of the entries: entry i at lag l is at `i * width + l`. */
  tau = new Float64Array(16);
  /** Edges before this number are taken up. */
  cursor: number;
  /** Cleared where responses of exposures are not requested: they cost most of the time. */
  responds: boolean;
  /** In place of responses by class, once powers are known. */
  #late: LatePower | undefined;
  /** The last boundary. */
  #timeS = NaN;
  #windowS = NaN;
  readonly #log: EdgeLog;
  readonly #onEdge: ((timeS: number) => void) | undefined;
  readonly #constants: readonly number[];
  /** By class: CPUs, CPU-seconds since the last boundary and when they were last brought up. */
  #cpus = new Float64Array(16);
  #seconds = new Float64Array(16);
  #sinceS = new Float64Array(16);
  /** By class and time constant: what edges still matter of, as of `#sinceS`. */
  #tails: Float64Array;
  /** By edge, then by class: what is left of it at the least lag. */
  #left = new Float64Array(64);
  /**
   * Exposure at the last boundary, of classes that had any: at `place * width + lag`. Of very many classes
   * few have some at a time.
   */
  #before: Float64Array;
  /** By class: its place in `#before` + 1; 0: nothing was left of it. */
  #beforeOf = new Int32Array(16);
  /** Numbers of an entry that are calculated. */
  readonly #usedNumbers: Int32Array;
  /** Free places: those from `#befores` on, and a list of those that were given back. */
  #befores = 0;
  readonly #free: number[] = [];
  /** Classes that may have CPU time in this interval. */
  #list = new Int32Array(16);
  #length = 0;
  /** By class: its place in the list + 1; 0: not in it. */
  #place = new Int32Array(16);

  /**
   * @param onEdge Gets the time of each edge that is taken up.
   * @param constants Time constants in seconds.
   */
  constructor(
    log: EdgeLog,
    lags: Float64Array,
    onEdge?: (timeS: number) => void,
    constants: readonly number[] = [],
  ) {
    this.#log = log;
    this.#onEdge = onEdge;
    this.#constants = constants;
    this.responds = constants.length > 0;
    this.lags = lags;
    this.width = lags.length * (1 + constants.length);
    this.wanted = new Uint8Array(lags.length).fill(1);
    this.#before = new Float64Array(16 * this.width);
    this.#usedNumbers = new Int32Array(this.width);
    this.#tails = new Float64Array(16 * constants.length);
    // A counter that joins late finds CPUs in their classes already.
    this.cursor = log.next;
    for (let c = 0; c < log.classes; c++) {
      if (log.cpus[c] === 0) continue;
      this.#mark(c);
      this.#cpus[c] = log.cpus[c];
      this.#sinceS[c] = 0;
    }
  }

  /** Takes up edges before a time, which no window that is still to come reaches back to. */
  fold(beforeS: number): void {
    const log = this.#log;
    while (this.cursor < log.next) {
      const at = this.cursor & log.mask;
      const s = log.timeS[at];
      if (s >= beforeS) return;
      const c = log.classOf[at];
      this.#mark(c);
      const sinceS = s - this.#sinceS[c];
      this.#seconds[c] += this.#cpus[c] * sinceS;
      const isFollowed = this.responds || this.#late !== undefined;
      for (let m = 0; isFollowed && m < this.#constants.length; m++) {
        const k = c * this.#constants.length + m;
        const tail = this.#tails[k];
        const left = tail === 0 ? 0 : tail * Math.exp(-sinceS / this.#constants[m]);
        this.#tails[k] = left + log.change[at];
      }
      this.#sinceS[c] = s;
      this.#cpus[c] += log.change[at];
      this.#late?.fold(s, c, log.change[at]);
      this.cursor++;
      this.#onEdge?.(s);
    }
  }

  /**
   * Ends an interval at a boundary.
   *
   * @param windowS Length of the window before `timeS` in which the counter changed; 0: at `timeS`.
   */
  boundary(timeS: number, windowS: number): void {
    this.#timeS = timeS;
    this.#windowS = windowS;
    const log = this.#log;
    const lags = this.lags;
    const width = this.width;
    let mostS = -Infinity;
    for (let l = 0; l < lags.length; l++) {
      if (this.wanted[l] === 1 && timeS - lags[l] > mostS) mostS = timeS - lags[l];
    }
    for (let k = this.cursor; k < log.next && log.timeS[k & log.mask] < mostS; k++) {
      this.#mark(log.classOf[k & log.mask]);
    }
    const { tau, length } = this.#row();
    for (let l = 0; l < lags.length; l++) {
      if (this.wanted[l] === 0) continue;
      const y = timeS - lags[l];
      const middle = y - windowS / 2;
      for (let i = 0; i < length; i++) {
        const c = this.#list[i];
        tau[i * width + l] = this.#seconds[c] + this.#cpus[c] * (middle - this.#sinceS[c]);
      }
      for (let k = this.cursor; k < log.next; k++) {
        const at = k & log.mask;
        const x = y - log.timeS[at];
        if (x <= 0) break;
        const i = this.#place[log.classOf[at]] - 1;
        const area = x < windowS ? x * x / (2 * windowS) : x - windowS / 2;
        tau[i * width + l] += log.change[at] * area;
      }
    }
    if (this.responds) {
      for (let m = 0; m < this.#constants.length; m++) this.#respond(m, timeS, windowS, mostS);
    }
    this.#late?.boundary(timeS, windowS, this.cursor);
    this.#finish();
  }

  /** See {@linkcode LatePower.joules}; `undefined`: responses are by class. */
  get lateJ(): Float64Array | undefined {
    return this.#late?.joules;
  }

  /**
   * Right behind a boundary: from it on responses are those of all classes together.
   *
   * @param watts W per CPU by class; 0: not known.
   */
  weigh(watts: Float64Array): void {
    const { lags, wanted } = this, constants = this.#constants;
    this.#late ??= new LatePower(this.#log, { lags, wanted, constants });
    this.responds = false;
    let timeS = -Infinity, loadW = 0;
    const known = Math.min(watts.length, this.#place.length),
      restW = new Float64Array(constants.length);
    for (let c = 0; c < known; c++) timeS = Math.max(timeS, this.#sinceS[c]);
    for (let c = 0; c < known; c++) {
      const agoS = timeS - this.#sinceS[c];
      loadW += watts[c] * this.#cpus[c];
      for (
        let m = 0;
        m < constants.length && agoS < MOST_FADED * constants[constants.length - 1];
        m++
      ) {
        restW[m] += watts[c] * this.#tails[c * constants.length + m] *
          Math.exp(-agoS / constants[m]);
      }
    }
    const { cursor } = this;
    const last = { timeS: this.#timeS, windowS: this.#windowS, cursor };
    this.#late.weigh(watts, { loadW, restW, timeS }, last);
  }

  /** Right behind a boundary: from it on responses are by class again. */
  respond(): void {
    this.#late = undefined;
    this.responds = true;
    for (let c = 0; c < this.#place.length; c++) {
      const faded = this.#tails.subarray(
        c * this.#constants.length,
        (c + 1) * this.#constants.length,
      );
      if (this.#cpus[c] !== 0 || faded.some((tail) => tail !== 0)) this.#mark(c);
    }
    this.boundary(this.#timeS, this.#windowS);
  }

  /** Responses are not needed. */
  ignoreResponses(): void {
    this.#late = undefined;
    this.responds = false;
  }

  /**
   * What a first-order response makes of the exposures.
   *
   * e^(−x/T) averaged over the window before x is e^(−x/T) times a number of the window's length, and at another
   * lag times a number of that lag: each edge has one exponential for all lags.
   *
   * @param mostS The boundary at the least lag.
   */
  #respond(m: number, timeS: number, windowS: number, mostS: number): void {
    const log = this.#log, tau = this.tau, width = this.width, count = this.#constants.length;
    const constant = this.#constants[m], lags = this.lags;
    const fadedS = FADED * constant + windowS;
    const ofWindow = overWindow(windowS, constant);
    let end = this.cursor;
    while (end < log.next && log.timeS[end & log.mask] < mostS) end++;
    const edges = end - this.cursor, most = edges + this.#length;
    if (most > this.#left.length) this.#left = new Float64Array(2 * most);
    const left = this.#left;
    for (let k = 0; k < edges; k++) {
      left[k] = Math.exp((log.timeS[(this.cursor + k) & log.mask] - mostS) / constant);
    }
    for (let i = 0; i < this.#length; i++) {
      const c = this.#list[i], tail = this.#tails[c * count + m];
      left[edges + i] = tail === 0 ? 0 : tail * Math.exp((this.#sinceS[c] - mostS) / constant);
    }
    const list = this.#list, sinceS = this.#sinceS, cpus = this.#cpus, length = this.#length;
    for (let l = 0; l < lags.length; l++) {
      if (this.wanted[l] === 0) continue;
      const y = timeS - lags[l], at = (m + 1) * lags.length + l;
      const ofLag = Math.exp((mostS - y) / constant);
      for (let i = 0; i < length; i++) {
        const c = list[i];
        const tail = y - sinceS[c] > fadedS ? 0 : left[edges + i] * ofLag * ofWindow;
        tau[i * width + at] = tau[i * width + l] - constant * (cpus[c] - tail);
      }
      for (let k = 0; k < edges; k++) {
        const edge = (this.cursor + k) & log.mask;
        const x = y - log.timeS[edge];
        if (x <= 0) break;
        const i = this.#place[log.classOf[edge]] - 1;
        const own = left[k] * ofLag;
        const part = x < windowS
          ? x / windowS - (1 - own) * constant / windowS
          : x > fadedS
          ? 1
          : 1 - own * ofWindow;
        tau[i * width + at] -= constant * log.change[edge] * part;
      }
    }
  }

  /** Turns exposures at the boundary into those of the interval, and begins the next one. */
  #finish(): void {
    const count = this.responds ? this.#constants.length : 0;
    const used = this.#used();
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const c = this.#list[i];
      this.classes[i] = c;
      const folded = this.#seconds[c];
      this.#seconds[c] = 0;
      this.#difference(i, c, folded, used);
      this.#place[c] = 0;
      // Who has no CPU now is named again by its next edge.
      let stays = this.#cpus[c] !== 0;
      // The longest first: it is what stays.
      for (let m = count - 1; m >= 0 && !stays; m--) {
        const k = c * count + m;
        stays = Math.abs(this.#tails[k]) > LEAST_TAIL;
        // A response fades: seen at each boundary, some of which are within it.
        if (stays) stays = this.#fades(c, m);
      }
      if (stays) this.#list[kept++] = c;
    }
    this.count = this.#length;
    this.#length = kept;
    for (let i = 0; i < kept; i++) this.#place[this.#list[i]] = i + 1;
  }

  /** Which numbers of an entry are calculated. */
  #used(): number {
    const { wanted, width } = this, used = this.#usedNumbers;
    const end = this.responds ? width : wanted.length;
    let count = 0;
    for (let l = 0, lag = 0; l < end; l++) {
      if (wanted[lag] === 1) used[count++] = l;
      if (++lag === wanted.length) lag = 0;
    }
    return count;
  }

  /** The exposure of entry i, a class, from what it was at the boundary before; that now is kept. */
  #difference(i: number, c: number, folded: number, used: number): void {
    const { tau, width } = this, numbers = this.#usedNumbers, from = i * width;
    let place = this.#beforeOf[c] - 1;
    const isKnown = place >= 0;
    let isLeft = false;
    for (let k = 0; k < used && !isLeft; k++) isLeft = tau[from + numbers[k]] !== folded;
    if (!isKnown && isLeft) place = this.#takePlace(c);
    const kept = this.#before, at = place * width;
    for (let k = 0; k < used; k++) {
      const l = numbers[k], now = tau[from + l];
      const before = isKnown ? kept[at + l] : 0;
      // Rounding may leave a trace below zero.
      tau[from + l] = now > before ? now - before : 0;
      if (place >= 0) kept[at + l] = now - folded;
    }
    if (!isKnown || isLeft) return;
    this.#free.push(place);
    this.#beforeOf[c] = 0;
  }

  #takePlace(c: number): number {
    const place = this.#free.pop() ?? this.#befores++;
    const end = (place + 1) * this.width;
    if (end > this.#before.length) this.#before = grown(this.#before, end);
    this.#beforeOf[c] = place + 1;
    return place;
  }

  /** Is what a class without CPUs left behind still to be seen? Else it is forgotten. */
  #fades(c: number, m: number): boolean {
    const { cursor } = this;
    const log = this.#log;
    const nowS = cursor < log.next ? log.timeS[cursor & log.mask] : this.#sinceS[c];
    const count = this.#constants.length;
    const left = this.#tails[c * count + m] *
      Math.exp(-(nowS - this.#sinceS[c]) / this.#constants[m]);
    return Math.abs(left) > LEAST_TAIL;
  }

  #row(): { tau: Float64Array; length: number } {
    const length = this.#length;
    if (this.tau.length < length * this.width) this.tau = grown(this.tau, length * this.width);
    if (this.classes.length < length) this.classes = grown(this.classes, length);
    return { tau: this.tau, length };
  }

  #mark(c: number): void {
    if (c >= this.#place.length) {
      this.#place = grown(this.#place, c + 1);
      this.#cpus = grown(this.#cpus, c + 1);
      this.#seconds = grown(this.#seconds, c + 1);
      this.#sinceS = grown(this.#sinceS, c + 1);
      this.#beforeOf = grown(this.#beforeOf, c + 1);
      if (this.responds || this.#late !== undefined) {
        this.#tails = grown(this.#tails, this.#place.length * this.#constants.length);
      }
    }
    if (this.#place[c] !== 0) return;
    if (this.#length === this.#list.length) this.#list = grown(this.#list, this.#length + 1);
    this.#list[this.#length++] = c;
    this.#place[c] = this.#length;
  }
}
