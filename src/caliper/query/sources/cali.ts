/**
 * A `.cali` stream as a source of records: ids are mapped into the merged tree, and the values of
 * requested attributes are decoded straight from the bytes.
 *
 * Unknown node or attribute ids give no entry. A value that does not parse gives an empty entry.
 * @module
 */

import {
  byteText,
  type CaliHandler,
  CaliScanner,
  type Layout,
  READ,
  unescapedText,
} from "../../stream/cali.ts";
import { Snapshot } from "../../model/snapshot.ts";
import { NAME_ID, NONE } from "../../model/tree.ts";
import { TYPE } from "../../model/variant.ts";
import { type MergedTree, parseStreamValue, StreamIds } from "../merged_tree.ts";
import type { ReadBytes, RecordSink, RecordSource } from "./source.ts";

/** Steps for the values of a layout. */
interface Plan {
  /** Merged attribute, way of reading and type per value. */
  readonly attributes: Int32Array;
  readonly reads: Uint8Array;
  readonly types: Uint8Array;
}

/**
 * @param read Gives the bytes of the stream.
 * @param options.strict Report also what Caliper's reader passes over in silence, ids that were
 *   never defined and values that their type cannot hold, and see a final empty value.
 *   @default false
 * @param options.wholeLines Report a last line without its end. @default false
 */
export function caliSource(
  read: ReadBytes,
  { strict = false, wholeLines = false }: { strict?: boolean; wholeLines?: boolean } = {},
): RecordSource {
  return (tree, sink) => {
    const how = { finalEmpty: strict, wholeLines };
    const merger = new Merger(tree, sink, strict);
    new CaliScanner(merger, how).readFrom(read);
    merger.end();
  };
}

/** A node whose attribute or parent is defined later in the stream. */
interface EarlyNode {
  readonly id: number;
  readonly attribute: number;
  readonly parent: number | null;
  readonly text: string;
  readonly line: number;
}

/** Nodes that may wait for others. */
const MAX_EARLY = 100_000;

