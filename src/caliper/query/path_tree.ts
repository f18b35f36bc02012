/**
 * Records by their paths: a tree of labels that grows as records come, for the tree formatter.
 *
 * The path of a node of the context tree is looked up once: each row of an aggregation refers to
 * the whole path of its region, and a row for every region of a deep path would else take the
 * square of the depth.
 * @module
 */

import type { Snapshot } from "../model/snapshot.ts";
import { type ContextTree, NONE } from "../model/tree.ts";
import { EMPTY, equalValues, reportText, type Variant } from "../model/variant.ts";
import type { KeyValue } from "./groups.ts";

/** A value of an attribute. */
export type Cell = Readonly<KeyValue>;

/** A label of the path, with the records that end there. */
export class TreeNode {
  readonly text: string;
  /** In order of first appearance. */
  readonly children: TreeNode[] = [];
  /** Children by attribute and text; several if types differ. */
  readonly #index = new Map<string, TreeNode[]>();
  records: Cell[][] = [];
  /** Minimum and maximum value in the subtree, by sort key. */
  readonly extremes = new Map<string, Variant>();

  constructor(readonly label: Cell) {
    this.text = reportText(label.type, label.value);
  }

  /** The child of a label, made if it is new. */
  child(label: Cell): TreeNode {
    const key = label.attribute + " " + String(label.value);
    const found = this.#index.get(key) ?? [];
    for (const node of found) {
      if (equalValues(node.label.type, node.label.value, label.type, label.value)) return node;
    }
    const node = new TreeNode(label);
    this.children.push(node);
    this.#index.set(key, [...found, node]);
    return node;
  }
}

export class PathTree {
  readonly root = new TreeNode({ attribute: NONE, ...EMPTY });
  readonly #tree: ContextTree;
  readonly #isPath: (attribute: number) => boolean;
  /** By node id: the next node of its chain, itself included, that is part of the path, or not. */
  readonly #pathAt: number[] = [];
  readonly #dataAt: number[] = [];
  /** By id of a node that is part of the path. */
  readonly #nodes: TreeNode[] = [];

  /** @param isPath Is the attribute part of the path? Asked once per node, or more often. */
  constructor(tree: ContextTree, isPath: (attribute: number) => boolean) {
    this.#tree = tree;
    this.#isPath = isPath;
  }

  /** The node that the path of a record leads to, the root for none, and all its other values. */
  place(record: Snapshot): { node: TreeNode; data: Cell[] } {
    const data: Cell[] = [], known = new Set<number>();
    const add = (cell: Cell) => {
      if (!known.has(cell.attribute)) data.push(cell);
      known.add(cell.attribute);
    };
    let path = NONE, several = false;
    for (let i = 0; i < record.count; i++) {
      const at = record.node[i];
      if (record.immediate[i] === 1) {
        if (this.#isPath(at)) several = true;
        else add({ attribute: at, type: record.type[i], value: record.valueAt(i) });
        continue;
      }
      this.#learn(at);
      if (this.#pathAt[at] !== NONE) {
        if (path !== NONE) several = true;
        path = this.#pathAt[at];
      }
      for (let id = this.#dataAt[at]; id !== NONE; id = this.#above(id, this.#dataAt)) {
        add(this.#cell(id));
      }
    }
    return { node: several ? this.#joined(record) : this.#nodeOf(path), data };
  }

  /** Fills both tables for a chain. */
  #learn(from: number): void {
    const { parentOf, attributeOf } = this.#tree, unknown: number[] = [];
    let id = from;
    while (id !== NONE && this.#pathAt[id] === undefined) {
      unknown.push(id);
      id = parentOf[id];
    }
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      const isPath = this.#isPath(attributeOf[at]);
      this.#pathAt[at] = isPath ? at : this.#above(at, this.#pathAt);
      this.#dataAt[at] = isPath ? this.#above(at, this.#dataAt) : at;
    }
  }

  #above(id: number, table: readonly number[]): number {
    const parent = this.#tree.parentOf[id];
    return parent === NONE ? NONE : table[parent];
  }

  #nodeOf(path: number): TreeNode {
    const unknown: number[] = [];
    let id = path;
    while (id !== NONE && this.#nodes[id] === undefined) {
      unknown.push(id);
      id = this.#above(id, this.#pathAt);
    }
    let node = id === NONE ? this.root : this.#nodes[id];
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      this.#nodes[at] = node = node.child(this.#cell(at));
    }
    return node;
  }

  /** The path that several entries make, the last one outermost. */
  #joined(record: Snapshot): TreeNode {
    const path: Cell[] = [];
    for (let i = 0; i < record.count; i++) {
      const at = record.node[i];
      if (record.immediate[i] === 0) {
        for (let id = this.#pathAt[at]; id !== NONE; id = this.#above(id, this.#pathAt)) {
          path.push(this.#cell(id));
        }
      } else if (this.#isPath(at)) {
        path.push({ attribute: at, type: record.type[i], value: record.valueAt(i) });
      }
    }
    return path.reduceRight((node, cell) => node.child(cell), this.root);
  }

  #cell(id: number): Cell {
    const { attributeOf, typeOf, valueOf } = this.#tree;
    return { attribute: attributeOf[id], type: typeOf[id], value: valueOf[id] };
  }
}
