/** `variance(a)`: population variance from count, sum and sum of squares (hidden helpers). */

import { PROPERTY } from "../../model/attribute.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { toDouble, toUint, TYPE } from "../../model/variant.ts";
import type { Batch } from "../batch.ts";
import type { Groups } from "../groups.ts";
import { NamedAttribute } from "../lookup.ts";
import type { MergedTree } from "../merged_tree.ts";
import { each, type Kernel } from "./kernel.ts";

/** Unlike other results these are not marked aggregatable. */
const VISIBLE = PROPERTY.asvalue | PROPERTY.skip_events;
const HIDDEN = VISIBLE | PROPERTY.hidden;

export class VarianceKernel implements Kernel {
  readonly names: readonly string[];
  readonly #target: NamedAttribute;
  readonly #result: string;
  #variance = NONE;
  #count = NONE;
  #sum = NONE;
  #squares = NONE;
  readonly #counts: number[] = [];
  readonly #sums: number[] = [];
  readonly #squareSums: number[] = [];

  constructor(target: string, result: string) {
    this.#result = result;
    this.#target = new NamedAttribute(target);
    this.names = [target, "var.count#" + target, "var.sum#" + target, "var.sqsum#" + target];
  }

  prepare(tree: MergedTree, batch: Batch): boolean {
    if (this.#target.resolve(tree) === NONE) return false;
    const { name } = this.#target;
    this.#variance = tree.createResult(this.#result, TYPE.double, VISIBLE);
    this.#count = tree.createResult("var.count#" + name, TYPE.uint, HIDDEN);
    this.#sum = tree.createResult("var.sum#" + name, TYPE.double, HIDDEN);
    this.#squares = tree.createResult("var.sqsum#" + name, TYPE.double, HIDDEN);
    for (const id of [this.#target.id, this.#sum, this.#squares, this.#count]) {
      batch.immediate(id);
      batch.reference(id);
    }
    return true;
  }

  accumulate(batch: Batch, groups: Groups): void {
    if (this.#variance === NONE) return;
    while (this.#counts.length < groups.count) {
      this.#counts.push(0);
      this.#sums.push(0);
      this.#squareSums.push(0);
    }
    for (const columnOf of [batch.reference.bind(batch), batch.immediate.bind(batch)]) {
      each(columnOf(this.#target.id), batch, (group, type, value) => {
        const x = toDouble(type, value);
        this.#sums[group] += x;
        this.#squareSums[group] += x * x;
        this.#counts[group]++;
      });
      each(columnOf(this.#sum), batch, (group, type, value) => {
        this.#sums[group] += toDouble(type, value);
      });
      each(columnOf(this.#squares), batch, (group, type, value) => {
        this.#squareSums[group] += toDouble(type, value);
      });
      each(columnOf(this.#count), batch, (group, type, value) => {
        this.#counts[group] += Number(toUint(type, value));
      });
    }
  }

  append(_tree: MergedTree, group: number, record: Snapshot): void {
    const count = this.#counts[group] ?? 0;
    if (count === 0) return;
    const sum = this.#sums[group], squares = this.#squareSums[group], mean = sum / count;
    record.pushNumber(this.#variance, TYPE.double, squares / count - mean * mean);
    record.pushNumber(this.#sum, TYPE.double, sum);
    record.pushNumber(this.#squares, TYPE.double, squares);
    record.pushNumber(this.#count, TYPE.uint, count);
  }
}
