/**
 * Where records come from: anything that can fill one merged tree and hand over snapshots.
 *
 * The engine has no code for file formats. A `.cali` stream is one source; reports, traces and raw stats
 * become others by making attributes in the tree and records that refer to them.
 * @module
 */

import type { Snapshot, SourceBytes } from "../../model/snapshot.ts";
import type { MergedTree } from "../merged_tree.ts";

/** What a source reports to. */
export interface RecordSink {
  /** Is the immediate of this attribute needed? Others may be left out of records. */
  wants(attribute: number): boolean;
  /** Records go to an aggregation alone, in which a NaN of ours is no value. @default false */
  aggregates?: boolean;
  /** One record; it is overwritten after the call. */
  record(record: Snapshot): void;
  /**
   * What all records lead to that have the references of the last one and numbers of its shape; null:
   * nothing that is certain. Sources that can tell such records hand them to `row` then.
   */
  rowOf?(record: Snapshot): object | null;
  /** Takes such a record: numbers at the places of the shape; false: not so any more. */
  row?(row: object, source: SourceBytes): boolean;
  /** Does `row` look at the bytes of the numbers too? @default false */
  rowHasBytes?: boolean;
  /** An attribute or node was defined. */
  node(id: number): void;
  /** Something unreadable, after which reading goes on. */
  problem(message: string, line: number): void;
}

/** Reads everything into the tree and the sink. */
export type RecordSource = (tree: MergedTree, sink: RecordSink) => void;

/** Fills the given bytes from the front; returns how many, or null at the end of the input. */
export type ReadBytes = (into: Uint8Array) => number | null;
