/**
 * Lines and inlined functions of addresses, by what compilers write with `-g`. Truth: DWARF 2 to 5.
 *
 * A unit is read when an address in it is asked for. Names in other files (dwz) are left out.
 * @module
 */
import { AddressTable } from "./address_table.ts";
import { BadTable, Cursor, orNothing } from "./cursor.ts";
import { type ElfFile, piece, type ReadAt, textAt } from "./elf.ts";
import { joined, type LineTable, placeIn, runLines } from "./line_table.ts";

/** A function at an address: the one that was called, or one that was put into it. */
export interface DebugFrame {
  /** Name for the linker, if the compiler wrote it. */
  readonly name: string;
  /** File of the address; for functions around inlined ones, file of the call. */
  readonly file: string;
  readonly line: number;
}

const NOBITS = 8;
/** A unit that is larger takes too long. */
const UNIT_MOST = 1 << 26, SCOPES_MOST = 1 << 20, DEPTH_MOST = 256;
const TAG = { inlined: 0x1d, subprogram: 0x2e };
const AT = {
  name: 0x03,
  lines: 0x10,
  low: 0x11,
  high: 0x12,
  directory: 0x1b,
  origin: 0x31,
  specification: 0x47,
  ranges: 0x55,
  callFile: 0x58,
  callLine: 0x59,
  linkageName: 0x6e,
  stringBase: 0x72,
  addressBase: 0x73,
  rangesBase: 0x74,
  mipsLinkageName: 0x2007,
};
const FORM_ADDRESS = 0x01, FORM_IMPLICIT = 0x21, FORM_RANGES_INDEX = 0x23;

interface Attribute {
  readonly name: number;
  readonly form: number;
  /** Value of DW_FORM_implicit_const. */
  readonly constant: number;
}

interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly attributes: readonly Attribute[];
}

/** Begin and end of a unit in .debug_info. */
interface UnitHead {
  readonly at: number;
  readonly end: number;
  readonly version: number;
  /** Bytes of an offset: 4 or 8. */
  readonly offsetBytes: number;
}

interface Unit extends UnitHead {
  readonly addressBytes: number;
  /** Offset of its abbreviations. */
  readonly abbreviationsAt: number;
  /** Offset of the first entry. */
  readonly first: number;
  stringBase: number;
  addressBase: number;
  rangesBase: number;
  low: number;
  linesAt: number;
  directory: string;
  name: string;
  ranges: readonly number[];
  scopes?: readonly Scope[];
  lines?: LineTable | null;
}

/** A function with code, and those that were put into it. */
interface Scope {
  readonly ranges: readonly number[];
  readonly entry: number;
  readonly isInlined: boolean;
  readonly callFile: number;
  readonly callLine: number;
  readonly inside: Scope[];
}

/** Debug information of a file. */
export class DebugInfo {
  readonly #file: ElfFile;
  readonly #read: ReadAt;
  readonly #sections = new Map<string, Uint8Array>();
  readonly #abbreviations = new Map<number, ReadonlyMap<number, Abbreviation>>();
  readonly #names = new Map<number, string>();
  readonly #heads: UnitHead[] = [];
  readonly #units = new Map<UnitHead, Unit | undefined>();
  readonly #table: AddressTable;
  /** Units that .debug_aranges does not have; read when an address is in no other one. */
  readonly #others: readonly UnitHead[];

