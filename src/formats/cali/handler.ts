/** What takes the records that a scanner finds. */

import type { CaliScanner } from "./scanner.ts";

/** An id that is no decimal number, or beyond what any table holds. */
export const BAD_ID = -1;

/** Receiver of records; all ranges are positions in `scanner.buffer`. */
export interface CaliHandler {
  /** A node: `nodeId`, `nodeAttribute`, `hasParent`, `nodeParent`, and its data as value 0. */
  node(scanner: CaliScanner): void;
  /** A snapshot: `refCount`, `refs`, `valueCount`, `attributes`, `starts`, `ends`, `escaped`. */
  context(scanner: CaliScanner): void;
  /** Run metadata, in the layout of a snapshot. */
  globals(scanner: CaliScanner): void;
  /** A record that cannot be read, wholly or in part; scanning goes on. */
  problem(message: string, line: number): void;
}
