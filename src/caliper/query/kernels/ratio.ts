/** `ratio(a,b[,s])` and `inclusive_ratio`: s * sum(a) / sum(b); absent if either is absent. */

import type { Snapshot } from "../../model/snapshot.ts";
import { toDouble, TYPE } from "../../model/variant.ts";
import type { Batch } from "../batch.ts";
import type { Groups } from "../groups.ts";
import { numberArgument } from "../let.ts";
import type { MergedTree } from "../merged_tree.ts";
import { CombineKernel } from "./combine.ts";
import { Derived, HELPER, type Kernel, RESULT } from "./kernel.ts";

export class RatioKernel implements Kernel {
  readonly names: readonly string[];
  readonly #over: CombineKernel;
  readonly #under: CombineKernel;
  readonly #resultName: string;
  readonly #factor: number;

  /** @param sums Prefix of the helpers. */
  constructor(args: readonly string[], result: string, sums: string, isInclusive: boolean) {
    const sumOf = (target: string) =>
      new CombineKernel(new Derived(target, sums + target, HELPER), isInclusive);
    this.#over = sumOf(args[0]);
    this.#under = sumOf(args[1]);
    this.#resultName = result;
    this.#factor = numberArgument(args, 2);
    this.names = [...this.#over.names, ...this.#under.names];
  }

  get inclusive(): number[] {
    return [...this.#over.inclusive, ...this.#under.inclusive];
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    const over = this.#over.prepare(tree, batch);
    const under = this.#under.prepare(tree, batch);
    return over && under;
  }

  accumulate(batch: Batch, groups: Groups): void {
    this.#over.accumulate(batch, groups);
    this.#under.accumulate(batch, groups);
  }

  append(tree: MergedTree, group: number, record: Snapshot): void {
    const over = this.#over.valueOf(group), under = this.#under.valueOf(group);
    this.#over.append(tree, group, record);
    this.#under.append(tree, group, record);
    if (over.type === TYPE.inv || under.type === TYPE.inv) return;
    const result = tree.createResult(this.#resultName, TYPE.double, RESULT);
    const value = this.#factor * toDouble(over.type, over.value) /
      toDouble(under.type, under.value);
    // 0/0 is the NaN with a sign on x86-64, and C prints it so.
    record.pushValue(result, TYPE.double, Number.isNaN(value) ? "-nan" : value);
  }
}
