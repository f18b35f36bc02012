/**
 * Common form of GEOPM's trace and profile trace: five comment lines, a line of column names, rows
 * of cells between bars. geopmlaunch(1), `--geopm-trace`.
 * ```
 * # geopm_version: 3.1.0+joulemark.0.1.0
 * # start_time: 2024-10-24T08:00:00.000000000-0700
 * # profile_name: "demo"
 * # node_name: node01
 * # agent: monitor
 * TIME|EPOCH_COUNT|…
 * ```
 * @module
 */
import { unparsed } from "../../core/errors.ts";
import { quoted, textScalar, unquoted } from "../scalar.ts";

/** The contents of the five lines. */
export interface TraceHeader {
  /** Version of the report format and of joulemark. */
  version: string;
  /** Start time as in `Start Time` of the report. */
  startTime: string;
  /** Name of the run. */
  profile: string;
  /** Name of the host. */
  host: string;
  /** Name of the agent. */
  agent: string;
}

/** Takes whole lines, each with its LF, possibly several at once. */
export interface LineSink {
  /** Adds whole lines. */
  write(lines: string): void;
  /** All that was written so far is dropped: the run restarted. */
  restart?(): void;
  /** Hands what was written to the kernel. */
  flush?(): void;
  /** Called before lines go to the kernel: lines of another file that belong before them go first. */
  before?: () => void;
}

/** Takes bytes too: packets of a binary format, each whole. */
export interface ByteSink extends LineSink {
  write(lines: string | Uint8Array): void;
}

/** Keys of the header, by line. */
const LINES: readonly (readonly [name: string, key: keyof TraceHeader])[] = [
  ["geopm_version", "version"],
  ["start_time", "startTime"],
  ["profile_name", "profile"],
  ["node_name", "host"],
  ["agent", "agent"],
];

/** The five lines and the column names. */
export function headerLines(header: TraceHeader, columns: readonly string[]): string {
  const lines = LINES.map(([name, key]) => {
    const text = header[key];
    return `# ${name}: ${key === "profile" ? quoted(text) : plain(text)}`;
  });
  return lines.join("\n") + "\n" + columns.join("|") + "\n";
}

function plain(text: string): string {
  return /^[0-9]/.test(text) && !/[\s#"]/.test(text) ? text : textScalar(text);
}

/**
 * Takes a trace file apart, counting header lines: names of columns may hold `#` themselves.
 *
 * @returns Its parts; `firstRow` is the 1-based line of the first row.
 * @throws {FormatError} With path and line, if it is none, or a row is cut or ragged.
 */
export function splitTrace(text: string, path: string) {
  const lines = text.split("\n");
  const fail = (line: number, expected: string, found: string) =>
    unparsed(path, line, expected, quoted(found.slice(0, 80)));
  const header = {} as TraceHeader;
  let at = 0;
  for (; lines[at]?.startsWith("#"); at++) {
    const found = /^# ([a-z_]+): (.*)$/.exec(lines[at]);
    const key = LINES.find(([name]) => name === found?.[1])?.[1];
    if (found === null || key === undefined) throw fail(at + 1, "a header line", lines[at]);
    header[key] = found[2].startsWith('"') ? unquoted(found[2]) : found[2];
  }
  for (const [name, key] of LINES) {
    if (header[key] !== undefined) continue;
    throw fail(at + 1, `a header line "# ${name}:"`, lines[at] ?? "");
  }
  if (!lines[at]) throw fail(at + 1, "the names of the columns", "nothing");
  const columns = lines[at].split("|");
  const rows: string[][] = [];
  for (let i = at + 1; i < lines.length; i++) {
    if (i === lines.length - 1) {
      if (lines[i] !== "") throw fail(i + 1, "a row that ends in LF", lines[i]);
      break;
    }
    if (lines[i].endsWith("\r")) throw fail(i + 1, "lines that end in LF", "CRLF");
    const cells = lines[i].split("|");
    if (cells.length !== columns.length) throw fail(i + 1, `${columns.length} cells`, lines[i]);
    rows.push(cells);
  }
  return { header, columns, rows, firstRow: at + 2 };
}
