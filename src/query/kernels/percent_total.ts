/**
 * `percent_total(a)` and `inclusive_percent_total`: share of the sum over all records that passed
 * WHERE, in percent; nothing if that sum is 0.
 */

import type { Snapshot } from "../../context/snapshot.ts";
import { toDouble, TYPE } from "../../context/variant.ts";
import type { Batch } from "../batch.ts";
import type { Groups } from "../groups.ts";
import type { MergedTree } from "../merged_tree.ts";
import { Derived, HELPER, type Kernel, RESULT } from "./kernel.ts";
import { Sums } from "./sums.ts";

export class PercentTotalKernel implements Kernel {
  readonly inclusive: boolean;
  readonly names: readonly string[];
  readonly #sum: Derived;
  readonly #resultName: string;
  readonly #own = new Sums();
  readonly #withDescendants = new Sums();
  readonly #total = new Sums();

  constructor(target: string, inclusive: boolean) {
    this.inclusive = inclusive;
    this.#sum = new Derived(target, inclusive ? "ipct.sum#" : "pct.sum#", HELPER);
    this.#resultName = (inclusive ? "ipercent_total#" : "percent_total#") + target;
    this.names = [target, this.#sum.name];
  }

  get matched(): number[] {
    return this.#sum.ids;
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    return this.#sum.prepare(tree, batch);
  }

  accumulate(batch: Batch, groups: Groups): void {
    for (const id of this.#sum.ids) {
      const column = batch.immediate(id);
      this.#own.take(column, batch, groups, false);
      if (this.inclusive) this.#withDescendants.take(column, batch, groups, true);
      for (let i = 0; i < column.count; i++) {
        this.#total.put(0, column.type[i], column.valueAt(i));
      }
    }
  }

  append(tree: MergedTree, group: number, record: Snapshot): void {
    const own = this.#own.get(group);
    const whole = this.inclusive ? this.#withDescendants.get(group) : own;
    const all = this.#total.get(0), total = toDouble(all.type, all.value);
    if (whole.type === TYPE.inv || !(total > 0)) return;
    record.pushValue(this.#sum.make(tree), own.type, own.value);
    const result = tree.createResult(this.#resultName, TYPE.double, RESULT);
    const percent = 100 * toDouble(whole.type, whole.value) / total;
    record.pushNumber(result, TYPE.double, percent);
  }
}
