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

import type { Snapshot } from "../../model/snapshot.ts";
import { type ContextTree, FIRST_FREE_ID, NONE } from "../../model/tree.ts";
import { TYPE } from "../../model/variant.ts";
import { escapeJson, isJsonNumber } from "../byte_text.ts";
import { textsByAttribute } from "../chain_text.ts";
import { type FormatContext, Formatter } from "../formatter.ts";
import { RecordStore } from "../record_store.ts";

/** Members that are no globals. */
const LISTS = ["data", "columns", "column_metadata", "nodes"];

interface Column {
  title: string;
  attributes: number[];
  /** Holds an index into the nodes. */
  hierarchy: boolean;
  /** By node id: the nearest node of its chain with a label, and the index of its own label. */
  nearest: number[];
  indices: number[];
}

/** The row at hand. */
interface Row {
  /** By column: index of the entry that is its value. */
  readonly values: Int32Array;
  /** By column: nodes whose chains have its labels. */
  readonly nodes: number[][];
  /** By column: how many of these nodes are those of the row. */
  readonly counts: Int32Array;
}

const NO_COLUMNS: readonly number[] = [];
/** A chain with labels for more columns than this is walked each time: tables would be too great. */
const MAX_CACHED_LABELS = 16, UNCACHED: readonly number[] = [];

/** Labels and parents together make one exact number. */
const MAX_LABELS = 1 << 26;

/** The labels of all paths as one tree. */
class Hierarchy {
  readonly nodes: { label: string; column: string; parent: number }[] = [];
  /** By node of the context tree: number of its label, which is that of all nodes with the same text. */
  readonly #labelOf: number[] = [];
  readonly #labels = new Map<string, number>();
  /** By label and parent. */
  readonly #index = new Map<number, number>();

  constructor(readonly tree: ContextTree) {}

  /** Index of the label of a node below another one, or below none. */
  child(parent: number, node: number, column: string): number {
    const label = this.#labelOf[node] ??= this.#learn(this.tree.textOf(node));
    const key = (parent + 1) * MAX_LABELS + label, known = this.#index.get(key);
    if (known !== undefined) return known;
    const index = this.nodes.push({ label: this.tree.textOf(node), column, parent }) - 1;
    this.#index.set(key, index);
    return index;
  }

  #learn(text: string): number {
    return this.#labels.getOrInsert(text, this.#labels.size);
  }
}

export class JsonSplitFormatter extends Formatter {
  readonly #records = new RecordStore();
  readonly #hierarchy = new Hierarchy(this.context.tree);
  /** Nodes of the labels at hand. */
  readonly #labels: number[] = [];
  readonly #names: Set<string> | null;
  readonly #withPath: boolean;
  /** Number of the column by attribute id. */
  readonly #columnOf: (number | undefined)[] = [];
  /** Column numbers of attributes whose columns hold values. */
  readonly #valueColumnOf: (number | undefined)[] = [];
  /** By node id: numbers of the columns that its chain has labels for. */
  readonly #touched: (readonly number[])[] = [];

  constructor(context: FormatContext) {
    super(context);
    const { spec } = context;
    this.#withPath = spec.selectPath;
    if (spec.selection === "list") {
      this.#names = new Set(spec.select);
    } else if (spec.grouping === "list") {
      this.#names = new Set([...spec.groupBy, ...context.results]);
      this.#withPath = spec.groupByPath;
    } else {
      this.#names = null;
    }
  }

  record(record: Snapshot): void {
    this.#records.add(record);
  }

