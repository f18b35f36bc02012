/**
 * Timelines of a job: the sum of its hosts, some of these hosts, and the times of all processes.
 * @module
 */
import { regionName } from "../../core/region_tree.ts";
import { VERSION } from "../../core/version.ts";
import {
  type HostTimeline,
  PAGE_FORMAT,
  type PageFunctions,
  type ProcessTimes,
  type Strip,
  type TimelineFile,
  type TimeSeries,
} from "./data.ts";
import { short } from "./power_series.ts";

/** Buckets of the sum, and of each host where there are several. */
const SUM_BUCKETS = 1200, HOST_BUCKETS = 600;
/** Times of processes on a page, and regions that they are of. */
const MAX_TIMES = 24_000, MAX_REGIONS = 14;
/** Hosts of a merged report with a timeline. */
const MAX_HOSTS = 16;

/** All that a page has of its timelines. */
export interface JobTimelines {
  readonly timelines: HostTimeline[];
  readonly processes?: ProcessTimes;
  /** Hosts that had one. */
  readonly hosts: number;
}

/**
 * Files by their texts; a text that is no timeline is left out.
 *
 * @param complain Takes the index of each text that is left out.
 */
export function* timelinesIn(
  texts: Iterable<string>,
  complain: (index: number) => void = () => {},
): Generator<TimelineFile, void, undefined> {
  let index = 0;
  for (const text of texts) {
    const file = timelineIn(text);
    if (file === undefined) complain(index);
    else yield file;
    index++;
  }
}

/** One file; `undefined`: the text is none. */
export function timelineIn(text: string): TimelineFile | undefined {
  try {
    const data: Partial<TimelineFile> = JSON.parse(text);
    const isOne = data.format === PAGE_FORMAT && Array.isArray(data.timelines) &&
      Array.isArray(data.regions?.name) && Array.isArray(data.regions?.parent) &&
      data.timelines.every(isTimeline) &&
      (data.functions === undefined || isFunctions(data.functions));
    return isOne ? data as TimelineFile : undefined;
  } catch {
    return undefined;
  }
}

/** Are all columns as long as that of names, and callers before what they call? */
function isFunctions(one: Partial<PageFunctions>): boolean {
  const { components, name, parent, time_s, own_time_s, energy_j, se_j, own_energy_j } = one;
  if (!Array.isArray(name) || !name.every((text) => typeof text === "string")) return false;
  const isColumn = (column: unknown) => Array.isArray(column) && column.length === name.length;
  const areColumns = (columns: unknown) => {
    return Array.isArray(columns) && columns.length === components?.length &&
      columns.every(isColumn);
  };
  return Array.isArray(components) && [parent, time_s, own_time_s].every(isColumn) &&
    [energy_j, se_j, own_energy_j].every(areColumns) && Number(one.rest) <= name.length &&
    parent!.every((above, i) => Number.isInteger(above) && above >= -1 && above < i);
}

function isTimeline(one: Partial<HostTimeline>): boolean {
  const { host, start_s, bucket_s, series, strips } = one;
  return typeof host === "string" && Number.isFinite(start_s) && Number(bucket_s) > 0 &&
    Array.isArray(series) && Array.isArray(strips) &&
    series.every((line) => Array.isArray(line?.mean)) && strips.every(Array.isArray);
}

/**
 * Joins the files of hosts.
 *
 * @param shown Hosts whose own timeline is kept.
 * @param rowOf The page's row of a path of regions; −1: none.
 */
export function joinTimelines(
  files: Iterable<TimelineFile>,
  shown: ReadonlySet<string>,
  rowOf: (path: readonly string[]) => number,
): JobTimelines {
  const sum = new PowerSum();
  let merged: HostTimeline | undefined;
  const timelines: HostTimeline[] = [];
  const times: { host: string; of: ProcessTimes }[] = [];
  for (const { timelines: own, regions, processes, hosts } of files) {
    const rows = rowsOf(regions, rowOf);
    for (const one of own) {
      if (one.host === "") {
        merged = withRows(one, rows);
        continue;
      }
      if (hosts === undefined) sum.add(one);
      if (hosts !== undefined || shown.has(one.host)) timelines.push(withRows(one, rows));
    }
    sum.hosts += hosts ?? 0;
    if (processes !== undefined && own.length > 0) times.push({ host: own[0].host, of: processes });
  }
  timelines.sort((a, b) => a.host < b.host ? -1 : 1);
  const isMany = sum.hosts > 1;
  const kept = isMany ? timelines.map((one) => reduced(one, HOST_BUCKETS)) : timelines;
  const processes = joinedTimes(times);
  return {
    timelines: isMany ? [merged ?? sum.timeline(kept[0]), ...kept] : kept,
    hosts: sum.hosts,
    ...processes === undefined ? {} : { processes },
  };
}

