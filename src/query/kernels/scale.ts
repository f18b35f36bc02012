/** `scale(a,s)` and `inclusive_scale(a,s)`: the sum, kept as a hidden helper, times a factor. */

import type { Snapshot } from "../../context/snapshot.ts";
import { toDouble, TYPE } from "../../context/variant.ts";
import type { Batch } from "../batch.ts";
import type { Groups } from "../groups.ts";
import { numberArgument } from "../let.ts";
import type { MergedTree } from "../merged_tree.ts";
import { Derived, HELPER, type Kernel, RESULT } from "./kernel.ts";
import { Sums } from "./sums.ts";

export class ScaleKernel implements Kernel {
  readonly inclusive: boolean;
  readonly names: readonly string[];
  readonly #sum: Derived;
  readonly #resultName: string;
  readonly #factor: number;
  readonly #sums = new Sums();

  constructor(args: readonly string[], inclusive: boolean) {
    this.inclusive = inclusive;
    this.#sum = new Derived(args[0], inclusive ? "iscsum#" : "scsum#", HELPER);
    this.#resultName = (inclusive ? "iscale#" : "scale#") + args[0];
    this.#factor = numberArgument(args, 1, 1);
    this.names = [args[0], this.#sum.name];
  }

  get matched(): number[] {
    return this.#sum.ids;
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    return this.#sum.prepare(tree, batch);
  }

  accumulate(batch: Batch, groups: Groups): void {
    for (const id of this.#sum.ids) {
      this.#sums.take(batch.immediate(id), batch, groups, this.inclusive);
    }
  }

  append(tree: MergedTree, group: number, record: Snapshot): void {
    const { type, value } = this.#sums.get(group);
    if (type === TYPE.inv) return;
    record.pushValue(this.#sum.make(tree), type, value);
    const result = tree.createResult(this.#resultName, TYPE.double, RESULT);
    record.pushNumber(result, TYPE.double, this.#factor * toDouble(type, value));
  }
}
