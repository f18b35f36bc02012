/** `scale(a,s)` and `inclusive_scale(a,s)`: the sum, kept as a hidden helper, times a factor. */

import type { Snapshot } from "../../context/snapshot.ts";
import { toDouble, TYPE } from "../../context/variant.ts";
import { numberArgument } from "../let.ts";
import type { MergedTree } from "../merged_tree.ts";
import { CombineKernel } from "./combine.ts";
import { Derived, HELPER, RESULT } from "./kernel.ts";

export class ScaleKernel extends CombineKernel {
  readonly #resultName: string;
  readonly #factor: number;

  constructor(args: readonly string[], inclusive: boolean) {
    super(new Derived(args[0], inclusive ? "iscsum#" : "scsum#", HELPER), inclusive);
    this.#resultName = (inclusive ? "iscale#" : "scale#") + args[0];
    this.#factor = numberArgument(args, 1, 1);
  }

  override append(tree: MergedTree, group: number, record: Snapshot): void {
    super.append(tree, group, record);
    const { type, value } = this.valueOf(group);
    if (type === TYPE.inv) return;
    const result = tree.createResult(this.#resultName, TYPE.double, RESULT);
    record.pushNumber(result, TYPE.double, this.#factor * toDouble(type, value));
  }
}
