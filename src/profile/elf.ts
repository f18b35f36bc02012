/**
 * Executables and shared libraries: segments, sections, build id, and names of functions.
 * Truth: elf(5). Files are read piece by piece, and every size in them may be wrong.
 * @module
 */

import { type Machine, X86_64 } from "./machine.ts";

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
const CLASS_64 = 2, LITTLE_ENDIAN = 1;
const LOAD = 1, NOTE = 4, SYMTAB = 2, DYNSYM = 11;
const EXECUTABLE = 1, SECTION_EXECUTABLE = 4;
/** Types of symbols. */
const NOTYPE = 0, FUNCTION = 2, IFUNC = 10;
/** SHN_ABS. */
const ABSOLUTE = 0xfff1;
/** SHN_XINDEX: the number is in the first section header. */
const EXTENDED = 0xffff;
const SYMBOL_BYTES = 24;
/** A table that is larger is a broken file's. */
const TABLE_MOST = 1 << 30;
const SECTIONS_MOST = 1 << 20;
const NOTES_MOST = 1 << 20;
const BUILD_ID = 3;
const UNDERSCORE = 95;
/**
 * A last function without a size reaches so far. In a stripped file functions without a name may follow any: one
 * without a size reaches only so far there.
 */
const UNSIZED_BYTES = 1 << 16, STRIPPED_BYTES = 1 << 12;
const HIGH = 4294967296;

/** Mapping from file offsets to memory addresses. */
export interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  /** In the file. */
  readonly size: number;
}

/** A part of the file with a name. */
export interface Section {
  readonly name: string;
  readonly kind: number;
  readonly flags: number;
  readonly link: number;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  /** Bytes of an entry of its table; 0: it has none. */
  readonly entrySize: number;
}

/** The tables at the head of a file. */
export interface ElfFile {
  readonly machine: Machine;
  readonly segments: readonly Segment[];
  readonly sections: readonly Section[];
  /** In hex; empty: it has none. */
  readonly buildId: string;
}

/** Segments and sections of a file of this machine; a reason where it has none that can be read. */
export function openElf(read: ReadAt, machine: Machine): ElfFile | { refused: string } {
  const head = viewOf(read(0, 64));
  if (head.byteLength < 64 || head.getUint32(0, true) !== MAGIC) return { refused: "no ELF file" };
  const isKnown = head.getUint8(4) === CLASS_64 && head.getUint8(5) === LITTLE_ENDIAN &&
    head.getUint16(18, true) === machine.elf;
  if (!isKnown) return { refused: `an ELF file of another processor than ${machine.name}` };
  const table = (at: number, size: number, count: number) => {
    const bytes = viewOf(piece(read, at, size * count));
    const rows = size === 0 ? 0 : Math.floor(bytes.byteLength / size);
    return Array.from({ length: rows }, (_, i) => {
      return new DataView(bytes.buffer, bytes.byteOffset + i * size, size);
    });
  };
  const segments = table(word(head, 32), head.getUint16(54, true), head.getUint16(56, true))
    .filter((p) => p.byteLength >= 56)
    .map((p) => ({
      type: p.getUint32(0, true),
      flags: p.getUint32(4, true),
      offset: word(p, 8),
      address: word(p, 16),
      size: word(p, 32),
    }));
  const at = word(head, 40), size = head.getUint16(58, true);
  const first = at > 0 && size >= 64 ? table(at, size, 1).at(0) : undefined;
  const count = head.getUint16(60, true), titlesAt = head.getUint16(62, true);
  const rows = first === undefined
    ? []
    : table(at, size, Math.min(count === 0 ? word(first, 32) : count, SECTIONS_MOST));
  const titles = rows.at(titlesAt === EXTENDED ? first!.getUint32(40, true) : titlesAt);
  const texts = titles === undefined
    ? new Uint8Array()
    : piece(read, word(titles, 24), word(titles, 32));
  const sections = rows.map((s) => ({
    name: textAt(texts, s.getUint32(0, true)),
    kind: s.getUint32(4, true),
    flags: word(s, 8),
    link: s.getUint32(40, true),
    address: word(s, 16),
    offset: word(s, 24),
    size: word(s, 32),
    entrySize: word(s, 56),
  }));
  return { machine, segments, sections, buildId: buildIdOf(read, segments) };
}

