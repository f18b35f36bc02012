/**
 * Context of a thread: its values, and those of its process.
 * @module
 */
import { PROPERTY, SCOPE_MASK } from "./attribute.ts";
import { Blackboard } from "./blackboard.ts";
import type { Snapshot } from "./snapshot.ts";
import type { ContextTree } from "./tree.ts";

/** The context of one thread. */
export class ThreadContext {
  /** Values of process scope, shared by its threads. */
  readonly process: Blackboard;
  /** Time when the thread began, ns. */
  readonly startNs: number;
  /** Tracking has ceased after a mismatch. */
  stopped = false;
  /** All of its visits are folded by path. */
  folds = false;
  /** Time before the first of them, ns; NaN once it is reported. */
  #beforeNs = NaN;
  readonly #tree: ContextTree;
  readonly #own: Blackboard;

  /**
   * @param process The process that it belongs to; without one, a new process begins with it.
   * @param ownStacks Each attribute is a stack by itself.
   */
  constructor(tree: ContextTree, startNs: number, process?: Blackboard, ownStacks = false) {
    this.#tree = tree;
    this.startNs = startNs;
    this.#own = new Blackboard(tree, ownStacks);
    this.process = process ?? new Blackboard(tree, ownStacks);
  }

  /** All visits are folded by path from now on; the time before belongs to no region. */
  fold(nowNs: number): void {
    if (!this.folds) this.#beforeNs = Math.max(0, nowNs - this.startNs);
    this.folds = true;
  }

  /** The time before the first visit, once; NaN then. */
  takeBefore(): number {
    const ns = this.#beforeNs;
    this.#beforeNs = NaN;
    return ns;
  }

  /** Board that holds the values of an attribute; null for task scope, which stores nothing. */
  board(attribute: number): Blackboard | null {
    switch (this.#tree.propertiesOf(attribute) & SCOPE_MASK) {
      case PROPERTY.thread_scope:
        return this.#own;
      case PROPERTY.process_scope:
        return this.process;
      default:
        return null;
    }
  }

  /** Adds the context to a record: the thread's, then the process's. */
  snapshot(record: Snapshot): void {
    this.#own.snapshot(record);
    this.process.snapshot(record);
  }
}
