/**
 * Power over time in constant memory: buckets of equal length with mean, least and greatest value,
 * and the region of most CPUs. When all buckets are full, neighbours become one of twice the length,
 * so no peak is lost however long the run is.
 * @module
 */
import { bucketsFor } from "./page.ts";
import type { Timeline, TimelineDomain } from "./content.ts";

/** Parts of a node, those that hold others first, with the signals of their power and energy. */
export const PARTS = [
  { name: "node", power: "BOARD_POWER", energy: "BOARD_ENERGY" },
  { name: "package", power: "CPU_POWER", energy: "CPU_ENERGY" },
  { name: "memory", power: "DRAM_POWER", energy: "DRAM_ENERGY" },
  { name: "GPU", power: "GPU_POWER", energy: "GPU_ENERGY" },
];

/** What a series is of. */
export type SeriesDomain = Pick<TimelineDomain, "name" | "unit">;

/** More buckets than a screen has columns. */
const DEFAULT_BUCKETS = 4096;
/** Length of a bucket at first, s: the samples' usual distance. */
const FIRST_BUCKET_S = 0.005;
/**
 * Least time between two readings of a counter that a power is made of, s: a counter that is
 * published once a millisecond makes 20 % too much or too little out of 5 ms, and 3 % of 40.
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
  /** A vote: the region, and by how much it leads. */
  readonly #region: Int32Array;
  readonly #lead: Float64Array;
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
    this.#region = new Int32Array(limit).fill(-1);
    this.#lead = new Float64Array(limit);
    [this.#fromJ, this.#fromS] = [figures(), figures()];
    this.#lastJ = figures();
  }

  /** A power that held between two times. @param value NaN: not known. */
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

  /** The region of most CPUs between two times. @param region −1: none. */
  region(fromS: number, toS: number, region: number): void {
    if (!this.#reaches(fromS, toS)) return;
    const last = this.#bucketOf(toS, true);
    for (let i = this.#bucketOf(fromS, false); i <= last; i++) {
      this.#vote(i, region, this.#inside(i, fromS, toS));
    }
  }

  /** The run restarts. */
  clear(): void {
    this.#used = 0;
    this.#startS = NaN;
    this.#emptyFrom(0);
    for (const list of [this.#fromJ, this.#fromS, this.#lastJ]) list.fill(NaN);
  }

  /** What it holds, in at most so many buckets. @param names By number of the region. */
  timeline(host: string, names: readonly string[], maxBuckets = this.#limit): Timeline {
    while (this.#used > maxBuckets) this.#halve();
    const known = [...new Set(this.#region.subarray(0, this.#used))].filter((i) => i >= 0);
    const numbers = new Map(known.map((region, i) => [region, i]));
    return {
      host,
      startS: short(this.#startS || 0, 8),
      bucketS: short(this.#bucketS, 8),
      domains: this.#domains.map((domain, d) => this.#domain(domain, d))
        .filter(({ mean }) => mean.some((value) => value !== null)),
      names: known.map((region) => names[region] ?? `region ${region}`),
      region: Array.from(this.#region.subarray(0, this.#used), (r) => numbers.get(r) ?? -1),
    };
  }

  #domain({ name, unit }: SeriesDomain, d: number): TimelineDomain {
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
      this.#region[i] = this.#region[left];
      this.#lead[i] = this.#lead[left];
      if (!isLast) this.#vote(i, this.#region[right], this.#lead[right]);
    }
    this.#used = half;
    this.#bucketS *= 2;
    this.#emptyFrom(half);
  }

  /** The majority, where there is one, is what is left (R. Boyer and J. Moore, 1981). */
  #vote(bucket: number, region: number, weight: number): void {
    if (this.#region[bucket] === region) this.#lead[bucket] += weight;
    else if (this.#lead[bucket] >= weight) this.#lead[bucket] -= weight;
    else {
      this.#lead[bucket] = weight - this.#lead[bucket];
      this.#region[bucket] = region;
    }
  }

  #emptyFrom(first: number): void {
    for (let d = 0; d < this.#domains.length; d++) {
      this.#weight[d].fill(0, first);
      this.#sum[d].fill(0, first);
      this.#min[d].fill(Infinity, first);
      this.#max[d].fill(-Infinity, first);
    }
    this.#region.fill(-1, first);
    this.#lead.fill(0, first);
  }
}

function short(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

/** Hosts of a job whose power over time is on its page. */
const MAX_HOSTS = 16;

/** Power over time of a job's hosts, as JSON that each of them kept; what is none is left out. */
export function jobTimelines(texts: readonly string[]): Timeline[] {
  const kept = texts.map(timelineIn).filter((timeline) => timeline !== undefined)
    .slice(0, MAX_HOSTS);
  return kept.map((timeline) => {
    return reduced(timeline, bucketsFor(kept.length, timeline.domains.length));
  });
}

function timelineIn(text: string): Timeline | undefined {
  try {
    const data: Partial<Timeline> = JSON.parse(text);
    const isOne = typeof data.host === "string" && Array.isArray(data.domains) &&
      Array.isArray(data.names) && Array.isArray(data.region);
    return isOne ? data as Timeline : undefined;
  } catch {
    return undefined;
  }
}

/** The same in fewer buckets. */
function reduced(timeline: Timeline, maxBuckets: number): Timeline {
  let { bucketS, domains, region } = timeline;
  while (region.length > maxBuckets) {
    const pairs = Array.from({ length: Math.ceil(region.length / 2) }, (_, i) => 2 * i);
    const join = (list: readonly (number | null)[], of: (a: number, b: number) => number) =>
      pairs.map((i) => {
        const [a, b] = [list[i], list[i + 1] ?? null];
        return a === null ? b : b === null ? a : of(a, b);
      });
    domains = domains.map((one) => ({
      ...one,
      mean: join(one.mean, (a, b) => short((a + b) / 2, 4)),
      min: join(one.min, Math.min),
      max: join(one.max, Math.max),
    }));
    const old = region;
    region = pairs.map((i) => old[i] >= 0 ? old[i] : old[i + 1] ?? -1);
    bucketS *= 2;
  }
  return { ...timeline, bucketS, domains, region };
}
