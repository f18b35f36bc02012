/**
 * Regions whose visits came folded: no edges, only the time that each path took between two samples. The
 * CPU time of the class that has it by edges, the outermost region around them, is divided by it.
 *
 * Intervals do not end with samples: at a boundary the time of each path is taken to grow evenly
 * between the samples around it. What is left of the error is then about independent of the time
 * itself, as with windows (Berkson). docs/explanation/how-sure.md.
 * @module
 */
import { grown } from "../../core/grow.ts";

/** Maximum number of kept path times, over all samples: earlier ones are not divided. */
const MAX_HELD_TIMES = 262_144;

/** Beyond any class. */
const CLASSES = 2 ** 26;

/** Times of paths between two samples, grouped by class. */
interface Sample {
  readonly fromS: number;
  readonly untilS: number;
  readonly slots: Int32Array;
  readonly seconds: Float64Array;
  /** The classes, where the slots of each end, and what they took together. */
  readonly classes: number[];
  readonly ends: number[];
  readonly sums: number[];
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
  /** Samples that may still be needed, oldest first. */
  readonly #samples: Sample[] = [];
  #held = 0;
  #lastS = NaN;
  /** By slot: what was added since the last sample; and the slots with any, which are marked. */
  #fresh = new Float64Array(16);
  #isTouched = new Uint8Array(16);
  readonly #touched: number[] = [];
  /** By class: how many of the slots of a sample it has, then where the next one goes. */
  #counts = new Int32Array(16);

  /**
   * A path took so much CPU time since the last time; below 0 if that was reported too high.
   *
   * @param around The class that has it by edges.
   */
  add(path: number, around: number, cpuSeconds: number): void {
    const slot = this.#slot(path, around);
    this.seconds[slot] += cpuSeconds;
    if (this.#isTouched[slot] === 0) {
      this.#isTouched[slot] = 1;
      this.#touched.push(slot);
    }
    this.#fresh[slot] += cpuSeconds;
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
        this.#isTouched = grown(this.#isTouched, slot + 1);
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
      const sample = this.#takeFresh(this.#lastS, timeS);
      if (this.#lastS < timeS) {
        this.#samples.push(sample);
        this.#held += sample.slots.length;
      }
      while (this.#held > MAX_HELD_TIMES) this.#drop();
    }
    this.#lastS = timeS;
  }

  /** Makes a sample from the times since the last one. */
  #takeFresh(fromS: number, untilS: number): Sample {
    const { around } = this, fresh = this.#fresh, touched = this.#touched;
    const classes: number[] = [], ends: number[] = [], sums: number[] = [];
    let length = 0;
    for (const slot of touched) {
      this.#isTouched[slot] = 0;
      if (fresh[slot] > 0) touched[length++] = slot;
      else fresh[slot] = 0;
    }
    touched.length = length;
    for (const slot of touched) {
      const c = around[slot];
      if (c >= this.#counts.length) this.#counts = grown(this.#counts, c + 1);
      if (this.#counts[c]++ === 0) classes.push(c);
    }
    const counts = this.#counts;
    let end = 0;
    for (const c of classes) {
      end += counts[c];
      counts[c] = end - counts[c];
      ends.push(end);
      sums.push(0);
    }
    const slots = new Int32Array(length), seconds = new Float64Array(length);
    for (const slot of touched) {
      const at = counts[around[slot]]++;
      slots[at] = slot;
      seconds[at] = fresh[slot];
      fresh[slot] = 0;
    }
    touched.length = 0;
    for (let j = 0, k = 0; j < classes.length; j++) {
      counts[classes[j]] = 0;
      for (; k < ends[j]; k++) sums[j] += seconds[k];
    }
    return { fromS, untilS, slots, seconds, classes, ends, sums };
  }

  /** Entries before are not needed any more. */
  release(timeS: number): void {
    while (this.#samples.length > 0 && this.#samples[0].untilS <= timeS) this.#drop();
  }

  #drop(): void {
    this.#held -= this.#samples.shift()!.slots.length;
  }

  /** Samples that have time between two times, oldest first. */
  *between(fromS: number, untilS: number): Iterable<Sample> {
    for (const sample of this.#samples) {
      if (Math.min(untilS, sample.untilS) - Math.max(fromS, sample.fromS) > 0) yield sample;
    }
  }
}

/** Times of slots in the whole run. */
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
  /** CPU-seconds by entry. */
  tau: Float64Array;
}

