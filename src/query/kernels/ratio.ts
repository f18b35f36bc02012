/** `ratio(a,b[,s])` and `inclusive_ratio`: s * sum(a) / sum(b); absent if either is absent. */

import type { Snapshot } from "../../context/snapshot.ts";
import { toDouble, TYPE } from "../../context/variant.ts";
import type { Batch } from "../batch.ts";
import type { Groups } from "../groups.ts";
import { numberArgument } from "../let.ts";
import type { MergedTree } from "../merged_tree.ts";
import { Derived, HELPER, type Kernel, RESULT } from "./kernel.ts";
import { Sums } from "./sums.ts";

export class RatioKernel implements Kernel {
  readonly inclusive: boolean;
  readonly names: readonly string[];
  readonly #over: Derived;
  readonly #under: Derived;
  readonly #resultName: string;
  readonly #factor: number;
  readonly #overSums = new Sums();
  readonly #underSums = new Sums();

  constructor(args: readonly string[], inclusive: boolean) {
    const prefix = inclusive ? "isr.sum#" : "sr.sum#";
    this.inclusive = inclusive;
    this.#over = new Derived(args[0], prefix, HELPER);
    this.#under = new Derived(args[1], prefix, HELPER);
    this.#resultName = `${inclusive ? "iratio#" : "ratio#"}${args[0]}/${args[1]}`;
    this.#factor = numberArgument(args, 2, 1);
    this.names = [args[0], args[1], this.#over.name, this.#under.name];
  }

  get matched(): number[] {
    return [...this.#over.ids, ...this.#under.ids];
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    const over = this.#over.prepare(tree, batch);
    const under = this.#under.prepare(tree, batch);
    return over && under;
  }

  accumulate(batch: Batch, groups: Groups): void {
    for (const id of this.#over.ids) {
      this.#overSums.take(batch.immediate(id), batch, groups, this.inclusive);
    }
    for (const id of this.#under.ids) {
      this.#underSums.take(batch.immediate(id), batch, groups, this.inclusive);
    }
  }

  append(tree: MergedTree, group: number, record: Snapshot): void {
    const over = this.#overSums.get(group), under = this.#underSums.get(group);
    if (over.type !== TYPE.inv) record.pushValue(this.#over.make(tree), over.type, over.value);
    if (under.type === TYPE.inv) return;
    record.pushValue(this.#under.make(tree), under.type, under.value);
    if (over.type === TYPE.inv) return;
    const result = tree.createResult(this.#resultName, TYPE.double, RESULT);
    const value = this.#factor * toDouble(over.type, over.value) /
      toDouble(under.type, under.value);
    // 0/0 is the NaN with a sign on x86-64, and C prints it so.
    record.pushValue(result, TYPE.double, Number.isNaN(value) ? "-nan" : value);
  }
}
