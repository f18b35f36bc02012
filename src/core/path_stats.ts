/**
 * Regions by path, and the lengths of their visits.
 *
 * Content:
 *
 * - {@linkcode PathTable}: paths by number. A path is its parent, the region's name, its track (""
 *   for the program's own) and the attribute under which the region was begun (Caliper's `loop`,
 *   `phase`…, "" for a plain region). {@linkcode ROOT}, number 0, is outside of all regions. A
 *   parent always has a smaller number than its children.
 * - {@linkcode PathStats}: for each path the number of ended visits, Σ and Σ² of their lengths,
 *   minimum and maximum length, the time that was spent in this path and in none below it
 *   (`selfNs`: it holds visits that have not ended yet too), and a logarithmic histogram of the
 *   lengths: four buckets an octave from 1 ns to 2⁴⁴ ns (4.9 h), kept only over the octaves in use.
 *   All can be merged: over threads, processes and hosts.
 *
 * The owner decides whether a table is of one thread, one process or all of them; nothing here
 * depends on processes. Lengths are in ns; the result for people, {@linkcode PathFigures}, is in
 * seconds. Pure: no clock. An ended visit allocates nothing once its path and octave have been
 * seen.
 * @module
 */
import { grown, lengthened } from "./grow.ts";

/** Outside of all regions: the path above all. */
export const ROOT = 0;

/** Buckets of the histogram in each octave: a bucket is 25 to 14 % wide. */
const BUCKETS_PER_OCTAVE = 4;
/** Largest error of a quantile as a part of the length: docs/reference/formats/report.md names it. */
const QUANTILE_ERROR = 0.15;
/** Lengths of 2⁴⁴ ns and more are in the last bucket. */
const OCTAVES = 44;
/** Buckets of a histogram. */
export const HISTOGRAM_BUCKETS = BUCKETS_PER_OCTAVE * OCTAVES;
/** The first 12 bits of a binary64 and the two below select the bucket; 1 ns is bucket 0. */
const FIRST_BUCKET_BITS = 1023 * BUCKETS_PER_OCTAVE;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);

/** Bucket of a length; below 1 ns the first one. */
export function bucketOf(ns: number): number {
  if (!(ns >= 1)) return 0;
  float[0] = ns;
  return Math.min((words[1] >>> 18) - FIRST_BUCKET_BITS, HISTOGRAM_BUCKETS - 1);
}

/** Minimum length of a bucket, ns; 0 for the first one. */
export function bucketFloorNs(bucket: number): number {
  if (bucket === 0) return 0;
  const part = bucket % BUCKETS_PER_OCTAVE;
  return 2 ** ((bucket - part) / BUCKETS_PER_OCTAVE) * (1 + part / BUCKETS_PER_OCTAVE);
}

/** Paths by number. */
export class PathTable {
  readonly #parents: number[] = [-1];
  readonly #names: string[] = [""];
  readonly #tracks: string[] = [""];
  readonly #attributes: string[] = [""];
  /** Children of a path, by the key that distinguishes them. */
  readonly #children: (Map<string, number> | undefined)[] = [];

  /** Number of paths, the root included. */
  get length(): number {
    return this.#parents.length;
  }

  /** Number of a path, which is made if it is new. */
  add(parent: number, name: string, track = "", attribute = ""): number {
    const children = this.#children[parent] ??= new Map();
    const key = track === "" && attribute === "" ? name : `${name}\0${track}\0${attribute}`;
    const known = children.get(key);
    if (known !== undefined) return known;
    const made = this.#parents.length;
    this.#parents.push(parent);
    this.#names.push(name);
    this.#tracks.push(track);
    this.#attributes.push(attribute);
    children.set(key, made);
    return made;
  }

  /** The path above; −1 above the root. */
  parent(path: number): number {
    return this.#parents[path] ?? -1;
  }

  /** Name of the innermost region; "" of the root. */
  name(path: number): string {
    return this.#names[path] ?? "";
  }

  /** Track of the path, as `API` or `API/domain`; "" is the program's own. */
  track(path: number): string {
    return this.#tracks[path] ?? "";
  }

  /** Caliper's attribute of the region; "" of a plain region. */
  attribute(path: number): string {
    return this.#attributes[path] ?? "";
  }

  /** Paths from the outermost region to this one, the root left out. */
  line(path: number): number[] {
    const line: number[] = [];
    for (let at = path; at > ROOT; at = this.parent(at)) line.push(at);
    return line.reverse();
  }

  /** Names of the regions of a path, the outermost first. */
  names(path: number): string[] {
    return this.line(path).map((at) => this.name(at));
  }
}

/** Additions of aggregated visits to one path: differences, except for minimum and maximum. ns. */
export interface FoldedStats {
  /** Visits that ended. */
  count: number;
  /** Sum of their lengths, ns. */
  sumNs: number;
  /** Sum of the squares, ns². */
  sumSquareNs2: number;
  /** Minimum length of all visits so far, not of these alone; Infinity if there are none. */
  minNs: number;
  /** Maximum length of all visits so far; −Infinity if there are none. */
  maxNs: number;
  /** Time in the path itself, outside of its children. */
  selfNs: number;
}