  constructor(file: ElfFile, read: ReadAt) {
    [this.#file, this.#read] = [file, read];
    // A wrong head ends the list.
    orNothing(() => this.#scan());
    this.#table = new AddressTable(this.#section(".debug_aranges"));
    const listed = new Set(this.#table.units);
    this.#others = this.#heads.filter(({ at }) => !listed.has(at));
  }

  /** Functions at an address, the innermost first; empty: nothing is known. */
  frames(address: number): DebugFrame[] {
    const unit = this.#unitOf(address);
    if (unit === undefined || unit.end - unit.at > UNIT_MOST) return [];
    return orNothing(() => this.#framesIn(unit, address)) ?? [];
  }

  #unitOf(address: number): Unit | undefined {
    const at = this.#table.find(address);
    if (at >= 0) return this.#unit(this.#headOf(at));
    const head = this.#others.find((head) => isInside(this.#unit(head)?.ranges ?? [], address));
    return this.#unit(head);
  }

  /** The unit that has an offset of .debug_info. */
  #headOf(offset: number): UnitHead | undefined {
    return this.#heads.find(({ at, end }) => offset >= at && offset < end);
  }

  #unit(head: UnitHead | undefined): Unit | undefined {
    if (head === undefined) return undefined;
    return this.#units.getOrInsertComputed(head, () => orNothing(() => this.#readUnit(head)));
  }

  #framesIn(unit: Unit, address: number): DebugFrame[] {
    const table = this.#linesOf(unit);
    let { file, line } = placeIn(table, address);
    const chain: Scope[] = [];
    unit.scopes ??= orNothing(() => this.#scopesOf(unit)) ?? [];
    for (let level = unit.scopes;;) {
      const scope = level.find(({ ranges }) => isInside(ranges, address));
      if (scope === undefined) break;
      chain.push(scope);
      level = scope.inside;
    }
    const frames: DebugFrame[] = [];
    for (const { entry, isInlined, callFile, callLine } of chain.reverse()) {
      frames.push({ name: this.#nameOf(entry), file, line });
      if (!isInlined) break;
      [file, line] = [table?.names[callFile] ?? "", callLine];
    }
    return frames;
  }

  #section(name: string): Uint8Array {
    return this.#sections.getOrInsertComputed(name, () => {
      const found = this.#file.sections.find((s) => s.name === name && s.kind !== NOBITS);
      return found === undefined ? new Uint8Array() : piece(this.#read, found.offset, found.size);
    });
  }

  #cursor(section: string, at: number): Cursor {
    const cursor = new Cursor(this.#section(section), 0);
    cursor.at = at;
    return cursor;
  }

  #text(section: string, at: number): string {
    return textAt(this.#section(section), at);
  }

  #scan(): void {
    const cursor = this.#cursor(".debug_info", 0);
    while (cursor.hasMore) {
      const at = cursor.at;
      let length = cursor.u32(), offsetBytes = 4;
      if (length === 0xffffffff) [length, offsetBytes] = [cursor.u64(), 8];
      const end = cursor.at + length, version = cursor.u16();
      if (version >= 2 && version <= 5) this.#heads.push({ at, end, version, offsetBytes });
      if (!(end > at)) throw new BadTable();
      cursor.at = end;
    }
  }

