/**
 * Aggregation operator: it names the attributes it looks at, makes its result attributes, takes
 * batches of rows, and appends its results to each group's record.
 *
 * Operators accept their own result attribute as input (profiles of profiles add up), but only if
 * the attribute they are named after is defined in some input.
 * @module
 */

import { PROPERTY } from "../../model/attribute.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import type { Value } from "../../model/variant.ts";
import type { Batch, Column } from "../batch.ts";
import type { Groups } from "../groups.ts";
import { NamedAttribute } from "../lookup.ts";
import type { MergedTree } from "../merged_tree.ts";

/** Properties of result attributes; helpers are hidden besides. */
export const RESULT = PROPERTY.asvalue | PROPERTY.skip_events | PROPERTY.aggregatable;
export const HELPER = RESULT | PROPERTY.hidden;

export interface Kernel {
  /** Names of all attributes whose immediates the kernel may look at. */
  readonly names: readonly string[];
  /** Attributes whose values count for every ancestor on the path as well. @default none */
  readonly inclusive?: readonly number[];
  /**
   * Looks up the inputs and makes the attributes that exist from the first record on; called for
   * each record until it returns true. The order of these calls decides ids.
   */
  prepare(tree: MergedTree, batch: Batch): boolean;
  /** Takes the rows of a batch. */
  accumulate(batch: Batch, groups: Groups): void;
  /** Appends the results of a group, making attributes that exist in the output only. */
  append(tree: MergedTree, group: number, record: Snapshot): void;
}

/** An input attribute with the attribute derived from it: `x` and `sum#x`. */
export class Derived {
  readonly target: NamedAttribute;
  readonly name: string;
  readonly #properties: number;
  /** Id of the derived attribute, `NONE` until the target is known. */
  id = NONE;

  constructor(target: string, name: string, properties = RESULT) {
    this.target = new NamedAttribute(target);
    this.name = name;
    this.#properties = properties;
  }

  /** The derived attribute, made with the type of the target as soon as that is known. */
  make(tree: MergedTree): number {
    if (this.id === NONE && this.target.resolve(tree) !== NONE) {
      const type = tree.valueTypeOf(this.target.id);
      this.id = tree.createResult(this.name, type, this.#properties);
    }
    return this.id;
  }

  /** Makes the derived attribute and the columns of both; true once they exist. */
  prepare(tree: MergedTree, batch: Batch): boolean {
    if (this.make(tree) === NONE) return false;
    batch.immediate(this.target.id);
    batch.immediate(this.id);
    return true;
  }

  /** Ids of target and derived attribute, once known. */
  get ids(): number[] {
    return this.id === NONE ? [] : [this.target.id, this.id];
  }
}

/** Takes each value of a column with the group of its row. */
export function each(
  column: Column,
  batch: Batch,
  take: (group: number, type: number, value: Value) => void,
): void {
  for (let i = 0; i < column.count; i++) {
    take(batch.groups[column.rows[i]], column.type[i], column.valueAt(i));
  }
}
