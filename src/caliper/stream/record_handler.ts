/**
 * Receiver of a scanner of `.cali` streams.
 * @module
 */

/** Message about a last line without its end. */
export const NO_END = "the last line has no end: is it cut?";

/** Receiver of records; all ranges are positions in `scanner.buffer`. */
export interface RecordHandler<Scanner> {
  /** A node: `nodeId`, `nodeAttribute`, `hasParent`, `nodeParent`, and its data as value 0. */
  node(scanner: Scanner): void;
  /** A snapshot: `refCount`, `refs`, `valueCount`, `attributes`, `starts`, `ends`, `escaped`. */
  context(scanner: Scanner): void;
  /** Run metadata, in the layout of a snapshot. */
  globals(scanner: Scanner): void;
  /** A record that cannot be read, wholly or in part; scanning goes on. */
  problem(message: string, line: number): void;
}
