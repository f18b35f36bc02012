/** Attributes that number the iterations of a loop. */

import { type ContextTree, NONE } from "../tree.ts";

/** Key of the mark in an attribute's metadata. */
export const ITERATION_MARK = "class.iteration";

/** Does the attribute carry the mark of iterations? */
export function isIteration(tree: ContextTree, attribute: number): boolean {
  const mark = tree.attributeByName(ITERATION_MARK);
  if (mark === NONE) return false;
  const node = tree.metadataNode(attribute, mark);
  return node !== NONE && tree.valueOf[node] === 1;
}
