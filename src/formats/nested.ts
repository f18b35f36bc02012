/**
 * Nested plain data as the block YAML under `joulemark:` keys: the small part of YAML
 * that we write ourselves, and its reader.
 *
 * Mappings and lists in blocks of two blanks a level, scalars on one line, empty ones as `{}` and
 * `[]`. Numbers keep all their digits here.
 * @module
 */
import { FormatError, unparsed } from "../core/errors.ts";
import type { Nested } from "../core/report.ts";
import { keyScalar, parseNumber, quoted, textScalar, unquoted } from "./scalar.ts";

const MAX_DEPTH = 64;
/** Maximum length of a line, bytes: a thousand times that of any line in joulemark's reports. */
const MAX_LINE = 16 << 20;

/** Lines of a mapping's or list's content, each behind `indent` blanks. */
export function nestedLines(value: Nested, indent: number): string[] {
  const lines: string[] = [];
  emit(value, " ".repeat(indent), lines);
  return lines;
}

/** Value on one line; `undefined` for a mapping or list with content. */
function inline(value: Nested): string | undefined {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return numberScalar(value);
  if (typeof value === "string") return isFlow(value) ? quoted(value) : textScalar(value);
  if (Array.isArray(value)) return value.length === 0 ? "[]" : undefined;
  return Object.keys(value).length === 0 ? "{}" : undefined;
}

function isFlow(text: string): boolean {
  return text.startsWith("{") || text.startsWith("[");
}

function emit(value: Nested, blanks: string, lines: string[]): void {
  const put = (start: string, item: Nested) => {
    const scalar = inline(item);
    lines.push(scalar === undefined ? blanks + start : `${blanks}${start} ${scalar}`);
    if (scalar === undefined) emit(item, blanks + "  ", lines);
  };
  if (Array.isArray(value)) return value.forEach((item) => put("-", item));
  for (const [key, item] of Object.entries(value as { [key: string]: Nested })) {
    put(`${keyScalar(key)}:`, item);
  }
}

/** All digits; YAML 1.1 requires a point in a number with an exponent. */
function numberScalar(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const text = Object.is(value, -0) ? "-0.0" : String(value);
  return text.includes("e") && !text.includes(".") ? text.replace("e", ".0e") : text;
}

const BLANK = 32;

/** Lines with their place in a file, read one after the other. */
export class LineCursor {
  at = 0;

  /** @param numberOf Number of a line in its file, 0: it is in none. */
  constructor(
    readonly path: string,
    readonly lines: readonly string[],
    readonly numberOf = (at: number) => at + 1,
  ) {}

  /** The current line; `undefined` behind the last. */
  get line(): string | undefined {
    return this.lines[this.at];
  }

  /** Blanks before the current line's text. */
  get indent(): number {
    const line = this.lines[this.at];
    if (line === undefined) return -1;
    let at = 0;
    while (line.charCodeAt(at) === BLANK) at++;
    const code = line.charCodeAt(at);
    // Other blanks are rare.
    return code > BLANK && code < 0x80 ? at : line.length - line.trimStart().length;
  }

  error(expected: string): FormatError {
    const line = this.line;
    const found = line === undefined ? "the end of the file" : quoted(line.slice(0, 80));
    return unparsed(this.path, this.numberOf(this.at), expected, found);
  }
}

/** @throws {FormatError} If a line of a text is longer than any line of a report: it names no line to repair. */
export function refuseLongLines(text: string, path: string): void {
  for (let from = 0, line = 1; text.length - from > MAX_LINE; line++) {
    const end = text.indexOf("\n", from);
    if ((end < 0 ? text.length : end) - from > MAX_LINE) {
      throw unparsed(path, 0, "lines of 16 MiB at most", `line ${line}, which is longer`);
    }
    from = end + 1;
  }
}

/** A key and the text after its colon; `undefined` when the text is no such pair. */
export function splitPair(text: string): { key: string; rest: string } | undefined {
  if (text.startsWith('"')) {
    const found = /^("(?:[^"\\]|\\.)*"):(?: (.*))?$/s.exec(text);
    return found === null ? undefined : { key: unquoted(found[1]), rest: found[2] ?? "" };
  }
  const colon = text.indexOf(": ");
  if (colon > 0) return { key: text.slice(0, colon), rest: text.slice(colon + 2) };
  return text.length > 1 && text.endsWith(":") ? { key: text.slice(0, -1), rest: "" } : undefined;
}

/** Reads the block of lines behind a key, all deeper than `indent`. */
export function parseNested(cursor: LineCursor, indent: number, depth = 0): Nested {
  if (depth > MAX_DEPTH) throw cursor.error(`at most ${MAX_DEPTH} levels`);
  const own = cursor.indent;
  if (cursor.line === undefined || cursor.line.trim() === "" || own <= indent) return null;
  return cursor.line.slice(own).startsWith("-")
    ? parseList(cursor, own, depth)
    : parseMapping(cursor, own, depth);
}

function parseList(cursor: LineCursor, own: number, depth: number): Nested[] {
  const list: Nested[] = [];
  while (cursor.line !== undefined && cursor.indent === own) {
    const text = cursor.line.slice(own);
    // Of a mapping that begins behind its dash.
    const isMapping = !text.startsWith('- "') && splitPair(text.slice(2)) !== undefined;
    if (text !== "-" && !text.startsWith("- ") || isMapping) {
      throw cursor.error("an item behind a dash");
    }
    cursor.at++;
    list.push(text === "-" ? parseNested(cursor, own, depth + 1) : parseInline(text.slice(2)));
  }
  return list;
}

function parseMapping(cursor: LineCursor, own: number, depth: number): { [key: string]: Nested } {
  const entries: [string, Nested][] = [];
  while (cursor.line !== undefined && cursor.line.trim() !== "" && cursor.indent === own) {
    const pair = splitPair(cursor.line.slice(own));
    if (pair === undefined) throw cursor.error("a key and a value");
    cursor.at++;
    const value = pair.rest === "" ? parseNested(cursor, own, depth + 1) : parseInline(pair.rest);
    entries.push([pair.key, value]);
  }
  return Object.fromEntries(entries);
}

const WORDS: ReadonlyMap<string, Nested> = new Map<string, Nested>([
  ...[["null", null], ["true", true], ["false", false]] as const,
  ...[[".nan", NaN], [".inf", Infinity], ["-.inf", -Infinity]] as const,
]);

function parseInline(text: string): Nested {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (text === "[]") return [];
  if (text === "{}") return {};
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return unquoted(text);
  return parseNumber(text) ?? text;
}
