/**
 * The long table of reports as CSV and JSON lines, the table of samples over time, and the schema of both.
 * @module
 */
import { formatG, rounded } from "../../core/number_format.ts";
import { jsonText, printable } from "../../core/printable.ts";
import { TIDY_COLUMNS, TIDY_VERSION, type TidyColumn, type TidyRow } from "../../core/tidy_rows.ts";
import { csvField } from "../../formats/csv_row.ts";

/** Significant digits of all numbers. */
const DIGITS = 12;
/** Rows that are handed over in one piece. */
const PIECE_ROWS = 1000;

/** Columns of power over time. */
export const SERIES_COLUMNS: readonly TidyColumn[] = [
  ...TIDY_COLUMNS.filter(({ name }) => name === "run" || name === "host"),
  {
    name: "time_s",
    type: "number",
    unit: "s",
    about: "time from the start of the run to the middle of the interval",
  },
  ...TIDY_COLUMNS.filter(({ name }) => name === "component"),
  { name: "power_w", type: "number", unit: "W", about: "mean power in the interval" },
  { name: "power_min_w", type: "number", unit: "W", about: "minimum of the power in the interval" },
  { name: "power_max_w", type: "number", unit: "W", about: "maximum of the power in the interval" },
  { name: "region", type: "text", about: "region in which most CPUs were in the interval" },
];

/** RFC 4180 with LF: a header, and an empty field for what is missing. */
export function* tidyCsv(rows: Iterable<TidyRow>, columns: readonly string[]): Generator<string> {
  yield columns.map(csvField).join(",") + "\n";
  yield* inPieces(rows, (row) => columns.map((name) => cell(row[name])).join(","));
}

/** One object a line, keys in the order of the columns; the key of what is missing is absent. */
export function tidyJsonLines(
  rows: Iterable<TidyRow>,
  columns: readonly string[],
): Generator<string> {
  return inPieces(rows, (row) => {
    const entries = columns.flatMap((name) => {
      const value = row[name];
      if (value === undefined) return [];
      return [[name, typeof value === "number" ? rounded(value, DIGITS) : printable(value)]];
    });
    return jsonText(Object.fromEntries(entries));
  });
}

function* inPieces(rows: Iterable<TidyRow>, line: (row: TidyRow) => string): Generator<string> {
  let piece = "", count = 0;
  for (const row of rows) {
    piece += line(row) + "\n";
    if (++count % PIECE_ROWS > 0) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

function cell(value: string | number | undefined): string {
  if (value === undefined) return "";
  return typeof value === "number" ? formatG(value, DIGITS) : csvField(printable(value));
}

const CSVW_TYPES = { text: "string", integer: "integer", number: "number", time: "dateTime" };
const JSON_TYPES = { text: "string", integer: "integer", number: "number", time: "string" };

/** CSV on the Web: what each column holds. */
export function csvSchema(columns: readonly TidyColumn[]): string {
  const document = {
    "@context": "http://www.w3.org/ns/csvw",
    "dc:title": "joulemark: regions, hosts and components",
    "schema:version": TIDY_VERSION,
    tableSchema: {
      columns: columns.map(({ name, type, unit, about }) => ({
        name,
        titles: name,
        datatype: CSVW_TYPES[type],
        "dc:description": unit === undefined ? about : `${about} (${unit})`,
      })),
    },
  };
  return jsonText(document, 2) + "\n";
}

/** JSON Schema of one line. */
export function lineSchema(columns: readonly TidyColumn[]): string {
  const properties = columns.map(({ name, type, unit, about }) => {
    const description = unit === undefined ? about : `${about} (${unit})`;
    return [name, { type: JSON_TYPES[type], description }];
  });
  const document = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `joulemark-rows/${TIDY_VERSION}`,
    type: "object",
    properties: Object.fromEntries(properties),
    required: ["run"],
  };
  return jsonText(document, 2) + "\n";
}