class Merger implements CaliHandler {
  readonly #tree: MergedTree;
  readonly #sink: RecordSink;
  readonly #strict: boolean;
  readonly #ids: StreamIds;
  readonly #record = new Snapshot();
  /** By the id that they wait for. */
  readonly #early = new Map<number, EarlyNode[]>();
  #earlyCount = 0;
  /** By layout; those of layouts that were forgotten go with them. */
  #plans = new WeakMap<Layout, Plan>();
  /** Layout of the snapshot before, and what is done with it. */
  #layout: Layout | null = null;
  #plan: Plan = {
    attributes: new Int32Array(0),
    reads: new Uint8Array(0),
    types: new Uint8Array(0),
  };

  constructor(tree: MergedTree, sink: RecordSink, strict: boolean) {
    this.#tree = tree;
    this.#sink = sink;
    this.#strict = strict;
    this.#ids = new StreamIds(tree);
  }

  problem(message: string, line: number): void {
    // If there are no globals writers end with the bare word, which is no record to readers.
    if (message.endsWith(": __rec=globals")) this.#ids.isOver = true;
    this.#sink.problem(message, line);
  }

  node(scanner: CaliScanner): void {
    const { nodeId: id, nodeAttribute: attribute, line } = scanner;
    const parent = scanner.hasParent ? scanner.nodeParent : null;
    this.#node({ id, attribute, parent, text: textOf(scanner, 0), line }, scanner);
  }

  /** Nodes that waited for what never came; at the end of a stream. */
  end(): void {
    const lines = [...this.#early.values()].flat().map(({ line }) => line).sort((a, b) => a - b);
    this.#early.clear();
    this.#earlyCount = 0;
    for (const line of lines) this.#sink.problem("Invalid node record", line);
  }

  #node(given: EarlyNode, scanner: CaliScanner): void {
    const { id, attribute, parent, text } = given, { redefined } = this.#ids;
    const needed = this.#ids.map(attribute) === NONE ? attribute : parent;
    if (needed !== null && this.#ids.map(needed) === NONE && this.#earlyCount < MAX_EARLY) {
      this.#earlyCount++;
      this.#early.getOrInsertComputed(needed, () => []).push(given);
      return;
    }
    const node = this.#ids.define(id, attribute, parent, text);
    if (node === NONE) {
      this.#sink.problem("Invalid node record", given.line);
      return;
    }
    if (this.#ids.redefined > redefined) {
      this.#plans = new WeakMap();
      this.#layout = null;
      scanner.forgetReads();
    }
    // An id of a layout may have been unknown until now.
    if (this.#tree.attributeOf[node] === NAME_ID) {
      this.#layout = null;
      scanner.forgetReads();
    }
    this.#sink.node(node);
    const waited = this.#early.get(id);
    if (waited === undefined) return;
    this.#early.delete(id);
    this.#earlyCount -= waited.length;
    for (const early of waited) this.#node(early, scanner);
  }

  context(scanner: CaliScanner): void {
    const record = this.#record, tree = this.#tree;
    const { refs, refCount } = scanner;
    record.clear();
    for (let i = 0; i < refCount; i++) {
      const node = this.#ids.map(refs[i]);
      if (node !== NONE) {
        record.pushReference(tree, node);
        if (tree.nodeFields.size > 0) this.#pushFields(node);
      } else if (this.#strict) this.#sink.problem("reference to an undefined node", scanner.line);
    }
    if (scanner.layout !== this.#layout) this.#turnTo(scanner.layout, scanner);
    this.#pushValues(scanner);
    this.#sink.record(record);
  }

  globals(scanner: CaliScanner): void {
    const tree = this.#tree;
    this.#ids.isOver = true;
    this.end();
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

  #pushValues(scanner: CaliScanner): void {
    const { attributes, reads, types } = this.#plan, { hasNumbers, numbers, valueCount } = scanner;
    for (let i = 0; i < valueCount; i++) {
      if (reads[i] === READ.skip) continue;
      const number = hasNumbers ? numbers[i] : NaN;
      if (number === number) this.#record.pushNumber(attributes[i], types[i], number);
      else this.#push(scanner, i);
    }
  }

  /** A value in the general way: by its text. */
  #push(scanner: CaliScanner, i: number): void {
    const attribute = this.#plan.attributes[i], type = this.#plan.types[i];
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
    // One line, for any names and values.
    const what = `${this.#tree.nameOf(attribute)}: ${text.slice(0, 80)}`.replaceAll("\n", "\\n");
    this.#sink.problem(`value that its type cannot hold: ${what}`, line);
  }

  #turnTo(layout: Layout, scanner: CaliScanner): void {
    this.#layout = layout;
    const known = layout.reads === null ? undefined : this.#plans.get(layout);
    this.#plan = known ?? this.#makePlan(layout, scanner);
  }

  /** Decides what to do with each value of a layout. */
  #makePlan(layout: Layout, scanner: CaliScanner): Plan {
    const tree = this.#tree, { attributes } = layout, { length } = attributes;
    const merged = attributes.map((id) => this.#ids.map(id));
    const reads = new Uint8Array(length), types = new Uint8Array(length);
    let isKnown = true;
    for (let i = 0; i < length; i++) {
      const attribute = merged[i];
      if (!tree.isAttribute(attribute)) {
        isKnown = false;
        const isUsed = i < scanner.valueCount;
        if (this.#strict && isUsed) this.#sink.problem("undefined attribute", scanner.line);
        continue;
      }
      // Fields of bytes may be requested if the bytes are not.
      if (!this.#sink.wants(attribute) && !tree.hasLayout(attribute)) continue;
      const type = types[i] = tree.valueTypeOf(attribute);
      const isWhole = type === TYPE.int || type === TYPE.uint;
      reads[i] = isWhole ? READ.whole : type === TYPE.double ? READ.real : READ.text;
    }
    // With `strict`, an undefined id is logged at each use of the layout.
    const plan = { attributes: merged, reads, types };
    if (isKnown || !this.#strict) {
      layout.reads = reads;
      this.#plans.set(layout, plan);
    }
    return plan;
  }
}

function textOf(scanner: CaliScanner, i: number): string {
  const read = scanner.escaped[i] === 1 ? unescapedText : byteText;
  return read(scanner.buffer, scanner.starts[i], scanner.ends[i]);
}
