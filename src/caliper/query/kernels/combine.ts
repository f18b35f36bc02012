/** `sum`, `min`, `max`, `scale` and their inclusive forms: one running value per group. */

import type { Snapshot } from "../../model/snapshot.ts";
import { toDouble, TYPE, type Variant } from "../../model/variant.ts";
import type { Batch } from "../batch.ts";
import type { Groups } from "../groups.ts";
import { numberArgument } from "../let.ts";
import type { MergedTree } from "../merged_tree.ts";
import { Derived, HELPER, type Kernel, RESULT } from "./kernel.ts";
import { type Combine, Sums } from "./sums.ts";

export class CombineKernel implements Kernel {
  /** Values count for all ancestors too. */
  protected readonly reachesAncestors: boolean;
  readonly #attribute: Derived;
  readonly #values: Sums;

  constructor(attribute: Derived, reachesAncestors: boolean, combine: Combine = "add") {
    this.#attribute = attribute;
    this.#values = new Sums(combine);
    this.reachesAncestors = reachesAncestors;
  }

  get names(): string[] {
    return [this.#attribute.target.name, this.#attribute.name];
  }

  get inclusive(): number[] {
    return this.reachesAncestors ? this.#attribute.ids : [];
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    return this.#attribute.prepare(tree, batch);
  }

  accumulate(batch: Batch, groups: Groups): void {
    for (const id of this.#attribute.ids) {
      this.#values.take(batch.immediate(id), batch, groups, this.reachesAncestors);
    }
  }

  /** Value of a group; `EMPTY` if none was seen. */
  valueOf(group: number): Variant {
    return this.#values.get(group);
  }

  append(tree: MergedTree, group: number, record: Snapshot): void {
    const { type, value } = this.valueOf(group);
    if (type !== TYPE.inv) record.pushValue(this.#attribute.make(tree), type, value);
  }
}

/** `scale(a,s)` and `inclusive_scale(a,s)`: the sum, kept as a hidden helper, times a factor. */
export class ScaleKernel extends CombineKernel {
  readonly #resultName: string;
  readonly #factor: number;

  /** @param sums Prefix of the helper. */
  constructor(args: readonly string[], result: string, sums: string, isInclusive: boolean) {
    super(new Derived(args[0], sums + args[0], HELPER), isInclusive);
    this.#resultName = result;
    this.#factor = numberArgument(args, 1);
  }

  override append(tree: MergedTree, group: number, record: Snapshot): void {
    super.append(tree, group, record);
    const { type, value } = this.valueOf(group);
    if (type === TYPE.inv) return;
    const result = tree.createResult(this.#resultName, TYPE.double, RESULT);
    record.pushNumber(result, TYPE.double, this.#factor * toDouble(type, value));
  }
}
