/**
 * `table(column-width=60, print-globals)`: a header and a line per record.
 *
 * Columns stand in the order of SELECT, else of first appearance (references leaf to root, then
 * immediates; hidden and global attributes are left out). A column is as wide as its longest cell
 * in bytes, at most `column-width`, at least 4. Numbers stand right. With automatic columns a row
 * holds only the columns known when it arrived. ORDER BY sorts by the printed text, read back in
 * the attribute's type; keys are applied in turn, so the last one dominates.
 * @module
 */

import { scanInt64 } from "../context/c_number.ts";
import type { Snapshot } from "../context/snapshot.ts";
import { NONE } from "../context/tree.ts";
import { compareValues, EMPTY, parseValue, TYPE, type Variant } from "../context/variant.ts";
import { clamp, padLeft, padRight } from "./byte_text.ts";
import { pathText } from "./chain_text.ts";
import type { FormatContext, Formatter } from "./formatter.ts";
import { globalsBlock } from "./print_globals.ts";

interface Column {
  name: string;
  title: string;
  width: number;
  attribute: number;
  /** Null for a column that is printed; else it is there to sort by. */
  sort: "ascending" | "descending" | null;
}

type Row = string[];

export class TableFormatter implements Formatter {
  readonly #context: FormatContext;
  readonly #columns: Column[] = [];
  readonly #rows: Row[] = [];
  readonly #automatic: boolean;
  readonly #maxWidth: number;
  /** Attributes that have a printed column, or never get one. */
  readonly #seen = new Set<number>();
  /** Per column: text by reference node. */
  readonly #cells: Map<number, string>[] = [];

  constructor(context: FormatContext) {
    const { spec } = context;
    this.#context = context;
    this.#maxWidth = columnWidth(spec.format?.args.get("column-width"), 60);
    this.#automatic = spec.selection !== "list";
    for (const { attribute, descending } of spec.orderBy) {
      const sort = descending ? "descending" : "ascending";
      this.#addColumn(attribute, attribute, NONE, sort);
    }
    if (spec.selection === "list") {
      for (const name of spec.select) {
        this.#addColumn(name, spec.aliases.get(name) ?? name, NONE, null);
      }
    }
  }

  record(record: Snapshot): void {
    if (this.#automatic) this.#learnColumns(record);
    const row: Row = [];
    let active = false;
    for (let c = 0; c < this.#columns.length; c++) {
      const column = this.#columns[c];
      if (column.attribute === NONE) {
        column.attribute = this.#context.tree.attributeByName(column.name);
      }
      const text = column.attribute === NONE ? "" : this.#cell(record, c);
      row.push(text);
      if (text === "") continue;
      active = true;
      if (text.length > column.width) column.width = text.length;
    }
    if (active) this.#rows.push(row);
  }

  flush(): void {
    const { out, tree, spec } = this.#context;
    if (spec.format?.args.has("print-globals")) out.write(globalsBlock(tree));
    this.#sort();
    const printed = this.#columns
      .map((column, at) => ({ ...column, at, width: this.#widthOf(column.width) }))
      .filter((column) => column.sort === null);
    out.write(
      printed.map(({ title, width }) => padRight(clamp(title, width), width)).join("") + "\n",
    );
    for (const row of this.#rows) {
      let line = "";
      for (const { at, width, attribute } of printed) {
        if (at >= row.length) break;
        const text = clamp(row[at], width), type = tree.valueTypeOf(attribute);
        const number = type === TYPE.int || type === TYPE.uint || type === TYPE.double;
        line += number ? padLeft(text, width) : padRight(text, width);
      }
      out.write(line + "\n");
    }
  }

  #addColumn(name: string, title: string, attribute: number, sort: Column["sort"]): void {
    this.#columns.push({ name, title, width: title.length, attribute, sort });
    this.#cells.push(new Map());
  }

  #learnColumns(record: Snapshot): void {
    const { tree } = this.#context;
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 1) this.#learn(record.node[i]);
      else {
        for (let id = record.node[i]; id !== NONE; id = tree.parentOf[id]) {
          this.#learn(tree.attributeOf[id]);
        }
      }
    }
  }

  #learn(attribute: number): void {
    if (this.#seen.has(attribute)) return;
    this.#seen.add(attribute);
    const { tree, spec } = this.#context;
    if (tree.isHidden(attribute) || tree.isGlobal(attribute)) return;
    const name = tree.nameOf(attribute);
    const title = spec.aliases.get(name) ?? tree.titleOf(attribute) ?? name;
    this.#addColumn(name, title, attribute, null);
  }

  #cell(record: Snapshot, c: number): string {
    const { attribute } = this.#columns[c], cells = this.#cells[c];
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i];
      if (record.immediate[i] === 1) {
        if (node === attribute) return record.textAt(i);
        continue;
      }
      let text = cells.get(node);
      if (text === undefined) {
        text = pathText(this.#context.tree, node, attribute);
        cells.set(node, text);
      }
      if (text !== "") return text;
    }
    return "";
  }

  #sort(): void {
    const { tree, strict } = this.#context;
    this.#columns.forEach(({ sort, attribute }, c) => {
      if (sort === null) return;
      const type = tree.valueTypeOf(attribute), sign = sort === "ascending" ? 1 : -1;
      const keyed = this.#rows.map((row) => {
        const value = parseValue(type, row[c]);
        const key: Variant = value === null ? EMPTY : { type, value };
        return { row, key };
      });
      keyed.sort((a, b) =>
        sign * compareValues(a.key.type, a.key.value, b.key.type, b.key.value, strict)
      );
      keyed.forEach(({ row }, i) => this.#rows[i] = row);
    });
  }

  #widthOf(width: number): number {
    return Math.max(this.#maxWidth > 0 ? Math.min(width, this.#maxWidth) : width, 4);
  }
}

/** The argument `column-width`; -1, no limit, where it is no number. */
export function columnWidth(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const width = scanInt64(text);
  return width === null || Math.abs(Number(width)) > 0x7fffffff ? -1 : Number(width);
}
