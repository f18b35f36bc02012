/**
 * Names of other people's making on terminals and in files of lines.
 * @module
 */

/** Characters that a terminal obeys, that end a line, or that turn the direction of text. */
// deno-lint-ignore no-control-regex
const COMMANDS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const encoder = new TextEncoder(), decoder = new TextDecoder();

function visible(c: string): string {
  const hex = c.charCodeAt(0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

/** A text on one line, with nothing in it that a terminal would obey: ESC becomes `\x1b`. */
export function printable(text: string): string {
  return text.replace(COMMANDS, visible);
}

/** Printable text of several lines, which stay lines. */
export function printableLines(text: string): string {
  return text.replace(COMMANDS, (c) => c === "\n" || c === "\t" ? c : visible(c));
}

/** JSON of a value: texts mean the same, and nothing in them is obeyed if it is shown. */
export function jsonText(value: unknown, indent?: number): string {
  return printableJson(JSON.stringify(value, null, indent) ?? "null");
}

/** A text of JSON, whose strings keep what they mean. */
export function printableJson(json: string): string {
  return json.replace(COMMANDS, (c) => {
    return c === "\n" ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

const NEWLINE = 10, TAB = 9, DELETE = 0x7f;
/** First bytes of UTF-8 for U+0080 to U+00BF and for U+2000 to U+2FFF. */
const LATIN = 0xc2, PUNCTUATION = 0xe2;

/**
 * Printable form of UTF-8 bytes that come in pieces, the last of which ends in a whole character;
 * other bytes stay.
 *
 * @param form `text`: ESC becomes `\x1b`; `json`: `\u001b`.
 * @param write Takes printable bytes, which are valid until it returns.
 */
export function printableBytes(
  form: "text" | "json",
  write: (bytes: Uint8Array) => void,
): (bytes: Uint8Array) => void {
  const shown = form === "text" ? printableLines : printableJson;
  let kept = new Uint8Array();
  return (piece) => {
    let bytes = piece;
    if (kept.length > 0) {
      bytes = new Uint8Array(kept.length + piece.length);
      bytes.set(kept);
      bytes.set(piece, kept.length);
      kept = new Uint8Array();
    }
    let from = 0;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let i = 0; i < bytes.length; i++) {
      // Four bytes at once, as long as each is from 0x20 up to 0x7e; a borrow only costs a look.
      for (; i + 4 <= bytes.length; i += 4) {
        const word = view.getInt32(i, true);
        if (((word - 0x20202020 & ~word | word + 0x01010101 | word) & 0x80808080) !== 0) break;
      }
      if (i === bytes.length) break;
      const c = bytes[i];
      if (c >= 0x20 && c !== DELETE && c !== LATIN && c !== PUNCTUATION) continue;
      if (c === NEWLINE || c === TAB) continue;
      const size = c === LATIN ? 2 : c === PUNCTUATION ? 3 : 1;
      if (i + size > bytes.length) {
        kept = bytes.slice(i);
        bytes = bytes.subarray(0, i);
        break;
      }
      const text = decoder.decode(bytes.subarray(i, i + size));
      const safe = shown(text);
      if (safe !== text && !text.includes("\ufffd")) {
        if (i > from) write(bytes.subarray(from, i));
        write(encoder.encode(safe));
        from = i + size;
      }
      i += size - 1;
    }
    if (bytes.length > from) write(bytes.subarray(from));
  };
}
