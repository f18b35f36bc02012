/**
 * LET: operators that add an immediate to a record before WHERE sees it.
 *
 * A result is added only if the inputs that the operator needs are present. Values in the tree count
 * as present; of a nested attribute the innermost value is taken. Result attributes are made when
 * their first value is, with `asvalue` and `skip_events`.
 * @module
 */

import { PROPERTY } from "../model/attribute.ts";
import { type Int64, scanDouble } from "../model/c_number.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { NONE } from "../model/tree.ts";
import {
  addVariant,
  doubleToInt,
  EMPTY,
  TYPE,
  type Value,
  type Variant,
} from "../model/variant.ts";
import type { Filter } from "./filter.ts";
import { doubleAt, findEntry, findValue, NamedAttribute } from "./lookup.ts";
import type { MergedTree } from "./merged_tree.ts";
import { QueryError } from "./query_error.ts";

const RESULT_PROPERTIES = PROPERTY.asvalue | PROPERTY.skip_events;

/** One LET term, ready to run. */
export interface LetTerm {
  /** Names of the attributes that the term looks at. */
  readonly names: readonly string[];
  /** Adds the result to the record, if there is one. */
  apply(tree: MergedTree, record: Snapshot): void;
}

/** A term for the records that satisfy a condition alone. */
export function conditional(term: LetTerm, filter: Filter): LetTerm {
  return {
    names: [...term.names, ...filter.names],
    apply(tree, record) {
      if (filter.pass(tree, record)) term.apply(tree, record);
    },
  };
}

/** The number in an argument, 1 if there is no such argument. */
export function numberArgument(args: readonly string[], at: number): number {
  if (at >= args.length) return 1;
  const value = scanDouble(args[at]);
  if (value === null) throw new QueryError(`Expected a number, got ${args[at]}`, -1);
  return value;
}

/** Adds results; makes their attribute when the first one comes. */
class Result {
  readonly #name: string;
  #attribute = NONE;

  constructor(name: string) {
    this.#name = name;
  }

  get made(): boolean {
    return this.#attribute !== NONE;
  }

  make(tree: MergedTree, type: number, properties = RESULT_PROPERTIES): number {
    if (this.#attribute === NONE) {
      this.#attribute = tree.createResult(this.#name, type, properties);
    }
    return this.#attribute;
  }

  push(tree: MergedTree, record: Snapshot, attributeType: number, type: number, value: Value) {
    record.pushValue(this.make(tree, attributeType), type, value);
  }
}

export function ratio(target: string, args: readonly string[]): LetTerm {
  const result = new Result(target), factor = numberArgument(args, 2);
  const names = args.slice(0, 2);
  const [over, under] = names.map((name) => new NamedAttribute(name));
  return {
    names,
    apply(tree, record) {
      const atOver = findEntry(tree, record, over.resolve(tree));
      const atUnder = findEntry(tree, record, under.resolve(tree));
      if (atOver === NONE || atUnder === NONE) return;
      const divisor = doubleAt(tree, record, atUnder, under.id);
      if (!(Math.abs(divisor) > 0)) return;
      const value = factor * (doubleAt(tree, record, atOver, over.id) / divisor);
      result.push(tree, record, TYPE.double, TYPE.double, value);
    },
  };
}

export function scale(target: string, args: readonly string[]): LetTerm {
  const factor = numberArgument(args, 1);
  return ofOne(target, args[0], () => TYPE.double, (x) => factor * x);
}

export function truncate(target: string, args: readonly string[]): LetTerm {
  const step = numberArgument(args, 1);
  const typeOf = (type: number) => type === TYPE.int || type === TYPE.uint ? type : TYPE.double;
  return ofOne(target, args[0], typeOf, (x, type) => {
    const cut = x - remainder(x, step);
    if (type === TYPE.int) return toInt32(cut);
    return type === TYPE.uint ? doubleToInt(Math.abs(cut), true) : cut;
  });
}

