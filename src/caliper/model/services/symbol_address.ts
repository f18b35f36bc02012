/** Attributes whose values are addresses of code, which `symbollookup` finds by their metadata. */

import { PROPERTY } from "../attribute.ts";
import type { CodePlace, ServiceHost } from "../service.ts";
import type { Snapshot } from "../snapshot.ts";
import type { ContextTree } from "../tree.ts";
import { TYPE, type Value } from "../variant.ts";

/** Metadata of such an attribute. */
export const SYMBOL_ADDRESS = "class.symboladdress";

/** Place of an address that no sample has. */
export const UNKNOWN: CodePlace = {
  name: "UNKNOWN",
  file: "UNKNOWN",
  line: 0,
  module: "UNKNOWN",
};

/** Values of an attribute in the references of a record, outermost first. */
export function pathOf(tree: ContextTree, record: Snapshot, attribute: number): Value[] {
  const values: Value[] = [];
  for (let i = 0; i < record.count; i++) {
    if (record.immediate[i] === 1) continue;
    for (const node of record.chain(tree, i)) {
      if (tree.attributeOf[node] === attribute) values.unshift(tree.valueOf[node]);
    }
  }
  return values;
}

/** Makes one. */
export function addressAttribute(host: ServiceHost, name: string, properties = 0): number {
  const { thread_scope, skip_events } = PROPERTY;
  const mark = host.createAttribute(SYMBOL_ADDRESS, TYPE.bool, skip_events);
  const bits = thread_scope | skip_events | properties;
  return host.createAttribute(name, TYPE.addr, bits, [[mark, TYPE.bool, 1]]);
}
