/**
 * Inputs of any kind as sources of records.
 * @module
 */

import { caliSource } from "./cali.ts";
import { type InputKind, recognised } from "./kind.ts";
import { rawStatsSource } from "./rawstats.ts";
import { reportSource } from "./report.ts";
import type { ReadBytes, RecordSource } from "./source.ts";
import { traceSource } from "./trace.ts";
import type { SeenTimes } from "../../../rawstats/format/seen_times.ts";

export { type InputKind, inputKind, PackedInput } from "./kind.ts";

/** Options for reading an input; the first two are those of `caliSource`. */
export interface SourceOptions {
  readonly strict?: boolean;
  readonly wholeLines?: boolean;
  /** Name of the input in errors. @default {"input"} */
  readonly path?: string;
  /** Number of the input among the reports of the query. @default 1 */
  readonly number?: number;
  /** Times of raw stats that other inputs of the query had, by host: a record counts once. */
  readonly seen?: Map<string, SeenTimes>;
}

/**
 * The source for an input of any kind.
 *
 * @param read Gives the bytes; the first are read at once.
 * @throws {PackedInput} If it is packed by gzip.
 */
export function openSource(
  read: ReadBytes,
  options: SourceOptions = {},
): { kind: InputKind; source: RecordSource } {
  const { kind, read: all } = recognised(read);
  return { kind, source: sourceOf(kind, all, options) };
}

/** The source for an input of a known kind. */
export function sourceOf(
  kind: InputKind,
  read: ReadBytes,
  options: SourceOptions,
): RecordSource {
  switch (kind) {
    case "report":
      return reportSource(read, options.path, options.number);
    case "trace":
      return traceSource(read);
    case "rawstats":
      return rawStatsSource(read, options.seen);
    default:
      return caliSource(read, options);
  }
}