  #readUnit(head: UnitHead): Unit | undefined {
    const { version, offsetBytes } = head;
    // Behind length and version.
    const cursor = this.#cursor(".debug_info", head.at + (offsetBytes === 8 ? 14 : 6));
    let kind = 1, addressBytes = 8, abbreviationsAt = 0;
    if (version >= 5) {
      [kind, addressBytes] = [cursor.u8(), cursor.u8()];
      abbreviationsAt = cursor.number(offsetBytes);
      if (kind === 4 || kind === 5) cursor.skip(8);
    } else {
      abbreviationsAt = cursor.number(offsetBytes);
      addressBytes = cursor.u8();
    }
    // Whole units, and skeletons; types have no code.
    if (kind !== 1 && kind !== 4) return undefined;
    const unit: Unit = Object.assign({}, head, {
      addressBytes,
      abbreviationsAt,
      first: cursor.at,
      stringBase: version >= 5 ? 8 : 0,
      addressBase: 8,
      rangesBase: version >= 5 ? 12 : 0,
      low: 0,
      linesAt: -1,
      directory: "",
      name: "",
      ranges: [],
    });
    return this.#readRoot(unit, cursor);
  }

  #readRoot(unit: Unit, cursor: Cursor): Unit {
    const abbreviation = this.#rootAbbreviation(unit.abbreviationsAt, cursor.uleb());
    if (abbreviation === undefined) return unit;
    const begin = cursor.at;
    const bases = () => [unit.stringBase, unit.addressBase, unit.rangesBase].join();
    let found = this.#attributes(cursor, abbreviation, unit);
    const before = bases();
    unit.stringBase = found.numbers.get(AT.stringBase) ?? unit.stringBase;
    unit.addressBase = found.numbers.get(AT.addressBase) ?? unit.addressBase;
    unit.rangesBase = found.numbers.get(AT.rangesBase) ?? unit.rangesBase;
    if (bases() !== before) {
      // Bases of tables may come behind what needs them.
      cursor.at = begin;
      found = this.#attributes(cursor, abbreviation, unit);
    }
    unit.low = found.numbers.get(AT.low) ?? 0;
    unit.linesAt = found.numbers.get(AT.lines) ?? -1;
    unit.name = found.texts.get(AT.name) ?? "";
    unit.directory = found.texts.get(AT.directory) ?? "";
    unit.ranges = this.#rangesOf(found, unit);
    return unit;
  }

  #abbreviationsAt(at: number): ReadonlyMap<number, Abbreviation> {
    return this.#abbreviations.getOrInsertComputed(at, () => new Map(this.#abbreviationsFrom(at)));
  }

  /** The abbreviation of a unit's first entry: most units need no other one. */
  #rootAbbreviation(at: number, wanted: number): Abbreviation | undefined {
    for (const [code, abbreviation] of this.#abbreviationsFrom(at)) {
      if (code === wanted) return abbreviation;
    }
  }

  *#abbreviationsFrom(at: number): Generator<[code: number, abbreviation: Abbreviation]> {
    const cursor = this.#cursor(".debug_abbrev", at);
    for (let code = cursor.uleb(); code !== 0; code = cursor.uleb()) {
      const tag = cursor.uleb(), hasChildren = cursor.u8() === 1, attributes: Attribute[] = [];
      for (;;) {
        const name = cursor.uleb(), form = cursor.uleb();
        const constant = form === FORM_IMPLICIT ? cursor.sleb() : 0;
        if (name === 0 && form === 0) break;
        attributes.push({ name, form, constant });
      }
      yield [code, { tag, hasChildren, attributes }];
    }
  }

  /** Attributes of an entry, of which each is a number or a text. */
  #attributes(cursor: Cursor, { attributes }: Abbreviation, unit: Unit): Attributes {
    const found: Attributes = { numbers: new Map(), texts: new Map(), forms: new Map() };
    for (const { name, form, constant } of attributes) {
      const value = this.#value(cursor, form, unit, constant);
      found.forms.set(name, form);
      if (typeof value === "number") found.numbers.set(name, value);
      else found.texts.set(name, value);
    }
    return found;
  }

  /** A value by its form; references are places in .debug_info. */
  #value(cursor: Cursor, form: number, unit: Unit, constant = 0): number | string {
    const { offsetBytes } = unit;
    switch (form) {
      case 0x01: // addr
        return cursor.number(unit.addressBytes);
      case 0x03: // block2
        return skipped(cursor, cursor.u16());
      case 0x04: // block4
        return skipped(cursor, cursor.u32());
      case 0x05: // data2
        return cursor.u16();
      case 0x06: // data4
        return cursor.u32();
      case 0x07: // data8
        return cursor.u64();
      case 0x08: // string
        return cursor.text();
      case 0x09: // block
      case 0x18: // exprloc
        return skipped(cursor, cursor.uleb());
      case 0x0a: // block1
        return skipped(cursor, cursor.u8());
      case 0x0b: // data1
      case 0x0c: // flag
        return cursor.u8();
      case 0x0d: // sdata
        return cursor.sleb();
      case 0x0e: // strp
        return this.#text(".debug_str", cursor.number(offsetBytes));
      case 0x0f: // udata
      case 0x22: // loclistx
      case 0x23: // rnglistx
        return cursor.uleb();
      case 0x10: // ref_addr
        return cursor.number(unit.version <= 2 ? unit.addressBytes : offsetBytes);
      case 0x11: // ref1
        return unit.at + cursor.u8();
      case 0x12:
        return unit.at + cursor.u16();
      case 0x13:
        return unit.at + cursor.u32();
      case 0x14:
        return unit.at + cursor.u64();
      case 0x15: // ref_udata
        return unit.at + cursor.uleb();
      case 0x17: // sec_offset
        return cursor.number(offsetBytes);
      case 0x19: // flag_present
        return 1;
      case 0x1a: // strx
        return this.#indexedText(unit, cursor.uleb());
      case 0x1b: // addrx
        return this.#indexedAddress(unit, cursor.uleb());
      case 0x1c: // ref_sup4
        return skipped(cursor, 4);
      case 0x1d: // strp_sup
      case 0x1f20: // GNU_ref_alt
      case 0x1f21: // GNU_strp_alt
        return skipped(cursor, offsetBytes);
      case 0x1e: // data16
        return skipped(cursor, 16);
      case 0x1f: // line_strp
        return this.#text(".debug_line_str", cursor.number(offsetBytes));
      case 0x20: // ref_sig8
      case 0x24: // ref_sup8
        return skipped(cursor, 8);
      case 0x21: // implicit_const
        return constant;
      case 0x25: // strx1 to strx4
      case 0x26:
      case 0x27:
      case 0x28:
        return this.#indexedText(unit, cursor.number(form - 0x24));
      case 0x29: // addrx1 to addrx4
      case 0x2a:
      case 0x2b:
      case 0x2c:
        return this.#indexedAddress(unit, cursor.number(form - 0x28));
    }
    throw new BadTable();
  }

  /** Goes on behind a value. */
  #skip(cursor: Cursor, form: number, unit: Unit): void {
    switch (form) {
      case 0x0e: // texts in other sections
      case 0x1f:
        cursor.skip(unit.offsetBytes);
        break;
      case 0x1a:
      case 0x1b:
        cursor.uleb();
        break;
      case 0x25:
      case 0x26:
      case 0x27:
      case 0x28:
        cursor.skip(form - 0x24);
        break;
      default:
        this.#value(cursor, form, unit);
    }
  }

  #indexedText(unit: Unit, index: number): string {
    const { stringBase, offsetBytes } = unit;
    const at = this.#cursor(".debug_str_offsets", stringBase + index * offsetBytes);
    return this.#text(".debug_str", at.number(offsetBytes));
  }

  #indexedAddress({ addressBase, addressBytes }: Unit, index: number): number {
    return this.#cursor(".debug_addr", addressBase + index * addressBytes).number(addressBytes);
  }

  /** Begins and ends of what an entry covers; empty: it has no code. */
  #rangesOf({ numbers, forms }: Attributes, unit: Unit): readonly number[] {
    const ranges = numbers.get(AT.ranges), low = numbers.get(AT.low), high = numbers.get(AT.high);
    if (ranges !== undefined) {
      const isIndex = forms.get(AT.ranges) === FORM_RANGES_INDEX;
      return unit.version >= 5
        ? this.#rangeList(unit, ranges, isIndex)
        : this.#oldRanges(unit, ranges);
    }
    if (low === undefined || high === undefined) return [];
    return [low, forms.get(AT.high) === FORM_ADDRESS ? high : low + high];
  }

  #oldRanges(unit: Unit, at: number): readonly number[] {
    const cursor = this.#cursor(".debug_ranges", at), ranges: number[] = [];
    for (let base = unit.low; ranges.length < SCOPES_MOST;) {
      const from = cursor.u64(), to = cursor.u64();
      if (from === 0 && to === 0) break;
      // All ones: a new base.
      if (from >= 2 ** 63) base = to;
      else ranges.push(base + from, base + to);
    }
    return ranges;
  }

  #rangeList(unit: Unit, at: number, isIndex: boolean): readonly number[] {
    const { rangesBase, offsetBytes, addressBytes } = unit;
    const index = this.#cursor(".debug_rnglists", isIndex ? rangesBase + at * offsetBytes : at);
    if (isIndex) index.at = rangesBase + index.number(offsetBytes);
    const address = () => index.number(addressBytes);
    const indexed = () => this.#indexedAddress(unit, index.uleb());
    const ranges: number[] = [];
    const add = (from: number, length: number) => ranges.push(from, from + length);
    for (let base = unit.low; ranges.length < SCOPES_MOST;) {
      const kind = index.u8();
      if (kind === 0) break;
      if (kind === 1) base = indexed();
      else if (kind === 2) ranges.push(indexed(), indexed());
      else if (kind === 3) add(indexed(), index.uleb());
      else if (kind === 4) ranges.push(base + index.uleb(), base + index.uleb());
      else if (kind === 5) base = address();
      else if (kind === 6) ranges.push(address(), address());
      else if (kind === 7) add(address(), index.uleb());
      else throw new BadTable();
    }
    return ranges;
  }

  /** Functions of a unit that have code. */
  #scopesOf(unit: Unit): readonly Scope[] {
    const cursor = this.#cursor(".debug_info", unit.first), top: Scope[] = [];
    const levels: Scope[][] = [top];
    let count = 0;
    while (cursor.at < unit.end) {
      const entry = cursor.at, code = cursor.uleb();
      if (code === 0) {
        levels.pop();
        if (levels.length <= 1) break;
        continue;
      }
      const abbreviation = this.#abbreviationsAt(unit.abbreviationsAt).get(code);
      if (abbreviation === undefined) break;
      const { tag, attributes } = abbreviation, isInlined = tag === TAG.inlined;
      let into = levels.at(-1)!;
      if (!isInlined && tag !== TAG.subprogram) {
        for (const { form } of attributes) this.#skip(cursor, form, unit);
      } else {
        const found = this.#attributes(cursor, abbreviation, unit);
        const ranges = this.#rangesOf(found, unit);
        if (ranges.length > 0 && count++ < SCOPES_MOST) {
          const callFile = found.numbers.get(AT.callFile) ?? 0;
          const callLine = found.numbers.get(AT.callLine) ?? 0;
          const scope: Scope = { ranges, entry, isInlined, callFile, callLine, inside: [] };
          into.push(scope);
          into = scope.inside;
        }
      }
      if (abbreviation.hasChildren && levels.push(into) > DEPTH_MOST) break;
    }
    return top;
  }

  /** The name of an entry, or of the one that it stands for. */
  #nameOf(entry: number, depth = 0): string {
    const known = this.#names.get(entry);
    if (known !== undefined) return known;
    const unit = this.#unit(this.#headOf(entry));
    let name = "";
    if (unit !== undefined && depth < 8) {
      const cursor = this.#cursor(".debug_info", entry);
      const abbreviation = this.#abbreviationsAt(unit.abbreviationsAt).get(cursor.uleb());
      if (abbreviation !== undefined) {
        const { texts, numbers } = this.#attributes(cursor, abbreviation, unit);
        const other = numbers.get(AT.origin) ?? numbers.get(AT.specification);
        name = texts.get(AT.linkageName) ?? texts.get(AT.mipsLinkageName) ??
          ((other === undefined ? "" : this.#nameOf(other, depth + 1)) ||
            (texts.get(AT.name) ?? ""));
      }
    }
    this.#names.set(entry, name);
    return name;
  }

  #linesOf(unit: Unit): LineTable | null {
    if (unit.lines === undefined) {
      unit.lines = unit.linesAt < 0 ? null : orNothing(() => this.#readLines(unit)) ?? null;
    }
    return unit.lines;
  }

  #readLines(unit: Unit): LineTable {
    const cursor = this.#cursor(".debug_line", unit.linesAt);
    let length = cursor.u32(), offsetBytes = 4;
    if (length === 0xffffffff) [length, offsetBytes] = [cursor.u64(), 8];
    const end = cursor.at + length, version = cursor.u16();
    if (version < 2 || version > 5) throw new BadTable();
    if (version >= 5) cursor.skip(2);
    const headBytes = cursor.number(offsetBytes), program = cursor.at + headBytes;
    const step = cursor.u8();
    if (version >= 4) cursor.skip(1);
    cursor.skip(1);
    const lineBase = cursor.i8(), lineRange = cursor.u8(), firstSpecial = cursor.u8();
    if (lineRange === 0) throw new BadTable();
    const operands = [0];
    for (let i = 1; i < firstSpecial; i++) operands.push(cursor.u8());
    const names = version >= 5
      ? this.#namesOf(cursor, Object.assign({}, unit, { offsetBytes }))
      : oldNames(cursor, unit);
    cursor.at = program;
    return runLines(cursor, { end, step, lineBase, lineRange, firstSpecial, operands }, names);
  }

  #namesOf(cursor: Cursor, unit: Unit): string[] {
    const table = () => {
      const formats = Array.from({ length: cursor.u8() }, () => [cursor.uleb(), cursor.uleb()]);
      const rows: { path: string; directory: number }[] = [];
      for (let left = cursor.uleb(); left > 0 && cursor.hasMore; left--) {
        const row = { path: "", directory: 0 };
        for (const [kind, form] of formats) {
          const value = this.#value(cursor, form, unit);
          if (kind === 1) row.path = String(value);
          else if (kind === 2) row.directory = Number(value);
        }
        rows.push(row);
      }
      return rows;
    };
    const directories = table();
    return table().map(({ path, directory }) => {
      return joined(unit.directory, directories[directory]?.path ?? "", path);
    });
  }
}

interface Attributes {
  readonly numbers: Map<number, number>;
  readonly texts: Map<number, string>;
  readonly forms: Map<number, number>;
}

function skipped(cursor: Cursor, bytes: number): number {
  cursor.skip(bytes);
  return 0;
}

function isInside(ranges: readonly number[], address: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (address >= ranges[i] && address < ranges[i + 1]) return true;
  }
  return false;
}

/** Directories and files before DWARF 5; the first file is the unit's own. */
function oldNames(cursor: Cursor, unit: Unit): string[] {
  const directories = [unit.directory];
  for (let name = cursor.text(); name !== ""; name = cursor.text()) directories.push(name);
  const names = [joined("", unit.directory, unit.name)];
  for (let name = cursor.text(); name !== ""; name = cursor.text()) {
    const directory = directories[cursor.uleb()] ?? "";
    cursor.uleb();
    cursor.uleb();
    names.push(joined(unit.directory, directory, name));
  }
  return names;
}
