/**
 * Spans in the host's `joulemark:` mapping.
 * @module
 */
import type { Nested } from "../../core/report.ts";
import type { SpanTotal } from "../../marks/tracker/spans.ts";

/** Spans by name and track; `undefined`: there were none. */
export function spanFacts(totals: readonly SpanTotal[]): Nested | undefined {
  if (totals.length === 0) return undefined;
  return totals.map(({ name, track, count, timeS }) => ({
    span: name,
    ...(track === "" ? {} : { track }),
    count,
    "time (s)": Number(timeS.toPrecision(6)),
  }));
}
