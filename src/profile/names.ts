/**
 * Names of frames: functions by the symbols of their file or of its debug file, else by where their call frame
 * information begins, so that a function of a stripped file is still one row.
 * @module
 */
import { demangled } from "./demangle.ts";
import { DebugInfo } from "./dwarf.ts";
import { debugLinkOf, debugPaths, hasSum, SYSTEM_DEBUG } from "./debug_link.ts";
import { type ElfFile, openElf, piece, type ReadAt, type Symbol, SymbolTable } from "./elf.ts";
import { CUT, fileName, type Frame, GUESSED, INLINED, KERNEL, OFF_CPU } from "./function_data.ts";
import { JitMap, KernelMap } from "./jit_map.ts";
import { memoryReader, type OpenPath } from "./modules.ts";
import { PackedSections } from "./packed_sections.ts";
import { FRAME, MARKER, type Profile } from "./profile.ts";
import { unxz } from "./xz.ts";

/** Parts of a profile whose nodes are named. */
type NamedProfile = Pick<Profile, "modules"> & {
  readonly processes: { readonly names: readonly string[] };
};

/** Sources of names. */
export interface NameSources {
  readonly open: OpenPath;
  /** Directories with debug files, before the system's. */
  readonly debugDirectories: readonly string[];
  /** Are lines and inlined functions of a module worth the time? @param areOfSystem A package of the system has them. */
  mayReadLines(module: number, areOfSystem: boolean): boolean;
  /** /proc/kallsyms; empty: it cannot be read. */
  readonly kernelSymbols: () => string;
  /** The perf map of a process. */
  readonly jitMap: (process: number) => string;
}

/** Names of frames that are no functions. */
export const MARKER_NAMES = [
  CUT,
  "[short threads]",
  "[kernel, not visible]",
  "[kernel thread]",
  "[lost]",
  OFF_CPU,
  "[preempted]",
];
const MARKER_KEYS = Object.values(MARKER);
const UNKNOWN = "[unknown]";
/** A debug file. */
interface DebugFile {
  readonly isOfSystem: boolean;
  readonly packed: PackedSections;
  readonly symbols: SymbolTable;
}

/** Has a file lines? */
function hasInfo({ sections }: ElfFile): boolean {
  return sections.some(({ name, size }) => name === ".debug_info" && size > 0);
}

/** Names the nodes of a profile's tree. */
export class FrameNames {
  readonly #profile: NamedProfile;
  readonly #sources: NameSources;
  readonly #frames = new Map<number, Map<number, readonly Frame[]>>();
  readonly #debug = new Map<number, DebugFile | undefined>();
  readonly #lines = new Map<number, DebugInfo | undefined>();
  readonly #jits = new Map<number, JitMap>();
  /** Names as people write them, by symbol. */
  readonly #shown = new Map<string, string>();
  #kernel: KernelMap | undefined;
  #made: number | undefined;

  constructor(profile: NamedProfile, sources: NameSources) {
    [this.#profile, this.#sources] = [profile, sources];
  }

  /** Keeps the names that a process gave to code of its own, before they are removed. */
  keep(process: number): void {
    this.#jits.getOrInsertComputed(process, () => JitMap.of(this.#sources.jitMap(process)));
  }

  /** The frames of a node: what the tree has for it. */
  frames(module: number, address: number): readonly Frame[] {
    const known = this.#frames.getOrInsertComputed(module, () => new Map());
    return known.getOrInsertComputed(address, () => this.#named(module, address));
  }

  #named(key: number, address: number): readonly Frame[] {
    const special = (name: string, suffix = ""): Frame[] => {
      return [{ name, suffix, module: -1, address: 0, start: 0 }];
    };
    switch (key) {
      case FRAME.unknown:
        return special(UNKNOWN);
      case FRAME.process:
      case FRAME.region:
        return special(this.#profile.processes.names[address]);
      case FRAME.marker:
        return special(MARKER_NAMES[MARKER_KEYS.indexOf(address as 0)]);
      case FRAME.kernel:
        return [this.#kernelFrame(address)];
    }
    const number = Math.floor(key / 2), suffix = key % 2 === 1 ? GUESSED : "";
    const module = this.#profile.modules.all[number];
    if (module.process >= 0) {
      this.keep(module.process);
      const found = this.#jits.get(module.process)!.find(address);
      const name = found?.name ?? "[jit]", start = found?.start ?? address;
      return [{ name, suffix, module: this.#firstMade(number), address, start }];
    }
    const symbol = this.#symbol(number, address);
    if (symbol !== undefined) {
      const frame = {
        name: this.#shownName(symbol.name),
        suffix,
        module: number,
        address,
        start: symbol.start,
      };
      return this.#withInlined(number, frame);
    }
    const start = this.#profile.modules.fde(number, address)?.start;
    const name = fileName(module);
    const reason = module.refused === undefined ? "" : `, ${module.refused}`;
    const place = start === undefined ? reason : `+0x${start.toString(16)}`;
    return [{ name: `[${name}${place}]`, suffix, module: number, address, start: start ?? 0 }];
  }

  /** All code that processes make is of one module: many processes may run the same script. */
  #firstMade(number: number): number {
    return this.#made ??= number;
  }

  /** The function with its place in the source, and those that were put into it there. */
  #withInlined(number: number, frame: Frame): readonly Frame[] {
    const found = this.#debugInfo(number)?.frames(frame.address) ?? [];
    return found.reverse().map(({ name, file, line }, i): Frame => {
      const place = line > 0 ? { file, line } : {};
      if (i === 0) return Object.assign({}, frame, place);
      const { module, address } = frame;
      return Object.assign({
        name: this.#shownName(name),
        suffix: INLINED,
        module,
        address,
        start: address,
      }, place);
    }).concat(found.length === 0 ? [frame] : []);
  }

  #shownName(symbol: string): string {
    return this.#shown.getOrInsertComputed(symbol, () => shownName(symbol));
  }

  #symbol(number: number, address: number): Symbol | undefined {
    const { modules } = this.#profile;
    return modules.linkageEntry(number, address) ??
      this.#debugFile(number)?.symbols?.find(address) ?? modules.symbols(number)?.find(address);
  }

  /** Lines of a module, where they are worth the time. */
  #debugInfo(number: number): DebugInfo | undefined {
    const debug = this.#debugFile(number);
    if (!this.#sources.mayReadLines(number, debug?.isOfSystem === true)) return undefined;
    return this.#lines.getOrInsertComputed(number, () => {
      const { elf } = this.#profile.modules.all[number];
      if (elf !== undefined && hasInfo(elf)) {
        return new DebugInfo(elf, this.#profile.modules.reader(number));
      }
      return debug !== undefined && hasInfo(debug.packed.file)
        ? new DebugInfo(debug.packed.file, debug.packed.read)
        : undefined;
    });
  }

