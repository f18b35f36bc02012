/**
 * The current context of one scope (a thread, or the process): which node each stack has reached,
 * and the value of each `asvalue` attribute.
 *
 * Tree attributes share two stacks: `region` for all that is aligned, nested or not, and
 * `unaligned`, whose values may overlap regions. A stack is one tree node, the innermost. On request
 * each attribute is a stack by itself, as in Caliper's first years: only nested ones are held to nest.
 * Truth: the Caliper manual, "Attributes" and "Region nesting".
 * @module
 */

import { PROPERTY } from "./attribute.ts";
import { type ContextTree, NONE } from "./tree.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Variant } from "./variant.ts";

interface Stack {
  node: number;
  /** Hidden attributes start stacks that stay out of snapshots. */
  visible: boolean;
}

type StackName = "region" | "unaligned";

/** Why a value cannot be ended. */
export type Mismatch =
  | { kind: "none" }
  | { kind: "empty" }
  | { kind: "other"; node: number };

export class Blackboard {
  readonly #tree: ContextTree;
  readonly #ownStacks: boolean;
  readonly #stacks: { [name in StackName]: Stack | null } = { region: null, unaligned: null };
  readonly #values = new Map<number, Variant>();

  /** @param ownStacks An attribute that is not nested may end while others are open above it. */
  constructor(tree: ContextTree, ownStacks = false) {
    this.#tree = tree;
    this.#ownStacks = ownStacks;
  }

  /** The innermost node of the stack that an attribute belongs to, `NONE` if it is empty. */
  stackNode(attribute: number): number {
    return this.#stacks[stackOf(this.#tree, attribute)]?.node ?? NONE;
  }

  /** The innermost value of an attribute, or null. */
  current(attribute: number): Variant | null {
    if (this.#tree.isAsValue(attribute)) return this.#values.get(attribute) ?? null;
    const node = this.#tree.metadataNode(this.stackNode(attribute), attribute);
    return node === NONE
      ? null
      : { type: this.#tree.typeOf[node], value: this.#tree.valueOf[node] };
  }

  /** Opens a value: one level deeper for tree attributes, overwriting for `asvalue`. */
  begin(attribute: number, value: Variant): void {
    if (this.#tree.isAsValue(attribute)) {
      this.#values.set(attribute, value);
    } else {
      const parent = this.stackNode(attribute);
      this.#setNode(attribute, this.#tree.child(parent, attribute, value.type, value.value));
    }
  }

  /** Replaces the innermost value, keeping what is above and below it; opens one if there is none. */
  set(attribute: number, value: Variant): void {
    const tree = this.#tree;
    if (tree.isAsValue(attribute)) {
      this.#values.set(attribute, value);
      return;
    }
    const top = this.stackNode(attribute);
    const found = tree.metadataNode(top, attribute);
    const parent = found === NONE ? top : tree.parentOf[found];
    const replaced = tree.child(parent, attribute, value.type, value.value);
    this.#setNode(attribute, found === NONE ? replaced : this.#repeat(top, found, replaced));
  }

  /** Can the innermost value of the attribute be ended? */
  check(attribute: number): Mismatch {
    const tree = this.#tree;
    if (tree.isAsValue(attribute)) {
      return this.#values.has(attribute) ? { kind: "none" } : { kind: "empty" };
    }
    const top = this.stackNode(attribute);
    if (top !== NONE && tree.attributeOf[top] === attribute) return { kind: "none" };
    if (tree.metadataNode(top, attribute) === NONE) return { kind: "empty" };
    if (stackOf(tree, attribute) === "unaligned") return { kind: "none" };
    const above = this.#ownStacks ? this.#nestedAbove(top, attribute) : top;
    return above === NONE ? { kind: "none" } : { kind: "other", node: above };
  }

  /** Removes the innermost value of an attribute, for which `check` found no mismatch. */
  end(attribute: number): void {
    const tree = this.#tree;
    if (tree.isAsValue(attribute)) {
      this.#values.delete(attribute);
      return;
    }
    const top = this.stackNode(attribute), found = tree.metadataNode(top, attribute);
    this.#setNode(attribute, this.#repeat(top, found, tree.parentOf[found]));
  }

  /** Puts another stack in the place of the regions'. @returns The one before, by its innermost node. */
  swapRegions(node: number): number {
    const before = this.#stacks.region?.node ?? NONE;
    this.#stacks.region = node === NONE ? null : { node, visible: true };
    return before;
  }

  /** Adds the context to a record. */
  snapshot(record: Snapshot): void {
    const { region, unaligned } = this.#stacks;
    for (const stack of [region, unaligned]) {
      if (stack !== null && stack.visible) record.pushReference(this.#tree, stack.node);
    }
    for (const [attribute, { type, value }] of this.#values) {
      if (!this.#tree.isHidden(attribute)) record.pushValue(attribute, type, value);
    }
  }

  /** The innermost nested value above the one that a nested attribute would end; else `NONE`. */
  #nestedAbove(top: number, attribute: number): number {
    const tree = this.#tree;
    if (!tree.isNested(attribute)) return NONE;
    for (let id = top; tree.attributeOf[id] !== attribute; id = tree.parentOf[id]) {
      if (tree.isNested(tree.attributeOf[id])) return id;
    }
    return NONE;
  }

  /** The nodes between `top` and `below` (exclusive), repeated on another base. */
  #repeat(top: number, below: number, base: number): number {
    const nodes: number[] = [];
    for (let id = top; id !== below; id = this.#tree.parentOf[id]) nodes.push(id);
    let node = base;
    for (const id of nodes.reverse()) node = this.#tree.childLike(node, id);
    return node;
  }

  #setNode(attribute: number, node: number): void {
    const name = stackOf(this.#tree, attribute), stack = this.#stacks[name];
    if (node === NONE) this.#stacks[name] = null;
    else if (stack !== null) stack.node = node;
    else this.#stacks[name] = { node, visible: !this.#tree.isHidden(attribute) };
  }
}

function stackOf(tree: ContextTree, attribute: number): StackName {
  return (tree.propertiesOf(attribute) & PROPERTY.unaligned) !== 0 ? "unaligned" : "region";
}
