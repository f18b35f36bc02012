/**
 * GEOPM's report file: geopm_report(7), docs/reference/formats/report.md.
 *
 * Text in YAML's clothes, written line by line, two blanks a level, one empty line at the end:
 * ```yaml
 * GEOPM Version: 3.1.0+joulemark.0.1.0
 * Start Time: 2024-10-24T08:00:00.123456789-0700
 * Profile: "lu.C.4"
 * Agent: monitor
 * Policy: {}
 *
 * Hosts:
 *   nid000012:
 *     Regions:
 *     -
 *       region: "solve"
 *       hash: 0x1e65f3b4
 *       runtime (s): 12.0412
 * ```
 * Our own mappings are under `joulemark:`, after the header and after each host's sections.
 * @module
 */
import { FormatError, unparsed } from "../core/errors.ts";
import { formatG, formatHex } from "../core/number_format.ts";
import type { Nested, Report, ReportFields, ReportHost, ReportRegion } from "../core/report.ts";
import { laidOut } from "./foreign_report.ts";
import { LineCursor, nestedLines, parseNested, refuseLongLines, splitPair } from "./nested.ts";
import { fieldValue, nextField } from "./report_fields.ts";
import { keyScalar, parseValue, quoted, textScalar, unquoted, valueScalar } from "./scalar.ts";
import { isYamlLoaded } from "./yaml.ts";

/** Sections of a host, by their titles. */
const SECTIONS = {
  "Unmarked Totals": "unmarked",
  "Epoch Totals": "epoch",
  "Application Totals": "application",
} as const;
const HOST = "  ";
const SECTION = "    ";
const FIELD = "      ";
const OWN_DIGITS = 12;
const GEOPM_DIGITS = 6;

/**
 * Writes a report, six significant digits a number, as GEOPM does; twelve under keys that begin
 * with `joulemark-`, so that regions add up.
 *
 * Names that GEOPM would write into broken YAML (quotes, backslashes, line ends, control
 * characters) are escaped, so that every YAML reader gets the name back.
 *
 * @throws {TypeError} If a key is a whole number, which no mapping keeps in its place.
 */
export function stringifyReport(report: Report): string {
  return [...reportPieces(report)].join("");
}

/** Regions in a piece of text: a long one outlives collections of young objects, and with it its lines. */
const PIECE_REGIONS = 16;

/** The text of {@linkcode stringifyReport} in pieces, so that no report is held whole as text. */
export function* reportPieces(report: Report): Generator<string, void, undefined> {
  const lines = [
    `GEOPM Version: ${oneLine(report.version)}`,
    `Start Time: ${oneLine(report.startTime)}`,
    `Profile: ${quoted(report.profile)}`,
    `Agent: ${oneLine(report.agent)}`,
    `Policy: ${policyScalar(report.policy)}`,
  ];
  const text = lines.join("\n") + "\n" + pairLines("", report.header);
  yield `${text}${ownLines("", report.joulemark)}\nHosts:\n`;
  for (const host of report.hosts) yield* hostPieces(host);
  if (report.appended !== undefined) yield pairLines("", report.appended);
  yield "\n";
}

/** Begin of a host's regions. */
const REGIONS = `${SECTION}Regions:\n`;

/** A report of one host in parts, for who writes only those that changed. */
export interface ReportParts {
  /** All but these. */
  readonly frame: string;
  /** A text for each of the host's regions, in their order. */
  readonly regions: readonly string[];
  /** The host's tree. */
  readonly tree: string;
}

/** Takes a report of one host apart. */
export function reportParts(report: Report): ReportParts {
  const [host] = report.hosts;
  const { tree, ...own } = host.joulemark ?? {};
  const sections = new FieldLines(FIELD);
  const regions = (host.regions ?? []).map((region) => regionText(region, sections));
  const bare = {
    ...host,
    ...(host.regions === undefined ? {} : { regions: [] }),
    ...(host.joulemark === undefined ? {} : { joulemark: own }),
  };
  return {
    frame: stringifyReport({ ...report, hosts: [bare] }),
    regions,
    tree: tree === undefined ? "" : `${nestedLines({ tree }, FIELD.length).join("\n")}\n`,
  };
}

