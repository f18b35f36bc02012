/**
 * The data of a page, `joulemark-page/2`: columns instead of rows, so that ten thousand regions stay small.
 * A `.timeline` file has the same columns, those that a report does not have: docs/reference/formats/timeline.md.
 * @module
 */
import type { Nested } from "../../core/report.ts";
import type { Panel, Series } from "../analysis/picture.ts";

/** The value of `format`. */
export const PAGE_FORMAT = "joulemark-page/2";

/** Numbers in the order of another list; null: not available. */
export type Column = (number | null)[];

/** One line of a plot over time. */
export interface TimeSeries {
  /** `node`, `package`, `memory`, `GPU`, `core frequency`, `GPU busy`. */
  readonly name: string;
  /** `W`, `% of base` or `%`. */
  readonly unit: string;
  readonly mean: Column;
  /** Smallest and largest reading of each bucket; absent of a sum over hosts. */
  readonly min?: Column;
  readonly max?: Column;
}

/** Regions of one depth: first bucket, number of buckets, place in the list of regions. */
export type Strip = (readonly [from: number, buckets: number, region: number])[];

/** One host over time, in buckets of equal length. */
export interface HostTimeline {
  readonly host: string;
  /** Start of the first bucket, s since the start of the run. */
  readonly start_s: number;
  /** Length of a bucket, s. */
  readonly bucket_s: number;
  readonly series: readonly TimeSeries[];
  /** The process whose regions the strips show; empty: none. */
  readonly process: string;
  /** Outermost regions first. */
  readonly strips: readonly Strip[];
}

/** Times of processes. */
export interface ProcessTimes {
  /** `rank 3 (node01)`. */
  readonly label: readonly string[];
  /** Names of regions, those with most time first. */
  readonly region: readonly string[];
  /** By region, then by process, s. */
  readonly time_s: readonly (readonly number[])[];
}

/**
 * Functions in their stacks, each behind its caller: columns as those of regions, with CPU time. Rows from `rest` on are
 * energy of no function.
 */
export interface PageFunctions {
  readonly components: readonly string[];
  readonly name: readonly string[];
  readonly parent: readonly number[];
  readonly rest: number;
  readonly time_s: Column;
  readonly own_time_s: Column;
  /** By component, then by row; null: it cannot be determined. */
  readonly energy_j: readonly Column[];
  readonly se_j: readonly Column[];
  readonly own_energy_j: readonly Column[];
}

/** One `.timeline` file. */
export interface TimelineFile {
  readonly format: typeof PAGE_FORMAT;
  /** `joulemark 0.1.0` */
  readonly made_by: string;
  /** `Start Time` of the report that it belongs to. */
  readonly started: string;
  /** Number of hosts that the first timeline is the sum of, in a merged report. */
  readonly hosts?: number;
  /** Regions that the strips name. */
  readonly regions: { readonly name: readonly string[]; readonly parent: readonly number[] };
  readonly timelines: readonly HostTimeline[];
  readonly processes?: ProcessTimes;
  /** Absent without `--functions`. */
  readonly functions?: PageFunctions;
}

/** One component of the energy. */
export interface PageComponent {
  /** Name as in keys of a report: `node`, `package`, `dram`, `gpu`. */
  readonly id: string;
  /** `node`, `package`, `memory`, `GPU` */
  readonly name: string;
  readonly energy_j: number | null;
  /** Reading error of the counter. */
  readonly error_j: number | null;
  readonly mean_w: number | null;
  /** Highest mean over a second. */
  readonly peak_w: number | null;
  /** Sum of the hosts' highest mean powers, for several hosts; the job did not exceed it. */
  readonly peak_at_most_w: number | null;
  readonly idle_j: number | null;
  readonly net_j: number | null;
  /** Part of the time and of the parts that the energy covers, 0 to 1. */
  readonly coverage: number;
  readonly covers: string;
  readonly source: string;
}

/** Columns of regions; rows are in the order of the tree, each after its parent. */
export interface PageRegions {
  readonly name: string[];
  /** Row of the region around it; −1: none. */
  readonly parent: number[];
  /** First row that is no region but energy outside of regions. */
  readonly rest: number;
  /** Mean over processes. */
  readonly visits: Column;
  /** Visits of all processes. */
  readonly all_visits: Column;
  readonly time_s: Column;
  readonly own_time_s: Column;
  /** Duration of a visit: median, and 99th percentile. */
  readonly p50_s: Column;
  readonly p99_s: Column;
  /** Time of the slowest process divided by the mean. */
  readonly slowest: Column;
  /** By component, then by region. With nested regions. */
  readonly energy_j: Column[];
  /** Standard error; null: the value is a difference of counter readings (`coarse`). */
  readonly se_j: Column[];
  readonly own_energy_j: Column[];
  readonly power_w: Column[];
  /** Visits by bucket of duration, `[bucket, visits]`; a bucket is 2^(1/4) wide, bucket 0 begins at 1 ns. */
  readonly durations: ((readonly [bucket: number, visits: number])[] | null)[];
  /** Change of the energy in a comparison: energy after minus energy before, J. */
  readonly change_j?: Column;
}

