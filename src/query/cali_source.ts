/**
 * A `.cali` stream as a source of records: ids are mapped into the merged tree, and the values of
 * wanted attributes are decoded straight from the bytes.
 *
 * Unknown node or attribute ids give no entry. A value that does not parse gives an empty entry.
 * @module
 */

import { byteText, type CaliHandler, CaliScanner, unescapedText } from "../formats/cali.ts";
import { Snapshot } from "../context/snapshot.ts";
import { NAME_ID, NONE } from "../context/tree.ts";
import { parseValue, TYPE } from "../context/variant.ts";
import { type MergedTree, StreamIds } from "./merged_tree.ts";
import type { ReadBytes, RecordSink, RecordSource } from "./source.ts";

const MINUS = 45, POINT = 46;
/** Powers of ten that a double holds exactly: a quotient of two exact numbers is rounded once. */
const POWERS = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));

/** What is done with the immediates of an attribute. */
const UNSEEN = 0, DROP = 1, GENERAL = 2, INTEGER = 3, DOUBLE = 4;

export class CaliSource implements RecordSource {
  readonly #read: ReadBytes;
  readonly #finalEmpty: boolean;

  /** @param options.finalEmpty See `CaliScanner`. @default false */
  constructor(read: ReadBytes, options: { finalEmpty?: boolean } = {}) {
    this.#read = read;
    this.#finalEmpty = options.finalEmpty ?? false;
  }

  readInto(tree: MergedTree, sink: RecordSink): void {
    new CaliScanner(new Merger(tree, sink), { finalEmpty: this.#finalEmpty })
      .readFrom(this.#read);
  }
}

class Merger implements CaliHandler {
  readonly #tree: MergedTree;
  readonly #sink: RecordSink;
  readonly #ids: StreamIds;
  readonly #record = new Snapshot();
  /** How to treat immediates, by merged attribute id. */
  #actions = new Uint8Array(256);

  constructor(tree: MergedTree, sink: RecordSink) {
    this.#tree = tree;
    this.#sink = sink;
    this.#ids = new StreamIds(tree);
  }

  problem(message: string, line: number): void {
    this.#sink.problem(message, line);
  }

  node(scanner: CaliScanner): void {
    const text = textOf(scanner, 0);
    const parent = scanner.hasParent ? scanner.nodeParent : null;
    const node = this.#ids.define(scanner.nodeId, scanner.nodeAttribute, parent, text);
    if (node === NONE) this.#sink.problem("Invalid node record", scanner.line);
    else this.#sink.node(node);
  }

  context(scanner: CaliScanner): void {
    const record = this.#record, tree = this.#tree, ids = this.#ids;
    const { refs, refCount, valueCount, attributes } = scanner;
    record.count = 0;
    for (let i = 0; i < refCount; i++) {
      const node = ids.map(refs[i]);
      if (node !== NONE) record.pushReference(tree, node);
    }
    for (let i = 0; i < valueCount; i++) {
      const attribute = ids.map(attributes[i]);
      if (attribute === NONE) continue;
      const action = attribute < this.#actions.length ? this.#actions[attribute] : UNSEEN;
      if (action !== DROP) this.#value(scanner, i, attribute, action);
    }
    this.#sink.record(record);
  }

  globals(scanner: CaliScanner): void {
    const tree = this.#tree;
    for (let i = 0; i < scanner.refCount; i++) {
      const node = this.#ids.map(scanner.refs[i]);
      if (node !== NONE) tree.addGlobalReference(node);
    }
    for (let i = 0; i < scanner.valueCount; i++) {
      const attribute = this.#ids.map(scanner.attributes[i]);
      if (attribute === NONE || !tree.isAttribute(attribute)) continue;
      const type = tree.valueTypeOf(attribute);
      const value = parseValue(type, textOf(scanner, i));
      tree.addGlobalValue(attribute, value === null ? TYPE.inv : type, value ?? 0);
    }
  }

  #value(scanner: CaliScanner, i: number, attribute: number, action: number): void {
    const { buffer } = scanner;
    const start = scanner.starts[i], end = scanner.ends[i];
    switch (action) {
      case INTEGER: {
        // Up to 15 digits are exact; a sign or anything else takes the general way.
        const digits = end - start;
        if (digits === 0 || digits > 15) break;
        let sum = 0, p = start;
        for (; p < end; p++) {
          const digit = buffer[p] - 48;
          if (digit < 0 || digit > 9) break;
          sum = sum * 10 + digit;
        }
        if (p < end) break;
        this.#record.pushNumber(attribute, this.#tree.valueTypeOf(attribute), sum);
        return;
      }
      case DOUBLE: {
        let p = start, sum = 0, decimals = -1;
        const negative = buffer[p] === MINUS;
        if (negative) p++;
        const first = p;
        if (end - first > 16) break; // 15 digits and a point
        for (; p < end; p++) {
          const digit = buffer[p] - 48;
          if (digit >= 0 && digit <= 9) {
            sum = sum * 10 + digit;
            if (decimals >= 0) decimals++;
          } else if (buffer[p] === POINT && decimals < 0 && p > first) decimals = 0;
          else break;
        }
        if (p < end || p === first) break;
        if (decimals > 0) sum /= POWERS[decimals];
        this.#record.pushNumber(attribute, TYPE.double, negative ? -sum : sum);
        return;
      }
      case UNSEEN:
        action = this.#decide(attribute);
        if (action !== DROP) this.#value(scanner, i, attribute, action);
        return;
    }
    const type = this.#tree.valueTypeOf(attribute);
    const value = parseValue(type, textOf(scanner, i));
    if (value === null) this.#record.pushNumber(attribute, TYPE.inv, 0);
    else this.#record.pushValue(attribute, type, value);
  }

  #decide(attribute: number): number {
    const tree = this.#tree;
    let action = DROP;
    if (tree.attributeOf[attribute] === NAME_ID && this.#sink.wants(attribute)) {
      const type = tree.valueTypeOf(attribute);
      action = type === TYPE.int || type === TYPE.uint
        ? INTEGER
        : type === TYPE.double
        ? DOUBLE
        : GENERAL;
    }
    if (attribute >= this.#actions.length) {
      const larger = new Uint8Array(Math.max(attribute + 1, this.#actions.length * 2));
      larger.set(this.#actions);
      this.#actions = larger;
    }
    this.#actions[attribute] = action;
    return action;
  }
}

function textOf(scanner: CaliScanner, i: number): string {
  const read = scanner.escaped[i] === 1 ? unescapedText : byteText;
  return read(scanner.buffer, scanner.starts[i], scanner.ends[i]);
}
