/**
 * The kept corpus: one file a parser, one input a line, as base64.
 *
 * @module
 */
const CORPUS = new URL("../corpus/", import.meta.url);

/** As a line of the file. */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function decodeBase64(line: string): Uint8Array {
  return Uint8Array.from(atob(line), (c) => c.charCodeAt(0));
}

/** Inputs of a parser: those that reach all that was reached, and those that once went wrong. */
export function readCorpus(name: string, kind: "kept" | "found" = "kept"): Uint8Array[] {
  try {
    const text = Deno.readTextFileSync(new URL(`${name}.${kind}`, CORPUS));
    return text.split("\n").slice(0, -1).map((line) => decodeBase64(line));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Writes them, in an order of their own. */
export function writeCorpus(name: string, inputs: readonly Uint8Array[], kind = "kept"): void {
  const lines = [...new Set(inputs.map((bytes) => encodeBase64(bytes)))];
  Deno.mkdirSync(CORPUS, { recursive: true });
  const text = lines.sort().map((line) => line + "\n").join("");
  Deno.writeTextFileSync(new URL(`${name}.${kind}`, CORPUS), text);
}
