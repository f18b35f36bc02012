/**
 * Functions of Go programs without symbols: the runtime's own table, .gopclntab, stays when a program is stripped.
 * Truth: Go's debug/gosym and runtime/symtab.go; Go 1.18 and later.
 * @module
 */
import { type ElfFile, piece, type ReadAt, type Symbol, textAt, viewOf, word } from "./elf.ts";

const NAMES: ReadonlySet<string> = new Set([".gopclntab", ".data.rel.ro.gopclntab"]);
/** First words of the table: Go 1.18, and 1.20 and later. */
const MAGICS: ReadonlySet<number> = new Set([0xfffffff0, 0xfffffff1]);
const HEADER_BYTES = 72, POINTER_BYTES = 8;
const COUNT_AT = 8, TEXT_AT = 24, NAMES_AT = 32, FUNCTIONS_AT = 64;
/** Bytes of a function's row: its begin and its place, both u32. */
const ROW_BYTES = 8;

/** Functions of Go's runtime that call others on the stack of the thread, or on that of a goroutine. */
export const LEAVES_STACK: ReadonlySet<string> = new Set(
  ["asmcgocall", "cgocallback", "mcall", "morestack", "systemstack"].flatMap((name) => {
    return [`runtime.${name}`, `runtime.${name}.abi0`];
  }),
);

/** Has a file code of Go? */
export function isOfGo({ sections }: ElfFile): boolean {
  return sections.some(({ name }) => NAMES.has(name));
}

/** The table of a file. */
export class GoTable {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #count: number;
  /** Address of the code, and offsets of names and of rows. */
  readonly #text: number;
  readonly #namesAt: number;
  readonly #rowsAt: number;

  private constructor(bytes: Uint8Array) {
    const view = viewOf(bytes);
    [this.#bytes, this.#view] = [bytes, view];
    [this.#text, this.#namesAt] = [word(view, TEXT_AT), word(view, NAMES_AT)];
    this.#rowsAt = word(view, FUNCTIONS_AT);
    const most = Math.floor((bytes.length - this.#rowsAt - ROW_BYTES / 2) / ROW_BYTES);
    this.#count = Math.max(0, Math.min(word(view, COUNT_AT), most));
  }

  /** The table; `undefined`: the file has none that is known. */
  static of({ sections }: ElfFile, read: ReadAt): GoTable | undefined {
    const section = sections.find(({ name }) => NAMES.has(name));
    if (section === undefined) return undefined;
    const bytes = piece(read, section.offset, section.size);
    if (bytes.length < HEADER_BYTES) return undefined;
    const isKnown = MAGICS.has(viewOf(bytes).getUint32(0, true)) && bytes[7] === POINTER_BYTES;
    const table = isKnown ? new GoTable(bytes) : undefined;
    // The loader fills in the address of a program that may be anywhere.
    return table !== undefined && table.#text > 0 ? table : undefined;
  }

  /** The function that covers an address. */
  find(address: number): Symbol | undefined {
    const wanted = address - this.#text, view = this.#view;
    const begin = (row: number) => view.getUint32(this.#rowsAt + row * ROW_BYTES, true);
    let low = 0, high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (begin(middle) <= wanted) low = middle + 1;
      else high = middle;
    }
    // Behind the last row is the end.
    if (low === 0 || wanted >= begin(low)) return undefined;
    const at = this.#rowsAt + view.getUint32(this.#rowsAt + (low - 1) * ROW_BYTES + 4, true);
    if (at + ROW_BYTES > view.byteLength) return undefined;
    const name = textAt(this.#bytes, this.#namesAt + view.getUint32(at + 4, true));
    return name === "" ? undefined : { name, start: this.#text + begin(low - 1) };
  }
}
