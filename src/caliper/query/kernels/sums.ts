/**
 * Running values per group: sum, minimum or maximum, in the type of the first value seen.
 *
 * Plain numbers are in typed arrays. A group moves to the general form (`Variant`) as soon as a
 * value is no plain number of the group's type, or an integer sum leaves ±2^53: the machine's
 * 64-bit arithmetic then goes on in bigint.
 * @module
 */

import {
  addVariant,
  EMPTY,
  extremeVariant,
  TYPE,
  type Value,
  type Variant,
} from "../../model/variant.ts";
import { grown } from "../../../core/grow.ts";
import type { Batch, Column } from "../batch.ts";
import type { Groups } from "../groups.ts";

/** The group's value is in the map of general values. */
const GENERAL = 255;
const MAX_EXACT = Number.MAX_SAFE_INTEGER;

/** Way in which values are combined. */
export type Combine = "add" | "min" | "max";

export class Sums {
  readonly #combine: Combine;
  #type = new Uint8Array(64);
  #num = new Float64Array(64);
  readonly #general = new Map<number, Variant>();

  constructor(combine: Combine = "add") {
    this.#combine = combine;
  }

  /** Makes room for this many groups. */
  reserve(count: number): void {
    if (count <= this.#type.length) return;
    this.#type = grown(this.#type, count);
    this.#num = grown(this.#num, count);
  }

  /** Takes a column of a batch; with `inclusive`, also for all ancestors of each row's group. */
  take(column: Column, batch: Batch, groups: Groups, inclusive: boolean): void {
    if (column.count === 0) return;
    this.reserve(groups.count);
    if (column.plain && isNumber(column.uniform)) {
      if (this.#combine === "add") this.#addPlain(column, batch, groups, inclusive);
      else this.#extremePlain(column, batch, groups, inclusive);
      return;
    }
    for (let i = 0; i < column.count; i++) {
      let group = batch.groups[column.rows[i]];
      do {
        this.put(group, column.type[i], column.valueAt(i));
        group = inclusive ? groups.parent[group] : -1;
      } while (group >= 0);
    }
  }

  #addPlain(column: Column, batch: Batch, groups: Groups, inclusive: boolean): void {
    const type = this.#type, num = this.#num, rowGroups = batch.groups, parent = groups.parent;
    const { rows, num: values, uniform, count } = column;
    const limit = uniform === TYPE.double ? Infinity : MAX_EXACT;
    const least = uniform === TYPE.uint ? 0 : -limit;
    for (let i = 0; i < count; i++) {
      const value = values[i];
      let group = rowGroups[rows[i]];
      do {
        const sum = num[group] + value;
        // NaN fails both comparisons and takes the general way.
        if (type[group] === uniform && sum <= limit && sum >= least) num[group] = sum;
        else this.put(group, uniform, value);
        group = inclusive ? parent[group] : -1;
      } while (group >= 0);
    }
  }

  #extremePlain(column: Column, batch: Batch, groups: Groups, inclusive: boolean): void {
    const type = this.#type, num = this.#num, rowGroups = batch.groups, parent = groups.parent;
    const { rows, num: values, uniform, count } = column;
    const least = this.#combine === "min";
    for (let i = 0; i < count; i++) {
      const value = values[i];
      let group = rowGroups[rows[i]];
      do {
        if (type[group] !== uniform) this.put(group, uniform, value);
        else if (least ? value < num[group] : value > num[group]) num[group] = value;
        group = inclusive ? parent[group] : -1;
      } while (group >= 0);
    }
  }

  /** Combines one value into a group, in the general way. */
  put(group: number, type: number, value: Value): void {
    if (type === TYPE.inv && this.#type[group] === TYPE.inv) return;
    const left = this.get(group);
    const result = this.#combine === "add"
      ? addVariant(left, type, value)
      : extremeVariant(left, type, value, this.#combine === "min" ? -1 : 1);
    if (isNumber(result.type) && typeof result.value === "number") {
      this.#type[group] = result.type;
      this.#num[group] = result.value;
      this.#general.delete(group);
    } else {
      this.#type[group] = GENERAL;
      this.#general.set(group, result);
    }
  }

  /** The group's value; `EMPTY` if none was seen. */
  get(group: number): Variant {
    if (group >= this.#type.length) return EMPTY;
    const type = this.#type[group];
    if (type === TYPE.inv) return EMPTY;
    return type === GENERAL ? this.#general.get(group)! : { type, value: this.#num[group] };
  }
}

function isNumber(type: number): boolean {
  return type === TYPE.int || type === TYPE.uint || type === TYPE.double;
}
