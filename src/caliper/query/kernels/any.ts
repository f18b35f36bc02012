/** `any(a)`: the value of the first record that has one (of several in it, the last). */

import type { Snapshot } from "../../model/snapshot.ts";
import { TYPE, type Variant } from "../../model/variant.ts";
import type { Batch } from "../batch.ts";
import type { Groups } from "../groups.ts";
import type { MergedTree } from "../merged_tree.ts";
import { Derived, type Kernel } from "./kernel.ts";

export class AnyKernel implements Kernel {
  readonly names: readonly string[];
  readonly #attribute: Derived;
  readonly #values: (Variant | undefined)[] = [];

  constructor(target: string, result: string) {
    this.#attribute = new Derived(target, result);
    this.names = [target, this.#attribute.name];
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    return this.#attribute.prepare(tree, batch);
  }

  accumulate(batch: Batch, _groups: Groups): void {
    // Row in which a group got its value in this batch: later values of that row replace it.
    const taken = new Map<number, number>();
    for (const id of this.#attribute.ids) {
      const column = batch.immediate(id);
      for (let i = 0; i < column.count; i++) {
        const row = column.rows[i], group = batch.groups[row];
        if (this.#values[group] !== undefined && taken.get(group) !== row) continue;
        if (column.type[i] === TYPE.inv) {
          this.#values[group] = undefined;
          continue;
        }
        this.#values[group] = { type: column.type[i], value: column.valueAt(i) };
        taken.set(group, row);
      }
    }
  }

  append(tree: MergedTree, group: number, record: Snapshot): void {
    const value = this.#values[group];
    if (value !== undefined) {
      record.pushValue(this.#attribute.make(tree), value.type, value.value);
    }
  }
}
