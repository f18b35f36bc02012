/** Texts that several formatters make of references. */

import type { Snapshot } from "../model/snapshot.ts";
import { type ContextTree, NONE } from "../model/tree.ts";

/** Values of an attribute in the chain of a node, joined by `/` from root to leaf. */
export function pathText(tree: ContextTree, node: number, attribute: number): string {
  let text = "";
  for (let id = node; id !== NONE; id = tree.parentOf[id]) {
    if (tree.attributeOf[id] !== attribute) continue;
    text = text === "" ? tree.textOf(id) : tree.textOf(id) + "/" + text;
  }
  return text;
}

/** All values of a record by attribute id: chains joined by `/`, of immediates the last one. */
export function textsByAttribute(tree: ContextTree, record: Snapshot): Map<number, string> {
  const texts = new Map<number, string>();
  for (let i = 0; i < record.count; i++) {
    if (record.immediate[i] === 1) {
      texts.set(record.node[i], record.textAt(i));
      continue;
    }
    for (const id of record.chain(tree, i)) {
      const attribute = tree.attributeOf[id], inner = texts.get(attribute) ?? "";
      texts.set(attribute, inner === "" ? tree.textOf(id) : tree.textOf(id) + "/" + inner);
    }
  }
  return texts;
}