function buildIdOf(read: ReadAt, segments: readonly Segment[]): string {
  for (const { type, offset, size } of segments) {
    if (type !== NOTE || size > NOTES_MOST) continue;
    const notes = piece(read, offset, size), view = viewOf(notes);
    for (let at = 0; at + 12 <= notes.length;) {
      const name = view.getUint32(at, true), length = view.getUint32(at + 4, true);
      const text = at + 12 + Math.ceil(name / 4) * 4;
      const isBuildId = view.getUint32(at + 8, true) === BUILD_ID && name === 4;
      if (isBuildId && textAt(notes, at + 12) === "GNU" && text + length <= notes.length) {
        return notes.subarray(text, text + length).toHex();
      }
      at = text + Math.ceil(length / 4) * 4;
    }
  }
  return "";
}

/** File offset of an address in memory; `undefined`: the address is in no segment. */
export function offsetOf({ segments }: Pick<ElfFile, "segments">, address: number) {
  const inside = segments.find((s) => {
    return s.type === LOAD && address >= s.address && address < s.address + s.size;
  });
  return inside && address - inside.address + inside.offset;
}

/**
 * The address that the linker gave to executable code at an offset of the file. A mapping of code begins at a
 * page, which may still belong to the segment before (lld, Rust, Go): executable segments come first.
 */
export function addressOf(
  { segments, machine }: Pick<ElfFile, "segments" | "machine">,
  offset: number,
): number | undefined {
  const loads = segments.filter(({ type }) => type === LOAD);
  const fits = (s: Segment) => {
    return offset >= s.offset - s.offset % machine.pageBytes && offset < s.offset + s.size;
  };
  const found = loads.find((s) => (s.flags & EXECUTABLE) !== 0 && fits(s)) ?? loads.find(fits);
  return found && offset - found.offset + found.address;
}

