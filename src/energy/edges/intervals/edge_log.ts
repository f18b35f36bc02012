/**
 * Classes of one domain instance's CPUs, from edge to edge: the exact times that everything else
 * here is calculated from. docs/explanation/how-sure.md.
 *
 * A class is a region, or `unmarked` (0). Edges are kept until every reader has read them; older
 * ones live on as sums, so memory depends on classes and CPUs, not on the length of a run.
 * @module
 */
import { grown } from "../../../core/grow.ts";

/**
 * The first CPUs count as unmarked for so long before they come: the first reading of a counter, a
 * step before, shows an update that is older still. Seconds.
 */
const LEAD_IN_S = 0.2;

/** The edges of one domain instance. Times are seconds on one clock; what steps back counts as now. */
export class EdgeLog {
  /** Number of edges so far; they are numbered from 0. */
  next = 0;
  /** Place of edge k in the columns is `k & mask`. */
  mask = 63;
  timeS = new Float64Array(64);
  /** Class that gains or loses CPUs. */
  classOf = new Int32Array(64);
  /** CPUs that it gains, below 0 for those that leave it. */
  change = new Float64Array(64);
  /** From when on the first CPU counts; NaN before one came. */
  firstS = NaN;
  /** CPUs by class now. */
  cpus = new Float64Array(16);
  /** CPUs that belong to processes. */
  owned = 0;
  /** Classes seen so far are below this. */
  classes = 0;
  #first = 0;
  #lastS = -Infinity;
  /** CPU-seconds by class up to `#sinceS` of the class. */
  #seconds = new Float64Array(16);
  #sinceS = new Float64Array(16);

  /** CPUs change to another class. @param from −1: they had no owner. */
  move(timeS: number, from: number, to: number, count: number): void {
    const isFirst = this.firstS !== this.firstS;
    if (isFirst) this.firstS = timeS - LEAD_IN_S;
    const known = timeS >= this.#lastS ? timeS : this.#lastS;
    this.#lastS = known;
    const t = isFirst && to === 0 ? this.firstS : known;
    if (from >= 0) this.#push(t, from, -count);
    else this.owned += count;
    this.#push(t, to, count);
  }

  /** A class gains so many CPUs, or parts of them, at a time that may be before edges received already. */
  insert(timeS: number, index: number, change: number): void {
    this.#push(timeS, index, change);
    const { mask, classOf, change: changes } = this;
    let k = this.next - 1;
    for (; k > this.#first && this.timeS[(k - 1) & mask] > timeS; k--) {
      this.timeS[k & mask] = this.timeS[(k - 1) & mask];
      classOf[k & mask] = classOf[(k - 1) & mask];
      changes[k & mask] = changes[(k - 1) & mask];
    }
    this.timeS[k & mask] = timeS;
    classOf[k & mask] = index;
    changes[k & mask] = change;
  }

  /** CPU-seconds of a class up to a time, after which there is no edge. */
  exposure(classIndex: number, timeS: number): number {
    if (classIndex >= this.classes) return 0;
    const still = Math.max(0, timeS - this.#sinceS[classIndex]);
    return this.#seconds[classIndex] + this.cpus[classIndex] * still;
  }

  /** CPU-seconds by class up to a time, which only edges lie beyond that are still kept. */
  exposures(timeS: number): Float64Array {
    const all = new Float64Array(this.classes);
    for (let c = 0; c < all.length; c++) {
      all[c] = this.#seconds[c] + this.cpus[c] * (timeS - this.#sinceS[c]);
    }
    for (let k = this.next - 1; k >= this.#first; k--) {
      const at = k & this.mask, beyondS = this.timeS[at] - timeS;
      if (!(beyondS > 0)) break;
      all[this.classOf[at]] += this.change[at] * beyondS;
    }
    return all;
  }

  /** Edges before this number are needed no more. */
  release(before: number): void {
    if (before > this.#first) this.#first = Math.min(before, this.next);
  }

  #push(t: number, index: number, change: number): void {
    if (index >= this.cpus.length) {
      this.cpus = grown(this.cpus, index + 1);
      this.#seconds = grown(this.#seconds, index + 1);
      this.#sinceS = grown(this.#sinceS, index + 1);
    }
    if (index >= this.classes) this.classes = index + 1;
    this.#seconds[index] += this.cpus[index] * (t - this.#sinceS[index]);
    this.#sinceS[index] = t;
    this.cpus[index] += change;
    if (this.next - this.#first > this.mask) this.#enlarge();
    const at = this.next & this.mask;
    this.timeS[at] = t;
    this.classOf[at] = index;
    this.change[at] = change;
    this.next++;
  }

  #enlarge(): void {
    const old = { timeS: this.timeS, classOf: this.classOf, change: this.change, mask: this.mask };
    this.mask = old.mask * 2 + 1;
    this.timeS = grown(old.timeS, this.mask + 1);
    this.classOf = grown(old.classOf, this.mask + 1);
    this.change = grown(old.change, this.mask + 1);
    for (let k = this.#first; k < this.next; k++) {
      this.timeS[k & this.mask] = old.timeS[k & old.mask];
      this.classOf[k & this.mask] = old.classOf[k & old.mask];
      this.change[k & this.mask] = old.change[k & old.mask];
    }
  }
}
