/**
 * Filters that make epochs out of region entries, for applications that mark none:
 * `--geopm-record-filter` of geopmlaunch(1).
 *
 * One instance for each process. Epochs that the application marks are dropped while a filter is
 * on; every other record passes.
 * @module
 */
import { regionHash } from "../../core/hash.ts";
import { editDistance } from "./edit_distance.ts";
import { type RecordFilter, refused, wholeNumber } from "./filter_words.ts";

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

/** Makes instances from `proxy_epoch,REGION[,CALLS[,STARTUP]]`. */
function proxyEpoch(text: string, parts: string[]): () => RecordFilter {
  const region = parts[1] ?? "";
  if (region === "") throw refused(text, "the name or hash of a region after proxy_epoch,");
  const hash = hashOf(region);
  if (hash > 0xffffffff) throw refused(text, "a hash of 32 bits");
  const calls = parts.length > 2 ? wholeNumber(parts[2]) : 1;
  if (!(calls > 0)) throw refused(text, "CALLS above 0");
  const startup = parts.length > 3 ? wholeNumber(parts[3]) : 0;
  if (!(startup >= 0)) throw refused(text, "STARTUP of at least 0");
  return () => {
    let entries = -startup;
    const epochs = () => entries > 0 ? 1 + Math.floor((entries - 1) / calls) : 0;
    const onVisits = (regionHash: number, visits: number) => {
      if (regionHash !== hash) return 0;
      const before = epochs();
      entries += visits;
      return epochs() > before ? epochs() : 0;
    };
    return { onEntry: (regionHash) => onVisits(regionHash, 1), onVisits };
  };
}

/** A text that begins like a number, in any base that C knows by its prefix, is a hash. */
function hashOf(text: string): number {
  const found = /^\s*\+?(0[xX][0-9a-fA-F]+|[0-9]+)/.exec(text);
  if (found === null) return regionHash(text);
  const digits = found[1];
  if (/^0[0-7]/.test(digits)) return parseInt(digits, 8);
  return Number(digits);
}
