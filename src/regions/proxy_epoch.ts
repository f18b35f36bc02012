/**
 * Record filter `proxy_epoch`: entering one region counts as the epoch.
 * @module
 */
import { regionHash } from "../core/hash.ts";
import { type RecordFilter, refused, wholeNumber } from "./filter_words.ts";

/** Makes instances from `proxy_epoch,REGION[,CALLS[,STARTUP]]`. */
export function proxyEpoch(text: string, parts: string[]): () => RecordFilter {
  const region = parts[1] ?? "";
  if (region === "") throw refused(text, "a region name or hash behind proxy_epoch");
  const hash = hashOf(region);
  if (hash > 0xffffffff) throw refused(text, "a hash of 32 bits");
  const calls = parts.length > 2 ? wholeNumber(parts[2]) : 1;
  if (!(calls > 0)) throw refused(text, "CALLS above 0");
  const startup = parts.length > 3 ? wholeNumber(parts[3]) : 0;
  if (!(startup >= 0)) throw refused(text, "STARTUP of at least 0");
  return () => new ProxyEpoch(hash, calls, startup);
}

/** A text that begins like a number, in any base that C knows by its prefix, is a hash. */
function hashOf(text: string): number {
  const found = /^\s*\+?(0[xX][0-9a-fA-F]+|[0-9]+)/.exec(text);
  if (found === null) return regionHash(text);
  const digits = found[1];
  if (/^0[0-7]/.test(digits)) return parseInt(digits, 8);
  return Number(digits);
}

class ProxyEpoch implements RecordFilter {
  readonly #hash: number;
  readonly #calls: number;
  #entries: number;

  constructor(hash: number, calls: number, startup: number) {
    this.#hash = hash;
    this.#calls = calls;
    this.#entries = -startup;
  }

  onEntry(regionHash: number): number {
    if (regionHash !== this.#hash) return 0;
    const n = this.#entries++;
    return n >= 0 && n % this.#calls === 0 ? 1 + n / this.#calls : 0;
  }
}
