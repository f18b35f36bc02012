/**
 * Sources of processes' code: files that they map, and memory that they fill themselves.
 * @module
 */
import {
  addressOf,
  type ElfFile,
  offsetOf,
  openElf,
  type ReadAt,
  type Symbol,
  SymbolTable,
  viewOf,
} from "./elf.ts";
import { type Fde, FrameTable } from "./frame_rows.ts";
import { GoTable, isOfGo, LEAVES_STACK } from "./go_table.ts";
import { LinkageTable } from "./plt.ts";
import { PackedSections } from "./packed_sections.ts";
import type { MappedFile } from "./records.ts";
import { type CodeTables, OUTERMOST } from "./unwind.ts";
import { type Machine, SAME } from "./machine.ts";

/** A file that is open. */
export interface OpenFile {
  readonly read: ReadAt;
  readonly inode: number;
  close(): void;
}

/** Opens files of the machine; a reason where one cannot be opened. */
export type OpenPath = (path: string) => OpenFile | { readonly refused: string };
/** Opens `exe` of a process, or `root/PATH` for a path as it sees it; likewise. */
export type OpenOf = (process: number, name: string) => ReturnType<OpenPath>;

/** A file, or the memory that a process fills with code. */
export interface Module {
  /** Path as the process named it; `""` for memory. */
  readonly path: string;
  readonly buildId: string;
  /** The process whose memory it is; −1: it is a file. */
  readonly process: number;
  readonly elf?: ElfFile;
  readonly inode?: number;
  /** Why nothing is known of it. */
  readonly refused?: string;
  /** Sections of the file, none of them compressed. */
  readonly packed?: PackedSections;
}

interface LoadedModule extends Module {
  source: OpenFile | undefined;
  frames?: FrameTable;
  symbols?: Pick<SymbolTable, "find">;
  linkage?: LinkageTable;
  /** Pages of code that were looked at for calls. */
  readonly pages: Map<number, Uint8Array>;
}

/** Files that stay open; the one that was opened first is closed for one more. */
const OPEN_MOST = 200;
const PAGE = 4096;
/** Bytes in which a function sets up its frame pointer, and its frame. */
const ENTRY_MOST = 64, FRAME_ENTRY_MOST = 128;
/** The longest instruction that returns. */
const RETURN_BYTES = 4;
/** Offset of the return address from the address of the frame. */
const RETURN_AT = -8;
export const VDSO = "[vdso]";
const NO_FILE = "no file";

/** All modules of a run, by number. */
export class Modules implements CodeTables {
  readonly machine: Machine;
  readonly all: Module[] = [];
  readonly #open: OpenPath;
  readonly #openOf: OpenOf;
  readonly #vdso: Uint8Array | undefined;
  readonly #numbers = new Map<string, number>();
  readonly #opened: LoadedModule[] = [];

  /** @param vdso The code that the kernel gives to every process. */
  constructor(
    machine: Machine,
    open: OpenPath,
    vdso?: Uint8Array,
    openOf: OpenOf = () => ({ refused: NO_FILE }),
  ) {
    this.machine = machine;
    [this.#open, this.#vdso, this.#openOf] = [open, vdso, openOf];
  }

  /** The number of a file that a process has mapped; it is opened now, because it may be gone later. */
  ofFile(file: MappedFile, process: number): number {
    const { path, buildId, inode } = file;
    return this.#numbers.getOrInsertComputed(`${path}\0${buildId}\0${inode}`, () => {
      const known = this.all.findIndex((module) => {
        const isSame = buildId !== "" ? module.buildId === buildId : module.inode === inode;
        return module.path === path && module.elf !== undefined && isSame;
      });
      return known >= 0 ? known : this.all.push(this.#load(file, process)) - 1;
    });
  }

