/**
 * Gives an ELF executable another entry point and a block of its own, without moving anything:
 * the program header of the notes (which nothing reads at run time) becomes one that maps the block,
 * the block goes to the end of the file and above the last mapped address, `e_entry` points at it,
 * and the header that names the dynamic linker gets a type that the kernel passes over: it starts the
 * block itself, which starts the dynamic linker when it wants it (src/job/guardian/runtime.h).
 *
 * Offsets are those of elf(5) for 64 bits: e_entry 24, e_phoff 32, e_phentsize 54, e_phnum 56; in a
 * program header p_type 0, p_flags 4, p_offset 8, p_vaddr 16, p_filesz 32, p_memsz 40, p_align 48.
 */
import { type Machine, MACHINES } from "../../src/job/guardian/image.ts";

const PT_LOAD = 1;
const PT_INTERP = 3;
const PT_NOTE = 4;
/** PT_HIDDEN_INTERP of src/job/guardian/runtime.h. */
const PT_HIDDEN_INTERP = 0x6a6d6b49;
const READ_EXECUTE = 5;
const ET_DYN = 3;
/** The largest page that these processors have. */
const PAGE = 0x10000;

/** Where a block would go, and where the program began before. */
export interface Place {
  readonly machine: Machine;
  /** Address of the original entry point. */
  readonly entry: number;
  /** Address at which the block will be mapped. */
  readonly address: number;
  /** Offset in the file, a multiple of the page size, at or behind its end. */
  readonly offset: number;
  /** Offset of the program header that is given up. */
  readonly header: number;
  /** Offset of the one that names the dynamic linker. */
  readonly interpreter: number;
}

/**
 * Finds the place, or says why this file cannot be packed.
 *
 * @param path Only for messages.
 * @throws {Error} If it is not a 64-bit position-independent program for glibc with notes, for a
 * processor that there is a guardian for.
 */
export function findPlace(file: Uint8Array, path: string): Place {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const refuse: (expected: string, found: string) => never = (expected, found) => {
    throw new Error(`Cannot pack "${path}": expected ${expected}, found ${found}`);
  };
  if (file.length < 64 || view.getUint32(0) !== 0x7f454c46) refuse("an ELF file", "something else");
  if (file[4] !== 2 || file[5] !== 1) refuse("64 bits, little-endian", "another class");
  const [type, processor] = [view.getUint16(16, true), view.getUint16(18, true)];
  const machine = (Object.keys(MACHINES) as Machine[]).find((m) => MACHINES[m].elf === processor) ??
    refuse("an x86-64 or aarch64 program", `machine ${processor}`);
  if (type !== ET_DYN) refuse("a position-independent program", `ELF type ${type}`);

  let top = 0;
  let lastLoad = 0;
  let note = 0;
  let interpreter = 0;
  let linker = "none";
  for (const at of headers(view)) {
    const kind = view.getUint32(at, true);
    if (kind === PT_LOAD) {
      top = Math.max(top, number(view, at + 16) + number(view, at + 40));
      lastLoad = at;
    } else if (kind === PT_NOTE) {
      note = at;
    } else if (kind === PT_INTERP) {
      interpreter = at;
      const start = number(view, at + 8);
      linker = new TextDecoder().decode(file.subarray(start, start + number(view, at + 32) - 1));
    } else if (kind === PT_HIDDEN_INTERP) {
      refuse("a program as its linker left it", "one with a guardian already");
    }
  }
  if (linker !== MACHINES[machine].linker) {
    refuse(`a program for glibc (${MACHINES[machine].linker})`, linker);
  }
  if (note === 0) refuse("a header of notes to give up", "none (stripped, or already packed)");
  // Kernels before 5.18 take the size of the whole program from the last mapped header.
  if (note < lastLoad) refuse("the header of notes behind the mapped ones", "it before them");
  return {
    machine,
    entry: number(view, 24),
    address: Math.ceil(top / PAGE) * PAGE,
    offset: Math.ceil(file.length / PAGE) * PAGE,
    header: note,
    interpreter,
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
  view.setUint32(place.interpreter, PT_HIDDEN_INTERP, true);
  view.setBigUint64(24, BigInt(place.address), true);
  return out;
}

/** Offsets of the program headers. */
function headers(view: DataView): number[] {
  const [first, size] = [number(view, 32), view.getUint16(54, true)];
  return Array.from({ length: view.getUint16(56, true) }, (_, i) => first + i * size);
}

function number(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}