/** Puts it together again. The tree may be missing in the text. */
export function joinReportParts({ frame, regions, tree }: ReportParts): string {
  const at = frame.indexOf(`\n${REGIONS}`) + 1 + REGIONS.length;
  const whole = regions.length === 0
    ? frame
    : frame.slice(0, at) + regions.join("") + frame.slice(at);
  // The host's own lines come last, and an empty line behind them.
  return `${whole.slice(0, -1)}${tree}\n`;
}

function regionText({ region, hash, fields }: ReportRegion, sections: FieldLines): string {
  return `${SECTION}-\n${FIELD}region: ${quoted(region)}\n${FIELD}hash: ${formatHex(hash)}\n` +
    sections.text(fields);
}

function* hostPieces(host: ReportHost): Generator<string, void, undefined> {
  const sections = new FieldLines(FIELD);
  let text = `${HOST}${keyScalar(host.host)}:\n${pairLines(SECTION, host.agent)}`;
  if (host.regions !== undefined) text += REGIONS;
  let held = 0;
  for (const region of host.regions ?? []) {
    text += regionText(region, sections);
    if (++held < PIECE_REGIONS) continue;
    yield text;
    text = "";
    held = 0;
  }
  for (const [title, name] of Object.entries(SECTIONS)) {
    const fields = host[name];
    if (fields !== undefined) text += `${SECTION}${title}:\n${sections.text(fields)}`;
  }
  yield text + ownLines(SECTION, host.joulemark);
}

/** Pairs of the header or of an agent, which may have blocks as values. */
function pairLines(blanks: string, pairs: ReportHost["agent"]): string {
  return Object.entries(pairs).map(([key, value]) => {
    return typeof value === "number" || typeof value === "string"
      ? new FieldLines(blanks).text({ [key]: value })
      : `${nestedLines({ [key]: value }, blanks.length).join("\n")}\n`;
  }).join("");
}

/**
 * Energies and powers among GEOPM's own fields: if one does not cover all of its section it is
 * YAML's NaN, which GEOPM's parser takes for a number. docs/reference/coverage.md.
 */
const GEOPM_FIGURE =
  /^(package-energy|dram-energy|gpu(-core)?-energy) \(J\)$|^(gpu-(core-)?)?power \(W\)$/;

/** Lines of fields that are made again together. */
const GROUP = 8;

/**
 * Writes sections of fields one after the other. Those of regions have the same keys, and many the
 * same numbers: what did not change since the section before is not made again.
 */
class FieldLines {
  readonly #blanks: string;
  readonly #keys: string[] = [];
  readonly #starts: string[] = [];
  readonly #digits: number[] = [];
  readonly #values: (number | string)[] = [];
  readonly #lines: string[] = [];
  readonly #groups: string[] = [];

  constructor(blanks: string) {
    this.#blanks = blanks;
  }

  text(fields: ReportFields): string {
    let text = "";
    let i = 0;
    let changed = false;
    for (const key in fields) {
      const value = fields[key];
      if (this.#keys[i] !== key) {
        this.#setKey(i, key);
        this.#setValue(i, value);
        changed = true;
      } else if (!Object.is(value, this.#values[i])) {
        this.#setValue(i, value);
        changed = true;
      }
      if (++i % GROUP !== 0) continue;
      text += this.#group(i, changed);
      changed = false;
    }
    if (i % GROUP !== 0) {
      // The last group may have had more lines before.
      text += this.#lines.slice(i - i % GROUP, i).join("");
      this.#groups.length = Math.min(this.#groups.length, Math.floor(i / GROUP));
    }
    return text;
  }

  /** The group that ends before line `end`. */
  #group(end: number, changed: boolean): string {
    const at = end / GROUP - 1;
    if (!changed && at < this.#groups.length) return this.#groups[at];
    return this.#groups[at] = this.#lines.slice(end - GROUP, end).join("");
  }

  #setKey(i: number, key: string): void {
    if (/^[0-9]+$/.test(key)) throw new TypeError(`Report key ${key} is a whole number`);
    this.#keys[i] = key;
    this.#starts[i] = `${this.#blanks}${keyScalar(key)}: `;
    // Six digits would not add up; who reads our own keys can do so.
    this.#digits[i] = key.startsWith("joulemark-") ? OWN_DIGITS : GEOPM_DIGITS;
  }

