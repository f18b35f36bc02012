/**
 * `json-split`, the form that Hatchet reads: rows of numbers and of indices into a list of nodes.
 *
 * Columns are the selected attributes (or the GROUP BY keys and operators, or all) sorted by name,
 * `path` last if it is selected. Value columns hold the number or null, all others an index into
 * `nodes` or null. Nodes are numbered as encountered, row by row; equal label chains share nodes,
 * also across columns. Every global becomes a member of the outer object, strictly unless it has
 * the name of one of the lists.
 * @module
 */

import type { Snapshot, SourceBytes } from "../../model/snapshot.ts";
import { grown } from "../../../core/grow.ts";
import { FIRST_FREE_ID, NONE } from "../../model/tree.ts";
import { TYPE } from "../../model/variant.ts";
import { encodeByteText, escapeJson, isJsonNumber } from "../byte_text.ts";
import { textsByAttribute } from "../chain_text.ts";
import { type FormatContext, Formatter } from "../formatter.ts";
import { resultName } from "../functions.ts";
import { RecordStore } from "../record_store.ts";
import { recordOf, RowTemplates, type Template } from "../row_templates.ts";
import {
  MOST_VALUE_BYTES,
  type Piece,
  PIECE_SPARE,
  pieceOf,
  put,
  putPiece,
} from "../value_bytes.ts";

/** Members that are no globals. */
const LISTS = ["data", "columns", "column_metadata", "nodes"];

interface Column {
  title: string;
  attributes: number[];
  /** Holds an index into the nodes. */
  hierarchy: boolean;
  /** By node id: the nearest node of its chain with a label, and the index of its own label. */
  nearest: Map<number, number>;
  indices: Map<number, number>;
}

/** A row that many records share: the bytes around its numbers, and which number follows which. */
interface Row {
  readonly pieces: readonly Piece[];
  readonly values: readonly number[];
  /** Bytes that it takes at most. */
  readonly size: number;
}

const START = pieceOf(encodeByteText(",\n    [ "));

const NO_COLUMNS: readonly number[] = [];
/** A chain with labels for more columns than this is walked each time: tables would be too great. */
const MAX_CACHED_LABELS = 16, UNCACHED: readonly number[] = [];

/** The labels of all paths as one tree. */
class Hierarchy {
  readonly nodes: { label: string; column: string; parent: number }[] = [];
  readonly #index = new Map<string, number>();

  /** Index of a label below another one, or below none. */
  child(parent: number, label: string, column: string): number {
    const key = `${parent} ${label}`;
    return this.#index.getOrInsertComputed(key, () => {
      return this.nodes.push({ label, column, parent }) - 1;
    });
  }
}

export class JsonSplitFormatter extends Formatter {
  /** Records that fit a template, and the others; by row the number of its template, or -1. */
  readonly #templates = new RowTemplates();
  readonly #records = new RecordStore();
  #templateOf = new Int32Array(1024);
  #rows = 0;
  readonly #hierarchy = new Hierarchy();
  readonly #names: Set<string> | null;
  readonly #withPath: boolean;
  /** Number of the column by attribute id. */
  readonly #columnOf = new Map<number, number>();
  /** By node id: numbers of the columns that its chain has labels for. */
  readonly #touched: (readonly number[])[] = [];

  constructor(context: FormatContext) {
    super(context);
    const { spec } = context;
    this.#withPath = spec.selectPath;
    if (spec.selection === "list") {
      this.#names = new Set(spec.select);
    } else if (spec.grouping === "list") {
      this.#names = new Set([...spec.groupBy, ...(spec.aggregate ?? []).map(resultName)]);
      this.#withPath = spec.groupByPath;
    } else {
      this.#names = null;
    }
  }

  record(record: Snapshot): void {
    const template = this.#templates.add(record);
    if (template < 0) this.#records.add(record);
    this.#end(template);
  }

  override rowOf(record: Snapshot): Template | null {
    return this.#templates.of(record);
  }

  override row(template: Template, source: SourceBytes): boolean {
    this.#templates.addNumbers(template, source);
    this.#end(template.number);
    return true;
  }

  /** A row is kept. */
  #end(template: number): void {
    if (this.#rows === this.#templateOf.length) this.#templateOf = grown(this.#templateOf);
    this.#templateOf[this.#rows++] = template;
  }

