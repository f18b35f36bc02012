/**
 * Regions of a path, as channels put them into the context.
 * @module
 */
import type { Blackboard } from "./blackboard.ts";
import { type ContextTree, NONE } from "./tree.ts";
import { TYPE } from "./variant.ts";

/** A region of a path. */
export interface PathStep {
  readonly name: string;
  /** Attribute of the region; "": a plain `region`. */
  readonly attribute: string;
  /** A library made it: it exists only for a service that listens to it. */
  readonly isLibrary: boolean;
}

function isSame(a: PathStep, b: PathStep): boolean {
  return a.name === b.name && a.attribute === b.attribute;
}

/** Lengths of a path in which time passed and no visit ended. */
export const NO_LENGTHS = { sumNs: 0, minNs: Infinity, maxNs: -Infinity };

/** The attribute of a step; `NONE`: it is not there. */
type AttributeOf = (step: PathStep) => number;

/** The node of a path; `NONE` outside of all regions. */
export function nodeOfPath(
  tree: ContextTree,
  steps: readonly PathStep[],
  attributeOf: AttributeOf,
): number {
  let node = NONE;
  for (const step of steps) {
    const attribute = attributeOf(step);
    if (attribute !== NONE) node = tree.child(node, attribute, TYPE.string, step.name);
  }
  return node;
}

/**
 * Ends the regions of one path and begins those of another. Other values of the stack stay where they
 * are: between the regions that both paths have and the new ones.
 */
export function movePath(
  board: Blackboard,
  { from, to }: { from: readonly PathStep[]; to: readonly PathStep[] },
  attributeOf: AttributeOf,
): void {
  let same = 0;
  while (same < from.length && same < to.length && isSame(from[same], to[same])) same++;
  for (let i = from.length - 1; i >= same; i--) {
    const attribute = attributeOf(from[i]);
    if (attribute !== NONE && board.current(attribute) !== null) board.end(attribute);
  }
  for (let i = same; i < to.length; i++) {
    const attribute = attributeOf(to[i]);
    if (attribute !== NONE) board.begin(attribute, { type: TYPE.string, value: to[i].name });
  }
}
