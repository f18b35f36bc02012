/**
 * Filters that make epochs out of region entries, for applications that mark none:
 * `--geopm-record-filter` of geopmlaunch(1).
 *
 * One instance for each process. Epochs that the application marks are dropped while a filter is
 * on; every other record passes.
 * @module
 */
import { editDistance } from "./edit_distance.ts";
import { type RecordFilter, refused } from "./filter_words.ts";
import { proxyEpoch } from "./proxy_epoch.ts";

export type { RecordFilter };

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
