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
import type { Shape, Snapshot, SourceBytes } from "../../model/snapshot.ts";
import { NONE } from "../../model/tree.ts";
import { compareValues, EMPTY, parseValue, TYPE, type Variant } from "../../model/variant.ts";
import { clamp, padRight } from "../byte_text.ts";
import { pathText } from "../chain_text.ts";
import { type FormatContext, Formatter } from "../formatter.ts";
import { globalsBlock } from "./globals.ts";
import { writeRows } from "./table_lines.ts";
import { EMPTY_CELL, NUMBER_CELL, type RowPattern, RowStore } from "../row_store.ts";

interface Column {
  name: string;
  title: string;
  width: number;
  attribute: number;
  /** Null for a column that is printed; else it is only a sort key. */
  sort: "ascending" | "descending" | null;
}

export class TableFormatter extends Formatter {
  readonly #columns: Column[] = [];
  readonly #rows = new RowStore();
  /** The cells of the record at hand. */
  readonly #row: (string | number)[] = [];
  /** By shape and references. */
  readonly #patterns = new Map<Shape, Map<string, RowPattern>>();
  readonly #automatic: boolean;
  readonly #maxWidth: number;
  /** Attributes that have a printed column, or never get one. */
  readonly #seen = new Set<number>();
  readonly #seenNodes = new Set<number>();
  /** Per column: number of the text by reference node, `NONE` where there is none. */
  readonly #cells: Map<number, number>[] = [];

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
    const row = this.#row;
    let active = false;
    row.length = this.#columns.length;
    for (let c = 0; c < row.length; c++) {
      const column = this.#columns[c];
      if (column.attribute === NONE) {
        column.attribute = this.context.tree.attributeByName(column.name);
      }
      const cell = column.attribute === NONE ? "" : this.#cell(record, c);
      row[c] = cell;
      if (cell === "") continue;
      active = true;
      if (typeof cell === "string") widen(column, cell);
    }
    if (active) this.#rows.add(row);
  }

  override rowOf(record: Snapshot): RowPattern | null {
    const { shape, shapeAt, count } = record;
    if (shape === null || count !== shapeAt + shape.places.length) return null;
    if (record.immediate.subarray(0, shapeAt).includes(1)) return null;
    const known = this.#patterns.getOrInsertComputed(shape, () => new Map());
    const key = record.node.subarray(0, shapeAt).join();
    const pattern = known.get(key);
    if (pattern?.cells.length === this.#columns.length) return pattern;
    const made = this.#makePattern(record, shape);
    if (made !== null) known.set(key, made);
    return made;
  }

  #makePattern(record: Snapshot, shape: Shape): RowPattern | null {
    const places: number[] = [], types: number[] = [];
    const cells = this.#columns.map(({ attribute }, c) => {
      if (attribute === NONE) return EMPTY_CELL;
      for (let i = 0; i < record.shapeAt; i++) {
        const kept = this.#cells[c].get(record.node[i]) ?? NONE;
        if (kept !== NONE) return kept;
      }
      const at = shape.attributes.indexOf(attribute);
      if (at < 0) return EMPTY_CELL;
      places.push(shape.places[at]);
      types.push(shape.types[at]);
      return NUMBER_CELL;
    });
    return this.#rows.makePattern(cells, places, types);
  }

  override row(pattern: RowPattern, source: SourceBytes): boolean {
    // A row has the columns that were known when it came.
    if (pattern.cells.length !== this.#columns.length) return false;
    if (!pattern.isEmpty) this.#rows.addNumbers(pattern, source);
    return true;
  }

  flush(): void {
    const { out, tree, spec } = this.context;
    if (spec.format?.args.has("print-globals")) out.write(globalsBlock(tree));
    for (const [c, length] of this.#rows.longestNumbers()) {
      this.#columns[c].width = Math.max(this.#columns[c].width, length);
    }
    const columns = this.#columns.map(({ title, width, attribute, sort }) => {
      const type = tree.valueTypeOf(attribute);
      const isNumber = type === TYPE.int || type === TYPE.uint || type === TYPE.double;
      const shownWidth = limitedWidth(width, this.#maxWidth);
      return { title, width: shownWidth, isNumber, isPrinted: sort === null };
    });
    const printed = columns.filter(({ isPrinted }) => isPrinted);
    out.write(
      printed.map(({ title, width }) => padRight(clamp(title, width), width)).join("") + "\n",
    );
    writeRows(out, this.#rows, columns, this.#order());
  }

  #addColumn(name: string, title: string, attribute: number, sort: Column["sort"]): void {
    this.#columns.push({ name, title, width: title.length, attribute, sort });
    this.#cells.push(new Map());
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

  /** Text of an immediate, or the number of the text of a reference, or nothing. */
  #cell(record: Snapshot, c: number): string | number {
    const column = this.#columns[c], { attribute } = column, cells = this.#cells[c];
    for (let i = 0; i < record.count; i++) {
      const node = record.node[i];
      if (record.immediate[i] === 1) {
        if (node === attribute) return record.textAt(i);
        continue;
      }
      let kept = cells.get(node);
      if (kept === undefined) {
        const text = pathText(this.context.tree, node, attribute);
        kept = text === "" ? NONE : this.#rows.keep(text);
        widen(column, text);
        cells.set(node, kept);
      }
      if (kept !== NONE) return kept;
    }
    return "";
  }

  /** Numbers of the rows as they are printed; null where that is as they came. */
  #order(): number[] | null {
    const { tree, strict } = this.context;
    let order: number[] | null = null;
    this.#columns.forEach(({ sort, attribute }, c) => {
      if (sort === null) return;
      const type = tree.valueTypeOf(attribute), sign = sort === "ascending" ? 1 : -1;
      order ??= Array.from({ length: this.#rows.count }, (_, row) => row);
      const keyed = order.map((row) => {
        const value = parseValue(type, this.#rows.text(row, c));
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

function widen(column: Column, text: string): void {
  if (text.length > column.width) column.width = text.length;
}

/** A column is as wide as its longest text, within bounds. @param most 0 or below: no limit. */
export function limitedWidth(width: number, most: number): number {
  return Math.max(most > 0 ? Math.min(width, most) : width, 4);
}

/** The argument `column-width`; -1, no limit, where it is no number. */
export function columnWidth(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const width = scanInt64(text);
  return width === null || Math.abs(Number(width)) > 0x7fffffff ? -1 : Number(width);
}
