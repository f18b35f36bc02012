/**
 * The output rows of an aggregation: one group per key, in order of first appearance.
 *
 * A key is a list of immediates sorted by attribute id, a chain of tree nodes that are not nested,
 * and a chain of nested ones (the path), both rebuilt from root to leaf.
 * @module
 */

import { grown } from "../../core/grow.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { type ContextTree, NONE } from "../model/tree.ts";
import { equalValues, type Value } from "../model/variant.ts";

/** An immediate in a key. */
export interface KeyValue {
  attribute: number;
  type: number;
  value: Value;
}

/** The parent group is not looked up yet. */
const UNKNOWN = -2;

export class Groups {
  count = 0;
  /** Group of the enclosing path node with an otherwise equal key; `NONE` at the root. */
  parent = new Int32Array(64);
  readonly #values: (readonly KeyValue[])[] = [];
  readonly #other: number[] = [];
  readonly #path: number[] = [];
  #slots = new Int32Array(256).fill(NONE);

  /** The group of a key, made if it is new. */
  find(values: readonly KeyValue[], other: number, path: number): number {
    const slots = this.#slots, mask = slots.length - 1;
    let at = hashKey(values, other, path) & mask;
    for (let g = slots[at]; g !== NONE; g = slots[at = (at + 1) & mask]) {
      if (
        this.#path[g] === path && this.#other[g] === other && equalKeys(this.#values[g], values)
      ) return g;
    }
    const group = this.count++;
    if (group === this.parent.length) this.parent = grown(this.parent);
    this.parent[group] = UNKNOWN;
    this.#values.push(values.length === 0 ? NO_VALUES : values.slice());
    this.#other.push(other);
    this.#path.push(path);
    slots[at] = group;
    if (this.count * 2 > slots.length) this.#rehash();
    return group;
  }

  /** Makes the groups of all enclosing path nodes, the nearest first. */
  makeAncestors(tree: ContextTree, group: number): void {
    let from = group;
    while (this.parent[from] === UNKNOWN) {
      const path = this.#path[from];
      const above = path === NONE ? NONE : tree.parentOf[path];
      if (above === NONE) {
        this.parent[from] = NONE;
        return;
      }
      const parent = this.find(this.#values[from], this.#other[from], above);
      this.parent[from] = parent;
      from = parent;
    }
  }

  /** Adds the key of a group to a record. */
  pushKey(tree: ContextTree, group: number, record: Snapshot): void {
    for (const { attribute, type, value } of this.#values[group]) {
      record.pushValue(attribute, type, value);
    }
    if (this.#other[group] !== NONE) record.pushReference(tree, this.#other[group]);
    if (this.#path[group] !== NONE) record.pushReference(tree, this.#path[group]);
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 4).fill(NONE), mask = slots.length - 1;
    for (let g = 0; g < this.count; g++) {
      let at = hashKey(this.#values[g], this.#other[g], this.#path[g]) & mask;
      while (slots[at] !== NONE) at = (at + 1) & mask;
      slots[at] = g;
    }
    this.#slots = slots;
  }
}

const NO_VALUES: readonly KeyValue[] = [];

const doubleView = new Float64Array(1);
const wordView = new Uint32Array(doubleView.buffer);

function hashKey(values: readonly KeyValue[], other: number, path: number): number {
  let h = Math.imul(other, 0x9e3779b1) ^ Math.imul(path, 0x85ebca6b);
  for (let i = 0; i < values.length; i++) {
    const { attribute, value } = values[i];
    h = Math.imul(h ^ attribute, 0xc2b2ae35);
    if (typeof value === "number") {
      doubleView[0] = value;
      h = Math.imul(h ^ wordView[0], 0x27d4eb2f) ^ Math.imul(wordView[1], 0x9e3779b1);
    } else {
      const text = typeof value === "string" ? value : value.toString(16);
      for (let k = 0; k < text.length; k++) h = Math.imul(h ^ text.charCodeAt(k), 0x01000193);
    }
  }
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  return (h ^ h >>> 13) & 0x7fffffff;
}

function equalKeys(a: readonly KeyValue[], b: readonly KeyValue[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (
      a[i].attribute !== b[i].attribute ||
      !equalValues(a[i].type, a[i].value, b[i].type, b[i].value)
    ) return false;
  }
  return true;
}
