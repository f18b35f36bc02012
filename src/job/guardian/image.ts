/**
 * Carriers of the guardian (guardian.c): the block that goes into the one-file executable, and a
 * small executable of its own, which a run from source starts.
 *
 * The block is [code | struct config | flags | variables | texts | code cache | stored | script];
 * guardian.c has the meanings of the words of struct config, in the same order.
 * @module
 */
import { SESSION, SESSION_MAGIC, SESSION_VERSION } from "../../core/events/ring_layout.ts";

/** "jmkguard" as a little-endian word: the mark of a file that contains the block. */
const MAGIC = 0x64726175676b6d6an;
const CONFIG_WORDS = 19;
const SESSION_BYTES = 64;
const CONFIG_BYTES = CONFIG_WORDS * 8 + SESSION_BYTES;

/** Processors that the guardian is built for, as ELF and as the runtime name them. */
export const MACHINES = {
  x86_64: { elf: 62, linker: "/lib64/ld-linux-x86-64.so.2" },
  aarch64: { elf: 183, linker: "/lib/ld-linux-aarch64.so.1" },
} as const;

/** Name of a machine. */
export type Machine = keyof typeof MACHINES;

/** Ways to start the runtime. */
export const MODE = { packed: 0, prepared: 1, execute: 2 } as const;

/** Content of the block. */
export interface Contents {
  /** The guardian's bytes, a multiple of 16. */
  readonly code: Uint8Array;
  readonly mode: number;
  readonly linker: string;
  /** Guardian's address minus the runtime's entry point; 0 if it is executed. */
  readonly entryDelta?: number;
  /** The runtime's arguments before the script: `run`, flags. */
  readonly flags?: readonly string[];
  /** Variables that the runtime's environment gets on top. */
  readonly variables?: readonly string[];
  /** Options of `run` whose value is the next word. */
  readonly withValue?: readonly string[];
  /** Data that the program reads from the executable when it is needed. */
  readonly stored?: Uint8Array;
  /**
   * Code caches of V8 for the program's texts, as Deno's database (code_cache.h): for a run, and
   * for a query.
   */
  readonly codeCache?: Uint8Array;
  readonly queryCodeCache?: Uint8Array;
  /** The program. @param storedAt Where `stored` begins in the block. */
  readonly script?: (storedAt: number) => Uint8Array;
  /** Mode execute: the runtime's path. */
  readonly runtime?: string;
  /** Mode execute: which argument of the command line is the program's first. */
  readonly argumentsFrom?: number;
}

/** Lays the block out. */
export function makeBlock(contents: Contents): Uint8Array<ArrayBuffer> {
  const { code, flags = [], variables = [], withValue = [] } = contents;
  const { codeCache = new Uint8Array(), queryCodeCache = new Uint8Array() } = contents;
  const { stored = new Uint8Array() } = contents;
  const parts: Uint8Array[] = [];
  let at = CONFIG_BYTES;
  const put = (texts: readonly string[]): number => {
    const start = at;
    const bytes = new TextEncoder().encode(texts.map((text) => `${text}\0`).join(""));
    parts.push(bytes);
    at += bytes.length;
    return start;
  };
  const [flagsAt, variablesAt] = [put(flags), put(variables)];
  const [linkerAt, runtimeAt] = [put([contents.linker]), put([contents.runtime ?? ""])];
  const withValueAt = put(withValue);
  const cacheAt = at;
  const queryCacheAt = at + codeCache.length, storedAt = queryCacheAt + queryCodeCache.length;
  parts.push(codeCache, queryCodeCache, stored);
  const scriptAt = Math.ceil((storedAt + stored.length) / 16) * 16;
  const script = contents.script?.(code.length + storedAt) ?? new Uint8Array();
  const block = new Uint8Array(code.length + scriptAt + script.length);
  block.set(code);
  const view = new DataView(block.buffer, code.length);
  const words = [
    ...[MAGIC, contents.mode, contents.entryDelta ?? 0],
    ...[flags.length, flagsAt, variables.length, variablesAt, linkerAt, runtimeAt],
    ...[contents.argumentsFrom ?? 1, scriptAt, script.length, SESSION.cycles],
    ...[withValue.length, withValueAt, cacheAt, codeCache.length],
    ...[queryCacheAt, queryCodeCache.length],
  ];
  words.forEach((word, i) => view.setBigInt64(i * 8, BigInt(word), true));
  block.set(sessionFile(), code.length + CONFIG_WORDS * 8);
  let from = code.length + CONFIG_BYTES;
  for (const part of parts) {
    block.set(part, from);
    from += part.length;
  }
  block.set(script, code.length + scriptAt);
  return block;
}

/** The session file as the guardian writes it: docs/reference/formats/ring.md. */
function sessionFile(): Uint8Array {
  const bytes = new Uint8Array(SESSION_BYTES);
  bytes.set(new TextEncoder().encode(SESSION_MAGIC));
  bytes[7] = SESSION_VERSION;
  return bytes;
}

const HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;

/**
 * The block as an executable of its own: elf(5), position-independent, without a dynamic linker, one
 * mapped part, and a stack that is not executable.
 */
export function makeExecutable(machine: Machine, block: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = HEADER_BYTES + 2 * PROGRAM_HEADER_BYTES + 16 - (2 * PROGRAM_HEADER_BYTES % 16);
  const file = new Uint8Array(start + block.length);
  const view = new DataView(file.buffer);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]); // ELF, 64 bits, little-endian, version
  view.setUint16(16, 3, true); // ET_DYN
  view.setUint16(18, MACHINES[machine].elf, true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, BigInt(start), true); // e_entry
  view.setBigUint64(32, BigInt(HEADER_BYTES), true); // e_phoff
  view.setUint16(52, HEADER_BYTES, true);
  view.setUint16(54, PROGRAM_HEADER_BYTES, true);
  view.setUint16(56, 2, true); // e_phnum
  const load = HEADER_BYTES;
  view.setUint32(load, 1, true); // PT_LOAD
  view.setUint32(load + 4, 5, true); // readable, executable
  view.setBigUint64(load + 32, BigInt(file.length), true); // p_filesz
  view.setBigUint64(load + 40, BigInt(file.length), true); // p_memsz
  view.setBigUint64(load + 48, 0x10000n, true); // p_align: pages of any size
  const stack = HEADER_BYTES + PROGRAM_HEADER_BYTES;
  view.setUint32(stack, 0x6474e551, true); // PT_GNU_STACK
  view.setUint32(stack + 4, 6, true); // readable, writable
  view.setBigUint64(stack + 48, 16n, true);
  file.set(block, start);
  return file;
}

/**
 * Reads `guardian_MACHINE.hex`: lines of hexadecimal bytes; comments with compiler and checksum.
 *
 * @throws {Error} If the bytes are not those that the checksum was made of.
 */
export async function readCode(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const digits = text.split("\n").filter((line) => !line.startsWith("#")).join("");
  const bytes = Uint8Array.fromHex(digits);
  const expected = /^# sha256: ([0-9a-f]{64})$/m.exec(text)?.[1];
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  if (found !== expected) {
    throw new Error(`cannot use the guardian: its sha256 is ${found}, not ${expected}`);
  }
  return bytes;
}