/** The visits of a path as people read them. s; NaN if there is no visit. */
export interface PathFigures {
  /** Visits that ended. */
  readonly count: number;
  /** Time of the visits, nested regions included, s. */
  readonly inclusiveS: number;
  /** Time in the path itself, that of visits which have not ended included. */
  readonly exclusiveS: number;
  readonly meanS: number;
  /** Standard deviation of the lengths; NaN of fewer than two. */
  readonly deviationS: number;
  readonly minS: number;
  /** From the histogram: within a bucket's width of the true one. */
  readonly p50S: number;
  readonly p99S: number;
  readonly maxS: number;
}

/** Values in place of a path's one octave: it has none, or several, which are kept elsewhere. */
const NO_OCTAVE = -1, SEVERAL = -2;

/** Buckets of one path: only the octaves in use. */
interface Histogram {
  /** First bucket kept. */
  from: number;
  counts: Float64Array;
}

/** Visits by path; columns are indexed by a path's number. */
export class PathStats {
  /** Visits that ended. */
  count = new Float64Array(16);
  /** Lengths of the visits: sum, sum of squares, minimum, maximum. */
  sumNs = new Float64Array(16);
  sumSquareNs2 = new Float64Array(16);
  minNs = new Float64Array(16).fill(Infinity);
  maxNs = new Float64Array(16).fill(-Infinity);
  /** Time in the path and in none below it. */
  selfNs = new Float64Array(16);
  #known = new Uint8Array(16);
  /** Most paths of very many have visits of one octave: its first bucket, and its counts. */
  #octave = new Int32Array(16).fill(NO_OCTAVE);
  #counts = new Float64Array(16 * BUCKETS_PER_OCTAVE);
  /** Histograms of paths with more than one octave. */
  readonly #histograms: (Histogram | undefined)[] = [];

  /** Was anything added to a path, be it nothing? */
  has(path: number): boolean {
    return this.#known[path] === 1;
  }

  /** A visit ended. */
  add(path: number, lengthNs: number): void {
    this.#reach(path);
    this.count[path]++;
    this.sumNs[path] += lengthNs;
    this.sumSquareNs2[path] += lengthNs * lengthNs;
    if (lengthNs < this.minNs[path]) this.minNs[path] = lengthNs;
    if (lengthNs > this.maxNs[path]) this.maxNs[path] = lengthNs;
    this.addBucket(path, bucketOf(lengthNs), 1);
  }

  /** Time passed in a path and in none below it. */
  addSelf(path: number, ns: number): void {
    this.#reach(path);
    this.selfNs[path] += ns;
  }

  /** Adds visits that were folded elsewhere; their histogram comes by `addBucket`. */
  addFolded(path: number, folded: Readonly<FoldedStats>): void {
    this.#reach(path);
    this.count[path] += folded.count;
    this.sumNs[path] += folded.sumNs;
    this.sumSquareNs2[path] += folded.sumSquareNs2;
    this.selfNs[path] += folded.selfNs;
    if (folded.minNs < this.minNs[path]) this.minNs[path] = folded.minNs;
    if (folded.maxNs > this.maxNs[path]) this.maxNs[path] = folded.maxNs;
  }

  /** Adds visits to a bucket of the histogram alone. */
  addBucket(path: number, bucket: number, visits: number): void {
    const octave = path < this.#octave.length ? this.#octave[path] : NO_OCTAVE;
    if (octave === SEVERAL) {
      const { from, counts } = this.#histograms[path]!;
      const at = bucket - from;
      if (at >= 0 && at < counts.length) {
        counts[at] += visits;
        return;
      }
    } else if (octave >= 0 && bucket >= octave && bucket < octave + BUCKETS_PER_OCTAVE) {
      this.#counts[path * BUCKETS_PER_OCTAVE + bucket - octave] += visits;
      return;
    }
    this.#addFirst(path, bucket, visits);
  }

  /** Visits to a bucket whose octave has had none yet. */
  #addFirst(path: number, bucket: number, visits: number): void {
    if (path >= this.count.length) this.#grow(path);
    const octave = this.#octave[path], own = path * BUCKETS_PER_OCTAVE;
    if (octave === NO_OCTAVE) {
      this.#octave[path] = bucket - bucket % BUCKETS_PER_OCTAVE;
      this.#counts[own + bucket % BUCKETS_PER_OCTAVE] = visits;
      return;
    }
    if (octave !== SEVERAL) {
      const counts = this.#counts.slice(own, own + BUCKETS_PER_OCTAVE);
      // No holes: an array with some is slow.
      while (this.#histograms.length <= path) this.#histograms.push(undefined);
      this.#histograms[path] = { from: octave, counts };
      this.#octave[path] = SEVERAL;
    }
    const histogram = this.#histograms[path]!;
    if (bucket < histogram.from) {
      const from = bucket - bucket % BUCKETS_PER_OCTAVE;
      const counts = new Float64Array(histogram.counts.length + histogram.from - from);
      counts.set(histogram.counts, histogram.from - from);
      [histogram.from, histogram.counts] = [from, counts];
    }
    const at = bucket - histogram.from;
    if (at >= histogram.counts.length) {
      const whole = at + BUCKETS_PER_OCTAVE - at % BUCKETS_PER_OCTAVE;
      histogram.counts = lengthened(histogram.counts, whole);
    }
    histogram.counts[at] += visits;
  }

