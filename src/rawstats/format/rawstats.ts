/**
 * Raw stats files whole, as plain data: `parseRawStats` and `stringifyRawStats`.
 *
 * The text is described in docs/reference/formats/raw-stats.md, after the hpcperfstats manual. For files that
 * do not fit memory there is `RawScanner`.
 * @module
 */
import type { FormatError } from "../../core/errors.ts";
import type { RawColumns } from "./columns.ts";
import { RawScanner } from "./scanner.ts";
import { formatRawSchema, type RawSchema } from "./schema.ts";

/** One statistics line. */
export interface RawLine {
  /** Name of the record type: `cpu`, `mem`, `intel_rapl`. */
  readonly type: string;
  /** `-` if none applies; may hold blanks. */
  readonly device: string;
  /** In the order of the schema; 0 if a fast sample omits a column. */
  readonly values: BigUint64Array;
  /** Schema of the row, if it is not the last one of its type. */
  readonly schema?: RawSchema;
}

/** One record group. */
export interface RawRecord {
  /** Microseconds since the epoch. */
  readonly timeUs: number;
  /** Jobs as written: one id, a comma list, `-` or `0` for none. */
  readonly jobs: string;
  /** Empty in files before 2.x. */
  readonly host: string;
  /** Marks without their %. */
  readonly marks: readonly string[];
  /** A line a device. */
  readonly lines: readonly RawLine[];
}

/** A raw stats file. */
export interface RawStats {
  /** `hpcperfstats` → `2.3.5`, `hostname`, `uname`, `uptime`, in the order of the header. */
  readonly properties: ReadonlyMap<string, string>;
  /** Keys of each type, by its name. */
  readonly schemas: ReadonlyMap<string, RawSchema>;
  /** In the order of the file. */
  readonly records: readonly RawRecord[];
  /** Errors; the rest was read. */
  readonly errors: readonly FormatError[];
}

/**
 * Reads a raw stats file of any version.
 *
 * Never throws: what is wrong is listed in `errors`, each with its line, and left out.
 *
 * @param data The file's text or bytes, not compressed.
 * @param path For the messages. @default "raw stats"
 *
 * @example
 * ```ts
 * import { parseRawStats } from "./rawstats.ts";
 * const stats = parseRawStats("$hpcperfstats 2.3.5\n!ps ctxt,E\n\n1.000000 - host\nps - 17\n");
 * console.log(stats.records[0].lines[0].values[0]); // 17n
 * ```
 */
export function parseRawStats(data: string | Uint8Array, path = "raw stats"): RawStats {
  const properties = new Map<string, string>();
  const schemas = new Map<string, RawSchema>();
  const records: RawRecord[] = [];
  const errors: FormatError[] = [];
  let marks: string[] = [];
  let lines: RawLine[] = [];
  const scanner = new RawScanner(path, {
    property: (name, value) => void properties.set(name, value),
    schema: (columns: RawColumns) => void schemas.set(columns.schema.type, columns.schema),
    record({ timeUs, jobs, host }) {
      records.push({ timeUs, jobs, host, marks: marks = [], lines: lines = [] });
    },
    mark: (text) => void marks.push(text),
    row(device, values) {
      const words = new BigUint64Array(values.numbers.length);
      for (let i = 0; i < words.length; i++) words[i] = values.exact(i);
      lines.push({ type: device.columns.schema.type, device: device.name, values: words });
    },
    error: (error) => void errors.push(error),
  });
  scanner.push(typeof data === "string" ? new TextEncoder().encode(data) : data);
  scanner.end();
  return { properties, schemas, records, errors };
}

/** The header: properties, then schemas in ascending order of their types. */
export function stringifyRawHeader(stats: Pick<RawStats, "properties" | "schemas">): string {
  let text = "";
  for (const [name, value] of stats.properties) text += `$${name} ${value}\n`;
  const types = [...stats.schemas.keys()].sort((a, b) => a < b ? -1 : 1);
  for (const type of types) text += formatRawSchema(stats.schemas.get(type)!) + "\n";
  return text;
}

/** A time as time lines have it, with exactly six decimals. */
function formatRawTime(timeUs: number): string {
  const seconds = Math.floor(timeUs / 1e6);
  return `${seconds}.${String(timeUs - seconds * 1e6).padStart(6, "0")}`;
}

/** One record group, its empty line included. A mark of several lines becomes several marks. */
function stringifyRawRecord(record: RawRecord): string {
  const host = record.host === "" ? "" : ` ${record.host}`;
  let text = `\n${formatRawTime(record.timeUs)} ${record.jobs}${host}\n`;
  for (const mark of record.marks) {
    for (const line of mark.split("\n")) text += `%${line}\n`;
  }
  for (const { type, device, values } of record.lines) {
    text += `${type} ${device} ${values.join(" ")}\n`;
  }
  return text;
}

/**
 * Writes a raw stats file as the monitor does.
 *
 * @example
 * ```ts
 * import { parseRawStats, stringifyRawStats } from "./rawstats.ts";
 * const text = "$hpcperfstats 2.3.5\n!ps ctxt,E\n\n1.000000 - host\n%begin 7\nps - 17\n";
 * console.log(stringifyRawStats(parseRawStats(text)) === text); // true
 * ```
 */
export function stringifyRawStats(stats: Omit<RawStats, "errors">): string {
  return stringifyRawHeader(stats) + stats.records.map(stringifyRawRecord).join("");
}
