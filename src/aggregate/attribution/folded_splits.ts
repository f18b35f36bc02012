/**
 * Regions whose visits came folded: no edges, only the time that each path took between two samples. The
 * CPU time of the class that has it by edges, the outermost region around them, is divided by it.
 *
 * Intervals do not end with samples: at a boundary the time of each path is taken to grow evenly
 * between the samples around it. What is left of the error is then about independent of the time
 * itself, as with windows (Berkson). docs/how-sure.md.
 * @module
 */
import { grown } from "../../core/grow.ts";

/** Times of paths kept at most, over all samples: earlier ones are not divided. */
const MOST_HELD = 262_144;

/** Beyond any class. */
const CLASSES = 2 ** 26;

/** What paths took between two samples. */
interface Sample {
  readonly fromS: number;
  readonly untilS: number;
  readonly slots: Int32Array;
  readonly seconds: Float64Array;
}

/** Time of folded paths on the CPUs of one domain, since the beginning. */
export class FoldedTimes {
  /** By slot: a path, the class that has its time by edges, and CPU-seconds. */
  paths = new Int32Array(16);
  around = new Int32Array(16);
  seconds = new Float64Array(16);
  /** Slots in use; 0: nothing came folded. */
  length = 0;
  readonly #slots = new Map<number, number>();
  /** By path: its last slot + 1. */
  #slotOf = new Int32Array(16);
  /** Those that may still be needed, oldest first. */
  readonly #samples: Sample[] = [];
  #held = 0;
  #lastS = NaN;
  /** By slot: what was added since the last sample; and the slots with any. */
  #fresh = new Float64Array(16);
  readonly #touched: number[] = [];

