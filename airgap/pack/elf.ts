/**
 * Gives an ELF executable another entry point and a block of its own, without moving anything:
 * the program header of the notes (which nothing reads at run time) becomes one that maps the block,
 * the block goes to the end of the file and above the last mapped address, and `e_entry` points at it.
 *
 * Offsets are those of elf(5) for 64 bits: e_entry 24, e_phoff 32, e_phentsize 54, e_phnum 56; in a
 * program header p_type 0, p_flags 4, p_offset 8, p_vaddr 16, p_filesz 32, p_memsz 40, p_align 48.
 */

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const PT_NOTE = 4;
const READ_EXECUTE = 5;
const ET_DYN = 3;
const EM_X86_64 = 62;
const DT_STRTAB = 5;
const DT_SYMTAB = 6;
const DT_RELA = 7;
const DT_RELASZ = 8;
const R_X86_64_GLOB_DAT = 6;
const PAGE = 4096;
/** The dynamic linker of glibc on x86-64; musl's is /lib/ld-musl-x86_64.so.1. */
const LINKER = "/lib64/ld-linux-x86-64.so.2";

/** Where a block would go, and where the program began before. */
export interface Place {
  /** Address of the original entry point. */
  entry: number;
  /** Address of the word that the dynamic linker fills with the address of libc's `environ`. */
  environ: number;
  /** Address at which the block will be mapped. */
  address: number;
  /** Offset in the file, a multiple of the page size, at or behind its end. */
  offset: number;
  /** Offset of the program header that is given up. */
  header: number;
}

/**
 * Finds the place, or says why this file cannot be packed.
 *
 * @param path Only for messages.
 * @throws {Error} If it is not a 64-bit position-independent x86-64 program for glibc with notes.
 */
export function findPlace(file: Uint8Array, path: string): Place {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const refuse: (expected: string, found: string) => never = (expected, found) => {
    throw new Error(`Cannot pack "${path}": expected ${expected}, found ${found}`);
  };
  if (file.length < 64 || view.getUint32(0) !== 0x7f454c46) refuse("an ELF file", "something else");
  if (file[4] !== 2 || file[5] !== 1) refuse("64 bits, little-endian", "another class");
  const [type, machine] = [view.getUint16(16, true), view.getUint16(18, true)];
  if (machine !== EM_X86_64) refuse("an x86-64 program", `machine ${machine}`);
  if (type !== ET_DYN) refuse("a position-independent program", `ELF type ${type}`);

  let top = 0;
  let lastLoad = 0;
  let note = 0;
  let linker = "none";
  for (const at of headers(view)) {
    const kind = view.getUint32(at, true);
    if (kind === PT_LOAD) {
      top = Math.max(top, number(view, at + 16) + number(view, at + 40));
      lastLoad = at;
    } else if (kind === PT_NOTE) {
      note = at;
    } else if (kind === PT_INTERP) {
      const start = number(view, at + 8);
      linker = new TextDecoder().decode(file.subarray(start, start + number(view, at + 32) - 1));
    }
  }
  if (linker !== LINKER) refuse(`a program for glibc (${LINKER})`, linker);
  if (note === 0) refuse("a header of notes to give up", "none (stripped, or already packed)");
  // Kernels before 5.18 take the size of the whole program from the last mapped header.
  if (note < lastLoad) refuse("the header of notes behind the mapped ones", "it before them");
  return {
    entry: number(view, 24),
    environ: findImport(file, "environ") ?? refuse("environ imported from libc", "no such import"),
    address: (top + 0xffff) - ((top + 0xffff) % 0x10000),
    offset: Math.ceil(file.length / PAGE) * PAGE,
    header: note,
  };
}

/** The file with the block mapped at its place, which becomes the entry point. */
export function inject(file: Uint8Array, place: Place, block: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(place.offset + block.length);
  out.set(file);
  out.set(block, place.offset);
  const view = new DataView(out.buffer);
  const at = place.header;
  view.setUint32(at, PT_LOAD, true);
  view.setUint32(at + 4, READ_EXECUTE, true);
  view.setBigUint64(at + 8, BigInt(place.offset), true);
  view.setBigUint64(at + 16, BigInt(place.address), true);
  view.setBigUint64(at + 24, BigInt(place.address), true);
  view.setBigUint64(at + 32, BigInt(block.length), true);
  view.setBigUint64(at + 40, BigInt(block.length), true);
  view.setBigUint64(at + 48, BigInt(PAGE), true);
  view.setBigUint64(24, BigInt(place.address), true);
  return out;
}

/**
 * The word of the global offset table for a variable of a library: a relocation R_X86_64_GLOB_DAT
 * {r_offset, r_info = symbol index << 32 | type, r_addend} names its symbol {st_name, ...}.
 */
function findImport(file: Uint8Array, name: string): number | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const dynamic = readDynamic(view);
  const at = (tag: number) => offsetOf(view, dynamic.get(tag) ?? -1);
  const [strings, symbols, relocations] = [at(DT_STRTAB), at(DT_SYMTAB), at(DT_RELA)];
  const wanted = new TextEncoder().encode(`${name}\0`);
  const end = relocations + (dynamic.get(DT_RELASZ) ?? 0);
  for (let row = relocations; row < end; row += 24) {
    if (view.getUint32(row + 8, true) !== R_X86_64_GLOB_DAT) continue;
    const symbol = symbols + view.getUint32(row + 12, true) * 24;
    const start = strings + view.getUint32(symbol, true);
    if (wanted.every((byte, i) => file[start + i] === byte)) return number(view, row);
  }
  return undefined;
}

/** The dynamic section, by tag. */
function readDynamic(view: DataView): Map<number, number> {
  const entries = new Map<number, number>();
  for (const at of headers(view)) {
    if (view.getUint32(at, true) !== PT_DYNAMIC) continue;
    const start = number(view, at + 8);
    for (let row = start; row < start + number(view, at + 32); row += 16) {
      entries.set(number(view, row), number(view, row + 8));
    }
  }
  return entries;
}

/** Offset in the file of an address; NaN where the file holds nothing. */
function offsetOf(view: DataView, address: number): number {
  for (const at of headers(view)) {
    const behind = address - number(view, at + 16);
    if (view.getUint32(at, true) === PT_LOAD && behind >= 0 && behind < number(view, at + 32)) {
      return number(view, at + 8) + behind;
    }
  }
  return NaN;
}

/** Offsets of the program headers. */
function headers(view: DataView): number[] {
  const [first, size] = [number(view, 32), view.getUint16(54, true)];
  return Array.from({ length: view.getUint16(56, true) }, (_, i) => first + i * size);
}

function number(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}
