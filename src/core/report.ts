/**
 * A report as plain data: what geopm_report(7) describes, and what we add beside it.
 *
 * Values are exact here; the file has six significant digits.
 * @module
 */

/** A number, or a text that an agent or an extension put there. */
export type ReportValue = number | string;

/**
 * Fields by key, in the file's order: `runtime (s)`, `package-energy (J)`, …. Keys that are whole
 * numbers would lose their order and are refused when written.
 */
export type ReportFields = Record<string, ReportValue>;

/** Plain nested data under a `joulemark:` key. */
export type Nested = null | boolean | number | string | Nested[] | { [key: string]: Nested };

/** Beginning of `partial` in a report that is written while its run goes on. */
export const RUN_GOES_ON = "the run goes on";

/** A field that is a number; NaN if it is absent, or something else. */
export function fieldOf(fields: ReportFields, key: string): number {
  return numberOf(fields[key]);
}

/** Rates: GEOPM prints 0 for one without a sample. */
const RATE = /^((gpu-|gpu-core-)?power \(W\)|(gpu-|uncore-)?frequency \((Hz|%)\))$/;
/** Fields that GEOPM has without samples. */
const EXACT = /^(runtime|count|joulemark-|MPI startup|GEOPM |geopmctl )/;

/** Is it a field whose 0 means "no sample"? */
export function isRate(key: string): boolean {
  return RATE.test(key);
}

/** Is it a field that no sample is needed for? */
export function isExact(key: string): boolean {
  return EXACT.test(key);
}

/** Has the section a sample? GEOPM prints 0 for its sampled fields if it has none. */
export function isSampled(section: ReportFields): boolean {
  return section["sync-runtime (s)"] !== 0;
}

/** A field that is a number; NaN also if GEOPM's 0 means "no sample". */
export function sampledOf(section: ReportFields, key: string): number {
  const value = fieldOf(section, key);
  const isKnown = isExact(key) || isSampled(section) && !(value === 0 && isRate(key));
  return isKnown ? value : NaN;
}

/** A number of nested data, or what stands for one that is not there. */
export function numberOf(value: Nested | undefined, otherwise = NaN): number {
  return typeof value === "number" ? value : otherwise;
}

/** Counts by bucket as one text, `3:10 7:1`. */
export function bucketsText(buckets: Iterable<readonly [bucket: number, count: number]>): string {
  return Array.from(buckets, ([bucket, count]) => `${bucket}:${count}`).join(" ");
}

/** Buckets of such a text; parts without a bucket or a count are left out. */
export function bucketsOf(text: Nested | undefined): Map<number, number> {
  const pairs = String(text ?? "").split(" ").map((part) => part.split(":").map(Number));
  return new Map(pairs.flatMap(([bucket, count]): [number, number][] => {
    return Number.isInteger(bucket) && count > 0 ? [[bucket, count]] : [];
  }));
}

/** Is it a mapping, no list and no value? */
export function isMapping<T = Nested>(value: unknown): value is { [key: string]: T } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A mapping without the keys that have no value. */
export function present(all: { [key: string]: Nested | undefined }): { [key: string]: Nested } {
  const entries = Object.entries(all);
  return Object.fromEntries(
    entries.filter((pair): pair is [string, Nested] => pair[1] !== undefined),
  );
}

/** One entry of `Regions:`. */
export interface ReportRegion {
  /** Name of the region. */
  region: string;
  /** GEOPM's hash of the name. */
  hash: number;
  /** From `runtime (s)` on. */
  fields: ReportFields;
}

/** One host's section. */
export interface ReportHost {
  /** The host's name. */
  host: string;
  /** Pairs that an agent added before the regions; a value may be a block of lines. */
  agent: { [key: string]: Nested };
  /** Absent when no process registered a region; by mean runtime, longest first. */
  regions?: ReportRegion[];
  /** `Unmarked Totals`; absent when no region ran. */
  unmarked?: ReportFields;
  /** `Epoch Totals`; absent without epochs. */
  epoch?: ReportFields;
  /** `Application Totals`. */
  application: ReportFields;
  /** Facts beyond GEOPM: sources, quality, own overhead, lost and refused calls. */
  joulemark?: { [key: string]: Nested };
}

/** A whole report. */
export interface Report {
  /** `GEOPM Version`: the format's version, then ours. */
  version: string;
  /** Local time as `YYYY-MM-DDTHH:MM:SS.nnnnnnnnn±HHMM`; older files have C's own form. */
  startTime: string;
  /** Name of the run. */
  profile: string;
  /** Name of the agent. */
  agent: string;
  /** Policy as written in the file: `{}`, a JSON object, a path, `DYNAMIC`. */
  policy: string;
  /** Pairs that an agent added to the header. */
  header: { [key: string]: Nested };
  /** Facts beyond GEOPM about the job as a whole. */
  joulemark?: { [key: string]: Nested };
  /** One section a host. */
  hosts: ReportHost[];
  /** Fields that scripts append: `Figure of Merit`, `Total Runtime`. */
  appended?: ReportFields;
}

/** Exact totals of one region name, as means over processes. */
export interface RegionTotal {
  /** Name of the section. */
  readonly name: string;
  /** GEOPM's hash of the name. */
  readonly hash: number;
  /** Mean over processes of the time between outermost entry and exit. */
  readonly runtimeS: number;
  /** Mean over processes of the completed outermost visits. */
  readonly count: number;
  /** Part of the processes that both means are over. @default 1 */
  readonly part?: number;
}