  /**
   * A path took so much CPU time since the last time; below 0 where that was reported too high.
   *
   * @param around The class that has it by edges.
   */
  add(path: number, around: number, cpuSeconds: number): void {
    const slot = this.#slot(path, around);
    this.seconds[slot] += cpuSeconds;
    if (this.#fresh[slot] === 0) this.#touched.push(slot);
    this.#fresh[slot] += cpuSeconds;
  }

  /** The class whose time is divided by that of a path; −1: no visit of it came folded. */
  foldedIn(path: number): number {
    const slot = path < this.#slotOf.length ? this.#slotOf[path] - 1 : -1;
    return slot >= 0 && this.seconds[slot] > 0 ? this.around[slot] : -1;
  }

  #slot(path: number, around: number): number {
    if (path >= this.#slotOf.length) this.#slotOf = grown(this.#slotOf, path + 1);
    const last = this.#slotOf[path] - 1;
    if (last >= 0 && this.around[last] === around) return last;
    const key = around * CLASSES + path;
    let slot = this.#slots.get(key);
    if (slot === undefined) {
      slot = this.length++;
      this.#slots.set(key, slot);
      if (slot === this.seconds.length) {
        this.paths = grown(this.paths, slot + 1);
        this.around = grown(this.around, slot + 1);
        this.seconds = grown(this.seconds, slot + 1);
        this.#fresh = grown(this.#fresh, slot + 1);
      }
      this.paths[slot] = path;
      this.around[slot] = around;
    }
    this.#slotOf[path] = slot + 1;
    return slot;
  }

  /** A sample: all that was taken up to it has been added. */
  sample(timeS: number): void {
    if (this.#touched.length > 0) {
      const slots = Int32Array.from(this.#touched);
      // One that went to 0 in between is listed twice: the second time it has nothing.
      const seconds = Float64Array.from(slots, (slot) => {
        const fresh = Math.max(0, this.#fresh[slot]);
        this.#fresh[slot] = 0;
        return fresh;
      });
      this.#touched.length = 0;
      if (this.#lastS < timeS) {
        this.#samples.push({ fromS: this.#lastS, untilS: timeS, slots, seconds });
        this.#held += slots.length;
      }
      while (this.#held > MOST_HELD) this.#drop();
    }
    this.#lastS = timeS;
  }

  /** Entries before are not needed any more. */
  release(timeS: number): void {
    while (this.#samples.length > 0 && this.#samples[0].untilS <= timeS) this.#drop();
  }

  #drop(): void {
    this.#held -= this.#samples.shift()!.slots.length;
  }

  /** What each slot took between two times is added to `taken`, a sample after the other. */
  between(fromS: number, untilS: number, taken: Taken): void {
    for (const { fromS: beganS, untilS: endedS, slots, seconds } of this.#samples) {
      const overlapS = Math.min(untilS, endedS) - Math.max(fromS, beganS);
      if (!(overlapS > 0)) continue;
      const part = overlapS / (endedS - beganS);
      taken.reserve(this.length);
      for (let i = 0; i < slots.length; i++) {
        if (seconds[i] > 0) taken.add(slots[i], this.around[slots[i]], part * seconds[i]);
      }
    }
  }
}

/** What slots took within one interval. */
class Taken {
  /** By slot: what it took; by the class around: what all in it took. */
  seconds = new Float64Array(16);
  sums = new Float64Array(16);
  /** Slots that took anything, and how many. */
  slots = new Int32Array(16);
  length = 0;

  /** Room for so many slots. */
  reserve(slots: number): void {
    if (slots <= this.seconds.length) return;
    this.seconds = grown(this.seconds, slots);
    this.slots = grown(this.slots, slots);
  }

  /** A slot, for which there is room, took so many seconds, more than 0. */
  add(slot: number, around: number, seconds: number): void {
    if (around >= this.sums.length) this.sums = grown(this.sums, around + 1);
    if (this.seconds[slot] === 0) this.slots[this.length++] = slot;
    this.seconds[slot] += seconds;
    this.sums[around] += seconds;
  }

  /** @param around By slot, the class around it. */
  forget(around: Int32Array): void {
    for (let k = 0; k < this.length; k++) {
      const slot = this.slots[k];
      this.seconds[slot] = 0;
      this.sums[around[slot]] = 0;
    }
    this.length = 0;
  }
}

/** A row of exposures, as `Exposure` has it. */
export interface ExposureRow {
  count: number;
  classes: Int32Array;
  /** Entry i at lag l is at `i * width + l`; after the lags the same for each time constant. */
  tau: Float64Array;
  readonly width: number;
  readonly lags: Float64Array;
}

/** Divides the rows of one counter. */
export class FoldedSplits {
  readonly #times: FoldedTimes;
  /** By lag: the last two boundaries. */
  readonly #fromS: Float64Array;
  readonly #untilS: Float64Array;
  /** No later boundary needs entries before. */
  neededS = -Infinity;
  readonly #row: ExposureRow;
  #begin = new Float64Array(0);
  readonly #taken = new Taken();
  /** By class: its place in the row + 1; 0: not in it. */
  #places = new Int32Array(16);

  constructor(times: FoldedTimes, { lags, width }: { lags: Float64Array; width: number }) {
    this.#times = times;
    this.#row = { count: 0, classes: new Int32Array(16), tau: new Float64Array(16), lags, width };
    this.#fromS = new Float64Array(lags.length).fill(NaN);
    this.#untilS = new Float64Array(lags.length).fill(NaN);
  }

  /** The counter's first reading: what was before does not count. */
  begin(): void {
    this.#begin = this.#times.seconds.slice(0, this.#times.length);
  }

  /** The next boundary, as `Exposure` has it. */
  boundary(timeS: number, windowS: number): void {
    const { lags } = this.#row;
    let mostS = -Infinity;
    for (let l = 0; l < lags.length; l++) {
      this.#fromS[l] = this.#untilS[l];
      this.#untilS[l] = timeS - windowS / 2 - lags[l];
      if (lags[l] > mostS) mostS = lags[l];
    }
    this.neededS = timeS - windowS / 2 - mostS;
  }

  /** A row between the last two boundaries, divided. Reused. @param wanted Lags that count. */
  divided(row: ExposureRow, wanted: Uint8Array): ExposureRow {
    if (this.#times.length === 0) return row;
    const out = this.#row, lags = row.lags.length;
    this.#copy(row);
    for (let lag = 0; lag < lags; lag++) {
      if (wanted[lag] !== 0) this.#divide(row, lag);
    }
    for (let i = 0; i < out.count; i++) this.#places[out.classes[i]] = 0;
    return out;
  }

  /** At one lag, and at the same lag of every time constant. */
  #divide(row: ExposureRow, lag: number): void {
    const out = this.#row, taken = this.#taken, { paths, around } = this.#times;
    const width = row.width, lags = row.lags.length;
    this.#times.between(this.#fromS[lag], this.#untilS[lag], taken);
    for (let i = 0; i < row.count; i++) {
      const c = row.classes[i];
      if (!(c < taken.sums.length && taken.sums[c] > 0)) continue;
      for (let l = lag; l < width; l += lags) out.tau[i * width + l] = 0;
    }
    for (let k = 0; k < taken.length; k++) {
      const slot = taken.slots[k], c = around[slot];
      const i = c < this.#places.length ? this.#places[c] - 1 : -1;
      // A class that the row begins with: what was divided comes behind those.
      if (i < 0 || i >= row.count) continue;
      const part = taken.seconds[slot] / taken.sums[c];
      const place = this.#entry(paths[slot]) * width;
      for (let l = lag; l < width; l += lags) out.tau[place + l] += row.tau[i * width + l] * part;
    }
    taken.forget(around);
  }

  /** CPU-seconds by class of the whole run, divided. */
  dividedSeconds(seconds: Float64Array): Float64Array {
    const { seconds: now, paths, around, length } = this.#times;
    const taken = this.#taken;
    taken.reserve(length);
    let last = seconds.length - 1;
    for (let slot = 0; slot < length; slot++) {
      const tookS = now[slot] - (slot < this.#begin.length ? this.#begin[slot] : 0);
      if (tookS > 0) taken.add(slot, around[slot], tookS);
      last = Math.max(last, paths[slot]);
    }
    if (taken.length === 0) return seconds;
    const out = new Float64Array(last + 1);
    out.set(seconds);
    const { slots } = taken;
    for (let k = 0; k < taken.length; k++) {
      if (around[slots[k]] < seconds.length) out[around[slots[k]]] = 0;
    }
    for (let k = 0; k < taken.length; k++) {
      const slot = slots[k], c = around[slot];
      if (c < seconds.length) out[paths[slot]] += seconds[c] * taken.seconds[slot] / taken.sums[c];
    }
    taken.forget(around);
    return out;
  }

  #copy(row: ExposureRow): void {
    const out = this.#row, width = row.width;
    out.count = 0;
    for (let i = 0; i < row.count; i++) {
      const at = this.#entry(row.classes[i]);
      for (let l = 0; l < width; l++) out.tau[at * width + l] = row.tau[i * width + l];
    }
  }

  /** Place of a class in the row; a new one has no time. */
  #entry(c: number): number {
    if (c >= this.#places.length) this.#places = grown(this.#places, c + 1);
    if (this.#places[c] > 0) return this.#places[c] - 1;
    const out = this.#row, width = out.width;
    if (out.count === out.classes.length) out.classes = grown(out.classes);
    if ((out.count + 1) * width > out.tau.length) out.tau = grown(out.tau, (out.count + 1) * width);
    out.tau.fill(0, out.count * width, (out.count + 1) * width);
    out.classes[out.count] = c;
    this.#places[c] = ++out.count;
    return out.count - 1;
  }
}
