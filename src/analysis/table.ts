/**
 * Tables of figures: as text for people, CSV and JSON for programs.
 * @module
 */
import { printable } from "../core/printable.ts";
import { csvField } from "../formats/csv_row.ts";

/** A column; numbers are shown with so many significant digits. */
export interface Column {
  readonly name: string;
  readonly unit?: string;
  /** Only for programs: a line for people stays short without it. */
  readonly detail?: boolean;
}

/** One table. */
export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  /** NaN: there is none. */
  readonly rows: readonly (readonly (string | number)[])[];
}

const DIGITS = 5;

/** Aligned columns under a title, lines ending in LF. */
export function tableText(table: Table): string {
  const columns = table.columns.filter((column) => !column.detail);
  const shownRows = table.rows.map((row) => row.filter((_, i) => !table.columns[i].detail));
  const head = columns.map(({ name, unit }) => unit ? `${name} (${unit})` : name);
  const cells = shownRows.map((row) => row.map((cell) => printable(shown(cell))));
  const width = head.map((title, i) =>
    Math.max(title.length, ...cells.map((row) => row[i].length))
  );
  const line = (row: readonly string[]) =>
    row.map((cell, i) => {
      const isText = shownRows.every((r) => typeof r[i] === "string");
      return isText ? cell.padEnd(width[i]) : cell.padStart(width[i]);
    }).join("  ").trimEnd() + "\n";
  return `${table.title}\n${line(head)}${cells.map(line).join("")}`;
}

/** RFC 4180 with LF; all digits. Several tables are told apart by an empty line. */
export function tableCsv(table: Table): string {
  const head = table.columns.map(({ name, unit }) => csvField(unit ? `${name} (${unit})` : name));
  const rows = table.rows.map((row) => row.map((cell) => csvField(exact(cell))).join(","));
  return [head.join(","), ...rows].join("\n") + "\n";
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

function shown(cell: string | number): string {
  if (typeof cell === "string") return cell;
  if (Number.isNaN(cell)) return "-";
  return String(Number(cell.toPrecision(DIGITS)));
}

function exact(cell: string | number): string {
  return typeof cell === "number" && Number.isNaN(cell) ? "" : String(cell);
}
