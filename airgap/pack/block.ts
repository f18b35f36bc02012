/**
 * The block that the one-file executable carries behind Deno: [stub | struct config | flags |
 * variables | script],
 * see `stub.c`, which reads it.
 */

/** "jmkpack1" as a little-endian word: what a packed file can be told by. */
const MAGIC = 0x316b6361706b6d6an;
const CONFIG_WORDS = 9;

/** What goes into the block. */
export interface Contents {
  /** The stub's bytes, a multiple of 16. */
  stub: Uint8Array;
  /** Deno's arguments before the script: `run`, flags. */
  flags: string[];
  /** Variables that Deno's environment gets on top. */
  variables: string[];
  /** The bundled program. */
  script: Uint8Array;
  /** Stub's address minus Deno's entry point. */
  entryDelta: number;
  /** Stub's address minus that of Deno's pointer to `environ`. */
  environDelta: number;
}

/** Lays the block out. */
export function makeBlock(contents: Contents): Uint8Array {
  const { stub, script } = contents;
  const flags = textList(contents.flags);
  const variables = textList(contents.variables);
  const flagsAt = CONFIG_WORDS * 8;
  const variablesAt = flagsAt + flags.length;
  const scriptAt = Math.ceil((variablesAt + variables.length) / 16) * 16;
  const block = new Uint8Array(stub.length + scriptAt + script.length);
  block.set(stub);
  const view = new DataView(block.buffer, stub.length);
  const words = [
    MAGIC,
    contents.entryDelta,
    contents.environDelta,
    contents.flags.length,
    flagsAt,
    contents.variables.length,
    variablesAt,
    scriptAt,
    script.length,
  ];
  words.forEach((word, i) => view.setBigUint64(i * 8, BigInt(word), true));
  block.set(flags, stub.length + flagsAt);
  block.set(variables, stub.length + variablesAt);
  block.set(script, stub.length + scriptAt);
  return block;
}

function textList(texts: string[]): Uint8Array {
  return new TextEncoder().encode(texts.map((text) => `${text}\0`).join(""));
}

/**
 * Reads `stub.hex`: lines of hexadecimal bytes, and in comments the compiler and the checksum.
 *
 * @throws {Error} If the bytes are not those that the checksum was made of.
 */
export async function readStub(text: string): Promise<Uint8Array> {
  const lines = text.split("\n");
  const digits = lines.filter((line) => !line.startsWith("#")).join("");
  const bytes = Uint8Array.fromHex(digits);
  const expected = /^# sha256: ([0-9a-f]{64})$/m.exec(text)?.[1];
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  if (found !== expected) {
    throw new Error(`Cannot use stub.hex: expected sha256 ${expected}, found ${found}`);
  }
  return bytes;
}