  /** Calls back with every bucket of a path that has visits. */
  forBuckets(path: number, call: (bucket: number, visits: number) => void): void {
    const histogram = this.#histogram(path);
    histogram?.counts.forEach((visits, i) => {
      if (visits > 0) call(histogram.from + i, visits);
    });
  }

  #histogram(path: number): Histogram | undefined {
    const octave = path < this.#octave.length ? this.#octave[path] : NO_OCTAVE;
    if (octave === NO_OCTAVE) return undefined;
    if (octave === SEVERAL) return this.#histograms[path];
    const own = path * BUCKETS_PER_OCTAVE;
    return { from: octave, counts: this.#counts.subarray(own, own + BUCKETS_PER_OCTAVE) };
  }

  /**
   * Adds all that another one has.
   *
   * @param pathOf Number here of a path there; left out if both are of one table.
   */
  merge(other: PathStats, pathOf: (path: number) => number = (path) => path): void {
    for (let there = 0; there < other.count.length; there++) {
      if (other.count[there] === 0 && other.selfNs[there] === 0) continue;
      const path = pathOf(there);
      this.addFolded(path, {
        count: other.count[there],
        sumNs: other.sumNs[there],
        sumSquareNs2: other.sumSquareNs2[there],
        minNs: other.minNs[there],
        maxNs: other.maxNs[there],
        selfNs: other.selfNs[there],
      });
      other.forBuckets(there, (bucket, visits) => this.addBucket(path, bucket, visits));
    }
  }

  /** A path's visits in seconds. */
  figures(path: number): PathFigures {
    const count = this.count[path] ?? 0, sumNs = this.sumNs[path] ?? 0;
    const some = count > 0, meanNs = sumNs / count;
    const variance = (this.sumSquareNs2[path] - sumNs * meanNs) / (count - 1);
    return {
      count,
      inclusiveS: sumNs * 1e-9,
      exclusiveS: (this.selfNs[path] ?? 0) * 1e-9,
      meanS: some ? meanNs * 1e-9 : NaN,
      deviationS: count > 1 ? Math.sqrt(Math.max(0, variance)) * 1e-9 : NaN,
      minS: some ? this.minNs[path] * 1e-9 : NaN,
      p50S: this.quantileNs(path, 0.5) * 1e-9,
      p99S: this.quantileNs(path, 0.99) * 1e-9,
      maxS: some ? this.maxNs[path] * 1e-9 : NaN,
    };
  }

  /**
   * The length that a part of the visits does not exceed, ns; NaN if there is no visit. At most
   * `QUANTILE_ERROR` from the visit's own length, wherever in its bucket this is.
   */
  quantileNs(path: number, part: number): number {
    const histogram = this.#histogram(path);
    if (histogram === undefined) return NaN;
    const { from, counts } = histogram;
    const visits = counts.reduce((sum, visits) => sum + visits, 0);
    const place = Math.ceil(part * visits);
    if (place <= 1) return this.minNs[path];
    if (place >= visits) return this.maxNs[path];
    let left = place - 0.5;
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === 0 || left > counts[i]) {
        left -= counts[i];
        continue;
      }
      const floor = bucketFloorNs(from + i), end = bucketFloorNs(from + i + 1);
      const inside = floor + (end - floor) * left / counts[i];
      const near = Math.min(
        Math.max(inside, end * (1 - QUANTILE_ERROR)),
        floor * (1 + QUANTILE_ERROR),
      );
      return Math.min(Math.max(near, this.minNs[path]), this.maxNs[path]);
    }
    return this.maxNs[path];
  }

  #reach(path: number): void {
    if (path >= this.count.length) this.#grow(path);
    this.#known[path] = 1;
  }

  #grow(path: number): void {
    this.count = grown(this.count, path + 1);
    const length = this.count.length;
    this.#known = lengthened(this.#known, length);
    this.sumNs = lengthened(this.sumNs, length);
    this.sumSquareNs2 = lengthened(this.sumSquareNs2, length);
    this.minNs = lengthened(this.minNs, length, Infinity);
    this.maxNs = lengthened(this.maxNs, length, -Infinity);
    this.selfNs = lengthened(this.selfNs, length);
    this.#octave = lengthened(this.#octave, length, NO_OCTAVE);
    this.#counts = lengthened(this.#counts, length * BUCKETS_PER_OCTAVE);
  }
}