  flush(): void {
    const { out } = this.context, columns = this.#columns();
    const row: Row = {
      values: new Int32Array(columns.length),
      nodes: columns.map(() => []),
      counts: new Int32Array(columns.length),
    };
    out.write('{\n  "data": [');
    for (let r = 0; r < this.#records.count; r++) {
      out.write(r === 0 ? "\n    [ " : ",\n    [ ");
      this.#writeRow(this.#records.record(r), columns, row);
      out.write(" ]");
    }
    out.write("\n  ]" + this.#metadata(columns) + this.#globals() + "\n}\n");
  }

  /** Writes the cells of a record: most records have values in few of the columns. */
  #writeRow(record: Snapshot, columns: Column[], { values, nodes, counts }: Row): void {
    const { tree, out } = this.context;
    values.fill(NONE);
    counts.fill(0);
    let isWide = false;
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i], own = this.#valueColumnOf[record.attributeAt(tree, i)];
      // The first entry of a column stands for it.
      if (own !== undefined && values[own] === NONE) values[own] = i;
      // Immediates too: the chain of their attribute holds its metadata.
      const touched = this.#touchedBy(node, columns);
      if (touched === UNCACHED) isWide = true;
      for (let k = 0; k < touched.length; k++) nodes[touched[k]][counts[touched[k]]++] = node;
    }
    const labels = isWide ? this.#wideLabels(record, columns) : null;
    for (let c = 0; c < columns.length; c++) {
      if (c > 0) out.write(", ");
      const column = columns[c];
      let index = NONE;
      if (labels !== null) index = labels.get(c) ?? NONE;
      else if (counts[c] > 0) index = this.#indexOfAll(nodes[c], counts[c], column);
      if (index !== NONE) out.write(String(index));
      else if (values[c] === NONE) out.write("null");
      else this.#writeValue(record, values[c], column.attributes[0]);
    }
  }

  /** Indices of the labels of a record, by one walk along its chains. */
  #wideLabels(record: Snapshot, columns: Column[]): Map<number, number> {
    const { tree } = this.context, hierarchy = this.#hierarchy;
    const labels = new Map<number, number[]>(), indices = new Map<number, number>();
    for (let i = 0; i < record.count; i++) {
      for (const id of record.chain(tree, i)) {
        const c = this.#columnOf[tree.attributeOf[id]];
        if (c === undefined || !columns[c].hierarchy) continue;
        labels.getOrInsertComputed(c, () => []).push(id);
      }
    }
    for (const c of [...labels.keys()].sort((a, b) => a - b)) {
      const { title } = columns[c];
      const last = (index: number, id: number) => hierarchy.child(index, id, title);
      indices.set(c, labels.get(c)!.reduceRight(last, NONE));
    }
    return indices;
  }

  /** Columns of labels that a chain has a label for; chains share their lists if they can. */
  #touchedBy(node: number, columns: Column[]): readonly number[] {
    if (this.#touched[node] !== undefined) return this.#touched[node];
    const { tree } = this.context, unknown: number[] = [];
    let id = node;
    while (id !== NONE && this.#touched[id] === undefined) {
      unknown.push(id);
      id = tree.parentOf[id];
    }
    let list = id === NONE ? NO_COLUMNS : this.#touched[id];
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      const c = this.#columnOf[tree.attributeOf[at]];
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
      return { title, attributes, hierarchy, nearest: [], indices: [] };
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
    columns.forEach(({ attributes, hierarchy }, c) => {
      for (const id of attributes) {
        this.#columnOf[id] = c;
        if (!hierarchy) this.#valueColumnOf[id] = c;
      }
    });
    return columns;
  }

  /** Index of the labels of several chains, the last one outermost. */
  #indexOfAll(nodes: number[], count: number, column: Column): number {
    const { tree } = this.context, labels = this.#labels;
    if (count === 1) return this.#indexOf(this.#nearest(nodes[0], column), column);
    let length = 0, index = NONE;
    for (let i = 0; i < count; i++) {
      let id = this.#nearest(nodes[i], column);
      for (; id !== NONE; id = this.#nearest(tree.parentOf[id], column)) labels[length++] = id;
    }
    while (length > 0) index = this.#hierarchy.child(index, labels[--length], column.title);
    return index;
  }

  /** The first node of a chain, itself included, that has a label; `NONE` if there is none. */
  #nearest(node: number, column: Column): number {
    const { tree } = this.context, { nearest } = column;
    if (node !== NONE && nearest[node] !== undefined) return nearest[node];
    const unknown: number[] = [];
    let id = node;
    while (id !== NONE && nearest[id] === undefined) {
      unknown.push(id);
      id = tree.parentOf[id];
    }
    let near = id === NONE ? NONE : nearest[id];
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      if (column.attributes.includes(tree.attributeOf[at])) near = at;
      nearest[at] = near;
    }
    return near;
  }

  /** Index of the label of a node, looked up once: rows of an aggregation share their paths. */
  #indexOf(node: number, column: Column): number {
    const { tree } = this.context, { indices } = column;
    if (node !== NONE && indices[node] !== undefined) return indices[node];
    const unknown: number[] = [];
    let id = node;
    while (id !== NONE && indices[id] === undefined) {
      unknown.push(id);
      id = this.#nearest(tree.parentOf[id], column);
    }
    let index = id === NONE ? NONE : indices[id];
    for (let at = unknown.pop(); at !== undefined; at = unknown.pop()) {
      index = this.#hierarchy.child(index, at, column.title);
      indices[at] = index;
    }
    return index;
  }

  #writeValue(record: Snapshot, i: number, attribute: number): void {
    const { tree, strict, out } = this.context, type = tree.valueTypeOf(attribute);
    const isNumber = type === TYPE.int || type === TYPE.uint || type === TYPE.double;
    const isImmediate = record.immediate[i] === 1;
    if (isNumber && isImmediate && record.isFinite(i)) return out.dataValue(record, i, strict);
    const text = isImmediate ? record.textAt(i) : tree.textOf(record.node[i]);
    if (!isNumber) out.write(`"${escapeJson(text, strict)}"`);
    else out.write(strict && !isJsonNumber(text) ? "null" : text);
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