/** A number made of another one. @param typeOf Its type, from that of the other's attribute. */
function ofOne(
  target: string,
  name: string,
  typeOf: (type: number) => number,
  make: (x: number, type: number) => Int64,
): LetTerm {
  const result = new Result(target), input = new NamedAttribute(name);
  return {
    names: [name],
    apply(tree, record) {
      const at = findEntry(tree, record, input.resolve(tree));
      if (at === NONE) return;
      const type = typeOf(tree.valueTypeOf(input.id));
      result.push(tree, record, type, type, make(doubleAt(tree, record, at, input.id), type));
    },
  };
}

/** fmod(3); on 32-bit integers, which are the usual case, without calling it. */
function remainder(x: number, step: number): number {
  const whole = x | 0, wholeStep = step | 0;
  return whole === x && wholeStep === step && whole > 0 && wholeStep > 0
    ? whole % wholeStep
    : x % step;
}

/** Cast of C to `int` on x86-64: a value out of range becomes the minimum. */
function toInt32(x: number): number {
  const whole = Math.trunc(x);
  return whole >= -0x80000000 && whole <= 0x7fffffff ? whole + 0 : -0x80000000;
}

export function first(target: string, args: readonly string[]): LetTerm {
  const result = new Result(target), inputs = args.map((name) => new NamedAttribute(name));
  return {
    names: args,
    apply(tree, record) {
      for (const input of inputs) {
        const a = findValue(tree, record, input.resolve(tree));
        if (a === null) continue;
        result.push(tree, record, tree.valueTypeOf(input.id), a.type, a.value);
        return;
      }
    },
  };
}

export function sum(target: string, args: readonly string[]): LetTerm {
  const result = new Result(target), inputs = args.map((name) => new NamedAttribute(name));
  return {
    names: args,
    apply(tree, record) {
      let total: Variant = EMPTY;
      for (const input of inputs) {
        const a = findValue(tree, record, input.resolve(tree));
        if (a !== null) total = addVariant(total, a.type, a.value);
      }
      if (total.type !== TYPE.inv) {
        result.push(tree, record, total.type, total.type, total.value);
      }
    },
  };
}

export function leaf(target: string, args: readonly string[]): LetTerm {
  return args.length === 0 ? leafOfPath(target) : leafOf(target, args[0]);
}

function leafOfPath(target: string): LetTerm {
  const result = new Result(target);
  return {
    names: [],
    apply(tree, record) {
      const attribute = result.make(tree, TYPE.string);
      for (let i = 0; i < record.count; i++) {
        let id = record.node[i];
        while (id !== NONE && !tree.isNested(tree.attributeOf[id])) id = tree.parentOf[id];
        if (id !== NONE && tree.typeOf[id] === tree.valueTypeOf(attribute)) {
          record.pushValue(attribute, tree.typeOf[id], tree.valueOf[id]);
          return;
        }
      }
    },
  };
}

function leafOf(target: string, name: string): LetTerm {
  const result = new Result(target), input = new NamedAttribute(name);
  return {
    names: [name],
    apply(tree, record) {
      const from = input.resolve(tree);
      if (from === NONE && !result.made) return;
      const properties = (tree.propertiesOf(from) | RESULT_PROPERTIES) & ~PROPERTY.nested;
      const attribute = result.make(tree, tree.valueTypeOf(from), properties);
      const wanted = tree.valueTypeOf(attribute);
      for (let i = 0; i < record.count; i++) {
        if (record.immediate[i] === 1) {
          if (record.node[i] !== from || record.type[i] !== wanted) continue;
          record.pushValue(attribute, record.type[i], record.valueAt(i));
          return;
        }
        const id = tree.metadataNode(record.node[i], from);
        if (id !== NONE && tree.typeOf[id] === wanted) {
          record.pushValue(attribute, tree.typeOf[id], tree.valueOf[id]);
          return;
        }
      }
    },
  };
}
