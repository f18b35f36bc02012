/**
 * Finding the value of an attribute in a record.
 * @module
 */

import type { Snapshot } from "../context/snapshot.ts";
import { type ContextTree, NONE } from "../context/tree.ts";
import { TYPE, type Variant } from "../context/variant.ts";

/**
 * An attribute known by name, looked up in the tree until it is there: streams define attributes
 * at any time before their first use.
 */
export class NamedAttribute {
  readonly name: string;
  /** Its id, or `NONE` as long as no stream defined it. */
  id = NONE;

  constructor(name: string) {
    this.name = name;
  }

  /** The id, looked up again if it is not known yet. */
  resolve(tree: ContextTree): number {
    if (this.id === NONE) this.id = tree.attributeByName(this.name);
    return this.id;
  }
}

/** The first value of an attribute that is not empty, the innermost one of a chain, or null. */
export function findValue(
  tree: ContextTree,
  record: Snapshot,
  attribute: number,
): Variant | null {
  if (attribute === NONE) return null;
  for (let i = 0; i < record.count; i++) {
    if (record.immediate[i] === 1 && record.node[i] === attribute) {
      if (record.type[i] !== TYPE.inv) return { type: record.type[i], value: record.valueAt(i) };
      continue;
    }
    const node = tree.metadataNode(record.node[i], attribute);
    if (node !== NONE) return { type: tree.typeOf[node], value: tree.valueOf[node] };
  }
  return null;
}
