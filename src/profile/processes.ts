/**
 * Processes of a profile: their names, and where their code lies. Records of them may be lost.
 * @module
 */
import { AddressSpace } from "./address_space.ts";
import { mappingsOf } from "./maps_text.ts";
import { type Modules, VDSO } from "./modules.ts";
import type { MappedFile, TaskRecord } from "./records.ts";

/** One process. */
export interface Process {
  readonly space: AddressSpace;
  readonly name: number;
  /** Node of the tree. */
  readonly root: number;
  threads: number;
  /** True after an execve(2) until code is mapped. */
  isStarting: boolean;
  /** The first thread has ended. */
  isEnding: boolean;
  /** Records that were lost before its mappings were read. */
  readonly lostBefore: number;
  /** When its mappings were read again, ns. */
  readNs: number;
}

/** A process as it is now. */
export interface ProcessCode {
  readonly name: string;
  /** Text of /proc/PID/maps. */
  readonly maps: string;
}

/** Mappings of which no record tells are read so often at most, ns. */
const READ_AGAIN_NS = 1e8;
/** The kernel places code at random from here on. */
const RANDOM_FROM = 2 ** 40;

/** All processes that go on. */
export class Processes {
  /** Names of processes, threads and regions. */
  readonly names: string[] = [];
  /** Lost records of any kind. */
  lost = 0;
  /** Reads the name and the mappings of a process, whose records may be lost. */
  read: (process: number) => ProcessCode | undefined = () => undefined;
  readonly #modules: Modules;
  readonly #rootOf: (name: number) => number;
  readonly #all = new Map<number, Process>();
  #spaces = 0;

  /** @param rootOf The node of a process with a name. */
  constructor(modules: Modules, rootOf: (name: number) => number) {
    [this.#modules, this.#rootOf] = [modules, rootOf];
  }

  /** The number of a name. */
  nameOf(name: string): number {
    const number = this.names.indexOf(name);
    return number < 0 ? this.names.push(name) - 1 : number;
  }

  /** @param address In its code. */
  get(id: number, address = NaN): Process {
    const known = this.#all.get(id);
    if (known !== undefined) return known;
    const process = this.#now(id) ?? this.#like(address) ?? this.#make("?");
    this.#all.set(id, process);
    return process;
  }

  /** A process that goes on, as far as is known. */
  known(id: number): Process | undefined {
    return this.#all.get(id);
  }

  /** A process whose code at an address is known, unless records were lost and it has ended. */
  withCode(id: number, address: number): Process {
    const process = this.get(id, address);
    const isComplete = process.lostBefore === this.lost;
    if (isComplete || process.space.find(address) !== undefined) return process;
    const { threads, isEnding } = process, found = this.#now(id) ?? this.#like(address) ?? process;
    const read = Object.assign({}, found, { threads, isEnding, lostBefore: this.lost });
    this.#all.set(id, read);
    return read;
  }

  /** A process as it is now; `undefined`: it has ended. */
  #now(id: number): Process | undefined {
    const code = this.lost === 0 ? undefined : this.read(id);
    if (code === undefined) return undefined;
    const process = this.#make(code.name);
    this.#addAll(id, process, code.maps);
    return process;
  }

  /** A child that has ended, from the process that it was forked from: both have code at the same random address. */
  #like(address: number): Process | undefined {
    if (this.lost === 0 || !(address >= RANDOM_FROM)) return undefined;
    for (const process of this.#all.values()) {
      if (process.space.find(address)?.isMade === false) return this.#child(process);
    }
  }

  #child({ name, space }: Process): Process {
    return this.#make(this.names[name], space.fork(++this.#spaces));
  }

  #make(name: string, space: AddressSpace = new AddressSpace(++this.#spaces)): Process {
    const number = this.nameOf(name);
    return {
      space,
      name: number,
      root: this.#rootOf(number),
      threads: 1,
      isStarting: false,
      isEnding: false,
      lostBefore: this.lost,
      readNs: -Infinity,
    };
  }

  /** All mappings of a process as it wrote them itself. */
  mapAll(id: number, maps: string): void {
    const process = this.get(id);
    process.space.keepFiles(mappingsOf(maps));
    this.#addAll(id, process, maps);
  }

  /** Reads the mappings of a process again. @returns False: it has ended, or they were just read. */
  readAgain(id: number, timeNs: number): boolean {
    const process = this.get(id);
    if (!(timeNs - process.readNs >= READ_AGAIN_NS)) return false;
    process.readNs = timeNs;
    const { maps } = this.read(id) ?? {};
    if (maps !== undefined) this.#addAll(id, process, maps);
    return maps !== undefined;
  }

  #addAll(id: number, { space }: Process, maps: string): void {
    for (const { start, end, file } of mappingsOf(maps)) {
      const known = space.find(start);
      const isSame = isFile(file)
        ? known?.module === this.#modules.ofFile(file, id)
        : known?.isMade === true;
      if (known?.end !== end || !isSame) this.#add(id, space, start, end, file);
    }
  }

  /** A file, or memory, became part of a process's code. */
  map(id: number, start: number, end: number, file: MappedFile): void {
    const process = this.get(id);
    process.isStarting = false;
    this.#add(id, process.space, start, end, file);
  }

  #add(id: number, space: AddressSpace, start: number, end: number, file: MappedFile): void {
    const { path } = file, modules = this.#modules, isMade = !isFile(file);
    if (/\/(lib)?python3[^/]*$/.test(path)) space.hasTrampolines = true;
    const module = isMade ? modules.ofProcess(id) : modules.ofFile(file, id);
    const bias = isMade ? 0 : modules.bias(module, start, file.offset);
    space.add({ start, end, module, bias, isMade });
  }

  /** A process executes another program. */
  execute(id: number, name: string): void {
    const { threads = 1 } = this.#all.get(id) ?? {};
    this.#all.set(id, Object.assign(this.#make(name), { threads, isStarting: true }));
  }

  /** A process has one more thread, or a child. */
  fork({ process, parent }: TaskRecord): void {
    const from = this.#all.get(parent);
    if (from === undefined) return;
    if (process === parent) from.threads++;
    else this.#all.set(process, this.#child(from));
  }

  /**
   * A thread has ended.
   *
   * @returns Has the process ended, and the name of a program that the kernel does not sample.
   */
  exit({ process: id, thread }: TaskRecord): { isOver: boolean; unseen?: string } {
    const process = this.#all.get(id);
    if (process === undefined) return { isOver: false };
    process.threads--;
    process.isEnding ||= thread === id;
    // The kernel ends the events of a program that has other rights than its user.
    const isUnseen = process.isStarting && process.lostBefore === this.lost;
    // Records of threads may be lost: there are more of them than were counted.
    const isOver = process.threads <= 0 && process.isEnding;
    if (isOver) this.#all.delete(id);
    return { isOver, unseen: isUnseen ? this.names[process.name] : undefined };
  }
}

function isFile({ path }: MappedFile): boolean {
  return path === VDSO ||
    (path[0] === "/" && !/^\/(memfd:|dev\/|anon|SYSV)/.test(path) && path !== "//anon");
}
