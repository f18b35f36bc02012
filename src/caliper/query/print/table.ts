/**
 * `table(column-width=60, print-globals)`: a header and a line per record.
 *
 * Columns are in the order of SELECT, else of first appearance (references leaf to root, then
 * immediates; hidden and global attributes are left out). A column is as wide as its longest cell
 * in bytes, at most `column-width`, at least 4. Numbers are aligned right. With automatic columns a row
 * holds only the columns known when it arrived. ORDER BY sorts by the printed text, read back in
 * the attribute's type; keys are applied in turn, so the last one dominates.
 * @module
 */

import { scanInt64 } from "../../model/c_number.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { compareValues, EMPTY, parseValue, TYPE, type Variant } from "../../model/variant.ts";
import { clamp, joinedText, padLeft, padRight } from "../byte_text.ts";
import { pathText } from "../chain_text.ts";
import { type FormatContext, Formatter } from "../formatter.ts";
import { numberLength } from "../number_bytes.ts";
import { RecordStore } from "../record_store.ts";
import { globalsBlock } from "./globals.ts";

interface Column {
  readonly name: string;
  readonly title: string;
  /** Bytes of the longest cell. */
  width: number;
  attribute: number;
  /** Null for a column that is printed; else it is only a sort key. */
  readonly sort: "ascending" | "descending" | null;
  /** By node id of references: the text of the column in it. */
  readonly texts: (string | undefined)[];
}

/** Printing rules for the cells of a column. */
interface Shown {
  readonly width: number;
  /** Numbers are aligned right. */
  readonly isNumber: boolean;
  /** Printed cells, by the texts of references, which repeat often. */
  readonly texts: Map<string, string>;
}

export class TableFormatter extends Formatter {
  readonly #columns: Column[] = [];
  /** Records with a cell. */
  readonly #rows = new RecordStore();
  /** Numbers of rows that came first with more columns than those before. */
  readonly #widened: { row: number; columns: number }[] = [];
  readonly #automatic: boolean;
  readonly #maxWidth: number;
  /** Attributes that have a printed column, or never get one. */
  readonly #seen = new Set<number>();
  readonly #seenNodes = new Set<number>();

  constructor(context: FormatContext) {
    super(context);
    const { spec } = context;
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
    const columns = this.#columns;
    let active = false;
    for (let c = 0; c < columns.length; c++) {
      const column = columns[c];
      if (column.attribute === NONE) {
        column.attribute = this.context.tree.attributeByName(column.name);
      }
      const cell = this.#cell(record, column);
      const length = typeof cell === "string"
        ? cell.length
        : record.obj[cell] === null
        ? numberLength(record.type[cell], record.num[cell])
        : record.textAt(cell).length;
      if (length > 0) active = true;
      if (length > column.width) column.width = length;
    }
    if (!active) return;
    if (this.#widened.at(-1)?.columns !== columns.length) {
      this.#widened.push({ row: this.#rows.count, columns: columns.length });
    }
    this.#rows.add(record);
  }

  flush(): void {
    const { out, tree, spec } = this.context, columns = this.#columns;
    if (spec.format?.args.has("print-globals")) out.write(globalsBlock(tree));
    const shown = columns.map(({ width: longest, attribute, sort }): Shown | null => {
      const type = tree.valueTypeOf(attribute), width = limitedWidth(longest, this.#maxWidth);
      const isNumber = type === TYPE.int || type === TYPE.uint || type === TYPE.double;
      return sort === null ? { width, isNumber, texts: new Map() } : null;
    });
    columns.forEach(({ title }, c) => {
      const how = shown[c];
      if (how !== null) out.write(padRight(clamp(title, how.width), how.width));
    });
    out.write("\n");
    const order = this.#order(), { count } = this.#rows;
    for (let i = 0; i < count; i++) {
      const row = order === null ? i : order[i], record = this.#rows.record(row);
      const known = this.#columnsAt(row);
      for (let c = 0; c < known; c++) {
        const how = shown[c];
        if (how !== null) this.#writeCell(record, columns[c], how);
      }
      out.write("\n");
    }
  }

  #writeCell(record: Snapshot, column: Column, { width, isNumber, texts }: Shown): void {
    const { out } = this.context, cell = this.#cell(record, column);
    if (isNumber && typeof cell === "number" && column.width <= width) {
      out.value(record, cell, width);
      out.write(" ");
      return;
    }
    const fitted = (text: string) => {
      const shown = clamp(text, width);
      return isNumber ? padLeft(shown, width) : padRight(shown, width);
    };
    if (typeof cell === "number") out.write(fitted(record.textAt(cell)));
    else out.write(texts.getOrInsertComputed(cell, () => joinedText(fitted(cell))));
  }