/** Columns of hosts. */
export interface PageHosts {
  readonly name: string[];
  readonly energy_j: Column;
  readonly time_s: Column;
  readonly power_w: Column;
}

/** Energies of regions on each host: the regions with most energy. */
export interface HostEnergies {
  readonly region: readonly number[];
  readonly energy_j: readonly Column[];
}

/** Source of a quantity. */
export interface PageSource {
  readonly signal: string;
  /** `measured`, `derived`, `simulated`, `partial` or `absent`. */
  readonly quality: string;
  /** The source, or the reason why there is none. */
  readonly source: string;
  readonly hosts: number;
}

/** Notes of one kind. */
export interface PageNote {
  readonly text: string;
  /** Hosts that have it; 0: it is the job's. */
  readonly count: number;
  /** Some of these hosts. */
  readonly hosts: readonly string[];
}

/** A finding: a sentence, and what to do next. */
export interface PageFinding {
  readonly text: string;
  readonly next: string;
}

/** A table whose cells are text, numbers or null for what is not available. */
export interface PageTable {
  readonly title: string;
  readonly columns: readonly { readonly name: string; readonly unit?: string }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  /** Rows that were left out. */
  readonly more: number;
}

/** Numbers of a plot as lists. */
export interface PageSeries extends Omit<Series, "x" | "y" | "xError" | "yError"> {
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** null: not known. */
  readonly xError?: readonly (number | null)[];
  readonly yError?: readonly (number | null)[];
}

/** A plot with two axes. */
export interface PagePanel extends Omit<Panel, "series"> {
  readonly series: readonly PageSeries[];
}

/** Verdict of a comparison. */
export interface PageVerdict {
  /** B needs more, less, or neither is shown. */
  readonly kind: "worse" | "better" | "open";
  readonly title: string;
  readonly lines: readonly string[];
}

/** Changes of a comparison with their intervals, as parts: 0.1 is +10 %. */
export interface PageChanges {
  readonly title: string;
  /** Rows are of the whole run, not of its regions. */
  readonly isWhole: boolean;
  /** Letter of the commands whose change it is. */
  readonly of: string;
  readonly caption: string;
  readonly rows: readonly {
    readonly name: string;
    readonly change: number;
    /** null: this limit is not known. */
    readonly low: number | null;
    readonly high: number | null;
    /** The change with its interval. */
    readonly text: string;
  }[];
}

/** A tile of the summary. */
export interface PageTile {
  readonly name: string;
  readonly value: string;
  readonly about: string;
}

/** All that a page shows. */
export interface PageData {
  readonly format: typeof PAGE_FORMAT;
  readonly made_by: string;
  readonly title: string;
  /** Hosts, processes, start and exit status in one line. */
  readonly lead: string;
  /** The counters are simulated, or read from a directory tree. */
  readonly simulated?: string;
  /** Outcome of the command and owner of the run, with the keys of the report. */
  readonly joulemark?: { readonly [key: string]: Nested };
  /** The run failed or was interrupted. */
  readonly failed?: string;
  /** Missing parts of the page, with reasons. */
  readonly missing: readonly string[];
  readonly seconds: number | null;
  readonly processes_count: number | null;
  readonly edp_js: number | null;
  /** A verdict a comparison; absent: the page compares nothing. */
  readonly verdicts?: readonly PageVerdict[];
  readonly changes?: readonly PageChanges[];
  readonly tiles: readonly PageTile[];
  readonly findings: readonly PageFinding[];
  readonly notes: readonly PageNote[];
  readonly components: readonly PageComponent[];
  /** Place of the component that regions are shown by: the most inclusive one with standard errors. */
  readonly component: number;
  readonly regions?: PageRegions;
  /** Functions in their stacks; their times are CPU time. */
  readonly functions?: PageRegions;
  readonly hosts?: PageHosts;
  readonly host_energies?: HostEnergies;
  readonly processes?: ProcessTimes;
  readonly timelines: readonly HostTimeline[];
  readonly sources: readonly PageSource[];
  readonly tables: readonly PageTable[];
  readonly panels: readonly PagePanel[];
  /** The report's own mappings. */
  readonly provenance?: { readonly [key: string]: Nested };
}
