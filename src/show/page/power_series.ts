/**
 * A run over time in constant memory: buckets of equal length with mean, smallest and largest value,
 * and the regions of one process. When all buckets are full, neighbours become one of twice the length,
 * so no peak is lost however long the run is.
 * @module
 */
import { VERSION } from "../../core/version.ts";
import { PAGE_FORMAT, type Strip, type TimelineFile, type TimeSeries } from "./data.ts";

/** Parts of a node, those that hold others first, with the signals of their power and energy. */
export const PARTS = [
  { name: "node", power: "BOARD_POWER", energy: "BOARD_ENERGY" },
  { name: "package", power: "CPU_POWER", energy: "CPU_ENERGY" },
  { name: "memory", power: "DRAM_POWER", energy: "DRAM_ENERGY" },
  { name: "GPU", power: "GPU_POWER", energy: "GPU_ENERGY" },
];

/** Name and unit of a series. */
export type SeriesDomain = Pick<TimeSeries, "name" | "unit">;

/** Depths of regions that are kept. */
export const STRIPS = 3;

/** Paths by number; 0 and below is outside of all regions. */
export interface Paths {
  parent(path: number): number;
  name(path: number): string;
}

/** Owner of a series. */
export interface SeriesOwner {
  readonly host: string;
  readonly started: string;
  /** The process whose regions were looked at. */
  readonly process: string;
  readonly paths: Paths;
}

/** Full, they become half as many: a run has 600 to 1,200. */
const DEFAULT_BUCKETS = 1200;
/** Length of a bucket at first, s: the samples' usual distance. */
const FIRST_BUCKET_S = 0.005;
/**
 * Minimum time between two readings of a counter that a power is made of, s. A counter that is
 * published once a millisecond has an error of 20 % over 5 ms, and of 3 % over 40 ms.
 */
const MIN_WINDOW_S = 0.04;

/** Grows by spans, in order of their ends. Adding allocates nothing. */
export class PowerSeries {
  readonly #domains: readonly SeriesDomain[];
  readonly #limit: number;
  #startS = NaN;
  #bucketS = FIRST_BUCKET_S;
  #used = 0;
  /** Σ of durations, by bucket; of values times these, by domain and bucket. */
  readonly #weight: Float64Array[];
  readonly #sum: Float64Array[];
  readonly #min: Float64Array[];
  readonly #max: Float64Array[];
  /** By depth, a vote in each bucket: the path, and by how much it leads. */
  readonly #path: Int32Array[];
  readonly #lead: Float64Array[];
  /** By domain: reading and time at which the window of a counter began. */
  readonly #fromJ: Float64Array;
  readonly #fromS: Float64Array;
  readonly #lastJ: Float64Array;