  /** Number of columns that were known when a row came. */
  #columnsAt(row: number): number {
    const widened = this.#widened;
    let from = 0, to = widened.length;
    while (to - from > 1) {
      const middle = from + to >> 1;
      if (widened[middle].row <= row) from = middle;
      else to = middle;
    }
    return widened[from].columns;
  }

  #addColumn(name: string, title: string, attribute: number, sort: Column["sort"]): void {
    this.#columns.push({ name, title, width: title.length, attribute, sort, texts: [] });
  }

  #learnColumns(record: Snapshot): void {
    const { tree } = this.context;
    for (let i = 0; i < record.count; i++) {
      if (record.immediate[i] === 1) this.#learn(record.node[i]);
      else if (!this.#seenNodes.has(record.node[i])) {
        this.#seenNodes.add(record.node[i]);
        for (let id = record.node[i]; id !== NONE; id = tree.parentOf[id]) {
          this.#learn(tree.attributeOf[id]);
        }
      }
    }
  }

  #learn(attribute: number): void {
    if (this.#seen.has(attribute)) return;
    this.#seen.add(attribute);
    const { tree } = this.context;
    if (tree.isHidden(attribute) || tree.isGlobal(attribute)) return;
    const name = tree.nameOf(attribute);
    this.#addColumn(name, this.titleOf(attribute, name), attribute, null);
  }

  /** The text of a reference, or the index of an immediate; empty: there is none. */
  #cell(record: Snapshot, { attribute, texts }: Column): string | number {
    const { count, node: nodes, immediate } = record;
    if (attribute === NONE) return "";
    for (let i = 0; i < count; i++) {
      const node = nodes[i];
      if (immediate[i] === 1) {
        if (node === attribute) return i;
        continue;
      }
      const text = texts[node] ??= pathText(this.context.tree, node, attribute);
      if (text !== "") return text;
    }
    return "";
  }

  /** Numbers of the rows in printing order; null if no column is sorted. */
  #order(): number[] | null {
    const { tree, strict } = this.context;
    let order: number[] | null = null;
    this.#columns.forEach((column) => {
      const { sort, attribute } = column;
      if (sort === null) return;
      const type = tree.valueTypeOf(attribute), sign = sort === "ascending" ? 1 : -1;
      order ??= Array.from({ length: this.#rows.count }, (_, row) => row);
      const keyed = order.map((row) => {
        const record = this.#rows.record(row), cell = this.#cell(record, column);
        const value = parseValue(type, typeof cell === "number" ? record.textAt(cell) : cell);
        const key: Variant = value === null ? EMPTY : { type, value };
        return { row, key };
      });
      keyed.sort((a, b) =>
        sign * compareValues(a.key.type, a.key.value, b.key.type, b.key.value, strict)
      );
      order = keyed.map(({ row }) => row);
    });
    return order;
  }
}

/** A column is as wide as its longest text, within bounds. @param most 0 or below: no limit. */
export function limitedWidth(width: number, most: number): number {
  return Math.max(most > 0 ? Math.min(width, most) : width, 4);
}

/** The argument `column-width`; -1, no limit, if it is no number. */
export function columnWidth(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const width = scanInt64(text);
  return width === null || Math.abs(Number(width)) > 0x7fffffff ? -1 : Number(width);
}