  /** The number of the code that a process makes itself. */
  ofProcess(process: number): number {
    return this.#numbers.getOrInsertComputed(`\0${process}`, () => {
      const module: LoadedModule = {
        path: "",
        buildId: "",
        process,
        source: undefined,
        pages: new Map(),
      };
      return this.all.push(module) - 1;
    });
  }

  #load(file: MappedFile, process: number): LoadedModule {
    const { path, buildId } = file, vdso = this.#vdso;
    const base = { path, buildId, process: -1, source: undefined, pages: new Map() };
    const refuse = (refused: string): LoadedModule => Object.assign(base, { refused });
    const isDeleted = path.endsWith(" (deleted)");
    // Where this process sees another file, or none, the one that has mapped it may see it.
    const ways = path === VDSO
      ? [() => vdso === undefined ? { refused: NO_FILE } : memoryFile(vdso)]
      : path[0] === "/"
      ? [
        () => this.#open(path),
        () => this.#openOf(process, `root${path}`),
        () => this.#openOf(process, "exe"),
      ]
      : [];
    let refused = "";
    for (const way of ways) {
      const source = way();
      const elf = "refused" in source ? source : openElf(source.read, this.machine);
      if (!("refused" in source || "refused" in elf) && isMapped(file, source, elf)) {
        const { inode } = source, id = buildId || elf.buildId;
        const module: LoadedModule = Object.assign(base, { source, inode, buildId: id });
        this.#keepOpen(module);
        const packed = new PackedSections(elf, this.#readerOf(module));
        return Object.assign(module, { packed, elf: packed.file });
      }
      if (!("refused" in source)) source.close();
      refused ||= "refused" in elf ? elf.refused : "replaced";
    }
    return refuse(isDeleted ? "deleted" : refused || NO_FILE);
  }

  #keepOpen(module: LoadedModule): void {
    if (this.#opened.push(module) <= OPEN_MOST) return;
    const oldest = this.#opened.shift()!;
    oldest.source?.close();
    oldest.source = undefined;
  }

  /** Reads a module's file, which is opened again if it was closed for others. */
  #readerOf(module: LoadedModule): ReadAt {
    return (offset, length) => {
      if (module.source === undefined) {
        const source = this.#open(module.path);
        if ("refused" in source) return new Uint8Array();
        if (source.inode !== module.inode) {
          source.close();
          return new Uint8Array();
        }
        module.source = source;
        this.#keepOpen(module);
      }
      return module.source.read(offset, length);
    };
  }

  /** Difference between an address of a mapping and the one that the linker gave. */
  bias(module: number, start: number, offset: number): number {
    const { elf } = this.all[module];
    return start - ((elf && addressOf(elf, offset)) ?? offset);
  }

  fde(number: number, address: number): Fde | undefined {
    const found = this.frames(number)?.find(address);
    const isSure = found !== undefined && !found.isSignal;
    return isSure ? found : this.#signalFrame(number, address) ?? found;
  }

  /** The frame of a signal that has no entry, or a wrong one: its handler returns to known instructions. */
  #signalFrame(number: number, address: number): Fde | undefined {
    const { signal } = this.machine;
    if (signal === undefined) return undefined;
    const { code, row, expressions } = signal, first = Math.ceil(address / 4) * 4;
    for (let i = 0; i < code.length; i++) {
      const start = first - 4 * i, end = start + 4 * code.length;
      const bytes = this.#code(number, start, end - start);
      if (
        bytes !== undefined &&
        code.every((word, k) => viewOf(bytes).getUint32(4 * k, true) === word)
      ) {
        return { start, end, rows: Int32Array.from(row), isSignal: true, expressions };
      }
    }
  }

  /** Call frame information of a module. */
  frames(number: number): FrameTable | undefined {
    const module = this.all[number] as LoadedModule | undefined;
    if (module?.elf === undefined) return undefined;
    return module.frames ??= new FrameTable(module.elf, this.reader(number));
  }

  /** Functions of a module's own file, by symbols or by Go's table. */
  symbols(number: number): Pick<SymbolTable, "find"> | undefined {
    const module = this.all[number] as LoadedModule | undefined;
    if (module?.elf === undefined) return undefined;
    return module.symbols ??= functionsOf(module.elf, this.#readerOf(module));
  }

  /** The entry of the procedure linkage table that covers an address. */
  linkageEntry(number: number, address: number): Symbol | undefined {
    const module = this.all[number] as LoadedModule;
    if (module.elf === undefined) return undefined;
    return (module.linkage ??= new LinkageTable(module.elf, this.#readerOf(module))).find(address);
  }

  /** Reads a module's file, and its compressed sections. */
  reader(number: number): ReadAt {
    const module = this.all[number] as LoadedModule;
    return module.packed?.read ?? this.#readerOf(module);
  }

  callBefore(number: number, address: number, callee: number): 0 | 1 | 2 {
    const { machine } = this;
    const code = this.#code(number, address - machine.callBytes, machine.callBytes);
    if (code === undefined) return 0;
    const direct = machine.callTarget(code, address);
    if (direct !== undefined) {
      const holder = callee < 0 ? undefined : this.symbols(number)?.find(callee);
      return holder?.start === direct ? 2 : 1;
    }
    return machine.isIndirectCall(code) ? 1 : 0;
  }

  hasFrame(number: number, address: number): boolean | undefined {
    const { machine } = this, start = this.symbols(number)?.find(address)?.start;
    // Entries of linkage tables have none.
    if (start === undefined) return this.linkageEntry(number, address) && false;
    const entry = this.#code(number, start, Math.min(address - start, ENTRY_MOST));
    const next = this.#code(number, address, RETURN_BYTES);
    if (entry === undefined || next === undefined) return undefined;
    return !machine.isReturn(next) && entry.some((_, i) => machine.setsFrame(entry, i));
  }

  entryRow(number: number, address: number): Fde | undefined {
    const { machine } = this, start = this.symbols(number)?.find(address)?.start;
    if (start === undefined) return undefined;
    const entry = this.#code(number, start, Math.min(address - start, FRAME_ENTRY_MOST));
    const next = this.#code(number, address, RETURN_BYTES);
    if (entry === undefined || next === undefined || machine.isReturn(next)) return undefined;
    const frame = machine.entryFrame(entry);
    if (frame === undefined) return undefined;
    const rules = machine.kept.map((register) => frame.saved.get(register) ?? SAME);
    const rows = Int32Array.of(0, frame.base, frame.offset, ...rules, RETURN_AT);
    return { start, end: address + 1, rows, isSignal: false, expressions: [] };
  }

  isSameFunction(number: number, address: number, other: number): boolean {
    const start = this.symbols(number)?.find(address)?.start;
    return start !== undefined && start === this.symbols(number)?.find(other)?.start;
  }

  isOutermost(number: number, address: number): boolean {
    const symbol = this.symbols(number)?.find(address);
    return symbol !== undefined && OUTERMOST.has(symbol.name);
  }

  leavesStack(number: number, address: number): boolean {
    const { elf } = this.all[number];
    if (elf === undefined || !isOfGo(elf)) return false;
    const symbol = this.symbols(number)?.find(address);
    return symbol !== undefined && LEAVES_STACK.has(symbol.name);
  }

  /** Bytes of code at an address. */
  #code(number: number, address: number, length: number): Uint8Array | undefined {
    const module = this.all[number] as LoadedModule;
    const at = module.elf && offsetOf(module.elf, address);
    if (at === undefined) return undefined;
    const page = Math.floor(at / PAGE);
    const bytes = module.pages.getOrInsertComputed(page, () => {
      return new Uint8Array(this.#readerOf(module)(page * PAGE, PAGE + FRAME_ENTRY_MOST));
    });
    const start = at - page * PAGE;
    return start + length > bytes.length ? undefined : bytes.subarray(start, start + length);
  }

  /** Closes all files. */
  [Symbol.dispose](): void {
    for (const module of this.#opened) module.source?.close();
  }
}

function functionsOf(elf: ElfFile, read: ReadAt): Pick<SymbolTable, "find"> {
  const symbols = new SymbolTable(elf, read);
  const isStripped = !elf.sections.some(({ name }) => name === ".symtab");
  const go = isStripped ? GoTable.of(elf, read) : undefined;
  if (go === undefined) return symbols;
  return { find: (address) => go.find(address) ?? symbols.find(address) };
}

/** Is an open file the one that is mapped? */
function isMapped(mapped: MappedFile, { inode }: OpenFile, { buildId }: ElfFile): boolean {
  if (mapped.path === VDSO) return true;
  return mapped.buildId !== ""
    ? mapped.buildId === buildId
    : mapped.inode === 0 || mapped.inode === inode;
}

function memoryFile(bytes: Uint8Array): OpenFile {
  return { read: memoryReader(bytes), inode: 0, close: () => {} };
}

/** Reads bytes as a file. */
export function memoryReader(bytes: Uint8Array): ReadAt {
  return (offset, length) => {
    return bytes.subarray(Math.min(offset, bytes.length), Math.min(offset + length, bytes.length));
  };
}
