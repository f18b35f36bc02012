/** Run metadata, as the last record of a stream has it. */

import type { Blackboard } from "./blackboard.ts";
import { Snapshot } from "./snapshot.ts";
import { type ContextTree, NONE } from "./tree.ts";

/**
 * The globals among the values of processes: each attribute once, in the order in which they came.
 * If processes differ the last one is taken, as when their streams are read one after the other.
 */
export function globalsOf(tree: ContextTree, processes: Iterable<Blackboard>): Snapshot {
  const nodes = new Map<number, number>(), values = new Map<number, number>();
  const context = new Snapshot(), globals = new Snapshot();
  for (const process of processes) {
    const from = context.count;
    process.snapshot(context);
    for (let i = from; i < context.count; i++) {
      if (context.immediate[i] === 1) {
        if (tree.isGlobal(context.node[i])) values.set(context.node[i], i);
        continue;
      }
      for (const id of [...context.chain(tree, i)].reverse()) {
        if (tree.isGlobal(tree.attributeOf[id])) nodes.set(tree.attributeOf[id], id);
      }
    }
  }
  let node = NONE;
  for (const id of nodes.values()) node = tree.childLike(node, id);
  if (node !== NONE) globals.pushReference(tree, node);
  for (const [id, i] of values) globals.pushValue(id, context.type[i], context.valueAt(i));
  return globals;
}
