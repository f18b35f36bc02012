/**
 * When a run was, by its report.
 * @module
 */
import type { Report } from "../core/report.ts";

/** Seconds since 1970. */
export interface Span {
  readonly fromS: number;
  readonly toS: number;
}

/**
 * From start to end; `undefined` where the report has no time that can be read.
 *
 * @param seconds How long it ran. @default 0, where it is not known
 */
export function runSpan({ startTime }: Report, seconds = 0): Span | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d):?(\d\d)$/.exec(startTime);
  // C's own form has no zone: all reports of a job are taken to have the same.
  const text = match === null ? `${startTime} UTC` : `${match[1]}${match[3]}:${match[4]}`;
  const fromS = Date.parse(text) / 1000;
  return fromS === fromS ? { fromS, toS: fromS + seconds } : undefined;
}

/** Both together; what is not known counts for nothing. */
export function spanning(a: Span | undefined, b: Span | undefined): Span | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { fromS: Math.min(a.fromS, b.fromS), toS: Math.max(a.toS, b.toS) };
}

/** Time between two runs; 0 where they overlap, or where that is not known. */
export function gapS(a: Span | undefined, b: Span | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return Math.max(0, a.fromS - b.toS, b.fromS - a.toS);
}
