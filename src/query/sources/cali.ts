/**
 * A `.cali` stream as a source of records: ids are mapped into the merged tree, and the values of
 * wanted attributes are decoded straight from the bytes.
 *
 * Unknown node or attribute ids give no entry. A value that does not parse gives an empty entry.
 * @module
 */

import { byteText, type CaliHandler, CaliScanner, unescapedText } from "../../formats/cali/cali.ts";
import { Snapshot } from "../../context/snapshot.ts";
import { NAME_ID, NONE } from "../../context/tree.ts";
import { TYPE } from "../../context/variant.ts";
import { type MergedTree, StreamIds } from "../merged_tree.ts";
import type { ReadBytes, RecordSink, RecordSource } from "./source.ts";
import { parseStreamValue } from "../stream_value.ts";

/** What is done with the immediates of an attribute. */
const DROP = 0, ANY = 1, WHOLE = 2, REAL = 3;

const MINUS = 45, POINT = 46;
/** Powers of ten that a double holds exactly: a quotient of two exact numbers is rounded once. */
const POWERS = Float64Array.from({ length: 16 }, (_, i) => Number(`1e${i}`));
/** So many digits fit 32 bits, where arithmetic is quickest; 15 are exact in a double. */
const HALF_DIGITS = 9, MAX_DIGITS = 15;

export class CaliSource implements RecordSource {
  readonly #read: ReadBytes;
  readonly #strict: boolean;
  readonly #wholeLines: boolean;

  /**
   * @param read Gives the bytes of the stream.
   * @param options.strict Report also what Caliper's reader passes over in silence, ids that were
   *   never defined and values that their type cannot hold, and see a final empty value.
   *   @default false
   * @param options.wholeLines Report a last line without its end. @default false
   */
  constructor(read: ReadBytes, options: { strict?: boolean; wholeLines?: boolean } = {}) {
    this.#read = read;
    this.#wholeLines = options.wholeLines ?? false;
    this.#strict = options.strict ?? false;
  }

