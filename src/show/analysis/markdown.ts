/**
 * Tables for GitHub and wikis.
 * @module
 */
import { printable } from "../../core/printable.ts";
import type { Look } from "./text_layout.ts";

/** A column of such a table. */
export interface MarkdownColumn {
  readonly heading: string;
  readonly cells: readonly string[];
  readonly isText?: boolean;
}

/** A look with room for all columns. */
export const WIDE_LOOK: Look = { width: Infinity, ascii: false, color: false };

/** Columns as a table of Markdown; empty: there are none. */
export function markdownColumns(columns: readonly MarkdownColumn[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const rows = columns[0]?.cells.map((_, row) => {
    return line(columns.map(({ cells }) => markdownText(cells[row])));
  });
  if (rows === undefined) return "";
  const rule = columns.map(({ isText }) => isText === true ? "---" : "---:");
  return [line(columns.map(({ heading }) => heading)), line(rule), ...rows].join("");
}

/** A text without markup. */
export function markdownText(text: string): string {
  return printable(text).replace(/[\\|`*_<>&[\]~]/g, (c) => `\\${c}`)
    .replace(/^ +/, (blanks) => "&nbsp;".repeat(blanks.length));
}
