/**
 * `json-split`, the form that Hatchet reads: rows of numbers and of indices into a list of nodes.
 *
 * Columns are the selected attributes (or the GROUP BY keys and operators, or all) sorted by name,
 * `path` last if it is wanted. Value columns hold the number or null, all others an index into
 * `nodes` or null. Nodes are numbered as encountered, row by row; equal label chains share nodes,
 * also across columns. Every global becomes a member of the outer object, strictly unless it has
 * the name of one of the lists.
 * @module
 */

import type { Snapshot } from "../context/snapshot.ts";
import { FIRST_FREE_ID, NONE } from "../context/tree.ts";
import { TYPE } from "../context/variant.ts";
import { escapeJson, isJsonNumber } from "./byte_text.ts";
import { textsByAttribute } from "./chain_text.ts";
import type { FormatContext, Formatter } from "./formatter.ts";
import { resultName } from "./functions.ts";

/** Members that are no globals. */
const LISTS = ["data", "columns", "column_metadata", "nodes"];

interface Column {
  title: string;
  attributes: number[];
  /** Holds an index into the nodes. */
  hierarchy: boolean;
}

/** The labels of all paths as one tree. */
class Hierarchy {
  readonly nodes: { label: string; column: string; parent: number }[] = [];
  readonly #index = new Map<string, number>();

  /** Index of a chain of labels from root to leaf, `NONE` for an empty one. */
  indexOf(labels: string[], column: string): number {
    let parent = NONE;
    for (const label of labels) {
      const key = `${parent} ${label}`;
      let node = this.#index.get(key);
      if (node === undefined) {
        node = this.nodes.length;
        this.nodes.push({ label, column, parent });
        this.#index.set(key, node);
      }
      parent = node;
    }
    return parent;
  }
}

export class JsonSplitFormatter implements Formatter {
  readonly #context: FormatContext;
  readonly #records: Snapshot[] = [];
  readonly #hierarchy = new Hierarchy();
  readonly #names: Set<string> | null;
  readonly #withPath: boolean;

  constructor(context: FormatContext) {
    const { spec } = context;
    this.#context = context;
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
    this.#records.push(record.copy());
  }

  flush(): void {
    const { out } = this.#context, columns = this.#columns();
    out.write('{\n  "data": [');
    this.#records.forEach((record, i) => {
      const cells = columns.map((column) =>
        column.hierarchy
          ? this.#nodeCell(record, column)
          : this.#valueCell(record, column.attributes[0])
      );
      out.write(`${i > 0 ? "," : ""}\n    [ ${cells.join(", ")} ]`);
    });
    out.write("\n  ]" + this.#metadata(columns) + this.#globals() + "\n}\n");
  }

  #columns(): Column[] {
    const { tree, spec } = this.#context;
    const path: Column = { title: "path", attributes: [], hierarchy: true };
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
        columns.push({ title, attributes: [id], hierarchy: !tree.isAsValue(id) });
      }
    }
    if (path.attributes.length > 0) columns.push(path);
    return columns;
  }

  #nodeCell(record: Snapshot, column: Column): string {
    const { tree } = this.#context, labels: string[] = [];
    for (let i = 0; i < record.count; i++) {
      // Immediates too: the chain of their attribute holds its metadata.
      for (const id of record.chain(tree, i)) {
        if (column.attributes.includes(tree.attributeOf[id])) labels.push(tree.textOf(id));
      }
    }
    const index = this.#hierarchy.indexOf(labels.reverse(), column.title);
    return index === NONE ? "null" : String(index);
  }

  #valueCell(record: Snapshot, attribute: number): string {
    const { tree, strict } = this.#context, type = tree.valueTypeOf(attribute);
    const bare = type === TYPE.int || type === TYPE.uint || type === TYPE.double;
    for (let i = 0; i < record.count; i++) {
      if (record.attributeAt(tree, i) !== attribute) continue;
      const text = record.immediate[i] === 1 ? record.textAt(i) : tree.textOf(record.node[i]);
      if (strict && bare && !isJsonNumber(text)) return "null";
      return bare ? text : `"${escapeJson(text, strict)}"`;
    }
    return "null";
  }

  #metadata(columns: Column[]): string {
    const { strict } = this.#context, quote = (text: string) => `"${escapeJson(text, strict)}"`;
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
    const { tree, strict } = this.#context;
    let text = `"is_value": ${!column.hierarchy}`;
    if (column.attributes.length !== 1) return text;
    let node = tree.parentOf[column.attributes[0]];
    for (; node !== NONE; node = tree.parentOf[node]) {
      const attribute = tree.attributeOf[node];
      if (attribute < FIRST_FREE_ID || tree.isHidden(attribute)) continue;
      text += `, "${escapeJson(tree.nameOf(attribute), strict)}": "${
        escapeJson(tree.textOf(node), strict)
      }"`;
    }
    return text;
  }

  #globals(): string {
    const { tree, strict } = this.#context;
    return [...textsByAttribute(tree, tree.globals)].sort(([a], [b]) => a - b)
      // Strictly, no member stands twice: readers would take the text for the list.
      .filter(([attribute]) => !strict || !LISTS.includes(tree.nameOf(attribute)))
      .map(([attribute, text]) =>
        `,\n  "${escapeJson(tree.nameOf(attribute), strict)}": "${escapeJson(text, strict)}"`
      ).join("");
  }
}
