/**
 * Names of other people's making on terminals and in files of lines.
 * @module
 */

/** What a terminal obeys, what ends a line, and what turns the direction of text. */
// deno-lint-ignore no-control-regex
const COMMANDS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function visible(c: string): string {
  const hex = c.charCodeAt(0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

/** A text on one line, with nothing in it that a terminal would obey: ESC becomes `\x1b`. */
export function printable(text: string): string {
  return text.replace(COMMANDS, visible);
}

/** The same of a text of several lines, which stay lines. */
export function printableLines(text: string): string {
  return text.replace(COMMANDS, (c) => c === "\n" || c === "\t" ? c : visible(c));
}
