/**
 * The text of a recording's description, which others may have written: a parser needs 0.1 ms and 1 kB
 * for each value of it, and the square of that for the keys of one mapping.
 * @module
 */
import { statPath } from "../../os/files.ts";
import { readUserText } from "../../os/user_file.ts";

/** A description of a node with 1,000 CPUs and 200 signals has 5,000 values in 150 kB. */
const MAX_VALUES = 20_000;
const MAX_BYTES = 16 << 20;
const COMMA = 44, NEWLINE = 10;

/** @throws {Error} If it cannot be read, or is larger than any description. */
export function readDescription(path: string): string {
  if ((statPath(path)?.size ?? 0) > MAX_BYTES) throw new Error(`more than ${MAX_BYTES >> 20} MiB`);
  const text = readUserText(path);
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === COMMA || code === NEWLINE) values++;
  }
  if (values > MAX_VALUES) throw new Error(`more than ${MAX_VALUES} values`);
  return text;
}
