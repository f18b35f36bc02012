/**
 * Source of records: anything that can fill one merged tree and hand over snapshots.
 *
 * The engine has no code for file formats. A `.cali` stream is one source; reports, traces and raw
 * stats are others: they make attributes in the tree and records that refer to these attributes.
 * @module
 */

import type { Snapshot } from "../../model/snapshot.ts";
import type { MergedTree } from "../merged_tree.ts";

/** Receiver of a source's records. */
export interface RecordSink {
  /** Is the immediate of this attribute needed? Others may be left out of records. */
  wants(attribute: number): boolean;
  /** Records go to an aggregation alone, in which a NaN of ours is no value. @default false */
  aggregates?: boolean;
  /** One record; it is overwritten after the call. */
  record(record: Snapshot): void;
  /** An attribute or node was defined. */
  node(id: number): void;
  /** The input has an attribute `path`, to be called before the first record. */
  hasPathColumn?(): void;
  /** Something unreadable, after which reading goes on. */
  problem(message: string, line: number): void;
}

/** Reads everything into the tree and the sink. */
export type RecordSource = (tree: MergedTree, sink: RecordSink) => void;

/** Fills the given bytes from the front; returns how many, or null at the end of the input. */
export type ReadBytes = (into: Uint8Array) => number | null;