  readInto(tree: MergedTree, sink: RecordSink): void {
    const how = { finalEmpty: this.#strict, wholeLines: this.#wholeLines };
    new CaliScanner(new Merger(tree, sink, this.#strict), how).readFrom(this.#read);
  }
}

class Merger implements CaliHandler {
  readonly #tree: MergedTree;
  readonly #sink: RecordSink;
  readonly #strict: boolean;
  readonly #ids: StreamIds;
  readonly #record = new Snapshot();
  /** Merged attribute, action and type per value of the current layout. */
  #planned = new Int32Array(64);
  #actions = new Uint8Array(64);
  #types = new Uint8Array(64);
  #layout = -1;

  constructor(tree: MergedTree, sink: RecordSink, strict: boolean) {
    this.#tree = tree;
    this.#sink = sink;
    this.#strict = strict;
    this.#ids = new StreamIds(tree);
  }

  problem(message: string, line: number): void {
    this.#sink.problem(message, line);
  }

  node(scanner: CaliScanner): void {
    const parent = scanner.hasParent ? scanner.nodeParent : null;
    const { nodeId, nodeAttribute } = scanner;
    const node = this.#ids.define(nodeId, nodeAttribute, parent, textOf(scanner, 0));
    if (node === NONE) {
      this.#sink.problem("Invalid node record", scanner.line);
      return;
    }
    // An id of the layout may have been unknown until now.
    if (this.#tree.attributeOf[node] === NAME_ID) this.#layout = -1;
    this.#sink.node(node);
  }

  context(scanner: CaliScanner): void {
    const record = this.#record, tree = this.#tree;
    const { buffer, refs, refCount, valueCount, starts, ends } = scanner;
    record.count = 0;
    for (let i = 0; i < refCount; i++) {
      const node = this.#ids.map(refs[i]);
      if (node !== NONE) {
        record.pushReference(tree, node);
        if (tree.nodeFields.size > 0) this.#pushFields(node);
      } else if (this.#strict) this.#sink.problem("reference to an undefined node", scanner.line);
    }
    if (scanner.layout !== this.#layout) this.#plan(scanner);
    const actions = this.#actions;
    for (let i = 0; i < valueCount; i++) {
      const action = actions[i];
      if (action === DROP) continue;
      let number = NaN;
      if (action === WHOLE) number = wholeNumber(buffer, starts[i], ends[i]);
      else if (action === REAL) number = realNumber(buffer, starts[i], ends[i]);
      if (number === number) record.pushNumber(this.#planned[i], this.#types[i], number);
      else this.#push(scanner, i);
    }
    this.#sink.record(record);
  }

  globals(scanner: CaliScanner): void {
    const tree = this.#tree;
    for (let i = 0; i < scanner.refCount; i++) {
      const node = this.#ids.map(scanner.refs[i]);
      if (node !== NONE) tree.addGlobalReference(node);
      else if (this.#strict) this.#sink.problem("reference to an undefined node", scanner.line);
    }
    for (let i = 0; i < scanner.valueCount; i++) {
      const attribute = this.#ids.map(scanner.attributes[i]);
      if (!tree.isAttribute(attribute)) {
        if (this.#strict) this.#sink.problem("undefined attribute", scanner.line);
        continue;
      }
      const type = tree.valueTypeOf(attribute), text = textOf(scanner, i);
      const value = parseStreamValue(type, text);
      if (value !== null) tree.addGlobalValue(attribute, type, value);
      // A global without value is a node that no reader takes.
      else if (this.#strict) this.#complainOf(attribute, text, scanner.line);
      else tree.addGlobalValue(attribute, TYPE.inv, 0);
    }
  }

  /** A value in the general way: by its text. */
  #push(scanner: CaliScanner, i: number): void {
    const attribute = this.#planned[i], type = this.#types[i];
    const text = textOf(scanner, i), value = parseStreamValue(type, text);
    if (value === null) {
      this.#record.pushNumber(attribute, TYPE.inv, 0);
      if (this.#strict) this.#complainOf(attribute, text, scanner.line);
    } else this.#record.pushValue(attribute, type, value);
    if (type !== TYPE.usr) return;
    for (const field of this.#tree.fields(attribute, text)) this.#record.pushValue(...field);
  }

  /** Fields of bytes of a known layout on the way to the root. */
  #pushFields(node: number): void {
    const tree = this.#tree;
    for (let id = node; id !== NONE; id = tree.parentOf[id]) {
      for (const field of tree.nodeFields.get(id) ?? []) this.#record.pushValue(...field);
    }
  }

  #complainOf(attribute: number, text: string, line: number): void {
    // One line, whatever stands in names and values.
    const what = `${this.#tree.nameOf(attribute)}: ${text.slice(0, 80)}`.replaceAll("\n", "\\n");
    this.#sink.problem(`value that its type cannot hold: ${what}`, line);
  }

  /** Decides what to do with each value of the scanner's layout. */
  #plan(scanner: CaliScanner): void {
    const tree = this.#tree, { attributes } = scanner;
    if (attributes.length > this.#planned.length) {
      this.#planned = new Int32Array(attributes.length);
      this.#actions = new Uint8Array(attributes.length);
      this.#types = new Uint8Array(attributes.length);
    }
    for (let i = 0; i < attributes.length; i++) {
      const attribute = this.#ids.map(attributes[i]);
      this.#planned[i] = attribute;
      this.#actions[i] = DROP;
      if (!tree.isAttribute(attribute)) {
        const isUsed = i < scanner.valueCount;
        if (this.#strict && isUsed) this.#sink.problem("undefined attribute", scanner.line);
        continue;
      }
      // What stands in bytes may be wanted where they are not.
      if (!this.#sink.wants(attribute) && !tree.hasLayout(attribute)) continue;
      const type = this.#types[i] = tree.valueTypeOf(attribute);
      const whole = type === TYPE.int || type === TYPE.uint;
      this.#actions[i] = whole ? WHOLE : type === TYPE.double ? REAL : ANY;
    }
    this.#layout = scanner.layout;
  }
}

function textOf(scanner: CaliScanner, i: number): string {
  const read = scanner.escaped[i] === 1 ? unescapedText : byteText;
  return read(scanner.buffer, scanner.starts[i], scanner.ends[i]);
}

/** Decimal digits alone, at most 15, as a number; NaN for anything else. */
function wholeNumber(buffer: Uint8Array, start: number, end: number): number {
  const middle = end - start > HALF_DIGITS ? start + HALF_DIGITS : end;
  let high = 0, p = start;
  for (; p < middle; p++) {
    const digit = buffer[p] - 48;
    if (digit < 0 || digit > 9) return NaN;
    high = (Math.imul(high, 10) + digit) | 0;
  }
  if (p === end) return p === start ? NaN : high;
  if (end - start > MAX_DIGITS) return NaN;
  let low = 0;
  for (; p < end; p++) {
    const digit = buffer[p] - 48;
    if (digit < 0 || digit > 9) return NaN;
    low = (Math.imul(low, 10) + digit) | 0;
  }
  return high * POWERS[end - middle] + low;
}

/** At most 9 digits with a sign or a point, as strtod(3) reads them; NaN for anything else. */
function realNumber(buffer: Uint8Array, start: number, end: number): number {
  const negative = buffer[start] === MINUS;
  const first = negative ? start + 1 : start;
  if (end - first > HALF_DIGITS + 1 || end === first) return NaN;
  let digits = 0, decimals = -1;
  for (let p = first; p < end; p++) {
    const digit = buffer[p] - 48;
    if (digit >= 0 && digit <= 9) {
      digits = (Math.imul(digits, 10) + digit) | 0;
      if (decimals >= 0) decimals++;
    } else if (buffer[p] === POINT && decimals < 0 && p > first) decimals = 0;
    else return NaN;
  }
  if (decimals < 0 && end - first > HALF_DIGITS) return NaN;
  const number = decimals > 0 ? digits / POWERS[decimals] : digits;
  return negative ? -number : number;
}
