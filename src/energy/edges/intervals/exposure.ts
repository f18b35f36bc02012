/**
 * CPU-seconds of each class between two changes of a counter.
 *
 * That a counter changed is seen at a step; it happened somewhere in the window of length a before
 * it. The exposure at such a boundary y is averaged over the window: one edge at s, c CPUs more, gives
 * c·(Q(y − s) − Q(y − a − s)) / a with Q(x) = max(x, 0)² / 2.
 * @module
 */
import type { EdgeLog } from "./edge_log.ts";
import { grown } from "../../../core/grow.ts";

/** Follows one {@linkcode EdgeLog} for one counter. */
export class Exposure {
  /** The row of the last boundary: classes that had CPU time since the boundary before. */
  count = 0;
  classes = new Int32Array(16);
  /** CPU-seconds by entry. */
  tau = new Float64Array(16);
  /** Edges before this number are read. */
  cursor: number;
  readonly #log: EdgeLog;
  /** By class: CPUs, CPU-seconds since the last boundary and when they were last brought up. */
  #cpus = new Float64Array(16);
  #seconds = new Float64Array(16);
  #sinceS = new Float64Array(16);
  /** By class: exposure at the last boundary. */
  #before = new Float64Array(16);
  /** Classes that may have CPU time in this interval. */
  #list = new Int32Array(16);
  #length = 0;
  /** By class: its place in the list + 1; 0: not in it. */
  #place = new Int32Array(16);

  constructor(log: EdgeLog) {
    this.#log = log;
    // A counter that joins late finds CPUs in their classes already.
    this.cursor = log.next;
    for (let c = 0; c < log.classes; c++) {
      if (log.cpus[c] === 0) continue;
      this.#mark(c);
      this.#cpus[c] = log.cpus[c];
      this.#sinceS[c] = 0;
    }
  }

  /** Reads edges before a time, which no window that is still to come reaches back to. */
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
    for (let k = this.cursor; k < log.next && log.timeS[k & log.mask] < timeS; k++) {
      this.#mark(log.classOf[k & log.mask]);
    }
    const length = this.#length, middle = timeS - windowS / 2;
    if (this.tau.length < length) this.tau = grown(this.tau, length);
    if (this.classes.length < length) this.classes = grown(this.classes, length);
    const { tau } = this;
    for (let i = 0; i < length; i++) {
      const c = this.#list[i];
      tau[i] = this.#seconds[c] + this.#cpus[c] * (middle - this.#sinceS[c]);
    }
    for (let k = this.cursor; k < log.next; k++) {
      const at = k & log.mask;
      const x = timeS - log.timeS[at];
      if (x <= 0) break;
      const area = x < windowS ? x * x / (2 * windowS) : x - windowS / 2;
      tau[this.#place[log.classOf[at]] - 1] += log.change[at] * area;
    }
    this.#finish();
  }

  /** Turns exposures at the boundary into those of the interval, and begins the next one. */
  #finish(): void {
    const { tau } = this;
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const c = this.#list[i], now = tau[i], before = this.#before[c];
      this.classes[i] = c;
      // Rounding may leave a trace below zero.
      tau[i] = now > before ? now - before : 0;
      this.#before[c] = now - this.#seconds[c];
      this.#seconds[c] = 0;
      this.#place[c] = 0;
      // A class without CPUs comes again by its next edge.
      if (this.#cpus[c] !== 0) this.#list[kept++] = c;
    }
    this.count = this.#length;
    this.#length = kept;
    for (let i = 0; i < kept; i++) this.#place[this.#list[i]] = i + 1;
  }

  #mark(c: number): void {
    if (c >= this.#place.length) {
      this.#place = grown(this.#place, c + 1);
      this.#cpus = grown(this.#cpus, c + 1);
      this.#seconds = grown(this.#seconds, c + 1);
      this.#sinceS = grown(this.#sinceS, c + 1);
      this.#before = grown(this.#before, c + 1);
    }
    if (this.#place[c] !== 0) return;
    if (this.#length === this.#list.length) this.#list = grown(this.#list, this.#length + 1);
    this.#list[this.#length++] = c;
    this.#place[c] = this.#length;
  }
}