  /** Files whose lines cannot be read, and why. */
  get unreadLines(): { readonly path: string; readonly reason: string }[] {
    return [...this.#lines.keys()].flatMap((number) => {
      const { path, packed } = this.#profile.modules.all[number];
      const reason = packed?.refused || this.#debug.get(number)?.packed.refused;
      return reason ? [{ path, reason }] : [];
    });
  }

  /** The separate debug file of a module that has no symbols of its own. */
  #debugFile(number: number): DebugFile | undefined {
    return this.#debug.getOrInsertComputed(number, () => {
      const { modules } = this.#profile, module = modules.all[number], { elf } = module;
      if (elf === undefined || elf.sections.some(({ name }) => name === ".symtab")) {
        return undefined;
      }
      const link = debugLinkOf(elf, modules.reader(number));
      for (const path of debugPaths(module, link?.name, this.#sources.debugDirectories)) {
        const file = this.#sources.open(path);
        if ("refused" in file) continue;
        const found = openElf(file.read, elf.machine);
        const isRight = !("refused" in found) &&
          (module.buildId !== "" && found.buildId !== ""
            ? found.buildId === module.buildId
            : link !== undefined && hasSum(file.read, link.sum));
        if (isRight) {
          const packed = new PackedSections(found, file.read);
          const symbols = new SymbolTable(found, file.read);
          return { isOfSystem: path.startsWith(SYSTEM_DEBUG), packed, symbols };
        }
        file.close();
      }
      return smallSymbols(elf, modules.reader(number));
    });
  }

  #kernelFrame(address: number): Frame {
    this.#kernel ??= new KernelMap(this.#sources.kernelSymbols());
    const { name, start } = this.#kernel.find(address) ?? { name: "[kernel]", start: address };
    return { name, suffix: KERNEL, module: -1, address, start };
  }
}

/** Symbols that a stripped file of Fedora or Red Hat has beside those that it exports, if it has any. */
function smallSymbols({ sections, machine }: ElfFile, read: ReadAt): DebugFile | undefined {
  const section = sections.find(({ name }) => name === ".gnu_debugdata");
  const bytes = section && unxz(piece(read, section.offset, section.size));
  if (bytes === undefined) return undefined;
  const inside = memoryReader(bytes), found = openElf(inside, machine);
  if ("refused" in found) return undefined;
  const packed = new PackedSections(found, inside);
  return { isOfSystem: false, packed, symbols: new SymbolTable(found, inside) };
}

/** A symbol as people write it: without its version, and without the arguments of C++. */
export function shownName(symbol: string): string {
  const [, whole, linkage = ""] = /^([^@]*)(?:@(?!plt$).*?)?(@plt)?$/s.exec(symbol)!;
  const base = stem(whole);
  return plain(base) + whole.slice(base.length) + linkage;
}

/** Functions of the same module and name are one, whatever was inlined into them. */
export function rowKey({ name, suffix, module }: Frame): string {
  return `${module} ${stem(name)}${suffix}`;
}

/** A name without what compilers add for a part or a variant of a function: `.cold`, `.constprop.0`. */
export function stem(name: string): string {
  return name.replace(/(\.(cold|part|constprop|isra|lto_priv|llvm)(\.\d+)*)+$/, "");
}

function plain(base: string): string {
  return demangled(base) ?? fortranName(base) ?? base;
}

/** `__heat_MOD_step`, `heat_mp_step_`, `_QMheatPstep`, also with a part for OpenMP: gfortran, ifort, flang. */
function fortranName(symbol: string): string | undefined {
  const [, whole, part] = /^([^.]*)(.*)$/s.exec(symbol)!;
  const match = /^__([a-z]\w*)_MOD_(\w+)$/.exec(whole) ?? /^([a-z]\w*)_mp_(\w+?)_$/.exec(whole) ??
    /^_QM([a-z]\w*)P(\w+)$/.exec(whole);
  return match === null ? undefined : `${match[1]}::${match[2]}${part}`;
}