/** Divides the rows of one counter. */
export class FoldedSplits {
  readonly #times: FoldedTimes;
  /** The last two boundaries. */
  #fromS = NaN;
  #untilS = NaN;
  readonly #row = { count: 0, classes: new Int32Array(16), tau: new Float64Array(16) };
  #begin = new Float64Array(0);
  readonly #taken = new Taken();
  /** By class of the row, what all in it took. */
  #sums = new Float64Array(16);
  /** By class: its place in the row + 1; 0: not in it. */
  #places = new Int32Array(16);

  constructor(times: FoldedTimes) {
    this.#times = times;
  }

  /** Time before which no later boundary needs entries. */
  get neededS(): number {
    return this.#untilS === this.#untilS ? this.#untilS : -Infinity;
  }

  /** The counter's first reading: what was before does not count. */
  begin(): void {
    this.#begin = this.#times.seconds.slice(0, this.#times.length);
  }

  /** The next boundary, as `Exposure` has it. */
  boundary(timeS: number, windowS: number): void {
    this.#fromS = this.#untilS;
    this.#untilS = timeS - windowS / 2;
  }

  /** A row between the last two boundaries, divided. Reused. */
  divided(row: ExposureRow): ExposureRow {
    if (this.#times.length === 0) return row;
    const out = this.#row, { count } = row;
    this.#copy(row);
    const samples = [...this.#times.between(this.#fromS, this.#untilS)].map((sample) => ({
      sample,
      part: (Math.min(this.#untilS, sample.untilS) - Math.max(this.#fromS, sample.fromS)) /
        (sample.untilS - sample.fromS),
    }));
    if (samples.length > 0) {
      if (this.#sums.length < count) this.#sums = new Float64Array(2 * count);
      const sums = this.#sums.fill(0, 0, count);
      for (const { sample, part } of samples) this.#addUp(sample, part, count);
      for (let i = 0; i < count; i++) if (sums[i] > 0) out.tau[i] = 0;
      for (const { sample, part } of samples) this.#divide(row, sample, part);
    }
    for (let i = 0; i < out.count; i++) this.#places[out.classes[i]] = 0;
    return out;
  }

  /** Place of a class that the row begins with; −1: what was divided comes behind those. */
  #placeOf(c: number, count: number): number {
    const i = c < this.#places.length ? this.#places[c] - 1 : -1;
    return i < count ? i : -1;
  }

  /** Adds up the times of all paths in each class of a sample. */
  #addUp({ classes, sums: took }: Sample, part: number, count: number): void {
    for (let j = 0; j < classes.length; j++) {
      const i = this.#placeOf(classes[j], count);
      if (i >= 0) this.#sums[i] += part * took[j];
    }
  }

  /** The time of a class goes to what took time in it. */
  #divide(row: ExposureRow, sample: Sample, part: number): void {
    const out = this.#row, { paths } = this.#times, { slots, seconds, classes, ends } = sample;
    for (let j = 0; j < classes.length; j++) {
      const i = this.#placeOf(classes[j], row.count);
      if (i < 0 || !(this.#sums[i] > 0)) continue;
      const each = row.tau[i] * (part / this.#sums[i]);
      for (let k = j === 0 ? 0 : ends[j - 1]; k < ends[j]; k++) {
        const place = this.#entry(paths[slots[k]]);
        out.tau[place] += each * seconds[k];
      }
    }
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
    const out = this.#row;
    out.count = 0;
    for (let i = 0; i < row.count; i++) {
      const at = this.#entry(row.classes[i]);
      out.tau[at] = row.tau[i];
    }
  }

  /** Place of a class in the row; a new one has no time. */
  #entry(c: number): number {
    if (c >= this.#places.length) this.#places = grown(this.#places, c + 1);
    if (this.#places[c] > 0) return this.#places[c] - 1;
    const out = this.#row;
    if (out.count === out.classes.length) out.classes = grown(out.classes);
    if (out.count === out.tau.length) out.tau = grown(out.tau);
    out.tau[out.count] = 0;
    out.classes[out.count] = c;
    this.#places[c] = ++out.count;
    return out.count - 1;
  }
}
