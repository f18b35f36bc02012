/**
 * Call frame information, one function at a time: .eh_frame_hdr finds the entry (FDE) of an address, and
 * its instructions become rows. Nothing of a file is read that no sample needs.
 * Truth: DWARF 5, section 6.4; Linux Standard Base, .eh_frame and .eh_frame_hdr.
 *
 * A row has 32-bit integers: its first address from the function's start; the register of the frame's address
 * (CFA), or EXPRESSION | i; the offset of the CFA; then the rules of the registers that a call keeps, and of the
 * return address. A rule is an offset from the CFA, SAME, UNDEFINED, or a kind and an index.
 * @module
 */
import { BadTable, Cursor, orNothing } from "./cursor.ts";
import { type ElfFile, firstAbove, piece, type ReadAt, type Section, viewOf } from "./elf.ts";
import { EXPRESSION, type Machine, REGISTER, SAME, UNDEFINED, VALUE } from "./machine.ts";

/** Index of the first register's rule in a row. */
export const FIRST_RULE = 3;
const EH_FRAME_HDR = 0x6474e550, LOAD = 1, NOBITS = 8;
/** Encodings of pointers in .eh_frame_hdr that linkers write: udata4; sdata4 from the table's address. */
const COUNT_ENCODING = 0x03, TABLE_ENCODING = 0x3b;
const TABLE_MOST = 1 << 28, ENTRY_MOST = 1 << 20, ROWS_MOST = 1 << 14, REMEMBERED_MOST = 256;
const BUFFER_BYTES = 4096;

/** The rows of one function. */
export interface Fde {
  readonly start: number;
  readonly end: number;
  readonly rows: Int32Array;
  /** The frame of a signal handler's caller: its address is that of the next instruction itself. */
  readonly isSignal: boolean;
  readonly expressions: readonly Uint8Array[];
}

/** Call frame information of a file. */
export class FrameTable {
  /** The file has none. */
  readonly isEmpty: boolean;
  readonly #file: ElfFile;
  readonly #read: ReadAt;
  readonly #ehFrame: Section | undefined;
  readonly #debugFrame: Section | undefined;
  #header: DataView | undefined;
  #headerAddress = 0;
  #count = 0;
  #tableAt = 0;
  #scanned: { starts: Float64Array; places: Float64Array } | undefined;
  readonly #entries = new Map<number, Fde | null>();
  #buffer = new Uint8Array();
  #bufferAt = 0;