/**
 * The files of a job's hosts as one, for a merged report.
 *
 * @param count Number of the files.
 * @param started `Start Time` of the merged report.
 */
export function mergedFile(
  files: Iterable<TimelineFile>,
  count: number,
  started: string,
): TimelineFile | undefined {
  const regions = { name: [] as string[], parent: [] as number[] };
  const places = new Map<string, number>();
  const placeOf = (path: readonly string[]): number => {
    const key = path.join("\0");
    const known = places.get(key);
    if (known !== undefined) return known;
    const parent = path.length > 1 ? placeOf(path.slice(0, -1)) : -1;
    const place = regions.name.push(path.at(-1)!) - 1;
    regions.parent.push(parent);
    places.set(key, place);
    return place;
  };
  const step = Math.max(1, count / MAX_HOSTS), shown = new Set<string>();
  let i = 0;
  const marked = function* () {
    for (const file of files) {
      if (Math.floor(i / step) !== Math.floor((i - 1) / step)) {
        shown.add(file.timelines[0]?.host ?? "");
      }
      i++;
      yield file;
    }
  };
  const { hosts: found, ...joined } = joinTimelines(marked(), shown, placeOf);
  if (found === 0) return undefined;
  return {
    format: PAGE_FORMAT,
    made_by: `joulemark ${VERSION}`,
    started,
    ...found > 1 ? { hosts: found } : {},
    regions,
    ...joined,
  };
}

/** The page's row of each region of a file: its own, or that of the nearest region around it. */
function rowsOf(
  { name, parent }: TimelineFile["regions"],
  rowOf: (path: readonly string[]) => number,
): number[] {
  const paths: string[][] = [], rows: number[] = [];
  name.forEach((own, i) => {
    const around = parent[i] < i ? parent[i] : -1;
    paths[i] = [...paths[around] ?? [], regionName(own)];
    const row = rowOf(paths[i]);
    rows[i] = row >= 0 ? row : rows[around] ?? -1;
  });
  return rows;
}

function withRows(timeline: HostTimeline, rows: readonly number[]): HostTimeline {
  const strips = timeline.strips.map((strip): Strip => {
    return strip.map(([from, buckets, region]) => [from, buckets, rows[region] ?? -1] as const)
      .filter(([, , row]) => row >= 0);
  });
  return { ...timeline, strips };
}

/** Power of all hosts together, by time since the start of each. */
class PowerSum {
  hosts = 0;
  #bucketS = 0;
  /** By name of the series: energy in each bucket, J. */
  readonly #joules = new Map<string, number[]>();

