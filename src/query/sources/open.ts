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

export { type InputKind, inputKind, PackedInput } from "./kind.ts";

/**
 * The source for an input of any kind.
 *
 * @param read Gives the bytes; the first are read at once.
 * @param options See `caliSource`.
 * @throws {PackedInput} If it is packed by gzip.
 */
export function openSource(
  read: ReadBytes,
  options: { strict?: boolean; wholeLines?: boolean } = {},
): { kind: InputKind; source: RecordSource } {
  const { kind, read: all } = recognised(read);
  return { kind, source: sourceOf(kind, all, options) };
}

/** The source for an input of a known kind. */
export function sourceOf(
  kind: InputKind,
  read: ReadBytes,
  options: { strict?: boolean; wholeLines?: boolean },
): RecordSource {
  switch (kind) {
    case "report":
      return reportSource(read);
    case "trace":
      return traceSource(read);
    case "rawstats":
      return rawStatsSource(read);
    default:
      return caliSource(read, options);
  }
}