  flush(): void {
    const { out } = this.context, columns = this.#columns();
    out.write('{\n  "data": [');
    const others = this.#records.records(this.context.tree), rows: Row[] = [];
    for (let r = 0; r < this.#rows; r++) {
      const start = r === 0 ? "\n    [ " : ",\n    [ ", number = this.#templateOf[r];
      if (number >= 0) {
        const template = this.#templates.template(number);
        this.#templates.open(template);
        if (r === 0) out.write(start);
        this.#writeRow(rows[number] ??= this.#rowOf(template, columns), r > 0);
      } else out.write(start + this.#row(others.next().value!, columns).join(", ") + " ]");
    }
    out.write("\n  ]" + this.#metadata(columns) + this.#globals() + "\n}\n");
  }

  /** Writes the row that `#templates` is at. */
  #writeRow({ pieces, values, size }: Row, withStart: boolean): void {
    const { out } = this.context, { bytes, starts, ends } = this.#templates;
    let at = out.room(START.length + size);
    const to = out.bytes, { view } = out;
    if (withStart) at = putPiece(view, at, START);
    for (let i = 0; i < values.length; i++) {
      at = putPiece(view, at, pieces[i]);
      at = put(to, at, bytes, starts[values[i]], ends[values[i]]);
    }
    out.written(putPiece(view, at, pieces[values.length]));
  }

  /** The row of a template: what all its records have, and which of their numbers are between. */
  #rowOf(template: Template, columns: Column[]): Row {
    const record = recordOf(template, this.context.tree), cells = this.#row(record, columns);
    const valueOf = new Map<number, number>();
    template.shape.attributes.forEach((id, i) => {
      const own = this.#columnOf.get(id);
      if (own !== undefined && !columns[own].hierarchy && !valueOf.has(own)) valueOf.set(own, i);
    });
    for (const node of template.references) {
      // The first entry of a column stands for it.
      const own = this.#columnOf.get(this.context.tree.attributeOf[node]);
      if (own !== undefined) valueOf.delete(own);
    }
    const pieces: Piece[] = [], values: number[] = [];
    let piece = "";
    cells.forEach((cell, c) => {
      if (c > 0) piece += ", ";
      const value = valueOf.get(c);
      if (value === undefined) piece += cell;
      else {
        values.push(value);
        pieces.push(pieceOf(encodeByteText(piece)));
        piece = "";
      }
    });
    pieces.push(pieceOf(encodeByteText(piece + " ]")));
    const most = values.length * MOST_VALUE_BYTES + PIECE_SPARE;
    const size = pieces.reduce((sum, { length }) => sum + length, most);
    return { pieces, values, size };
  }

