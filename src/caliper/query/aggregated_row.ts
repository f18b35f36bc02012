/**
 * Rows that records share in an aggregation: their references decide on the group, and numbers go to
 * columns, one of them perhaps to the key.
 * @module
 */

import type { Snapshot } from "../model/snapshot.ts";
import type { Column } from "./batch.ts";

/** Where all records go that have the same references, and numbers of the same attributes. */
export interface AggregatedRow {
  /** Of the last record. */
  group: number;
  readonly columns: readonly Column[];
  readonly places: Int32Array;
  readonly types: Uint8Array;
  /** The number that is part of the key; null: none is. */
  readonly key: RowKey | null;
  /** Columns and keys that it was made for. */
  readonly version: number;
}

/** A number in the key of a row. */
export interface RowKey {
  readonly place: number;
  readonly attribute: number;
  readonly type: number;
  /** In the last record. */
  value: number;
  /** Do values of the row make rows for all ancestors? */
  readonly reachesAncestors: boolean;
}

/** What the aggregation does with immediates of an attribute, by its id. */
interface Immediates {
  readonly columns: readonly (Column | undefined)[];
  /** 1 for attributes whose values make rows for all ancestors. */
  readonly reachesAncestors: Uint8Array;
  readonly isKey: (attribute: number) => boolean;
}

/**
 * The numbers of a row, from one of its records.
 *
 * @param refs Number of references.
 * @param places Where the numbers behind them are found in later records; null: in their order.
 * @returns Null where something is no number, or more than one of them is part of the key.
 */
export function numbersOf(
  { count, immediate, node, type, num, obj }: Snapshot,
  refs: number,
  places: Int32Array | null,
  to: Immediates,
): Pick<AggregatedRow, "columns" | "places" | "types" | "key"> | null {
  const columns: Column[] = [], taken: number[] = [], keys: number[] = [];
  let reachesAncestors = false;
  for (let i = refs; i < count; i++) {
    if (immediate[i] === 0 || obj[i] !== null) return null;
    if (to.isKey(node[i])) keys.push(i);
    const column = to.columns[node[i]];
    if (column === undefined) continue;
    columns.push(column);
    taken.push(i);
    if (to.reachesAncestors[node[i]] === 1) reachesAncestors = true;
  }
  if (keys.length > 1) return null;
  const placeOf = (i: number) => places === null ? i - refs : places[i - refs];
  const [key] = keys;
  return {
    columns,
    places: Int32Array.from(taken, placeOf),
    types: Uint8Array.from(taken, (i) => type[i]),
    key: key === undefined ? null : {
      place: placeOf(key),
      attribute: node[key],
      type: type[key],
      value: num[key],
      reachesAncestors,
    },
  };
}
