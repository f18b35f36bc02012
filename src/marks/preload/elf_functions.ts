/**
 * Functions of an executable or a shared library: names, the offset of their code in the file, and how
 * long it is. Truth: elf(5).
 * @module
 */

/** Reads bytes of the file; fewer at its end. */
export type ReadAt = (offset: number, length: number) => Uint8Array;

/** One function. */
export interface ElfFunction {
  readonly name: string;
  /** Offset of the function's code in the file, bytes. */
  readonly offset: number;
  /** Bytes of code; 0: not in the file. */
  readonly size: number;
}

const MAGIC = 0x464c457f;
const CLASS_64 = 2, LITTLE_ENDIAN = 1, X86_64 = 62;
const LOAD = 1, SYMTAB = 2, DYNSYM = 11, FUNCTION = 2;
/** A table that is larger is a broken file's. */
const TABLE_MOST = 1 << 30;

/** Mapping from file offsets to memory addresses. */
interface Segment {
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

interface Section extends Segment {
  readonly name: string;
  readonly kind: number;
  readonly link: number;
}

/** The tables at the head of a file. */
export interface ElfSections {
  readonly segments: readonly Segment[];
  readonly sections: readonly Section[];
}

const word = (view: DataView, at: number) => Number(view.getBigUint64(at, true));

/** Segments and sections of the file; a reason where it has none that can be read. */
export function elfSections(read: ReadAt): ElfSections | { refused: string } {
  const head = viewOf(read(0, 64));
  if (head.byteLength < 64 || head.getUint32(0, true) !== MAGIC) return { refused: "no ELF file" };
  const isKnown = head.getUint8(4) === CLASS_64 && head.getUint8(5) === LITTLE_ENDIAN &&
    head.getUint16(18, true) === X86_64;
  if (!isKnown) return { refused: "an ELF file of another processor than x86-64" };
  const table = (at: number, size: number, count: number) => {
    const bytes = viewOf(read(at, size * count));
    return Array.from({ length: Math.floor(bytes.byteLength / size) }, (_, i) => {
      return new DataView(bytes.buffer, bytes.byteOffset + i * size, size);
    });
  };
  const segments = table(word(head, 32), head.getUint16(54, true), head.getUint16(56, true))
    .filter((p) => p.byteLength >= 56 && p.getUint32(0, true) === LOAD)
    .map((p) => ({ offset: word(p, 8), address: word(p, 16), size: word(p, 32) }));
  const rows = table(word(head, 40), head.getUint16(58, true), head.getUint16(60, true))
    .filter((s) => s.byteLength >= 64);
  const titles = rows.at(head.getUint16(62, true));
  const texts = titles === undefined || word(titles, 32) > TABLE_MOST
    ? new Uint8Array()
    : read(word(titles, 24), word(titles, 32));
  const sections = rows.map((s) => ({
    name: textAt(texts, s.getUint32(0, true)),
    kind: s.getUint32(4, true),
    link: s.getUint32(40, true),
    address: word(s, 16),
    offset: word(s, 24),
    size: word(s, 32),
  }));
  return { segments, sections };
}

/** File offset of an address in memory; `undefined`: the address is in no segment. */
export function offsetOf({ segments }: ElfSections, address: number): number | undefined {
  const inside = segments.find((s) => address >= s.address && address < s.address + s.size);
  return inside && address - inside.address + inside.offset;
}

/** Functions of the file by their symbols; a reason where it has none that can be read. */
export function elfFunctions(read: ReadAt): ElfFunction[] | { refused: string } {
  const file = elfSections(read);
  if ("refused" in file) return file;
  const found = new Map<string, ElfFunction>();
  for (const kind of [SYMTAB, DYNSYM]) {
    const section = file.sections.find((s) => s.kind === kind);
    const names = section && file.sections[section.link];
    if (section === undefined || names === undefined) continue;
    if (section.size > TABLE_MOST || names.size > TABLE_MOST) continue;
    const symbols = viewOf(read(section.offset, section.size));
    const texts = read(names.offset, names.size);
    for (let at = 0; at + 24 <= symbols.byteLength; at += 24) {
      const isDefined = symbols.getUint16(at + 6, true) !== 0;
      if ((symbols.getUint8(at + 4) & 15) !== FUNCTION || !isDefined) continue;
      const offset = offsetOf(file, word(symbols, at + 8));
      const name = textAt(texts, symbols.getUint32(at, true));
      if (offset !== undefined && name !== "") {
        found.set(`${name} ${offset}`, { name, offset, size: word(symbols, at + 16) });
      }
    }
  }
  return found.size > 0
    ? [...found.values()]
    : { refused: "an ELF file without names of functions" };
}

/** View of the same bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A text that ends in NUL. */
function textAt(bytes: Uint8Array, at: number): string {
  const end = bytes.indexOf(0, at);
  return new TextDecoder().decode(bytes.subarray(at, end < 0 ? at : end));
}
