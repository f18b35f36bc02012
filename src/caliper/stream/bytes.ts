/**
 * Bytes of a `.cali` stream: the keys, the separators, and ranges as text.
 * @module
 */

export const NEWLINE = 10, RETURN = 13, COMMA = 44, EQUALS = 61, BACKSLASH = 92;

/** 1 for the bytes that end a value: newline, comma, equals, backslash. */
export const ENDS = new Uint8Array(256);
ENDS[NEWLINE] =
  ENDS[COMMA] =
  ENDS[EQUALS] =
  ENDS[BACKSLASH] =
    1;

const bytesOf = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
export const NODE = bytesOf("__rec=node,");
export const CONTEXT = bytesOf("__rec=ctx,");
export const GLOBALS = bytesOf("__rec=globals,");
export const ID_KEY = bytesOf("id=");
export const REF_KEY = bytesOf("ref=");
export const ATTR_KEY = bytesOf("attr=");
export const DATA_KEY = bytesOf("data=");
export const PARENT_KEY = bytesOf("parent=");

/** Does the line continue with `text` and at least one byte more? */
export function startsRecord(buffer: Uint8Array, p: number, text: Uint8Array): boolean {
  return startsWith(buffer, p, text) && buffer[p + text.length] !== NEWLINE;
}

/** Do the bytes at `p` begin with `text`? */
function startsWith(buffer: Uint8Array, p: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (buffer[p + i] !== text[i]) return false;
  return true;
}

/** Four bytes as a word, little endian. */
export function wordOf(bytes: Uint8Array, at = 0): number {
  return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24;
}

const CONTEXT_WORDS = [wordOf(CONTEXT, 0), wordOf(CONTEXT, 4)] as const;

/**
 * Tests for a context record, as `startsRecord` with `CONTEXT`; called for nearly every line of a
 * trace.
 */
export function startsContext(buffer: Uint8Array, view: DataView, p: number): boolean {
  return view.getInt32(p, true) === CONTEXT_WORDS[0] &&
    view.getInt32(p + 4, true) === CONTEXT_WORDS[1] && buffer[p + 8] === CONTEXT[8] &&
    buffer[p + 9] === COMMA && buffer[p + 10] !== NEWLINE;
}

/** The bytes of a range as a string of one character per byte (Latin-1), not decoded. */
export function byteText(buffer: Uint8Array, start: number, end: number): string {
  if (end - start <= 512) {
    // deno-lint-ignore no-explicit-any
    return String.fromCharCode.apply(null, buffer.subarray(start, end) as any);
  }
  let text = "";
  for (let at = start; at < end; at += 512) {
    text += byteText(buffer, at, Math.min(at + 512, end));
  }
  return text;
}

/** Text as of `byteText`, with backslash escapes resolved: `\n` is a newline, `\x` is x. */
export function unescapedText(buffer: Uint8Array, start: number, end: number): string {
  const raw = byteText(buffer, start, end);
  return raw.replace(/\\([\s\S])?/g, (_, c: string | undefined) => c === "n" ? "\n" : c ?? "");
}
