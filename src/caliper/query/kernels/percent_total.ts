/**
 * `percent_total(a)` and `inclusive_percent_total`: share of the sum over all records that passed
 * WHERE, in percent; nothing if that sum is 0.
 */

import type { Snapshot } from "../../model/snapshot.ts";
import { toDouble, TYPE } from "../../model/variant.ts";
import type { Batch } from "../batch.ts";
import type { Groups } from "../groups.ts";
import type { MergedTree } from "../merged_tree.ts";
import { CombineKernel } from "./combine.ts";
import { Derived, HELPER, RESULT } from "./kernel.ts";
import { Sums } from "./sums.ts";

export class PercentTotalKernel extends CombineKernel {
  readonly #sum: Derived;
  readonly #resultName: string;
  /** Sums by group, without descendants if the kernel is inclusive. */
  readonly #own = new Sums();
  readonly #total = new Sums();

  /** @param sums Prefix of the helper. */
  constructor(target: string, result: string, sums: string, isInclusive: boolean) {
    const sum = new Derived(target, sums + target, HELPER);
    super(sum, isInclusive);
    this.#sum = sum;
    this.#resultName = result;
  }

  override accumulate(batch: Batch, groups: Groups): void {
    super.accumulate(batch, groups);
    for (const id of this.#sum.ids) {
      const column = batch.immediate(id);
      if (this.reachesAncestors) this.#own.take(column, batch, groups, false);
      for (let i = 0; i < column.count; i++) {
        this.#total.put(0, column.type[i], column.valueAt(i));
      }
    }
  }

  override append(tree: MergedTree, group: number, record: Snapshot): void {
    const whole = this.valueOf(group), own = this.reachesAncestors ? this.#own.get(group) : whole;
    const all = this.#total.get(0), total = toDouble(all.type, all.value);
    if (whole.type === TYPE.inv || !(total > 0)) return;
    record.pushValue(this.#sum.make(tree), own.type, own.value);
    const result = tree.createResult(this.#resultName, TYPE.double, RESULT);
    const percent = 100 * toDouble(whole.type, whole.value) / total;
    record.pushNumber(result, TYPE.double, percent);
  }
}