  /** Cells of a record: most records have values in few of the columns. */
  #row(record: Snapshot, columns: Column[]): string[] {
    const { tree } = this.context, row = columns.map(() => "null");
    const done = new Set<number>();
    // Per column of labels the nodes with one: of thousands of columns each has its few.
    const labelled = new Map<number, number[]>();
    let isWide = false;
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i], own = this.#columnOf.get(record.attributeAt(tree, i));
      if (own !== undefined && !columns[own].hierarchy && !done.has(own)) {
        done.add(own);
        row[own] = this.#valueCell(record, i, columns[own].attributes[0]);
      }
      // Immediates too: the chain of their attribute holds its metadata.
      const touched = this.#touchedBy(node, columns);
      if (touched === UNCACHED) isWide = true;
      for (const c of touched) {
        labelled.getOrInsertComputed(c, () => []).push(node);
      }
    }
    if (isWide) return this.#fillWide(row, record, columns);
    // In the order of columns, which numbers the nodes.
    const order = labelled.size > 1 ? [...labelled.keys()].sort((a, b) => a - b) : labelled.keys();
    for (const c of order) row[c] = String(this.#indexOfAll(labelled.get(c)!, columns[c]));
    return row;
  }

  /** Fills the labels of a record by one walk along its chains. */
  #fillWide(row: string[], record: Snapshot, columns: Column[]): string[] {
    const { tree } = this.context,
      hierarchy = this.#hierarchy,
      labels = new Map<number, string[]>();
    for (let i = 0; i < record.count; i++) {
      for (const id of record.chain(tree, i)) {
        const c = this.#columnOf.get(tree.attributeOf[id]);
        if (c === undefined || !columns[c].hierarchy) continue;
        labels.getOrInsertComputed(c, () => []).push(tree.textOf(id));
      }
    }
    for (const c of [...labels.keys()].sort((a, b) => a - b)) {
      const { title } = columns[c];
      const last = (index: number, label: string) => hierarchy.child(index, label, title);
      row[c] = String(labels.get(c)!.reduceRight(last, NONE));
    }
    return row;
  }

  /** Columns of labels that a chain has a label for; chains share their lists where they can. */
  #touchedBy(node: number, columns: Column[]): readonly number[] {
    const { tree } = this.context, unknown: number[] = [];
    let id = node;
    while (id !== NONE && this.#touched[id] === undefined) {
      unknown.push(id);
      id = tree.parentOf[id];
    }
    let list = id === NONE ? NO_COLUMNS : this.#touched[id];
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      const c = this.#columnOf.get(tree.attributeOf[at]);
      if (c !== undefined && columns[c].hierarchy && list !== UNCACHED && !list.includes(c)) {
        list = list.length < MAX_CACHED_LABELS ? [...list, c] : UNCACHED;
      }
      this.#touched[at] = list;
    }
    return list;
  }

  #columns(): Column[] {
    const { tree, spec } = this.context;
    const column = (title: string, attributes: number[], hierarchy: boolean): Column => {
      return { title, attributes, hierarchy, nearest: new Map(), indices: new Map() };
    };
    const path = column("path", [], true);
    const columns: Column[] = [];
    for (const { id, name } of tree.attributes()) {
      const nested = tree.isNested(id);
      const wanted = this.#names === null
        ? !tree.isHidden(id) && !tree.isGlobal(id)
        : this.#withPath && nested || this.#names.has(name);
      if (!wanted) continue;
      if (nested) path.attributes.push(id);
      else {
        const title = spec.aliases.get(name) ?? name;
        columns.push(column(title, [id], !tree.isAsValue(id)));
      }
    }
    if (path.attributes.length > 0) columns.push(path);
    columns.forEach(({ attributes }, c) => attributes.forEach((id) => this.#columnOf.set(id, c)));
    return columns;
  }

  /** Index of the labels of several chains, the last one outermost. */
  #indexOfAll(nodes: number[], column: Column): number {
    const { tree } = this.context;
    if (nodes.length === 1) return this.#indexOf(this.#nearest(nodes[0], column), column);
    const labels: string[] = [];
    for (const node of nodes) {
      let id = this.#nearest(node, column);
      for (; id !== NONE; id = this.#nearest(tree.parentOf[id], column)) {
        labels.push(tree.textOf(id));
      }
    }
    const { title } = column, hierarchy = this.#hierarchy;
    return labels.reduceRight((index, label) => hierarchy.child(index, label, title), NONE);
  }

  /** The first node of a chain, itself included, that has a label; `NONE` where there is none. */
  #nearest(node: number, column: Column): number {
    const { tree } = this.context, { nearest } = column, unknown: number[] = [];
    let id = node;
    while (id !== NONE && !nearest.has(id)) {
      unknown.push(id);
      id = tree.parentOf[id];
    }
    let near = id === NONE ? NONE : nearest.get(id)!;
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      if (column.attributes.includes(tree.attributeOf[at])) near = at;
      nearest.set(at, near);
    }
    return near;
  }

  /** Index of the label of a node, looked up once: rows of an aggregation share their paths. */
  #indexOf(node: number, column: Column): number {
    const { tree } = this.context, { indices } = column, unknown: number[] = [];
    let id = node;
    while (id !== NONE && !indices.has(id)) {
      unknown.push(id);
      id = this.#nearest(tree.parentOf[id], column);
    }
    let index = id === NONE ? NONE : indices.get(id)!;
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      index = this.#hierarchy.child(index, tree.textOf(at), column.title);
      indices.set(at, index);
    }
    return index;
  }

  #valueCell(record: Snapshot, i: number, attribute: number): string {
    const { tree, strict } = this.context, type = tree.valueTypeOf(attribute);
    const text = record.immediate[i] === 1 ? record.textAt(i) : tree.textOf(record.node[i]);
    if (type === TYPE.int || type === TYPE.uint || type === TYPE.double) {
      return strict && !isJsonNumber(text) ? "null" : text;
    }
    return `"${escapeJson(text, strict)}"`;
  }

  #metadata(columns: Column[]): string {
    const { strict } = this.context, quote = (text: string) => `"${escapeJson(text, strict)}"`;
    const list = (items: string[]) => items.map((item, i) => (i > 0 ? ", " : " ") + item).join("");
    const titles = list(columns.map((column) => quote(column.title)));
    const metadata = columns.map((column) => this.#columnMetadata(column)).join(" }, { ");
    const nodes = list(
      this.#hierarchy.nodes.map(({ label, column, parent }) =>
        `{ "label": ${quote(label)}, "column": ${quote(column)}` +
        (parent === NONE ? "" : `, "parent": ${parent}`) + " }"
      ),
    );
    return `,\n  "columns": [${titles} ],\n  "column_metadata": [` +
      (columns.length > 0 ? ` { ${metadata} } ` : "") + ` ],\n  "nodes": [${nodes} ]`;
  }

  #columnMetadata(column: Column): string {
    const { tree, strict } = this.context;
    let text = `"is_value": ${!column.hierarchy}`;
    if (column.attributes.length !== 1) return text;
    let node = tree.parentOf[column.attributes[0]];
    for (; node !== NONE; node = tree.parentOf[node]) {
      const attribute = tree.attributeOf[node];
      if (attribute < FIRST_FREE_ID || tree.isHidden(attribute)) continue;
      const name = escapeJson(tree.nameOf(attribute), strict);
      text += `, "${name}": "${escapeJson(tree.textOf(node), strict)}"`;
    }
    return text;
  }

  #globals(): string {
    const { tree, strict } = this.context;
    return [...textsByAttribute(tree, tree.globals)].sort(([a], [b]) => a - b)
      // With `strict`, no member is repeated: readers would take the text for the list.
      .filter(([attribute]) => !strict || !LISTS.includes(tree.nameOf(attribute)))
      .map(([attribute, text]) =>
        `,\n  "${escapeJson(tree.nameOf(attribute), strict)}": "${escapeJson(text, strict)}"`
      ).join("");
  }
}
