/** Snapshots as plain objects, for programs that use them. */

import type { Snapshot } from "./snapshot.ts";
import type { ContextTree } from "./tree.ts";
import { TYPE, TYPE_NAMES, type Value } from "./variant.ts";

/** A value as programs use it: `bool` as boolean, a `type` by its name, `inv` as null. */
export type PlainValue = number | bigint | string | boolean | null;

/** One snapshot: values by attribute name; of a nested attribute, a list from root to leaf. */
export type PlainRecord = Record<string, PlainValue | PlainValue[]>;

/**
 * A snapshot as a plain object. Of several values of an attribute the first one is kept, as in tables;
 * of a tree attribute that is not nested the innermost.
 *
 * @param text Makes text of what the tree holds. @default as it is
 */
export function plainRecord(
  tree: ContextTree,
  record: Snapshot,
  text: (inside: string) => string = (inside) => inside,
): PlainRecord {
  const result: PlainRecord = {};
  for (let i = 0; i < record.count; i++) {
    if (record.immediate[i] === 1) {
      const value = plainValue(record.type[i], record.valueAt(i), text);
      result[text(tree.nameOf(record.node[i]))] ??= value;
      continue;
    }
    for (const id of record.chain(tree, i)) {
      const attribute = tree.attributeOf[id], name = text(tree.nameOf(attribute));
      const value = plainValue(tree.typeOf[id], tree.valueOf[id], text), inner = result[name];
      if (tree.isNested(attribute)) {
        result[name] = [value, ...(Array.isArray(inner) ? inner : [])];
      } else if (inner === undefined) result[name] = value;
    }
  }
  return result;
}

/** A value as programs use it. @param text As of {@linkcode plainRecord}. */
export function plainValue(
  type: number,
  value: Value,
  text: (inside: string) => string = (inside) => inside,
): PlainValue {
  switch (type) {
    case TYPE.inv:
      return null;
    case TYPE.bool:
      return value !== 0;
    case TYPE.type:
      return TYPE_NAMES[Number(value)];
    case TYPE.string:
    case TYPE.usr:
      return text(String(value));
    default:
      return value;
  }
}
