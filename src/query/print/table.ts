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

import { scanInt64 } from "../../context/c_number.ts";
import type { Snapshot } from "../../context/snapshot.ts";
import { NONE } from "../../context/tree.ts";
import { compareValues, EMPTY, parseValue, TYPE, type Variant } from "../../context/variant.ts";
import { clamp, padRight } from "../byte_text.ts";
import { pathText } from "../chain_text.ts";
import type { FormatContext, Formatter } from "../formatter.ts";
import { globalsBlock } from "./globals.ts";
import { RowStore } from "../row_store.ts";

interface Column {
  name: string;
  title: string;
  width: number;
  attribute: number;
  /** Null for a column that is printed; else it is there to sort by. */
  sort: "ascending" | "descending" | null;
}

/** Lines are handed over when so many bytes of them are there. */
const FLUSH_BYTES = 1 << 16;
const BLANK = 32, TILDE = 126, NEWLINE = 10;

export class TableFormatter implements Formatter {
  readonly #context: FormatContext;
  readonly #columns: Column[] = [];
  readonly #rows = new RowStore();
  /** The cells of the record at hand. */
  readonly #row: (string | number)[] = [];
  readonly #automatic: boolean;
  readonly #maxWidth: number;
  /** Attributes that have a printed column, or never get one. */
  readonly #seen = new Set<number>();
  readonly #seenNodes = new Set<number>();
  /** Per column: number of the text by reference node, `NONE` where there is none. */
  readonly #cells: Map<number, number>[] = [];

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
    const row = this.#row;
    let active = false;
    row.length = this.#columns.length;
    for (let c = 0; c < row.length; c++) {
      const column = this.#columns[c];
      if (column.attribute === NONE) {
        column.attribute = this.#context.tree.attributeByName(column.name);
      }
      const cell = column.attribute === NONE ? "" : this.#cell(record, c);
      row[c] = cell;
      if (cell === "") continue;
      active = true;
      if (typeof cell === "string") widen(column, cell);
    }
    if (active) this.#rows.add(row);
  }

  flush(): void {
    const { out, tree, spec } = this.#context;
    if (spec.format?.args.has("print-globals")) out.write(globalsBlock(tree));
    const columns = this.#columns.map(({ title, width, attribute, sort }) => {
      const type = tree.valueTypeOf(attribute);
      const isNumber = type === TYPE.int || type === TYPE.uint || type === TYPE.double;
      return { title, width: this.#widthOf(width), isNumber, isPrinted: sort === null };
    });
    const printed = columns.filter(({ isPrinted }) => isPrinted);
    out.write(
      printed.map(({ title, width }) => padRight(clamp(title, width), width)).join("") + "\n",
    );
    const longest = printed.reduce((sum, { width }) => sum + width + 1, 1);
    const rows = this.#rows, lines = new Uint8Array(longest + FLUSH_BYTES).fill(BLANK);
    let at = 0;
    const order = this.#order();
    for (let i = 0; i < rows.count; i++) {
      rows.open(order === null ? i : order[i]);
      for (let c = 0; c < rows.cells; c++) {
        const { width, isNumber, isPrinted } = columns[c];
        rows.next();
        if (!isPrinted) continue;
        const { bytes, start, end } = rows;
        const length = end - start <= width ? end - start : clampedLength(width);
        const to = isNumber ? at + width - length : at;
        if (length < end - start) copyClamped(bytes, start, end, lines, to, length);
        else for (let i = start; i < end; i++) lines[to + i - start] = bytes[i];
        at += width + 1;
      }
      lines[at++] = NEWLINE;
      if (at < FLUSH_BYTES) continue;
      out.writeBytes(lines.subarray(0, at));
      lines.fill(BLANK, 0, at);
      at = 0;
    }
    out.writeBytes(lines.subarray(0, at));
  }

  #addColumn(name: string, title: string, attribute: number, sort: Column["sort"]): void {
    this.#columns.push({ name, title, width: title.length, attribute, sort });
    this.#cells.push(new Map());
  }

  #learnColumns(record: Snapshot): void {
    const { tree } = this.#context;
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
    const { tree, spec } = this.#context;
    if (tree.isHidden(attribute) || tree.isGlobal(attribute)) return;
    const name = tree.nameOf(attribute);
    const title = spec.aliases.get(name) ?? tree.titleOf(attribute) ?? name;
    this.#addColumn(name, title, attribute, null);
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
        const text = pathText(this.#context.tree, node, attribute);
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
    const { tree, strict } = this.#context;
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

  #widthOf(width: number): number {
    return Math.max(this.#maxWidth > 0 ? Math.min(width, this.#maxWidth) : width, 4);
  }
}

function widen(column: Column, text: string): void {
  if (text.length > column.width) column.width = text.length;
}

/** How long `clamp` makes a text that is longer than an even or odd width. */
function clampedLength(width: number): number {
  return width & ~1;
}

/** As `clamp`, for bytes: the two ends of a text that is too long, around `~~`. */
function copyClamped(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
  length: number,
): void {
  const kept = (length >> 1) - 1;
  to.set(from.subarray(start, start + kept), at);
  to[at + kept] = to[at + kept + 1] = TILDE;
  to.set(from.subarray(end - kept, end), at + kept + 2);
}

/** The argument `column-width`; -1, no limit, where it is no number. */
export function columnWidth(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const width = scanInt64(text);
  return width === null || Math.abs(Number(width)) > 0x7fffffff ? -1 : Number(width);
}