  #setValue(i: number, value: number | string): void {
    this.#values[i] = value;
    const text = typeof value !== "number"
      ? valueScalar(value)
      : value !== value && GEOPM_FIGURE.test(this.#keys[i])
      ? ".nan"
      : formatG(value, this.#digits[i]);
    this.#lines[i] = `${this.#starts[i]}${text}\n`;
  }
}

function ownLines(blanks: string, own: ReportHost["joulemark"]): string {
  if (own === undefined) return "";
  const inner = nestedLines(own, blanks.length + 2);
  if (inner.length === 0) return `${blanks}joulemark: {}\n`;
  return `${blanks}joulemark:\n${inner.join("\n")}\n`;
}

/** Unquoted as GEOPM has it, unless it would not stay one line. */
function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex
  return /^[^\s"'#][^\u0000-\u001f\u007f-\u009f\u2028\u2029"]*$/.test(text) ? text : quoted(text);
}

/** A JSON object is kept unchanged, over several lines if it has them; other text is a scalar. */
function policyScalar(policy: string): string {
  return isObject(policy) ? policy : textScalar(policy);
}

function isObject(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object" && /^\{/.test(text);
  } catch {
    return false;
  }
}

/** A report, and how its text was laid out. */
export interface ParsedReport {
  readonly report: Report;
  /** Is the text laid out as GEOPM lays it out, so that parts of it can be copied? */
  readonly isLaidOut: boolean;
}

/**
 * Reads a report, ours or GEOPM's. A text that another program rewrote as YAML is read if
 * {@linkcode loadYaml} has ended before.
 *
 * @param path For messages.
 * @throws {FormatError} With path and line, if it is not laid out as a report.
 */
export function parseReport(text: string, path = "report"): Report {
  return parsed(text, path).report;
}

/**
 * The one reader of reports that users name: {@linkcode parseReport} of a text that is complete and
 * has a host.
 *
 * @throws {FormatError} Also if the text is truncated.
 */
export function parseWholeReport(text: string, path: string): ParsedReport {
  const found = parsed(text, path);
  const { report, isLaidOut } = found;
  if (isLaidOut && !isWhole(text, report)) {
    throw new FormatError(path, text.split("\n").length, {
      action: "read",
      expected: "a complete report, which ends with an empty line",
      found: "a truncated report",
    });
  }
  if (report.hosts.length > 0) return found;
  throw new FormatError(path, 0, {
    action: "read",
    expected: "a report with a host",
    found: "none",
  });
}

/** The first line of a report of GEOPM 1.0 and 1.1, which is no YAML. */
const OLD_REPORT = /^#+ geopm ([^ #\n]*)/;

function parsed(text: string, path: string): ParsedReport {
  if (text.trim() === "") {
    const found = "an empty file";
    throw new FormatError(path, 0, { action: "read", expected: "a report", found });
  }
  refuseLongLines(text, path);
  const old = OLD_REPORT.exec(text);
  if (old !== null) {
    throw new FormatError(path, 0, {
      action: "read",
      expected: "a report in YAML",
      found: `the text format of GEOPM 1.0 and 1.1 (geopm ${old[1]})`,
      remedy: "run the program again with joulemark run or GEOPM 2.0",
    });
  }
  try {
    return { report: parseLayout(text, path), isLaidOut: true };
  } catch (error) {
    // A text that is truncated is no better as YAML, but in braces, which tell its end.
    const isEnded = text.endsWith("\n") || /\}\s*$/.test(text);
    const isOther = error instanceof FormatError && isYamlLoaded() && isEnded;
    if (!isOther) throw error;
    try {
      const lines = laidOut(text, path);
      return { report: reportOf(new LineCursor(path, lines, () => 0)), isLaidOut: false };
    } catch (other) {
      // For a text in our layout, the line says more than YAML's message.
      throw text.startsWith("GEOPM Version:") ? error : other;
    }
  }
}

/** The last line of GEOPM's own last section. */
const LAST_KEY = "geopmctl network BW (B/s)";

