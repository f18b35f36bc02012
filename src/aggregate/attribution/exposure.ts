/**
 * CPU-seconds of each class between two changes of a counter, for several lags at once.
 *
 * That a counter changed is seen at a step; it happened somewhere in the window of length a before
 * it. The exposure at such a boundary is averaged over the window: what is left of the error is then
 * independent of the exposure (Berkson, "Are there two regressions?", 1950), so that a fit over many
 * intervals is not drawn to the mean, as it would be with the middle of the window.
 * With one edge at s, c CPUs more, and y = boundary − lag, the average of c·max(0, y′ − s) over
 * y′ in (y − a, y) is c·(Q(y − s) − Q(y − a − s)) / a, Q(x) = max(x, 0)² / 2. docs/how-sure.md.
 * @module
 */
import type { EdgeLog } from "./edge_log.ts";
import { grown } from "../../core/grow.ts";

/** Follows one {@linkcode EdgeLog} for one counter. */
export class Exposure {
  /** Lags in seconds; those whose `wanted` is 0 are not calculated. */
  lags: Float64Array;
  wanted: Uint8Array;
  /** The row of the last boundary: classes that had CPU time since the boundary before. */
  count = 0;
  classes = new Int32Array(16);
  /** CPU-seconds of the entries: entry i at lag l stands at `i * lags.length + l`. */
  tau = new Float64Array(16);
  /** Edges before this number are taken up. */
  cursor: number;
  readonly #log: EdgeLog;
  /** By class: CPUs, CPU-seconds since the last boundary and when they were last brought up. */
  #cpus = new Float64Array(16);
  #seconds = new Float64Array(16);
  #sinceS = new Float64Array(16);
  /** By class and lag: exposure at the last boundary. */
  #before: Float64Array;
  /** Classes that may have CPU time in this interval. */
  #list = new Int32Array(16);
  #length = 0;
  /** By class: its place in the list + 1; 0: not in it. */
  #place = new Int32Array(16);

  constructor(log: EdgeLog, lags: Float64Array) {
    this.#log = log;
    this.lags = lags;
    this.wanted = new Uint8Array(lags.length).fill(1);
    this.#before = new Float64Array(16 * lags.length);
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
      this.#seconds[c] += this.#cpus[c] * (s - this.#sinceS[c]);
      this.#sinceS[c] = s;
      this.#cpus[c] += log.change[at];
      this.cursor++;
    }
  }

  /**
   * Ends an interval at a boundary.
   *
   * @param windowS Length of the window before `timeS` in which the counter changed; 0: at `timeS`.
   */
  boundary(timeS: number, windowS: number): void {
    const log = this.#log;
    const lags = this.lags;
    const width = lags.length;
    for (let k = this.cursor; k < log.next; k++) this.#mark(log.classOf[k & log.mask]);
    const { tau, length } = this.#row();
    for (let l = 0; l < width; l++) {
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
    this.#finish(width);
  }

  /** Turns exposures at the boundary into those of the interval, and begins the next one. */
  #finish(width: number): void {
    const { tau } = this;
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const c = this.#list[i];
      this.classes[i] = c;
      const folded = this.#seconds[c];
      this.#seconds[c] = 0;
      for (let l = 0; l < width; l++) {
        const now = tau[i * width + l];
        const before = this.#before[c * width + l];
        // Rounding may leave a trace below zero.
        tau[i * width + l] = now > before ? now - before : 0;
        this.#before[c * width + l] = now - folded;
      }
      this.#place[c] = 0;
      // Who has no CPU now is named again by its next edge.
      if (this.#cpus[c] !== 0) this.#list[kept++] = c;
    }
    this.count = this.#length;
    this.#length = kept;
    for (let i = 0; i < kept; i++) this.#place[this.#list[i]] = i + 1;
  }

  #row(): { tau: Float64Array; length: number } {
    const length = this.#length;
    if (this.tau.length < length * this.lags.length) {
      this.tau = grown(this.tau, length * this.lags.length);
    }
    if (this.classes.length < length) this.classes = grown(this.classes, length);
    return { tau: this.tau, length };
  }

  #mark(c: number): void {
    if (c >= this.#place.length) {
      this.#place = grown(this.#place, c + 1);
      this.#cpus = grown(this.#cpus, c + 1);
      this.#seconds = grown(this.#seconds, c + 1);
      this.#sinceS = grown(this.#sinceS, c + 1);
      this.#before = grown(this.#before, this.#place.length * this.lags.length);
    }
    if (this.#place[c] !== 0) return;
    if (this.#length === this.#list.length) this.#list = grown(this.#list, this.#length + 1);
    this.#list[this.#length++] = c;
    this.#place[c] = this.#length;
  }
}
