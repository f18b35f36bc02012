/**
 * `count()` and `scale_count(s)`: number of records, or the sum of the counts that records carry,
 * so that profiles of profiles add up.
 */

import type { Snapshot } from "../../model/snapshot.ts";
import type { Int64 } from "../../model/c_number.ts";
import { NONE } from "../../model/tree.ts";
import { addInt64, toUint, TYPE } from "../../model/variant.ts";
import type { Batch, Column } from "../batch.ts";
import type { Groups } from "../groups.ts";
import { numberArgument } from "../let.ts";
import type { MergedTree } from "../merged_tree.ts";
import { type Kernel, RESULT } from "./kernel.ts";

export class CountKernel implements Kernel {
  readonly names: readonly string[];
  readonly #name: string;
  readonly #result: string;
  readonly #scale: number | null;
  #attribute = NONE;
  #counts: Int64[] = [];

  /** @param scale The argument of `scale_count`, or null for a plain count. */
  constructor(result: string, scale: string | null) {
    this.#name = scale === null ? result : `${result}#${scale}`;
    this.#result = result;
    this.#scale = scale === null ? null : numberArgument([scale], 0);
    this.names = [this.#name];
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    this.#attribute = tree.createResult(this.#name, TYPE.uint, RESULT);
    batch.immediate(this.#attribute);
    batch.reference(this.#attribute);
    return true;
  }

  accumulate(batch: Batch, groups: Groups): void {
    const counts = this.#counts, rowGroups = batch.groups;
    while (counts.length < groups.count) counts.push(0);
    const references = batch.reference(this.#attribute);
    const immediates = batch.immediate(this.#attribute);
    if (references.count === 0 && immediates.count === 0) {
      for (let row = 0; row < batch.rows; row++) (counts[rowGroups[row]] as number)++;
      return;
    }
    // The first count of a row stands for it; references come before immediates.
    const carried = new Map<number, Int64>();
    for (const column of [references, immediates]) takeFirst(column, carried);
    for (let row = 0; row < batch.rows; row++) {
      const group = rowGroups[row];
      counts[group] = addInt64(counts[group], carried.get(row) ?? 1, true);
    }
  }

  append(tree: MergedTree, group: number, record: Snapshot): void {
    const count = this.#counts[group] ?? 0;
    if (!count) return;
    record.pushValue(this.#attribute, TYPE.uint, count);
    if (this.#scale !== null) {
      const result = tree.createResult(this.#result, TYPE.double, RESULT);
      record.pushNumber(result, TYPE.double, this.#scale * Number(count));
    }
  }
}

function takeFirst(column: Column, carried: Map<number, Int64>): void {
  for (let i = 0; i < column.count; i++) {
    const row = column.rows[i];
    if (!carried.has(row)) carried.set(row, toUint(column.type[i], column.valueAt(i)));
  }
}
