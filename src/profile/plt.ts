/**
 * Procedure linkage tables: entries that jump to a function of another file, by that function's name. No symbol
 * covers them. Truth: System V ABI, "Procedure Linkage Table".
 * @module
 */
import {
  type ElfFile,
  piece,
  type ReadAt,
  type Section,
  type Symbol,
  textAt,
  viewOf,
  word,
} from "./elf.ts";

/** Type of a section: relocations with addends. */
const RELOCATIONS = 4;
const RELOCATION_BYTES = 24, SYMBOL_BYTES = 24;
/** Enough of a table to know its layout. */
const BEGIN_BYTES = 64;

/** The table of a file; nothing is read before an address in it is asked. */
export class LinkageTable {
  readonly #file: ElfFile;
  readonly #read: ReadAt;
  /** Names by the address of the word that an entry jumps through. */
  #names: Map<number, string> | undefined;

  constructor(file: ElfFile, read: ReadAt) {
    [this.#file, this.#read] = [file, read];
  }

  /** The entry that covers an address: `NAME@plt`. */
  find(address: number): Symbol | undefined {
    const section = this.#file.sections.find((s) => {
      return s.name.startsWith(".plt") && address >= s.address && address < s.address + s.size;
    });
    if (section === undefined) return undefined;
    const { linkage } = this.#file.machine;
    const begin = piece(this.#read, section.offset, Math.min(section.size, BEGIN_BYTES));
    const { head, step } = linkage.layout(begin, section.entrySize);
    const at = address - section.address - head;
    const from = at < 0 ? 0 : head + Math.floor(at / step) * step;
    const start = section.address + from;
    const code = piece(this.#read, section.offset + from, at < 0 ? head : step);
    const target = linkage.jumpTarget(code, start) ?? -1;
    // The first entry of .plt has the jump of the dynamic linker.
    const name = (this.#names ??= this.#readNames()).get(target);
    return { name: name === undefined ? section.name : `${name}@plt`, start };
  }

  #readNames(): Map<number, string> {
    const names = new Map<number, string>(), { sections } = this.#file;
    for (const section of sections) {
      if (section.kind !== RELOCATIONS) continue;
      const symbols = sections[section.link], texts = sections[symbols?.link];
      const rows = viewOf(this.#content(section));
      const table = viewOf(this.#content(symbols)), text = this.#content(texts);
      for (let at = 0; at + RELOCATION_BYTES <= rows.byteLength; at += RELOCATION_BYTES) {
        const symbol = rows.getUint32(at + 12, true) * SYMBOL_BYTES;
        // A static program resolves its own functions; the addend is the resolver.
        const name = rows.getUint32(at + 8, true) === this.#file.machine.linkage.indirectRelative
          ? `*ABS*+0x${word(rows, at + 16).toString(16)}`
          : symbol === 0 || symbol + SYMBOL_BYTES > table.byteLength
          ? ""
          : textAt(text, table.getUint32(symbol, true));
        if (name !== "") names.set(word(rows, at), name);
      }
    }
    return names;
  }

  #content(section: Section | undefined): Uint8Array {
    return section === undefined
      ? new Uint8Array()
      : piece(this.#read, section.offset, section.size);
  }
}
