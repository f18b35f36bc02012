/** `sum`, `min`, `max` and their inclusive forms: one running value per group. */

import type { Snapshot } from "../../context/snapshot.ts";
import { TYPE } from "../../context/variant.ts";
import type { Batch } from "../batch.ts";
import type { Groups } from "../groups.ts";
import type { MergedTree } from "../merged_tree.ts";
import { Derived, type Kernel } from "./kernel.ts";
import { type Combine, Sums } from "./sums.ts";

export class CombineKernel implements Kernel {
  readonly inclusive: boolean;
  readonly #attribute: Derived;
  readonly #values: Sums;

  constructor(target: string, prefix: string, combine: Combine, inclusive: boolean) {
    this.#attribute = new Derived(target, prefix);
    this.#values = new Sums(combine);
    this.inclusive = inclusive;
  }

  get names(): string[] {
    return [this.#attribute.target.name, this.#attribute.name];
  }

  get matched(): number[] {
    return this.#attribute.ids;
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    return this.#attribute.prepare(tree, batch);
  }

  accumulate(batch: Batch, groups: Groups): void {
    for (const id of this.#attribute.ids) {
      this.#values.take(batch.immediate(id), batch, groups, this.inclusive);
    }
  }

  append(tree: MergedTree, group: number, record: Snapshot): void {
    const { type, value } = this.#values.get(group);
    if (type !== TYPE.inv) record.pushValue(this.#attribute.make(tree), type, value);
  }
}
