/** `avg(a)`: sum and count are kept as hidden helpers, so that averages of averages are right. */

import { grown } from "../../../core/grow.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { divideVariant, toUint, TYPE } from "../../model/variant.ts";
import type { Batch, Column } from "../batch.ts";
import type { Groups } from "../groups.ts";
import type { MergedTree } from "../merged_tree.ts";
import { Derived, each, HELPER, type Kernel } from "./kernel.ts";
import { Sums } from "./sums.ts";

export class AvgKernel implements Kernel {
  readonly names: readonly string[];
  readonly #sum: Derived;
  readonly #avg: Derived;
  readonly #countName: string;
  #countAttribute = NONE;
  readonly #sums = new Sums();
  #counts = new Float64Array(64);

  constructor(target: string, result: string) {
    this.#sum = new Derived(target, "avg.sum#" + target, HELPER);
    this.#avg = new Derived(target, result);
    this.#countName = "avg.count#" + target;
    this.names = [target, this.#sum.name, this.#countName];
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    if (!this.#sum.prepare(tree, batch)) return false;
    this.#countAttribute = tree.createResult(this.#countName, TYPE.uint, HELPER);
    for (const id of [this.#sum.target.id, this.#sum.id, this.#countAttribute]) {
      batch.immediate(id);
      batch.reference(id);
    }
    return true;
  }

  accumulate(batch: Batch, groups: Groups): void {
    if (this.#countAttribute === NONE) return;
    if (this.#counts.length < groups.count) this.#counts = grown(this.#counts, groups.count);
    for (const columnOf of [batch.reference.bind(batch), batch.immediate.bind(batch)]) {
      const values = columnOf(this.#sum.target.id);
      this.#sums.take(values, batch, groups, false);
      countRows(values, batch, this.#counts);
      this.#sums.take(columnOf(this.#sum.id), batch, groups, false);
      each(columnOf(this.#countAttribute), batch, (group, type, value) => {
        this.#counts[group] += Number(toUint(type, value));
      });
    }
  }

  append(tree: MergedTree, group: number, record: Snapshot): void {
    const count = this.#counts[group] ?? 0;
    if (count === 0) return;
    const sum = this.#sums.get(group), avg = divideVariant(sum, count);
    record.pushValue(this.#avg.make(tree), avg.type, avg.value);
    record.pushValue(this.#sum.make(tree), sum.type, sum.value);
    record.pushNumber(this.#countAttribute, TYPE.uint, count);
  }
}

function countRows(column: Column, batch: Batch, counts: Float64Array): void {
  const { rows, count } = column, { groups } = batch;
  for (let i = 0; i < count; i++) counts[groups[rows[i]]]++;
}
