/**
 * Aggregation: finds the group of each record and feeds the kernels in batches.
 *
 * Groups, nodes of rebuilt keys and result attributes are made record by record, in the order that
 * decides ids and the order of rows; only the arithmetic waits for the end of a batch.
 * @module
 */

import { grown, lengthened } from "../../core/grow.ts";
import { Snapshot } from "../model/snapshot.ts";
import { NONE } from "../model/tree.ts";
import { Batch, BATCH_ROWS, type Column } from "./batch.ts";
import { Groups, type KeyValue } from "./groups.ts";
import { makeKernel } from "./functions.ts";
import type { Kernel } from "./kernels/kernel.ts";
import type { MergedTree } from "./merged_tree.ts";
import type { QuerySpec } from "./spec.ts";

/** States of a node or attribute. */
const UNSEEN = 0, NO = 1, YES = 2;
/** Pairs of node ids below this one make one exact number. */
const PAIR = 1 << 26;

export class Aggregator {
  readonly #tree: MergedTree;
  readonly #kernels: Kernel[];
  /** Kernels whose inputs are not all known yet. */
  #unprepared: Kernel[];
  readonly #groups = new Groups();
  readonly #batch = new Batch();
  readonly #all: boolean;
  readonly #nested: boolean;
  #keyNames: string[];
  readonly #keys: number[] = [];
  readonly #names: Set<string>;

  /** Columns by attribute id, undefined if no kernel looks. */
  #immediateColumns: (Column | undefined)[] = [];
  #referenceColumns: (Column | undefined)[] = [];
  #hasReferenceColumns = false;
  /** 1 for attributes whose values make rows for all ancestors. */
  #reachesAncestors = new Uint8Array(64);

  /** By node id: does its chain contribute to the key? */
  #contributes = new Uint8Array(256);
  /** By node id: 1 + the group of records whose key comes from this node alone; 0 unknown. */
  #groupOfNode = new Int32Array(256);
  /** Group per pair of contributing nodes. */
  readonly #groupOfPair = new Map<number, number>();
  /** By attribute id: is it part of the key as an immediate? */
  #keyImmediate = new Uint8Array(256);

  constructor(spec: QuerySpec, tree: MergedTree) {
    this.#tree = tree;
    this.#kernels = (spec.aggregate ?? []).map(makeKernel);
    this.#unprepared = this.#kernels.slice();
    this.#all = spec.grouping === "default";
    this.#nested = spec.groupByPath;
    this.#keyNames = spec.grouping === "list" ? spec.groupBy.slice() : [];
    this.#names = new Set([...this.#kernels.flatMap((kernel) => kernel.names), ...this.#keyNames]);
  }