  add({ start_s, bucket_s, series }: HostTimeline): void {
    this.hosts++;
    if (this.#bucketS === 0) this.#bucketS = bucket_s;
    for (const { name, unit, mean } of series) {
      if (unit !== "W") continue;
      const endS = start_s + mean.length * bucket_s;
      while (endS > this.#bucketS * SUM_BUCKETS) this.#halve();
      const joules = this.#joules.getOrInsertComputed(name, () => []);
      mean.forEach((value, i) => {
        if (value !== null) this.#spread(joules, start_s + i * bucket_s, bucket_s, value);
      });
    }
  }

  /** @param first Whose regions are shown. */
  timeline(first: HostTimeline | undefined): HostTimeline {
    const strips = first === undefined ? [] : first.strips.map((strip) => {
      const scale = first.bucket_s / this.#bucketS, offset = first.start_s / this.#bucketS;
      return strip.map(([from, buckets, row]) => {
        return [from * scale + offset, buckets * scale, row] as const;
      });
    });
    return {
      host: "",
      start_s: 0,
      bucket_s: short(this.#bucketS, 7),
      process: first === undefined ? "" : `${first.process} of ${first.host}`,
      strips,
      series: [...this.#joules].map(([name, joules]) => ({
        name,
        unit: "W",
        mean: Array.from(joules, (value = NaN) => {
          return Number.isFinite(value) ? short(value / this.#bucketS, 4) : null;
        }),
      })),
    };
  }

  #spread(joules: number[], fromS: number, lengthS: number, valueW: number): void {
    const last = Math.ceil((fromS + lengthS) / this.#bucketS - 1e-9) - 1;
    for (let i = Math.floor(fromS / this.#bucketS + 1e-9); i <= last; i++) {
      const startS = i * this.#bucketS;
      const insideS = Math.min(fromS + lengthS, startS + this.#bucketS) - Math.max(fromS, startS);
      if (insideS > 0) joules[i] = (joules[i] ?? 0) + valueW * insideS;
    }
  }

  #halve(): void {
    for (const joules of this.#joules.values()) {
      const half = Math.ceil(joules.length / 2);
      for (let i = 0; i < half; i++) {
        const [a, b] = [joules[2 * i], joules[2 * i + 1]];
        if (a !== undefined || b !== undefined) joules[i] = (a ?? 0) + (b ?? 0);
        else delete joules[i];
      }
      joules.length = half;
    }
    this.#bucketS *= 2;
  }
}

/** Timeline with at most this many buckets. */
function reduced(timeline: HostTimeline, maxBuckets: number): HostTimeline {
  let { bucket_s, series, strips } = timeline;
  const length = () => Math.max(0, ...series.map(({ mean }) => mean.length));
  while (length() > maxBuckets) {
    series = series.map((one): TimeSeries => ({
      ...one,
      mean: joined(one.mean, (a, b) => short((a + b) / 2, 4)),
      ...one.min === undefined ? {} : { min: joined(one.min, Math.min) },
      ...one.max === undefined ? {} : { max: joined(one.max, Math.max) },
    }));
    strips = strips.map(halfStrip);
    bucket_s *= 2;
  }
  return { ...timeline, bucket_s, series, strips };
}

function joined(
  list: TimeSeries["mean"],
  of: (a: number, b: number) => number,
): TimeSeries["mean"] {
  return Array.from({ length: Math.ceil(list.length / 2) }, (_, i) => {
    const [a, b] = [list[2 * i], list[2 * i + 1] ?? null];
    return a === null ? b : b === null ? a : of(a, b);
  });
}

/** Strip of half as many buckets: of two buckets with different regions the first one is kept. */
function halfStrip(strip: Strip): Strip {
  const half: [number, number, number][] = [];
  let end = 0;
  for (const [from, buckets, region] of strip) {
    const first = Math.max(end, Math.floor(from / 2));
    const last = Math.ceil((from + buckets) / 2);
    if (last <= first) continue;
    const before = half.at(-1);
    if (before !== undefined && before[2] === region && before[0] + before[1] === first) {
      before[1] += last - first;
    } else half.push([first, last - first, region]);
    end = last;
  }
  return half;
}

/** Times of all processes in the regions that each host has. */
function joinedTimes(all: readonly { host: string; of: ProcessTimes }[]): ProcessTimes | undefined {
  const isMany = all.length > 1;
  const label = all.flatMap(({ host, of }) => {
    return of.label.map((name) => isMany ? `${name} (${host})` : name);
  });
  if (label.length < 2) return undefined;
  const places = all.map(({ of }) => new Map(of.region.map((name, i) => [name, i])));
  const most = Math.min(MAX_REGIONS, Math.floor(MAX_TIMES / label.length));
  const rows = all[0].of.region.filter((name) => places.every((place) => place.has(name)))
    .map((name) => {
      const times = all.flatMap(({ of }, i) => of.time_s[places[i].get(name)!] ?? []);
      return { name, times, sum: times.reduce((sum, time) => sum + time, 0) };
    })
    .filter(({ times }) => times.length === label.length)
    .sort((a, b) => b.sum - a.sum).slice(0, most);
  if (rows.length === 0) return undefined;
  return {
    label,
    region: rows.map(({ name }) => regionName(name)),
    time_s: rows.map(({ times }) => times),
  };
}
