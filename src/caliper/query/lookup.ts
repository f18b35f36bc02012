/**
 * Finding the value of an attribute in a record.
 * @module
 */

import type { Snapshot } from "../model/snapshot.ts";
import { type ContextTree, NONE } from "../model/tree.ts";
import { toDouble, TYPE, type Variant } from "../model/variant.ts";

/**
 * An attribute known by name, looked up in the tree until it exists: streams define attributes
 * at any time before their first use.
 */
export class NamedAttribute {
  /** Id of the attribute, or `NONE` as long as no stream defined it. */
  id = NONE;

  constructor(readonly name: string) {}

  /** The id, looked up again if it is not known yet. */
  resolve(tree: ContextTree): number {
    if (this.id === NONE) this.id = tree.attributeByName(this.name);
    return this.id;
  }
}

/**
 * Index of the first entry whose immediate has the attribute and is not empty, or whose chain holds
 * it; `NONE` if there is none. Of a chain, the innermost value counts.
 */
export function findEntry(tree: ContextTree, record: Snapshot, attribute: number): number {
  if (attribute === NONE) return NONE;
  const inTree = tree.hasNodes(attribute);
  for (let i = 0; i < record.count; i++) {
    if (record.immediate[i] === 1 && record.node[i] === attribute) {
      if (record.type[i] !== TYPE.inv) return i;
    } else if (inTree && tree.metadataNode(record.node[i], attribute) !== NONE) return i;
  }
  return NONE;
}

/** The first value of an attribute that is not empty, the innermost one of a chain, or null. */
export function findValue(
  tree: ContextTree,
  record: Snapshot,
  attribute: number,
): Variant | null {
  const at = findEntry(tree, record, attribute);
  if (at === NONE) return null;
  if (record.immediate[at] === 1 && record.node[at] === attribute) {
    return { type: record.type[at], value: record.valueAt(at) };
  }
  const node = tree.metadataNode(record.node[at], attribute);
  return { type: tree.typeOf[node], value: tree.valueOf[node] };
}

/** The value that `findEntry` found, as a double. */
export function doubleAt(
  tree: ContextTree,
  record: Snapshot,
  at: number,
  attribute: number,
): number {
  if (record.immediate[at] === 1 && record.node[at] === attribute) {
    if (record.obj[at] === null) return record.num[at];
    return toDouble(record.type[at], record.valueAt(at));
  }
  const node = tree.metadataNode(record.node[at], attribute);
  return toDouble(tree.typeOf[node], tree.valueOf[node]);
}