  constructor(file: ElfFile, read: ReadAt) {
    [this.#file, this.#read] = [file, read];
    const named = (name: string) => {
      return file.sections.find((s) => s.name === name && s.kind !== NOBITS && s.size > 0);
    };
    this.#ehFrame = named(".eh_frame");
    this.#debugFrame = named(".debug_frame");
    this.#openHeader();
    this.isEmpty = this.#header === undefined && this.#ehFrame === undefined &&
      this.#debugFrame === undefined;
  }

  #openHeader(): void {
    const segment = this.#file.segments.find(({ type }) => type === EH_FRAME_HDR);
    if (segment === undefined || segment.size > TABLE_MOST) return;
    const bytes = piece(this.#read, segment.offset, segment.size), view = viewOf(bytes);
    const isUsual = bytes.length >= 12 && bytes[0] === 1 && bytes[2] === COUNT_ENCODING &&
      bytes[3] === TABLE_ENCODING;
    if (!isUsual) return;
    this.#tableAt = 8 + pointerBytes(bytes[1]);
    if (this.#tableAt > bytes.length) return;
    const most = Math.floor((bytes.length - this.#tableAt) / 8);
    this.#count = Math.min(view.getUint32(this.#tableAt - 4, true), most);
    this.#headerAddress = segment.address;
    this.#header = view;
  }

  /** The entry that covers an address as the linker placed it. */
  find(address: number): Fde | undefined {
    const header = this.#header;
    if (header !== undefined) {
      const wanted = address - this.#headerAddress;
      let low = 0, high = this.#count;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (header.getInt32(this.#tableAt + middle * 8, true) <= wanted) low = middle + 1;
        else high = middle;
      }
      if (low > 0) {
        const place = header.getInt32(this.#tableAt + (low - 1) * 8 + 4, true);
        const fde = this.#load(this.#headerAddress + place);
        if (fde !== null && address >= fde.start && address < fde.end) return fde;
      }
    }
    if (header !== undefined && this.#debugFrame === undefined) return undefined;
    const { starts, places } = this.#scanned ??= this.#scan();
    const i = firstAbove(starts, starts.length, address) - 1;
    const fde = i < 0 ? null : this.#load(places[i]);
    return fde !== null && address >= fde.start && address < fde.end ? fde : undefined;
  }

  /** @param place Address in .eh_frame, or −1 − offset in .debug_frame. */
  #load(place: number): Fde | null {
    let fde = this.#entries.get(place);
    if (fde === undefined) {
      fde = orNothing(() => this.#parse(place)) ?? null;
      this.#entries.set(place, fde);
    }
    return fde;
  }

  #parse(place: number): Fde {
    const entry = this.#entryAt(place);
    entry.at = 4;
    const pointer = entry.u32(), isDebug = place < 0;
    const { cie, factors, encoding, isSignal, hasSizes } = this.#cieAt(
      isDebug ? -1 - pointer : place + 4 - pointer,
    );
    const start = entry.pointer(encoding), length = entry.pointer(encoding & 15);
    if (hasSizes) entry.skip(entry.uleb());
    const machine = new RowMachine(this.#file.machine, factors.code, factors.data, start);
    machine.run(cie);
    machine.begin();
    machine.run(entry);
    return {
      start,
      end: start + length,
      rows: machine.finish(),
      isSignal,
      expressions: machine.expressions,
    };
  }

  /** Common part of entries; the cursor then is at its instructions. */
  #cieAt(place: number) {
    const cie = this.#entryAt(place);
    cie.at = 4;
    if (cie.u32() !== (place < 0 ? 0xffffffff : 0)) throw new BadTable();
    const version = cie.u8();
    if (version !== 1 && version !== 3 && version !== 4) throw new BadTable();
    const augmentation = cie.text();
    if (version === 4) cie.skip(2);
    const code = cie.uleb(), data = cie.sleb();
    const column = version === 1 ? cie.u8() : cie.uleb();
    if (column !== this.#file.machine.returnColumn) throw new BadTable();
    let encoding = 0, isSignal = false;
    const hasSizes = augmentation[0] === "z";
    if (hasSizes) {
      const size = cie.uleb(), end = cie.at + size;
      for (const letter of augmentation.slice(1)) {
        if (letter === "R") encoding = cie.u8();
        else if (letter === "P") cie.pointer(cie.u8());
        else if (letter === "L") cie.u8();
        else if (letter === "S") isSignal = true;
      }
      cie.at = end;
    } else if (augmentation !== "") throw new BadTable();
    return { cie, factors: { code, data }, encoding, isSignal, hasSizes };
  }

  /** The bytes of an entry, its length before them. */
  #entryAt(place: number): Cursor {
    const { offset, most } = this.#fileOffset(place);
    const head = viewOf(this.#bytes(offset, 4));
    const length = head.getUint32(0, true);
    if (length === 0 || length > ENTRY_MOST || length + 4 > most) throw new BadTable();
    return new Cursor(this.#bytes(offset, length + 4).slice(), Math.max(0, place));
  }

  #fileOffset(place: number): { offset: number; most: number } {
    const section = place < 0 ? this.#debugFrame : this.#ehFrame;
    if (section !== undefined) {
      const from = place < 0 ? -1 - place : place - section.address;
      if (!(from >= 0 && from < section.size)) throw new BadTable();
      return { offset: section.offset + from, most: section.size - from };
    }
    const segment = this.#file.segments.find((s) => {
      return s.type === LOAD && place >= s.address && place < s.address + s.size;
    });
    if (segment === undefined) throw new BadTable();
    const from = place - segment.address;
    return { offset: segment.offset + from, most: segment.size - from };
  }

  #bytes(offset: number, length: number): Uint8Array {
    let from = offset - this.#bufferAt;
    if (from < 0 || from + length > this.#buffer.length) {
      const most = Math.max(length, BUFFER_BYTES);
      this.#buffer = new Uint8Array(piece(this.#read, offset, most));
      this.#bufferAt = offset;
      from = 0;
    }
    if (length > this.#buffer.length) throw new BadTable();
    return this.#buffer.subarray(from, from + length);
  }

  /** Every entry's start, where no header has them. */
  #scan(): { starts: Float64Array; places: Float64Array } {
    const found: [start: number, place: number][] = [];
    if (this.#header === undefined) this.#scanSection(this.#ehFrame, false, found);
    this.#scanSection(this.#debugFrame, true, found);
    found.sort(([a], [b]) => a - b);
    return {
      starts: Float64Array.from(found, ([start]) => start),
      places: Float64Array.from(found, ([, place]) => place),
    };
  }

  #scanSection(section: Section | undefined, isDebug: boolean, found: [number, number][]): void {
    if (section === undefined || section.size > TABLE_MOST) return;
    const bytes = piece(this.#read, section.offset, section.size), view = viewOf(bytes);
    const encodings = new Map<number, number | undefined>();
    const encodingOf = (place: number) =>
      encodings.getOrInsertComputed(place, () => orNothing(() => this.#cieAt(place).encoding));
    for (let at = 0; at + 8 <= bytes.length;) {
      const length = view.getUint32(at, true);
      if (length === 0 && isDebug) at += 4;
      if (length === 0 && isDebug) continue;
      if (length === 0 || length > ENTRY_MOST || at + 4 + length > bytes.length) break;
      const id = view.getUint32(at + 4, true);
      const place = isDebug ? -1 - at : section.address + at;
      if (id !== (isDebug ? 0xffffffff : 0)) {
        const encoding = encodingOf(isDebug ? -1 - id : place + 4 - id);
        const cursor = new Cursor(bytes.subarray(at, at + 4 + length), Math.max(0, place));
        cursor.at = 8;
        const start = encoding === undefined
          ? undefined
          : orNothing(() => cursor.pointer(encoding));
        if (start !== undefined) found.push([start, place]);
      }
      at += 4 + length;
    }
  }
}

function pointerBytes(encoding: number): number {
  const size = encoding & 7;
  return size === 2 ? 2 : size === 3 ? 4 : size === 1 || size === 4 || size === 0 ? 8 : 4;
}

/** Instructions DW_CFA_ become rows. */
class RowMachine {
  readonly expressions: Uint8Array[] = [];
  readonly #rows: number[] = [];
  readonly #codeFactor: number;
  readonly #dataFactor: number;
  readonly #start: number;
  readonly #machine: Machine;
  /** Index of a register's rule in a row; −1: it has none. */
  readonly #slots: Int8Array;
  #row: number[];
  #initial: number[];
  readonly #remembered: number[][] = [];
  #at = 0;

  constructor(machine: Machine, codeFactor: number, dataFactor: number, start: number) {
    [this.#codeFactor, this.#dataFactor, this.#start] = [codeFactor, dataFactor, start];
    this.#machine = machine;
    this.#slots = slotsOf(machine);
    this.#row = [...machine.firstRow];
    this.#initial = [...machine.firstRow];
  }

  /** The rules so far are those that later ones are restored to. */
  begin(): void {
    this.#initial = [...this.#row];
  }

  finish(): Int32Array {
    this.#push();
    return Int32Array.from(this.#rows);
  }

  run(code: Cursor): void {
    while (code.hasMore) {
      const byte = code.u8(), low = byte & 63;
      switch (byte & 0xc0) {
        case 0x40:
          this.#advance(low * this.#codeFactor);
          break;
        case 0x80:
          this.#set(low, code.uleb() * this.#dataFactor);
          break;
        case 0xc0:
          this.#restore(low);
          break;
        default:
          this.#extended(low, code);
      }
    }
  }

  #extended(instruction: number, code: Cursor): void {
    const row = this.#row;
    switch (instruction) {
      case 0x00: // nop
      case 0x2c: // AARCH64_negate_ra_state_with_pc: signatures are removed from all return addresses
      case 0x2d: // GNU_window_save, AARCH64_negate_ra_state
        break;
      case 0x01: // set_loc
        this.#push();
        this.#at = code.u64() - this.#start;
        break;
      case 0x02:
        this.#advance(code.u8() * this.#codeFactor);
        break;
      case 0x03:
        this.#advance(code.u16() * this.#codeFactor);
        break;
      case 0x04:
        this.#advance(code.u32() * this.#codeFactor);
        break;
      case 0x05: // offset_extended
        this.#set(code.uleb(), code.uleb() * this.#dataFactor);
        break;
      case 0x06:
        this.#restore(code.uleb());
        break;
      case 0x07:
        this.#set(code.uleb(), UNDEFINED);
        break;
      case 0x08:
        this.#set(code.uleb(), SAME);
        break;
      case 0x09:
        this.#set(code.uleb(), REGISTER | code.uleb());
        break;
      case 0x0a: // remember_state
        if (this.#remembered.push([...row]) > REMEMBERED_MOST) throw new BadTable();
        break;
      case 0x0b: // restore_state
        this.#row = this.#remembered.pop() ?? row;
        break;
      case 0x0c: // def_cfa
        [row[1], row[2]] = [this.#register(code), code.uleb()];
        break;
      case 0x0d:
        row[1] = this.#register(code);
        break;
      case 0x0e:
        row[2] = code.uleb();
        break;
      case 0x0f: // def_cfa_expression
        [row[1], row[2]] = [EXPRESSION | this.#expression(code), 0];
        break;
      case 0x10: // expression
        this.#set(code.uleb(), EXPRESSION | this.#expression(code));
        break;
      case 0x11:
        this.#set(code.uleb(), code.sleb() * this.#dataFactor);
        break;
      case 0x12:
        [row[1], row[2]] = [this.#register(code), code.sleb() * this.#dataFactor];
        break;
      case 0x13:
        row[2] = code.sleb() * this.#dataFactor;
        break;
      case 0x14: // val_offset
        this.#set(code.uleb(), UNDEFINED);
        code.uleb();
        break;
      case 0x15:
        this.#set(code.uleb(), UNDEFINED);
        code.sleb();
        break;
      case 0x16: // val_expression
        this.#set(code.uleb(), VALUE | this.#expression(code));
        break;
      case 0x2e: // GNU_args_size
        code.uleb();
        break;
      case 0x2f: // GNU_negative_offset_extended
        this.#set(code.uleb(), -code.uleb() * this.#dataFactor);
        break;
      default:
        throw new BadTable();
    }
  }

  #push(): void {
    const rows = this.#rows, row = this.#row, { link } = this.#machine, size = row.length;
    const last = rows.length - size;
    row[0] = this.#at;
    // The register that a call leaves the return address in has the rule of both.
    if (link >= 0) {
      const rule = row[this.#slots[link]];
      row[size - 1] = rule === SAME ? REGISTER | link : rule;
    }
    if (last >= 0 && rows[last] === this.#at) rows.length = last;
    if (rows.length >= ROWS_MOST * size) throw new BadTable();
    rows.push(...row);
  }

  #advance(bytes: number): void {
    if (bytes <= 0) return;
    this.#push();
    this.#at += bytes;
  }

  #set(register: number, rule: number): void {
    const slot = this.#slots[register] ?? -1;
    if (slot >= 0) this.#row[slot] = rule;
  }

  #restore(register: number): void {
    const slot = this.#slots[register] ?? -1;
    if (slot >= 0) this.#row[slot] = this.#initial[slot];
  }

  #expression(code: Cursor): number {
    return this.expressions.push(code.block()) - 1;
  }

  /** The register of a frame's address. */
  #register(code: Cursor): number {
    const number = code.uleb();
    if (number >= this.#machine.registers) throw new BadTable();
    return number;
  }
}

const slots = new Map<Machine, Int8Array>();

function slotsOf(machine: Machine): Int8Array {
  return slots.getOrInsertComputed(machine, ({ registers, kept, returnColumn, firstRow }) => {
    const found = new Int8Array(registers).fill(-1);
    found[returnColumn] = firstRow.length - 1;
    kept.forEach((register, i) => found[register] = FIRST_RULE + i);
    return found;
  });
}