/** Functions of a file of x86-64 by their symbols; a reason where it has none that can be read. */
export function elfFunctions(read: ReadAt): ElfFunction[] | { refused: string } {
  const file = openElf(read, X86_64);
  if ("refused" in file) return file;
  const found = new Map<string, ElfFunction>();
  for (const kind of [SYMTAB, DYNSYM]) {
    const table = symbolBytes(file, read, kind);
    if (table === undefined) continue;
    const { symbols, texts } = table;
    for (let at = 0; at + SYMBOL_BYTES <= symbols.byteLength; at += SYMBOL_BYTES) {
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

function symbolBytes(file: ElfFile, read: ReadAt, kind: number) {
  const section = file.sections.find((s) => s.kind === kind && s.size > SYMBOL_BYTES);
  const names = section && file.sections[section.link];
  if (section === undefined || names === undefined) return undefined;
  const symbols = viewOf(piece(read, section.offset, section.size));
  return { symbols, texts: piece(read, names.offset, names.size) };
}

/** A function by its place in memory. */
export interface Symbol {
  readonly name: string;
  /** Address of the function, as the linker placed it. */
  readonly start: number;
}

/** Code of a file by address: of .symtab, else .dynsym. A million of them take 0.1 GB. */
export class SymbolTable {
  readonly count: number;
  readonly #start: Float64Array;
  readonly #end: Float64Array;
  readonly #nameAt: Uint32Array;
  readonly #texts: Uint8Array;

  constructor(file: ElfFile, read: ReadAt) {
    const whole = symbolBytes(file, read, SYMTAB);
    const table = whole ?? symbolBytes(file, read, DYNSYM);
    const unsized = whole === undefined ? STRIPPED_BYTES : Infinity;
    const symbols = table?.symbols ?? viewOf(new Uint8Array());
    const texts = this.#texts = table?.texts ?? new Uint8Array();
    const most = Math.floor(symbols.byteLength / SYMBOL_BYTES);
    const starts = new Float64Array(most),
      ats = new Uint32Array(most),
      ranks = new Uint8Array(most);
    let n = 0;
    for (let at = SYMBOL_BYTES; at + SYMBOL_BYTES <= symbols.byteLength; at += SYMBOL_BYTES) {
      const rank = rankOf(symbols, at, file.sections, texts);
      if (rank === undefined) continue;
      [starts[n], ats[n], ranks[n]] = [word(symbols, at + 8), at, rank];
      n++;
    }
    const size = (i: number) => word(symbols, ats[i] + 16);
    const all = new Uint32Array(n);
    for (let i = 0; i < n; i++) all[i] = i;
    all.sort((a, b) => starts[a] - starts[b] || ranks[a] - ranks[b] || size(b) - size(a));
    const order = all.filter((one, i) => i === 0 || starts[all[i - 1]] !== starts[one]);
    this.count = order.length;
    this.#start = Float64Array.from(order, (i) => starts[i]);
    this.#nameAt = Uint32Array.from(order, (i) => symbols.getUint32(ats[i], true));
    this.#end = Float64Array.from(order, (one, i) => {
      const next = i + 1 < order.length ? starts[order[i + 1]] : starts[one] + UNSIZED_BYTES;
      const section = file.sections[symbols.getUint16(ats[one] + 6, true)];
      const last = section === undefined ? next : section.address + section.size;
      return starts[one] + (size(one) || Math.min(next - starts[one], last - starts[one], unsized));
    });
  }

  /** The function that covers an address. */
  find(address: number): Symbol | undefined {
    let i = firstAbove(this.#start, this.count, address) - 1;
    // A small symbol may lie inside of a larger one.
    for (let tries = 0; tries < 8 && i > 0 && address >= this.#end[i]; tries++) i--;
    if (i < 0 || address >= this.#end[i]) return undefined;
    return { name: textAt(this.#texts, this.#nameAt[i]), start: this.#start[i] };
  }
}

/**
 * Rank of a name among several of one address: the lowest counts; `undefined`: it is no function.
 */
function rankOf(
  symbols: DataView,
  at: number,
  sections: readonly Section[],
  texts: Uint8Array,
): number | undefined {
  const info = symbols.getUint8(at + 4), type = info & 15, binding = info >> 4;
  const section = symbols.getUint16(at + 6, true), name = symbols.getUint32(at, true);
  if (type !== FUNCTION && type !== IFUNC && type !== NOTYPE) return undefined;
  if (section === 0 || section === ABSOLUTE || (texts[name] ?? 0) === 0) return undefined;
  if (symbols.getUint32(at + 8, true) === 0 && symbols.getUint32(at + 12, true) === 0) {
    return undefined;
  }
  const isCode = ((sections[section]?.flags ?? 0) & SECTION_EXECUTABLE) !== 0;
  // $x and $d of aarch64 mark code and data.
  if (type === NOTYPE && (!isCode || texts[name] === 36)) return undefined;
  const order = binding === 1 ? 0 : binding === 2 ? 1 : 2;
  // `malloc` rather than `__libc_malloc`.
  let underscores = 0;
  while (underscores < 3 && texts[name + underscores] === UNDERSCORE) underscores++;
  return ((type === NOTYPE ? 8 : 0) + order) * 4 + underscores;
}

/** Number of the first sorted values that are not above one. */
export function firstAbove(sorted: Float64Array, count: number, value: number): number {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bytes of a file; none where the size cannot be. */
export function piece(read: ReadAt, offset: number, size: number): Uint8Array {
  if (!(size > 0 && size <= TABLE_MOST && offset <= Number.MAX_SAFE_INTEGER)) {
    return new Uint8Array();
  }
  return read(offset, size);
}

/** A u64 as a number: exact up to 2^53. */
export function word(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * HIGH;
}

/** View of the same bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const decoder = new TextDecoder();

/** A text that ends in NUL. */
export function textAt(bytes: Uint8Array, at: number): string {
  if (at >= bytes.length) return "";
  const end = bytes.indexOf(0, at);
  return decoder.decode(bytes.subarray(at, end < 0 ? at : end));
}
