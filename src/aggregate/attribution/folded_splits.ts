/**
 * Nested regions whose visits came folded: no edges, only the time that each path took between two
 * samples. The CPU time of the outermost region, which is known by its edges, is divided by it.
 *
 * Intervals do not end with samples: at a boundary the time of each path is taken to grow evenly
 * between the samples around it. What is left of the error is then about independent of the time
 * itself, as with windows (Berkson). docs/how-sure.md.
 * @module
 */
import { grown } from "../../core/grow.ts";

/** Times of paths kept at most, over all samples: earlier ones are not divided. */
const MOST_HELD = 262_144;

/** What paths took between two samples. */
interface Sample {
  readonly fromS: number;
  readonly untilS: number;
  readonly paths: Int32Array;
  readonly seconds: Float64Array;
}

/** Time of folded paths on the CPUs of one domain, since the beginning. */
export class FoldedTimes {
  /** CPU-seconds by class. */
  seconds = new Float64Array(16);
  /** Classes with time are below this; 0: nothing came folded. */
  length = 0;
  /** Those that may still be needed, oldest first. */
  readonly #samples: Sample[] = [];
  #held = 0;
  #lastS = NaN;
  /** By class: what was added since the last sample; and the classes with any. */
  #fresh = new Float64Array(16);
  readonly #touched: number[] = [];

  /** A path took so much CPU time since the last time; below 0 where that was reported too high. */
  add(path: number, cpuSeconds: number): void {
    if (path >= this.seconds.length) {
      this.seconds = grown(this.seconds, path + 1);
      this.#fresh = grown(this.#fresh, this.seconds.length);
    }
    if (path >= this.length) this.length = path + 1;
    this.seconds[path] += cpuSeconds;
    if (this.#fresh[path] === 0) this.#touched.push(path);
    this.#fresh[path] += cpuSeconds;
  }

  /** A sample: all that was taken up to it has been added. */
  sample(timeS: number): void {
    if (this.#touched.length > 0) {
      const paths = Int32Array.from(this.#touched);
      // One that went to 0 in between is listed twice: the second time it has nothing.
      const seconds = Float64Array.from(paths, (path) => {
        const fresh = Math.max(0, this.#fresh[path]);
        this.#fresh[path] = 0;
        return fresh;
      });
      this.#touched.length = 0;
      if (this.#lastS < timeS) {
        this.#samples.push({ fromS: this.#lastS, untilS: timeS, paths, seconds });
        this.#held += paths.length;
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
    this.#held -= this.#samples.shift()!.paths.length;
  }

  /** Calls back with what each path took between two times, several times where it is long. */
  between(fromS: number, untilS: number, call: (path: number, seconds: number) => void): void {
    for (const sample of this.#samples) {
      const overlapS = Math.min(untilS, sample.untilS) - Math.max(fromS, sample.fromS);
      if (!(overlapS > 0)) continue;
      const part = overlapS / (sample.untilS - sample.fromS);
      sample.paths.forEach((path, i) => call(path, part * sample.seconds[i]));
    }
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
  readonly #outermostOf: (path: number) => number;
  /** By lag: the last two boundaries. */
  readonly #fromS: Float64Array;
  readonly #untilS: Float64Array;
  /** No later boundary needs entries before. */
  neededS = -Infinity;
  readonly #row: ExposureRow;
  #begin = new Float64Array(0);
  /** By path: the class by whose edges its CPU time is known, −1: not asked yet. */
  #outermost = new Int32Array(16).fill(-1);
  /** By path: what it took; by outermost class: what all in it took; paths and classes that did. */
  #took = new Float64Array(16);
  #sums = new Float64Array(16);
  readonly #touched: number[] = [];
  /** By class: its place in the row + 1; 0: not in it. */
  #places = new Int32Array(16);
  readonly #add = (path: number, seconds: number): void => {
    if (!(seconds > 0)) return;
    const c = this.outermost(path);
    this.#reserve(Math.max(path, c));
    if (this.#took[path] === 0) this.#touched.push(path);
    this.#took[path] += seconds;
    this.#sums[c] += seconds;
  };

  /** @param outermostOf The class by whose edges the CPU time of a path is known. */
  constructor(
    times: FoldedTimes,
    { lags, width }: { lags: Float64Array; width: number },
    outermostOf: (path: number) => number,
  ) {
    this.#times = times;
    this.#outermostOf = outermostOf;
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
    const out = this.#row, width = row.width, lags = row.lags.length;
    this.#copy(row);
    for (let l = 0; l < width; l++) {
      if (wanted[l % lags] === 0) continue;
      this.#times.between(this.#fromS[l % lags], this.#untilS[l % lags], this.#add);
      for (let i = 0; i < row.count; i++) {
        const c = row.classes[i];
        if (c < this.#sums.length && this.#sums[c] > 0) out.tau[i * width + l] = 0;
      }
      for (const path of this.#touched) {
        const c = this.#outermost[path], i = this.#places[c] - 1;
        // A class that the row begins with: what was divided comes behind those.
        if (i < 0 || i >= row.count) continue;
        const part = this.#took[path] / this.#sums[c];
        out.tau[this.#entry(path) * width + l] += row.tau[i * width + l] * part;
      }
      this.#forget();
    }
    for (let i = 0; i < out.count; i++) this.#places[out.classes[i]] = 0;
    return out;
  }

  /** The class by whose edges the time of a class is known that came folded; −1: it did not. */
  foldedIn(c: number): number {
    return c < this.#times.length && this.#times.seconds[c] > 0 ? this.outermost(c) : -1;
  }

  /** The class by whose edges the time of a path is known. */
  outermost(path: number): number {
    if (path >= this.#outermost.length) this.#outermost = grown(this.#outermost, path + 1, -1);
    const known = this.#outermost[path];
    return known >= 0 ? known : this.#outermost[path] = this.#outermostOf(path);
  }

  /** CPU-seconds by class of the whole run, divided. */
  dividedSeconds(seconds: Float64Array): Float64Array {
    const { seconds: now, length } = this.#times;
    for (let path = 0; path < length; path++) {
      this.#add(path, now[path] - (path < this.#begin.length ? this.#begin[path] : 0));
    }
    if (this.#touched.length === 0) return seconds;
    const out = new Float64Array(Math.max(seconds.length, length));
    out.set(seconds);
    for (const path of this.#touched) {
      const c = this.#outermost[path];
      if (c < seconds.length) out[c] = 0;
    }
    for (const path of this.#touched) {
      const c = this.#outermost[path];
      if (c < seconds.length) out[path] += seconds[c] * this.#took[path] / this.#sums[c];
    }
    this.#forget();
    return out;
  }

  #forget(): void {
    for (const path of this.#touched) {
      this.#took[path] = 0;
      this.#sums[this.#outermost[path]] = 0;
    }
    this.#touched.length = 0;
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
    this.#reserve(c);
    if (this.#places[c] > 0) return this.#places[c] - 1;
    const out = this.#row, width = out.width;
    if (out.count === out.classes.length) out.classes = grown(out.classes);
    if ((out.count + 1) * width > out.tau.length) out.tau = grown(out.tau, (out.count + 1) * width);
    out.tau.fill(0, out.count * width, (out.count + 1) * width);
    out.classes[out.count] = c;
    this.#places[c] = ++out.count;
    return out.count - 1;
  }

  #reserve(c: number): void {
    if (c < this.#took.length) return;
    this.#took = grown(this.#took, c + 1);
    this.#sums = grown(this.#sums, this.#took.length);
    this.#places = grown(this.#places, this.#took.length);
  }
}
