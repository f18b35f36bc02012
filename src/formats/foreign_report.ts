/**
 * A report that another program rewrote as YAML, with other blanks, quotes, order or comments, in
 * GEOPM's layout again, which the reader of reports then reads.
 * @module
 */
import { FormatError } from "../core/errors.ts";
import { formatHex } from "../core/number_format.ts";
import type { Nested } from "../core/report.ts";
import { nestedLines } from "./nested.ts";
import { keyScalar, parseNumber, quoted } from "./scalar.ts";
import { parseYaml } from "./yaml.ts";

type Mapping = Record<string, unknown>;

/** Keys of the header that are always text. */
const TEXTS = ["GEOPM Version", "Start Time", "Profile", "Agent"];

/**
 * Lines of a report in GEOPM's layout.
 *
 * @throws {FormatError} If the text is no report.
 */
export function laidOut(text: string, path: string): string[] {
  let data: unknown;
  try {
    data = parseYaml(withTextNames(text));
  } catch (cause) {
    throw wrong(path, "a report", (cause as Error).message.split("\n")[0]);
  }
  if (!isMapping(data)) throw wrong(path, "a report", "another format");
  const { Hosts: hosts, Policy: policy = "{}", joulemark, ...header } = data;
  if (!isMapping(hosts)) throw wrong(path, "hosts under Hosts", hosts ? "other data" : "none");
  const missing = TEXTS.find((key) => header[key] === undefined);
  if (missing !== undefined) throw wrong(path, `the header key "${missing}"`, "none");
  const pairs = Object.entries(header).filter(([key]) => !TEXTS.includes(key));
  return [
    ...TEXTS.map((key) => `${key}: ${quoted(textOf(header[key]))}`),
    `Policy: ${isMapping(policy) ? JSON.stringify(policy) : quoted(textOf(policy))}`,
    ...block(fields(Object.fromEntries(pairs)), 0),
    ...joulemark === undefined ? [] : block({ joulemark: joulemark as Nested }, 0),
    "Hosts:",
    ...Object.entries(hosts).flatMap(([host, sections]) => [
      `  ${keyScalar(host)}:`,
      ...isMapping(sections) ? hostLines(sections) : [],
    ]),
  ];
}

/**
 * Names of hosts and regions in quotes: writers of YAML 1.1 leave `1e3` without, which is a number in YAML 1.2.
 */
function withTextNames(text: string): string {
  return text.replace(/^( +)([-+.\w]+)(: *\r?)$/gm, '$1"$2"$3')
    .replace(/^([- ]*region: +)([-+.\w]+)( *\r?)$/gm, '$1"$2"$3');
}

function hostLines({ Regions: regions, joulemark, ...sections }: Mapping): string[] {
  return [
    ...block(fields(sections), 4),
    ...Array.isArray(regions) ? ["    Regions:", ...regions.flatMap(regionLines)] : [],
    ...joulemark === undefined ? [] : block({ joulemark: joulemark as Nested }, 4),
  ];
}

function regionLines(data: unknown): string[] {
  const { region, hash, ...rest } = isMapping(data) ? data : {};
  const name = region === undefined ? [] : [`      region: ${quoted(textOf(region))}`];
  const isHash = Number(hash) >= 0;
  return [
    "    -",
    ...name,
    ...isHash ? [`      hash: ${formatHex(Number(hash))}`] : [],
    ...block(fields(rest), 6),
  ];
}

function block(data: { [key: string]: Nested }, indent: number): string[] {
  return nestedLines(data, indent);
}

/** Texts that are numbers in C's forms become numbers: readers of YAML 1.2 leave `nan` as text. */
function fields(data: Mapping): { [key: string]: Nested } {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, fieldOf(value)]));
}

function fieldOf(value: unknown): Nested {
  if (typeof value === "string") return parseNumber(value) ?? value;
  if (isMapping(value)) return fields(value);
  return value instanceof Date ? textOf(value) : value as Nested;
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString().replace(/Z$/, "+0000") : String(value);
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Date);
}

function wrong(path: string, expected: string, found: string): FormatError {
  return new FormatError(path, 0, { action: "read", expected, found });
}
