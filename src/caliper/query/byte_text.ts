/**
 * Byte strings: one character per byte (Latin-1), the form of all text inside the query engine.
 *
 * Streams are bytes, not necessarily UTF-8; columns are as wide as their bytes, and text sorts by
 * bytes. Conversion happens at the edges: query text and file names on the way in, output on the
 * way out.
 * @module
 */

const encoder = new TextEncoder();

/** The UTF-8 bytes of a string, as a byte string. */
export function toByteText(text: string): string {
  // deno-lint-ignore no-control-regex
  if (!/[^\x00-\x7f]/.test(text)) return text;
  let bytes = "";
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

/** A byte string read as UTF-8; bytes that are none become U+FFFD. */
export function fromByteText(bytes: string): string {
  // deno-lint-ignore no-control-regex
  if (!/[^\x00-\x7f]/.test(bytes)) return bytes;
  return new TextDecoder().decode(encodeByteText(bytes));
}

/** The bytes of a byte string. */
function encodeByteText(text: string): Uint8Array {
  // Of text that is ASCII alone, UTF-8 is as long as the text.
  const utf8 = encoder.encode(text);
  if (utf8.length === text.length) return utf8;
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Copy of a text as one piece: a text joined from several pieces is slow to read repeatedly. */
export function joinedText(text: string): string {
  return text.length < 1 << 12 ? String.fromCharCode(...encodeByteText(text)) : text;
}

/** A comma list; an empty last item is none. */
export function splitList(text: string): string[] {
  const items = text.split(",");
  if (items.at(-1) === "") items.pop();
  return items;
}

/** Text, a blank, and further blanks up to `width`. */
export function padRight(text: string, width: number): string {
  return text.padEnd(width) + " ";
}

/** Blanks up to `width`, text, and a blank. */
export function padLeft(text: string, width: number): string {
  return text.padStart(width) + " ";
}

/** A text that is too long keeps its two ends around `~~`. */
export function clamp(text: string, width: number): string {
  if (text.length <= width) return text;
  if (width < 4) return text.slice(0, Math.max(width, 0));
  const kept = (width >> 1) - 1;
  return text.slice(0, kept) + "~~" + text.slice(text.length - kept);
}

/**
 * Escapes text for a JSON string.
 *
 * @param strict False drops control characters and bytes from 0x80 on, as cali-query does if
 *   `char` is signed; true keeps UTF-8 and writes `\u00XX`.
 */
export function escapeJson(text: string, strict: boolean): string {
  // deno-lint-ignore no-control-regex
  if (!/[\x00-\x1f"\\\x80-\xff]/.test(text)) return text;
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x1f"\\\x80-\xff]/g, (c) => {
    if (c === '"' || c === "\\") return "\\" + c;
    if (c === "\n") return "\\n";
    if (!strict) return "";
    return c < " " ? "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0") : c;
  });
}

/** Is the text a number as JSON writes them? Not all that are printed bare are: `nan`, `007`. */
export function isJsonNumber(text: string): boolean {
  return /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text);
}