  constructor(domains: readonly SeriesDomain[], limit = DEFAULT_BUCKETS) {
    const lists = (value: number) => domains.map(() => new Float64Array(limit).fill(value));
    const figures = () => new Float64Array(domains.length).fill(NaN);
    this.#domains = domains;
    this.#limit = limit;
    this.#weight = lists(0);
    this.#sum = lists(0);
    this.#min = lists(Infinity);
    this.#max = lists(-Infinity);
    this.#path = Array.from({ length: STRIPS }, () => new Int32Array(limit));
    this.#lead = Array.from({ length: STRIPS }, () => new Float64Array(limit));
    [this.#fromJ, this.#fromS] = [figures(), figures()];
    this.#lastJ = figures();
  }

  /** A power, or another value, that held between two times. @param value NaN: not known. */
  power(domain: number, fromS: number, toS: number, value: number): void {
    if (value !== value || !this.#reaches(fromS, toS)) return;
    const weight = this.#weight[domain];
    const sum = this.#sum[domain];
    const min = this.#min[domain];
    const max = this.#max[domain];
    const last = this.#bucketOf(toS, true);
    for (let i = this.#bucketOf(fromS, false); i <= last; i++) {
      const spentS = this.#inside(i, fromS, toS);
      weight[i] += spentS;
      sum[i] += value * spentS;
      if (value < min[i]) min[i] = value;
      if (value > max[i]) max[i] = value;
    }
  }

  /**
   * A reading of a counter of energy. Power is calculated from one change of the counter to another one, at
   * least 40 ms apart: between changes it is only known as a mean.
   */
  energy(domain: number, timeS: number, joules: number): void {
    const isFirst = this.#fromS[domain] !== this.#fromS[domain];
    const wentBack = joules < this.#lastJ[domain];
    const changed = joules !== this.#lastJ[domain];
    if (joules !== joules || isFirst || wentBack) {
      this.#fromS[domain] = joules === joules ? timeS : NaN;
      this.#fromJ[domain] = this.#lastJ[domain] = joules;
      return;
    }
    if (!changed) return;
    this.#lastJ[domain] = joules;
    const fromS = this.#fromS[domain];
    if (timeS - fromS < MIN_WINDOW_S) return;
    this.power(domain, fromS, timeS, (joules - this.#fromJ[domain]) / (timeS - fromS));
    this.#fromS[domain] = timeS;
    this.#fromJ[domain] = joules;
  }

  /** The path of the process between two times, by depth. @param line 0 from the first depth without a region on. */
  path(fromS: number, toS: number, line: ArrayLike<number>): void {
    if (!this.#reaches(fromS, toS)) return;
    const last = this.#bucketOf(toS, true);
    for (let i = this.#bucketOf(fromS, false); i <= last; i++) {
      const spentS = this.#inside(i, fromS, toS);
      for (let depth = 0; depth < STRIPS; depth++) this.#vote(depth, i, line[depth], spentS);
    }
  }

  /** The run restarts. */
  clear(): void {
    this.#used = 0;
    this.#startS = NaN;
    this.#emptyFrom(0);
    for (const list of [this.#fromJ, this.#fromS, this.#lastJ]) list.fill(NaN);
  }

  /** All of it as a file, in at most so many buckets. */
  document(owner: SeriesOwner, maxBuckets = this.#limit): TimelineFile {
    while (this.#used > maxBuckets) this.#halve();
    const { paths, host, started } = owner;
    const regions = { name: [] as string[], parent: [] as number[] };
    const places = new Map<number, number>();
    const placeOf = (path: number): number => {
      if (!(path > 0)) return -1;
      const known = places.get(path);
      if (known !== undefined) return known;
      const parent = placeOf(paths.parent(path));
      const place = regions.name.push(paths.name(path)) - 1;
      regions.parent.push(parent);
      places.set(path, place);
      return place;
    };
    const strips = this.#path.map((votes) => stripOf(votes.subarray(0, this.#used), placeOf))
      .filter((strip) => strip.length > 0);
    return {
      format: PAGE_FORMAT,
      made_by: `joulemark ${VERSION}`,
      started,
      regions,
      timelines: [{
        host,
        start_s: short(this.#startS || 0, 7),
        bucket_s: short(this.#bucketS, 7),
        series: this.#domains.map((domain, d) => this.#domain(domain, d))
          .filter(({ mean }) => mean.some((value) => value !== null)),
        process: strips.length === 0 ? "" : owner.process,
        strips,
      }],
    };
  }

  #domain({ name, unit }: SeriesDomain, d: number): TimeSeries {
    const [weight, sum] = [this.#weight[d], this.#sum[d]];
    const list = (of: (i: number) => number) => {
      return Array.from({ length: this.#used }, (_, i) => weight[i] > 0 ? short(of(i), 4) : null);
    };
    return {
      name,
      unit,
      mean: list((i) => sum[i] / weight[i]),
      min: list((i) => this.#min[d][i]),
      max: list((i) => this.#max[d][i]),
    };
  }

  /** Makes room up to a time; false: there is nothing to add. */
  #reaches(fromS: number, toS: number): boolean {
    if (!(toS > fromS)) return false;
    if (this.#used === 0) this.#startS = fromS;
    if (toS <= this.#startS) return false;
    while (toS - this.#startS > this.#bucketS * this.#limit) this.#halve();
    this.#used = Math.max(this.#used, this.#bucketOf(toS, true) + 1);
    return true;
  }

  /** @param isEnd An end at the edge of a bucket belongs to the bucket before. */
  #bucketOf(timeS: number, isEnd: boolean): number {
    const at = (timeS - this.#startS) / this.#bucketS;
    const bucket = isEnd ? Math.ceil(at - 1e-9) - 1 : Math.floor(at + 1e-9);
    return Math.min(this.#limit - 1, Math.max(0, bucket));
  }

  #inside(bucket: number, fromS: number, toS: number): number {
    const startS = this.#startS + bucket * this.#bucketS;
    return Math.max(0, Math.min(toS, startS + this.#bucketS) - Math.max(fromS, startS));
  }

  #halve(): void {
    const half = Math.ceil(this.#used / 2);
    for (let i = 0; i < half; i++) {
      const [left, right] = [2 * i, 2 * i + 1];
      const isLast = right >= this.#used;
      for (let d = 0; d < this.#domains.length; d++) {
        const [weight, sum, min, max] = [this.#weight[d], this.#sum[d], this.#min[d], this.#max[d]];
        weight[i] = weight[left] + (isLast ? 0 : weight[right]);
        sum[i] = sum[left] + (isLast ? 0 : sum[right]);
        min[i] = Math.min(min[left], isLast ? Infinity : min[right]);
        max[i] = Math.max(max[left], isLast ? -Infinity : max[right]);
      }
      for (let depth = 0; depth < STRIPS; depth++) {
        const [path, lead] = [this.#path[depth], this.#lead[depth]];
        path[i] = path[left];
        lead[i] = lead[left];
        if (!isLast) this.#vote(depth, i, path[right], lead[right]);
      }
    }
    this.#used = half;
    this.#bucketS *= 2;
    this.#emptyFrom(half);
  }

  /** The majority, where there is one, is what is left (R. Boyer and J. Moore, 1981). */
  #vote(depth: number, bucket: number, path: number, weight: number): void {
    const [paths, lead] = [this.#path[depth], this.#lead[depth]];
    if (paths[bucket] === path) lead[bucket] += weight;
    else if (lead[bucket] >= weight) lead[bucket] -= weight;
    else {
      lead[bucket] = weight - lead[bucket];
      paths[bucket] = path;
    }
  }

  #emptyFrom(first: number): void {
    for (let d = 0; d < this.#domains.length; d++) {
      this.#weight[d].fill(0, first);
      this.#sum[d].fill(0, first);
      this.#min[d].fill(Infinity, first);
      this.#max[d].fill(-Infinity, first);
    }
    for (let depth = 0; depth < STRIPS; depth++) {
      this.#path[depth].fill(0, first);
      this.#lead[depth].fill(0, first);
    }
  }
}

/** Runs of buckets with one path. */
function stripOf(votes: Int32Array, placeOf: (path: number) => number): Strip {
  const strip: [number, number, number][] = [];
  for (let i = 0, last = 0; i < votes.length; last = votes[i++]) {
    if (votes[i] <= 0) continue;
    if (votes[i] === last) strip.at(-1)![1]++;
    else strip.push([i, 1, placeOf(votes[i])]);
  }
  return strip;
}

/** A value with so many digits: what a plot shows. As fast as thousands of them need at the end of a run. */
export function short(value: number, digits: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  const factor = 10 ** Math.abs(decimals);
  return decimals >= 0 ? Math.round(value * factor) / factor : Math.round(value / factor) * factor;
}
