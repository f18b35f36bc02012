/**
 * What a page is made of, as plain data: the tool writes it into the page as JSON, and the page's
 * script draws it.
 * @module
 */
import type { Nested } from "../../core/report.ts";
import type { Panel, Series } from "../analysis/picture.ts";

/** Power over time on one host, in buckets of equal length. */
export interface Timeline {
  readonly host: string;
  /** Start of the first bucket, s since the run's start. */
  readonly startS: number;
  /** Length of a bucket, s. */
  readonly bucketS: number;
  readonly domains: readonly TimelineDomain[];
  /** Names of regions; −1 in `region` is none of them. */
  readonly names: readonly string[];
  /** The region that most CPUs were in for most of each bucket. */
  readonly region: readonly number[];
}

/** One line of a timeline. Null: nothing was read in that bucket. */
export interface TimelineDomain {
  readonly name: string;
  readonly unit: string;
  readonly mean: readonly (number | null)[];
  /** The extremes of the samples, which no mean hides. */
  readonly min: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

/** A region inside others; of one without regions inside the list is absent. */
export interface TreeNode {
  readonly name: string;
  /** With all inside, J; null: not known. */
  readonly energyJ: number | null;
  readonly errorJ?: number;
  /** Of a comparison: how much more it is than before. */
  readonly changeJ?: number | null;
  readonly timeS: number | null;
  readonly count?: number;
  /** Length of a visit: median and 99 of 100. */
  readonly p50S?: number;
  readonly p99S?: number;
  readonly children?: readonly TreeNode[];
}

/** A table whose cells are text, numbers or null for what is not known. */
export interface PageTable {
  readonly title: string;
  readonly columns: readonly { readonly name: string; readonly unit?: string }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  /** Rows that were left out. */
  readonly more: number;
}

/** Numbers of a picture as lists. */
export interface PageSeries extends Omit<Series, "x" | "y" | "xError" | "yError"> {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly xError?: readonly number[];
  readonly yError?: readonly number[];
}

/** A picture. */
export interface PagePanel extends Omit<Panel, "series"> {
  readonly series: readonly PageSeries[];
}

/** The whole page. */
export interface PageContent {
  readonly format: "joulemark-page/1";
  /** `joulemark 0.1.0` */
  readonly madeBy: string;
  readonly title: string;
  readonly lead: string;
  /** The counters are simulated: printed at every picture. */
  readonly simulated?: string;
  readonly notes: readonly string[];
  readonly tables: readonly PageTable[];
  readonly timelines: readonly Timeline[];
  readonly tree?: TreeNode;
  readonly panels: readonly PagePanel[];
  /** Where it comes from: the report's own mappings. */
  readonly provenance?: { readonly [key: string]: Nested };
}