  /** Does the aggregation look at immediates of this attribute? */
  wants(attribute: number): boolean {
    if (this.#names.has(this.#tree.nameOf(attribute))) return true;
    this.#resolveKeys();
    return this.#isKey(attribute);
  }

  add(record: Snapshot): void {
    if (this.#keyNames.length > 0) this.#resolveKeys();
    const group = this.#groupOf(record);
    if (this.#unprepared.length > 0) this.#prepare();
    const batch = this.#batch, row = batch.rows++;
    batch.groups[row] = group;
    if (this.#pushEntries(record, row)) this.#groups.makeAncestors(this.#tree, group);
    if (batch.rows === BATCH_ROWS) this.#run();
  }

  /** Hands over the record of each group. */
  flush(take: (record: Snapshot) => void): void {
    this.#run();
    const record = new Snapshot();
    for (let group = 0; group < this.#groups.count; group++) {
      record.clear();
      this.#groups.pushKey(this.#tree, group, record);
      for (const kernel of this.#kernels) kernel.append(this.#tree, group, record);
      take(record);
    }
  }

  /** Entries one by one; do some of them make rows for all ancestors? */
  #pushEntries(record: Snapshot, row: number): boolean {
    const { count, node: nodes, immediate, type, num, obj } = record,
      columns = this.#immediateColumns;
    let ancestors = false;
    for (let i = 0; i < count; i++) {
      const node = nodes[i];
      if (immediate[i] === 1) {
        const column = columns[node];
        if (column === undefined) continue;
        column.push(row, type[i], num[i], obj[i]);
        if (this.#reachesAncestors[node] === 1) ancestors = true;
      } else if (this.#hasReferenceColumns) {
        const column = this.#referenceColumns[this.#tree.attributeOf[node]];
        if (column !== undefined) this.#pushReference(column, row, node);
      }
    }
    return ancestors;
  }

  #run(): void {
    for (const kernel of this.#kernels) kernel.accumulate(this.#batch, this.#groups);
    this.#batch.clear();
  }

  #prepare(): void {
    const tree = this.#tree, batch = this.#batch, before = batch.columns;
    const waiting = this.#unprepared.filter((kernel) => !kernel.prepare(tree, batch));
    if (waiting.length === this.#unprepared.length && batch.columns === before) return;
    this.#unprepared = waiting;
    for (const [id, column] of batch.immediates) this.#immediateColumns[id] = column;
    for (const [id, column] of batch.references) this.#referenceColumns[id] = column;
    this.#hasReferenceColumns = batch.references.size > 0;
    for (const kernel of this.#kernels) {
      for (const id of kernel.inclusive ?? []) {
        if (id >= this.#reachesAncestors.length) {
          this.#reachesAncestors = grown(this.#reachesAncestors, id + 1);
        }
        this.#reachesAncestors[id] = 1;
      }
    }
  }

  #pushReference(column: Column, row: number, node: number): void {
    const value = this.#tree.valueOf[node], type = this.#tree.typeOf[node];
    if (typeof value === "number") column.push(row, type, value, null);
    else column.push(row, type, 0, value);
  }

  #resolveKeys(): void {
    this.#keyNames = this.#keyNames.filter((name) => {
      const id = this.#tree.attributeByName(name);
      if (id === NONE) return true;
      this.#keys.push(id);
      return false;
    });
  }

  /** Is the attribute, or one that it carries as metadata, in the list of GROUP BY? */
  #isKey(attribute: number): boolean {
    for (const key of this.#keys) {
      if (key === attribute || this.#tree.metadataNode(attribute, key) !== NONE) return true;
    }
    return false;
  }

  #groupOf(record: Snapshot): number {
    const { count, node: nodes, immediate } = record;
    const contributes = this.#contributes, hasKeys = this.#keys.length > 0;
    let contributors = 0, first = NONE, second = NONE, immediates = 0;
    for (let i = 0; i < count; i++) {
      const node = nodes[i];
      if (immediate[i] === 0) {
        const known = node < contributes.length ? contributes[node] : UNSEEN;
        if (known === NO) continue;
        if (known === UNSEEN && this.#learnNode(node) === NO) continue;
        if (contributors++ === 0) first = node;
        else second = node;
      } else if (hasKeys) {
        const known = node < this.#keyImmediate.length ? this.#keyImmediate[node] : UNSEEN;
        if ((known === UNSEEN ? this.#learnImmediate(node) : known) === YES) immediates++;
      }
    }
    if (immediates === 0 && contributors === 1) {
      const known = this.#groupOfNode[first];
      return known > 0 ? known - 1 : this.#remember(first, record);
    }
    const isPair = contributors === 2 && first < PAIR && second < PAIR;
    if (immediates > 0 || !isPair) return this.#findGroup(record, immediates);
    const pair = first * PAIR + second;
    let group = this.#groupOfPair.get(pair);
    if (group === undefined) {
      group = this.#findGroup(record, 0);
      this.#groupOfPair.set(pair, group);
    }
    return group;
  }

  #remember(node: number, record: Snapshot): number {
    const group = this.#findGroup(record, 0);
    this.#groupOfNode[node] = group + 1;
    return group;
  }

  #learnNode(node: number): number {
    const tree = this.#tree;
    if (node >= this.#contributes.length) {
      this.#contributes = grown(this.#contributes, node + 1);
      this.#groupOfNode = lengthened(this.#groupOfNode, this.#contributes.length);
    }
    let answer = NO;
    for (let id = node; id !== NONE && answer === NO; id = tree.parentOf[id]) {
      if (this.#inKey(tree.attributeOf[id])) answer = YES;
    }
    return this.#contributes[node] = answer;
  }

  #learnImmediate(attribute: number): number {
    if (attribute >= this.#keyImmediate.length) {
      this.#keyImmediate = grown(this.#keyImmediate, attribute + 1);
    }
    return this.#keyImmediate[attribute] = this.#isKey(attribute) ? YES : NO;
  }

  #inKey(attribute: number): boolean {
    return this.#all || (this.#nested && this.#tree.isNested(attribute)) ||
      this.#isKey(attribute);
  }

  /** The general way: rebuilds the chains of the key and looks the group up. */
  #findGroup(record: Snapshot, immediates: number): number {
    const tree = this.#tree;
    const path: number[] = [], other: number[] = [];
    const values: KeyValue[] = [];
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i];
      if (record.immediate[i] === 1) {
        if (immediates > 0 && this.#keyImmediate[node] === YES) {
          values.push({ attribute: node, type: record.type[i], value: record.valueAt(i) });
        }
        continue;
      }
      if (this.#contributes[node] !== YES) continue;
      for (let id = node; id !== NONE; id = tree.parentOf[id]) {
        const attribute = tree.attributeOf[id];
        if (this.#inKey(attribute)) (tree.isNested(attribute) ? path : other).push(id);
      }
    }
    if (values.length > 1) values.sort((a, b) => a.attribute - b.attribute);
    const otherNode = this.#chain(other);
    return this.#groups.find(values, otherNode, this.#chain(path));
  }

  /** The node that repeats a list of nodes, given leaf first, from a root on. */
  #chain(nodes: number[]): number {
    let node = NONE;
    for (let i = nodes.length - 1; i >= 0; i--) node = this.#tree.childLike(node, nodes[i]);
    return node;
  }
}
