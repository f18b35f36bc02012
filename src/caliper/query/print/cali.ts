/** `cali`: the records as a stream, then the globals. */

import type { Shape, Snapshot } from "../../model/snapshot.ts";
import { streamText, TYPE } from "../../model/variant.ts";
import { type CaliEntry, CaliWriter } from "../../stream/cali.ts";
import { encodeByteText } from "../byte_text.ts";
import type { FormatContext } from "../formatter.ts";
import { LineFormatter, markOf, marksFrom, type NumberForm, RowLine } from "../row_line.ts";
import { copyStreamNumber, MOST_VALUE_BYTES, put, putText } from "../value_bytes.ts";

const START = encodeByteText("__rec=ctx"), REFERENCES = encodeByteText(",ref");
const EQUALS = 61, NEWLINE = 10;

/** Bytes of an id, as `=105`. */
const MOST_ID_BYTES = 12;

export class CaliFormatter extends LineFormatter {
  readonly #writer: CaliWriter;
  readonly #numbers: NumberForm;
  /** By node id: how records name it. */
  readonly #names: Uint8Array[] = [];
  /** By shape: `,attr=105=109,data`. */
  readonly #lists = new WeakMap<Shape, Uint8Array>();

  constructor(context: FormatContext) {
    super(context);
    const { tree, out, strict } = context;
    const digits = strict ? "all" : "six";
    this.#numbers = {
      copy: copyStreamNumber,
      text: (type, value) => streamText(type, value, digits),
    };
    this.#writer = new CaliWriter(
      {
        attributeOf: (id) => tree.attributeOf[id],
        parentOf: (id) => tree.parentOf[id],
        textOf: (id) => streamText(tree.typeOf[id], tree.valueOf[id], digits),
      },
      (line) => out.write(line),
      { asciiOnly: !strict },
    );
  }

  record(record: Snapshot): void {
    if (record.shape !== null && this.#copy(record, record.shape)) return;
    const entries = this.#entries(record);
    // A bare record is one that readers report as invalid.
    if (entries.length > 0 || !this.context.strict) this.#writer.writeContext(entries);
  }

  override rowOf(record: Snapshot): RowLine | null {
    const { shape } = record, from = marksFrom(record);
    if (shape === null || from === null || record.immediate.subarray(0, from).includes(1)) {
      return null;
    }
    const references = Array.from(record.node.subarray(0, from), (node) => `=${node}`).join("");
    const marks = Array.from(shape.places, (_, i) => `=${markOf(i)}`).join("");
    const text = `__rec=ctx${from > 0 ? `,ref${references}` : ""}` +
      `,attr=${shape.attributes.join("=")},data${marks}\n`;
    return new RowLine(text, shape, this.#numbers);
  }

  /** Writes an unchanged record with the bytes that it was read from. */
  #copy(record: Snapshot, shape: Shape): boolean {
    const { out } = this.context, { shapeAt, source } = record, { places, types } = shape;
    if (source === null || record.count !== shapeAt + places.length) return false;
    for (let i = 0; i < shapeAt; i++) if (record.immediate[i] === 1) return false;
    // First what the record needs: nodes are lines of their own.
    for (let i = 0; i < shapeAt; i++) this.#nameOf(record.node[i]);
    const list = this.#listOf(shape);
    const most = START.length + REFERENCES.length + shapeAt * MOST_ID_BYTES + list.length +
      places.length * (1 + MOST_VALUE_BYTES) + 1;
    let at = out.room(most);
    const { bytes } = out;
    at = put(bytes, at, START);
    if (shapeAt > 0) at = put(bytes, at, REFERENCES);
    for (let i = 0; i < shapeAt; i++) at = put(bytes, at, this.#names[record.node[i]]);
    at = put(bytes, at, list);
    for (let i = 0; i < places.length; i++) {
      bytes[at++] = EQUALS;
      const end = copyStreamNumber(bytes, at, source, places[i], types[i]);
      at = end < 0
        ? putText(bytes, at, this.#numbers.text(types[i], record.num[shapeAt + i]))
        : end;
    }
    bytes[at++] = NEWLINE;
    out.written(at);
    return true;
  }

  /** How records name a node, which is written if it was not yet. */
  #nameOf(node: number): Uint8Array {
    const known = this.#names[node];
    if (known !== undefined) return known;
    this.#writer.writeNode(node);
    return this.#names[node] = encodeByteText(`=${node}`);
  }

  #listOf(shape: Shape): Uint8Array {
    let list = this.#lists.get(shape);
    if (list === undefined) {
      shape.attributes.forEach((id) => this.#writer.writeNode(id));
      list = encodeByteText(`,attr=${shape.attributes.join("=")},data`);
      this.#lists.set(shape, list);
    }
    return list;
  }

  flush(): void {
    const entries = this.#entries(this.context.tree.globals);
    if (entries.length > 0 || !this.context.strict) this.#writer.writeGlobals(entries);
  }

  /** Strictly, without values that are none: their empty text is no number, and so an error. */
  #entries(record: Snapshot): CaliEntry[] {
    const { strict } = this.context, digits = strict ? "all" : "six", entries: CaliEntry[] = [];
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i], type = record.type[i];
      if (record.immediate[i] === 0) entries.push({ node, text: null });
      else if (!strict || type !== TYPE.inv) {
        entries.push({ node, text: streamText(type, record.valueAt(i), digits) });
      }
    }
    return entries;
  }
}