/** Does the text end as a report does? One that is truncated may be read without an error. */
function isWhole(text: string, report: Report): boolean {
  if (text.endsWith("\n\n") || report.appended !== undefined) return true;
  // Copies of GEOPM's own may lack the empty line; ours have more after that key.
  return text.endsWith("\n") && !report.version.includes("+joulemark") &&
    report.hosts.at(-1)?.application[LAST_KEY] !== undefined;
}

/**
 * Reads a text in GEOPM's own layout.
 *
 * @throws {FormatError} If it has another one.
 */
export function parseLayout(text: string, path: string): Report {
  const lines = text.split("\n");
  const carriage = text.includes("\r") ? lines.findIndex((line) => line.endsWith("\r")) : -1;
  if (carriage >= 0) throw unparsed(path, carriage + 1, "lines that end in LF", "CRLF");
  const hosts = lines.indexOf("Hosts:") + 1;
  const isFull = (i: number) => lines[i].trim() !== "";
  let end = lines.length;
  while (end > hosts && !isFull(end - 1)) end--;
  let empty = hosts;
  while (empty < end && isFull(empty)) empty++;
  if (hosts === 0) return reportOf(new LineCursor(path, lines));
  if (empty === end) return reportOf(new LineCursor(path, lines.slice(0, end)));
  // Versions before 3.0 have empty lines among the hosts.
  const places = Array.from(lines.keys()).slice(0, end).filter((i) => i < hosts || isFull(i));
  const texts = places.map((i) => lines[i]);
  return reportOf(new LineCursor(path, texts, (at) => (places[at] ?? end) + 1));
}

function reportOf(cursor: LineCursor): Report {
  const report = parseHeader(cursor);
  while (cursor.line?.startsWith(HOST) && cursor.indent === 2) {
    report.hosts.push(parseHost(cursor));
  }
  const appended: [string, Nested][] = [];
  for (; cursor.line !== undefined; cursor.at++) {
    const pair = cursor.indent === 0 ? splitPair(cursor.line) : undefined;
    if (pair === undefined || pair.rest === "") {
      throw cursor.error("a host, a pair at the top level, or the end");
    }
    appended.push([pair.key, parseValue(pair.rest)]);
  }
  if (appended.length > 0) report.appended = Object.fromEntries(appended) as ReportFields;
  return report;
}

function parseHeader(cursor: LineCursor): Report {
  const header: [string, Nested][] = [];
  const own: Record<string, string> = {};
  let joulemark: Report["joulemark"];
  while (cursor.line !== "Hosts:") {
    const line = cursor.line;
    if (line === undefined) throw cursor.error('the line "Hosts:"');
    const pair = line === "" ? undefined : splitPair(line);
    if (line !== "" && (pair === undefined || cursor.indent !== 0)) {
      throw cursor.error("a key and a value of the header");
    }
    if (pair?.key === "Policy") {
      own.Policy = parsePolicy(cursor, pair.rest);
      continue;
    }
    cursor.at++;
    if (pair === undefined) continue;
    if (pair.key === "joulemark") joulemark = parseOwn(cursor, pair.rest, 0);
    else if (HEADER.has(pair.key)) own[pair.key] = headerText(pair.rest);
    else header.push([pair.key, pairValue(cursor, pair.rest, 0)]);
  }
  for (const key of HEADER) {
    if (own[key] === undefined) throw cursor.error(`the header key "${key}" before it`);
  }
  cursor.at++;
  return {
    version: own["GEOPM Version"],
    startTime: own["Start Time"],
    profile: own.Profile,
    agent: own.Agent,
    policy: own.Policy,
    header: Object.fromEntries(header),
    ...(joulemark === undefined ? {} : { joulemark }),
    hosts: [],
  };
}

/** A value, or the block behind its key. */
function pairValue(cursor: LineCursor, rest: string, indent: number): Nested {
  return rest === "" ? parseNested(cursor, indent) : parseValue(rest);
}

const HEADER = new Set(["GEOPM Version", "Start Time", "Profile", "Agent", "Policy"]);

function headerText(rest: string): string {
  return rest.length > 1 && rest.startsWith('"') && rest.endsWith('"') ? unquoted(rest) : rest;
}

