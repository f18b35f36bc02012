/**
 * Filters that make epochs out of region entries, for applications that mark none:
 * `--geopm-record-filter` of geopmlaunch(1).
 *
 * One instance for each process. Epochs that the application marks are dropped while a filter is
 * on; every other record passes.
 * @module
 */
import { UsageError } from "../core/errors.ts";
import { editDistance } from "./edit_distance.ts";
import { proxyEpoch } from "./proxy_epoch.ts";

/** Looks at the entries of one process. */
export interface RecordFilter {
  /** @returns Number of the epoch that begins with this entry, 0 for none. */
  onEntry(regionHash: number): number;
}

/**
 * Reads a filter's description and makes its instances.
 *
 * @param text `proxy_epoch,REGION[,CALLS[,STARTUP]]` or
 * `edit_distance[,BUFFER[,BASE[,MIN[,STABLE[,UNSTABLE]]]]]`.
 * @throws {UsageError} If it is neither, or a value is out of range.
 */
export function parseRecordFilter(text: string): () => RecordFilter {
  const parts = text.split(",");
  if (parts[0] === "proxy_epoch") return proxyEpoch(text, parts);
  if (parts[0] === "edit_distance") return editDistance(text, parts);
  throw refused(text, "proxy_epoch,REGION[,CALLS[,STARTUP]] or edit_distance[,BUFFER[,…]]");
}

/** What all mistakes in a description say. */
export function refused(text: string, expected: string): UsageError {
  return new UsageError({ action: "use record filter", target: text, expected });
}

/** A whole number as C++'s stoi reads it: trailing text is ignored. */
export function wholeNumber(text: string): number {
  const found = /^\s*([+-]?[0-9]+)/.exec(text);
  const value = found === null ? NaN : Number(found[1]);
  return Math.abs(value) < 2 ** 31 ? value : NaN;
}
