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

/** What paths took between two samples, those of one class behind each other. */
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
  /** Those that may still be needed, oldest first. */
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
   * A path took so much CPU time since the last time; below 0 where that was reported too high.
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
      while (this.#held > MOST_HELD) this.#drop();
    }
    this.#lastS = timeS;
  }

  /** What was added since the last sample. */
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

/** What slots took in the whole run. */
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
  /** Numbers of an entry. */
  width: number;
  readonly lags: Float64Array;
  /** There is something for time constants. */
  readonly responds: boolean;
}

/** Divides the rows of one counter. */
export class FoldedSplits {
  readonly #times: FoldedTimes;
  /** By lag: the last two boundaries. */
  readonly #fromS: Float64Array;
  readonly #untilS: Float64Array;
  /** No later boundary needs entries before. */
  neededS = -Infinity;
  readonly #row: { -readonly [K in keyof ExposureRow]: ExposureRow[K] };
  #begin = new Float64Array(0);
  readonly #taken = new Taken();
  /** By sample and lag, the part of its time between the boundaries. */
  #parts: Float64Array[] = [];
  /** By class of the row and lag, what all in it took. */
  #sums = new Float64Array(16);
  /** What a second in a class gets, by column. */
  readonly #each: Float64Array;
  /** By class: its place in the row + 1; 0: not in it. */
  #places = new Int32Array(16);

  constructor(times: FoldedTimes, { lags, width }: { lags: Float64Array; width: number }) {
    this.#times = times;
    const [classes, tau] = [new Int32Array(16), new Float64Array(16)];
    this.#row = { count: 0, classes, tau, lags, width, responds: true };
    this.#each = new Float64Array(width);
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
    const out = this.#row, { count } = row, lags = row.lags.length;
    // Of very many classes the numbers for time constants would take most of the memory.
    const width = out.width = row.responds ? row.width : lags;
    out.responds = row.responds;
    this.#copy(row);
    const samples = this.#overlapping(wanted);
    if (samples.length > 0) {
      if (this.#sums.length < count * lags) this.#sums = new Float64Array(2 * count * lags);
      const sums = this.#sums.fill(0, 0, count * lags);
      samples.forEach((sample, k) => this.#addUp(sample, this.#parts[k], count));
      for (let i = 0; i < count; i++) {
        for (let w = 0; w < width; w++) {
          if (sums[i * lags + w % lags] > 0) out.tau[i * width + w] = 0;
        }
      }
      samples.forEach((sample, k) => this.#divide(row, sample, this.#parts[k]));
    }
    for (let i = 0; i < out.count; i++) this.#places[out.classes[i]] = 0;
    return out;
  }

  /** Place of a class that the row begins with; −1: what was divided comes behind those. */
  #placeOf(c: number, count: number): number {
    const i = c < this.#places.length ? this.#places[c] - 1 : -1;
    return i < count ? i : -1;
  }

  /** What all in a class took in a sample, by lag. */
  #addUp({ classes, sums: took }: Sample, part: Float64Array, count: number): void {
    for (let j = 0; j < classes.length; j++) {
      const i = this.#placeOf(classes[j], count);
      if (i < 0) continue;
      for (let l = 0; l < part.length; l++) this.#sums[i * part.length + l] += part[l] * took[j];
    }
  }

  /** The time of a class goes to what took time in it, at every lag and time constant. */
  #divide(row: ExposureRow, sample: Sample, part: Float64Array): void {
    const out = this.#row, { paths } = this.#times, { slots, seconds, classes, ends } = sample;
    const { width } = out, { count } = row, lags = part.length, each = this.#each;
    for (let j = 0; j < classes.length; j++) {
      const i = this.#placeOf(classes[j], count);
      if (i < 0) continue;
      let any = false;
      for (let w = 0; w < width; w++) {
        const l = w % lags, sum = this.#sums[i * lags + l];
        each[w] = sum > 0 ? row.tau[i * row.width + w] * (part[l] / sum) : 0;
        any ||= part[l] > 0;
      }
      if (!any) continue;
      for (let k = j === 0 ? 0 : ends[j - 1]; k < ends[j]; k++) {
        const place = this.#entry(paths[slots[k]]) * width, took = seconds[k], { tau } = out;
        for (let w = 0; w < width; w++) tau[place + w] += each[w] * took;
      }
    }
  }

  /** Samples with time between the last two boundaries at any wanted lag, and their parts. */
  #overlapping(wanted: Uint8Array): Sample[] {
    const lags = this.#row.lags.length;
    let fromS = Infinity, untilS = -Infinity;
    for (let l = 0; l < lags; l++) {
      if (wanted[l] === 0) continue;
      fromS = Math.min(fromS, this.#fromS[l]);
      untilS = Math.max(untilS, this.#untilS[l]);
    }
    const samples = [...this.#times.between(fromS, untilS)];
    this.#parts = samples.map(({ fromS: beganS, untilS: endedS }) => {
      const part = new Float64Array(lags);
      for (let l = 0; l < lags; l++) {
        if (wanted[l] === 0) continue;
        const overlapS = Math.min(this.#untilS[l], endedS) - Math.max(this.#fromS[l], beganS);
        if (overlapS > 0) part[l] = overlapS / (endedS - beganS);
      }
      return part;
    });
    return samples;
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
    const out = this.#row, { width } = out;
    out.count = 0;
    for (let i = 0; i < row.count; i++) {
      const at = this.#entry(row.classes[i]);
      for (let l = 0; l < width; l++) out.tau[at * width + l] = row.tau[i * row.width + l];
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