/** A JSON object may go over several lines; GEOPM copies the policy file as it is. */
function parsePolicy(cursor: LineCursor, rest: string): string {
  cursor.at++;
  if (rest === "" && cursor.indent > 0) return JSON.stringify(parseNested(cursor, 0));
  if (!rest.startsWith("{") || isObject(rest)) return headerText(rest) + trailing(cursor, rest);
  let policy = rest;
  for (let at = cursor.at; at < cursor.lines.length && cursor.lines[at] !== "Hosts:"; at++) {
    policy += "\n" + cursor.lines[at];
    if (!isObject(policy)) continue;
    cursor.at = at + 1;
    return policy + trailing(cursor, policy);
  }
  return rest;
}

/** The policy file's own final LF shows as an empty line more than the header has. */
function trailing(cursor: LineCursor, policy: string): string {
  if (!policy.startsWith("{") || cursor.line !== "") return "";
  if (cursor.lines[cursor.at + 1] === "Hosts:") return "";
  cursor.at++;
  return "\n";
}

function parseHost(cursor: LineCursor): ReportHost {
  const pair = splitPair(cursor.line!.slice(HOST.length));
  if (pair === undefined || pair.rest !== "") throw cursor.error("a host name and a colon");
  cursor.at++;
  const agent: [string, Nested][] = [];
  const host: ReportHost = { host: pair.key, agent: {}, application: {} };
  let complete = false;
  while (cursor.line !== undefined && cursor.indent === SECTION.length) {
    const inner = splitPair(cursor.line.slice(SECTION.length));
    if (inner === undefined) throw cursor.error("a section or a pair of the host");
    cursor.at++;
    const section = SECTIONS[inner.key as keyof typeof SECTIONS];
    if (section !== undefined && inner.rest === "") host[section] = parseFields(cursor);
    else if (inner.key === "Regions" && inner.rest === "") host.regions = parseRegions(cursor);
    else if (inner.key === "joulemark") host.joulemark = parseOwn(cursor, inner.rest, 4);
    else agent.push([inner.key, pairValue(cursor, inner.rest, SECTION.length)]);
    complete ||= section === "application";
  }
  if (!complete) throw cursor.error(`"Application Totals:" of host ${pair.key}`);
  host.agent = Object.fromEntries(agent);
  return host;
}

function parseRegions(cursor: LineCursor): ReportRegion[] {
  const regions: ReportRegion[] = [];
  while (cursor.line === `${SECTION}-`) {
    cursor.at++;
    const at = cursor.at;
    const { region, hash, fields } = parseRegion(cursor);
    if (region === undefined || !/^0x[0-9a-f]{1,16}$/i.test(String(hash))) {
      cursor.at = at;
      throw cursor.error("a region with its name and hash");
    }
    regions.push({ region: String(region), hash: Number(hash), fields });
  }
  return regions;
}

const OWN = { configurable: true, enumerable: true, writable: true };

function setField(fields: ReportFields, key: string, value: number | string): void {
  if (key !== "__proto__") fields[key] = value;
  else Object.defineProperty(fields, key, { ...OWN, value });
}

function parseFields(cursor: LineCursor): ReportFields {
  const fields: ReportFields = {};
  for (let place = 0;; place++) {
    const { line } = cursor;
    const field = nextField(cursor, place);
    if (field === undefined) return fields;
    setField(fields, field.key, fieldValue(line!, field.begin.length));
  }
}

/** A region's `region` is always text, even if it looks like a number. */
function parseRegion(
  cursor: LineCursor,
): { region?: string; hash?: number | string; fields: ReportFields } {
  const fields: ReportFields = {};
  let region: string | undefined, hash: number | string | undefined;
  for (let place = 0;; place++) {
    const line = cursor.line!;
    const field = nextField(cursor, place);
    if (field === undefined) return { region, hash, fields };
    const { key, begin } = field;
    if (key === "region") region = headerText(line.slice(begin.length));
    else if (key === "hash") hash = parseValue(line.slice(begin.length));
    else setField(fields, key, fieldValue(line, begin.length));
  }
}

function parseOwn(cursor: LineCursor, rest: string, indent: number): { [key: string]: Nested } {
  if (rest === "{}") return {};
  const value = rest === "" ? parseNested(cursor, indent) : rest;
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw cursor.error("a mapping under joulemark");
  }
  return value;
}
