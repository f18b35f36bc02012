/**
 * Tables of figures: as text for people, CSV and JSON for programs.
 * @module
 */
import { printable, printableLines } from "../../core/printable.ts";
import { csvField } from "../../formats/csv_row.ts";
import { cutNames, shortText, textWidth, wrapText } from "./text_layout.ts";

/** A column; numbers are shown with so many significant digits. */
export interface Column {
  readonly name: string;
  readonly unit?: string;
  /** Digits behind the point, at most, for people. @default as many as five significant ones need */
  readonly decimals?: number;
  /** True for a column only for programs: a line for people stays short without it. */
  readonly detail?: boolean;
}

/** One table. */
export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  /** NaN: there is none. */
  readonly rows: readonly (readonly (string | number)[])[];
}

/** Columns by their titles; a unit stands behind the name, `energy (J)`. */
export function columnsOf(...titles: readonly (string | Column)[]): Column[] {
  return titles.map((title) => {
    if (typeof title !== "string") return title;
    const [, name, unit] = /^(.*) \(([^()]+)\)$/.exec(title) ?? [];
    return unit === undefined ? { name: title } : { name, unit };
  });
}

/** Columns that are details, or some that are so in this table only. */
export function details(titles: readonly string[], detail = true): Column[] {
  return columnsOf(...titles).map((column) => ({ ...column, detail }));
}

const DIGITS = 5;

/** A column of names is not made narrower: as wide as "(outside regions)". */
const MIN_NAME = 17;
const GAP = 2;

/**
 * Aligned columns under a title, lines ending in LF.
 *
 * @param maxWidth Of a terminal: long names are cut, then columns are left out from the right, and
 * the title has their number. @default no limit
 */
export function tableText(table: Table, maxWidth = Infinity): string {
  const shownColumns = [...table.columns.keys()].filter((i) => !table.columns[i].detail);
  const columns = shownColumns.map((i) => {
    const { name, unit, decimals } = table.columns[i];
    const head = unit ? `${name} (${unit})` : name;
    const cells = table.rows.map((row) => printable(shown(row[i], decimals)));
    const width = cells.reduce((most, cell) => Math.max(most, textWidth(cell)), head.length);
    return {
      head,
      cells,
      width,
      whole: width,
      isText: table.rows.every((row) => typeof row[i] === "string"),
    };
  });
  const over = () => columns.reduce((sum, { width }) => sum + width + GAP, -GAP) - maxWidth;
  for (const column of columns.filter(({ isText }) => isText).sort((a, b) => b.width - a.width)) {
    const least = Math.max(MIN_NAME, column.head.length);
    column.width = Math.max(Math.min(least, column.width), column.width - Math.max(0, over()));
  }
  const count = columns.length;
  while (over() > 0 && columns.length > 2) columns.pop();
  // Columns that are left out leave room for names.
  for (const column of columns.filter(({ isText }) => isText)) {
    column.width = Math.min(column.whole, column.width - Math.min(0, over()));
    column.cells = cutCells(column.cells, column.width);
  }
  const left = count - columns.length;
  const line = (of: (column: typeof columns[number]) => string) =>
    columns.map((column) => {
      const cell = of(column);
      const { width, isText } = column;
      const gap = " ".repeat(Math.max(0, width - textWidth(cell)));
      return isText ? cutText(cell, width) + gap : gap + cell;
    }).join(" ".repeat(GAP)).trimEnd() + "\n";
  const title = left === 0
    ? table.title
    : `${table.title} (${left} more column${left === 1 ? "" : "s"} in --json)`;
  const rows = table.rows.map((_, i) => line(({ cells }) => cells[i]));
  const lines = maxWidth === Infinity ? [title] : wrapText(printable(title), maxWidth);
  return `${lines.join("\n")}\n${line(({ head }) => head)}${rows.join("")}`;
}

/** Names in one column of a table, so many characters wide: `...` stands for what is left out. */
export function cutCells(cells: readonly string[], width: number): string[] {
  return cutNames(cells, (cell) => cutText(cell, width), (cell) => {
    return textWidth(cell) <= width ? cell : shortText(cell, width - 2).replace("…", "...");
  });
}

function cutText(cell: string, width: number): string {
  if (textWidth(cell) <= width) return cell;
  let columns = 0;
  const kept = [...cell].filter((c) => (columns += textWidth(c)) <= width - 3).join("");
  return `${kept}...`.padEnd(width);
}

/** RFC 4180 with LF; all digits. Several tables are separated by an empty line. */
export function tableCsv(table: Table): string {
  const head = table.columns.map(({ name, unit }) => csvField(unit ? `${name} (${unit})` : name));
  const rows = table.rows.map((row) => row.map((cell) => csvField(exact(cell))).join(","));
  return printableLines([head.join(","), ...rows].join("\n") + "\n");
}

/** Objects by column name; what is not there is null. */
export function tableJson(table: Table): { title: string; rows: Record<string, unknown>[] } {
  const rows = table.rows.map((row) =>
    Object.fromEntries(row.map((cell, i) => {
      const { name, unit } = table.columns[i];
      const isAbsent = typeof cell === "number" && !Number.isFinite(cell);
      return [unit ? `${name} (${unit})` : name, isAbsent ? null : cell];
    }))
  );
  return { title: table.title, rows };
}

function shown(cell: string | number, decimals: number | undefined): string {
  if (typeof cell === "string") return cell;
  if (Number.isNaN(cell)) return "-";
  if (decimals !== undefined) return String(Number(cell.toFixed(decimals)));
  return String(Number(cell.toPrecision(DIGITS)));
}

function exact(cell: string | number): string {
  return typeof cell === "number" && Number.isNaN(cell) ? "" : String(cell);
}
