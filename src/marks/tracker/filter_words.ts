/** Interface of the record filters, and the parser of their descriptions. */
import { UsageError } from "../../core/errors.ts";

/** Looks at the entries of one process. */
export interface RecordFilter {
  /** @returns Number of the epoch that begins with this entry, 0 for none. */
  onEntry(regionHash: number): number;
  /**
   * Receives visits that came as a count. @returns The last epoch that begins with them. @default 0
   */
  onVisits?(regionHash: number, visits: number): number;
}

/** The text common to all errors in a description. */
export function refused(text: string, expected: string): UsageError {
  return new UsageError({ action: "use record filter", target: text, expected });
}

/** A whole number as C++'s stoi reads it: trailing text is ignored. */
export function wholeNumber(text: string): number {
  const found = /^\s*([+-]?[0-9]+)/.exec(text);
  const value = found === null ? NaN : Number(found[1]);
  return Math.abs(value) < 2 ** 31 ? value : NaN;
}
