/**
 * WHERE and IF: conditions on a record, joined by AND.
 *
 * A comparison holds if some value of the attribute compares so, at any nesting level, in any
 * reference or immediate. An attribute that no stream defines makes existence and comparisons
 * false, and the negated existence and equality true.
 * @module
 */

import type { Snapshot } from "../model/snapshot.ts";
import { type ContextTree, NONE } from "../model/tree.ts";
import { compareValues, EMPTY, equalValues, parseValue, type Value } from "../model/variant.ts";
import type { Variant } from "../model/variant.ts";
import { NamedAttribute } from "./lookup.ts";
import type { Condition } from "./spec.ts";

type Match = (type: number, value: Value) => boolean;

export class Filter {
  readonly #clauses: Clause[];

  /** @param wide See `compareValues`. */
  constructor(conditions: readonly Condition[], wide: boolean) {
    this.#clauses = conditions.map((condition) => new Clause(condition, wide));
  }

  /** Does the record satisfy all conditions? */
  pass(tree: ContextTree, record: Snapshot): boolean {
    for (const clause of this.#clauses) if (!clause.pass(tree, record)) return false;
    return true;
  }

  /** Names of the attributes that conditions look at. */
  get names(): string[] {
    return this.#clauses.map((clause) => clause.attribute.name);
  }
}

class Clause {
  readonly attribute: NamedAttribute;
  readonly #condition: Condition;
  readonly #wide: boolean;
  #match: Match | null = null;
  readonly #negated: boolean;

  constructor(condition: Condition, wide: boolean) {
    this.attribute = new NamedAttribute(condition.attribute);
    this.#condition = condition;
    this.#wide = wide;
    this.#negated = condition.op === "not-exist" || condition.op === "not-equal";
  }

  pass(tree: ContextTree, record: Snapshot): boolean {
    const attribute = this.attribute.resolve(tree);
    if (attribute === NONE) return this.#negated;
    this.#match ??= this.#compile(tree.valueTypeOf(attribute));
    return this.#some(tree, record, attribute, this.#match) !== this.#negated;
  }

  #compile(type: number): Match {
    const value = parseValue(type, this.#condition.value);
    const limit: Variant = value === null ? EMPTY : { type, value };
    const equal: Match = (t, v) => equalValues(t, v, limit.type, limit.value);
    const order: Match = (t, v) => compareValues(t, v, limit.type, limit.value, this.#wide) < 0;
    const above: Match = (t, v) => compareValues(t, v, limit.type, limit.value, this.#wide) > 0;
    switch (this.#condition.op) {
      case "exist":
      case "not-exist":
        return () => true;
      case "equal":
      case "not-equal":
        return equal;
      case "less":
        return order;
      case "greater":
        return above;
      case "less-equal":
        return (t, v) => order(t, v) || equal(t, v);
      case "greater-equal":
        return (t, v) => above(t, v) || equal(t, v);
    }
  }

  #some(tree: ContextTree, record: Snapshot, attribute: number, match: Match): boolean {
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 1) {
        if (record.node[i] === attribute && match(record.type[i], record.valueAt(i))) return true;
        continue;
      }
      for (let id = record.node[i]; id !== NONE; id = tree.parentOf[id]) {
        if (
          tree.attributeOf[id] === attribute && match(tree.typeOf[id], tree.valueOf[id])
        ) return true;
      }
    }
    return false;
  }
}
