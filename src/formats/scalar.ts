/**
 * Scalars of the YAML that reports are written in, so that any text survives a YAML 1.1 reader.
 *
 * GEOPM itself escapes nothing; for texts that it writes soundly we write the same bytes.
 * @module
 */
import { regionHash } from "../core/hash.ts";
import { formatG, formatHex } from "../core/number_format.ts";

const MAX_KEY_CHARS = 1000;
/** Each of these may take six characters in quotes. */
const CUT_KEY = 120;

/**
 * Texts that a YAML 1.1 reader takes for another type; one of YAML 1.2 has `0o17` for 15, and Ruby's
 * has `0,2` for 2.
 */
const NOT_TEXT =
  /^(true|false|yes|no|on|off|null|~|y|n|[-+]?\.?(nan|inf)|[-+]?[0-9.][0-9a-fox_.,:+-]*|0x[0-9a-f_]+|[0-9]{4}-[0-9].*|=|<<)$/i;
/** Plain text without quotes: nothing in it can be taken for syntax. */
const PLAIN = /^[A-Za-z0-9_/][A-Za-z0-9 _.,;()%/@#:+=&*<>|~^$-]*$/;
// C0, DEL, C1 but the next-line mark, surrogates without their partner, and what YAML calls not
// printable; line and paragraph separators end a line for YAML 1.1; what turns the direction of text.
const ESCAPED =
  // deno-lint-ignore no-control-regex
  /["\\\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Text that needs no escapes, as most names are. */
const PRINTABLE = /^[ !#-[\]-~]*$/;
const SHORT_ESCAPES: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
const UNESCAPED: Record<string, string> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
};

/** A text in double quotes, on one line. */
export function quoted(text: string): string {
  if (PRINTABLE.test(text)) return `"${text}"`;
  return `"${
    text.replace(ESCAPED, (c) =>
      SHORT_ESCAPES[c] ?? "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"))
  }"`;
}

/** Reads what {@linkcode quoted} wrote, and what GEOPM puts between quotes without escaping. */
export function unquoted(text: string): string {
  const inner = text.slice(1, -1);
  if (!inner.includes("\\")) return inner;
  return inner.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g,
    (whole, x, u, wide, short) => {
      if (short !== undefined) return UNESCAPED[short] ?? whole;
      const code = parseInt(x ?? u ?? wide, 16);
      if (wide === undefined) return String.fromCharCode(code);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** Text without quotes if that is safe, else in quotes. */
export function textScalar(text: string): string {
  return isPlain(text) || isJson(text) ? text : quoted(text);
}

/**
 * Key without quotes if that is safe, else in quotes. YAML readers stop at 1,024 characters of a
 * key: a longer one is truncated, and ends in its hash so that it stays unique.
 */
export function keyScalar(text: string): string {
  const key = isPlain(text) ? text : quoted(text);
  if (key.length <= MAX_KEY_CHARS) return key;
  return quoted(`${text.slice(0, CUT_KEY)}… ${formatHex(regionHash(text))}`);
}

/** A number as reports print it, or a text. */
export function valueScalar(value: number | string): string {
  return typeof value === "number" ? formatG(value) : textScalar(value);
}

/** Reads a value: numbers in C's forms, `nan` and `inf` included; everything else is text. */
export function parseValue(text: string): number | string {
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return unquoted(text);
  const number = parseNumber(text);
  return number === undefined ? text : number;
}

/** A decimal number, `nan`, `inf`, YAML's `.nan` and `.inf`; `undefined` for anything else. */
export function parseNumber(text: string): number | undefined {
  if (/^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(text)) return Number(text);
  if (/^(-?|\.)nan$/i.test(text)) return NaN;
  if (text === "inf" || text === ".inf") return Infinity;
  return text === "-inf" || text === "-.inf" ? -Infinity : undefined;
}

function isPlain(text: string): boolean {
  return PLAIN.test(text) && !NOT_TEXT.test(text) && !text.includes(": ") &&
    !text.includes(" #") && !/[: ]$/.test(text);
}

/** Flow mappings and lists are kept unchanged in agents' values and policies. */
function isJson(text: string): boolean {
  if (!/^[{[].*[}\]]$/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
