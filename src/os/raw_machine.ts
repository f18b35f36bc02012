/**
 * Functions of a node that raw stats types need in addition to files: sizes of file systems, owners
 * of processes, and registers that can be programmed.
 *
 * Over a tree given by `--root` nothing is ever written: programming is kept in memory, and a
 * counter that the tree does not list then reads as 0, as one that was just started.
 * @module
 */
import type { Host, Registers } from "../core/machine/host.ts";
import { openCounter } from "./confinement/caller_rights.ts";
import { type FileSystemFacts, statFileSystem } from "./file_system.ts";
import { closeFile, O, openFile, statPath } from "./files.ts";
import { MachineHost } from "./host.ts";
import { ERRNO, libc } from "./libc.ts";
import { userName } from "./users.ts";

/** A node as raw stats types see it. */
export class RawMachine {
  /** May control registers be written? */
  readonly programs: boolean;
  readonly #cpus = new Map<number, CpuRegisters | undefined>();
  readonly #pci = new Map<string, PciFunction | undefined>();

  constructor(readonly host: Host, options: { program?: boolean } = {}) {
    this.programs = options.program ?? false;
  }

  get #isTree(): boolean {
    return this.host.root !== "";
  }

  get #facts() {
    return this.host instanceof MachineHost ? this.host.facts : {};
  }

  /** Registers of a CPU, opened once; `undefined` if they cannot be. */
  registers(cpu: number): CpuRegisters | undefined {
    if (!this.#cpus.has(cpu)) this.#cpus.set(cpu, this.#openRegisters(cpu));
    return this.#cpus.get(cpu);
  }

  #openRegisters(cpu: number): CpuRegisters | undefined {
    const probe = this.host.probeRegisters(cpu);
    if (!probe.ok) return undefined;
    try {
      const path = this.#isTree ? undefined : probe.device;
      return new CpuRegisters(this.host.registers(cpu), path);
    } catch {
      return undefined;
    }
  }

  /** Configuration space of a PCI function, `BB/DD.F`; `undefined` if it cannot be read. */
  pci(name: string): PciFunction | undefined {
    if (!this.#pci.has(name)) {
      const path = `${this.host.root}/proc/bus/pci/${name}`;
      const writes = this.programs && !this.#isTree;
      const open = () => openFile(path, writes ? O.RDWR : O.RDONLY | O.NONBLOCK);
      const fd = this.#isTree ? open() : openCounter(path, open);
      this.#pci.set(name, fd < 0 ? undefined : new PciFunction(fd, this.#isTree));
    }
    return this.#pci.get(name);
  }

  /** Names of all PCI functions, `BB/DD.F`. */
  pciFunctions(): string[] {
    return this.host.list("/proc/bus/pci").filter((bus) => /^[0-9a-f]{2}(:|$)/.test(bus))
      .flatMap((bus) =>
        this.host.list(`/proc/bus/pci/${bus}`)
          .filter((name) => /^[0-9a-f]{2}\.[0-7]$/.test(name)).map((name) => `${bus}/${name}`)
      );
  }

  /** Facts of the file system at a mount point. */
  statFileSystem(mount: string): FileSystemFacts | undefined {
    if (!this.#isTree) return statFileSystem(mount);
    const facts = this.#facts.statfs?.[mount];
    return facts === undefined ? undefined : facts as unknown as FileSystemFacts;
  }

  /** User that owns a process; `undefined` if it is gone. */
  ownerOf(pid: string): number | undefined {
    const path = `/proc/${pid}`;
    if (this.#isTree) return this.#facts.owners?.[path];
    return statPath(path)?.uid;
  }

  /** Name of a user; over a tree every number has one. */
  userName(uid: number): string | undefined {
    return this.#isTree ? `user${uid}` : userName(uid);
  }

  [Symbol.dispose](): void {
    for (const registers of this.#cpus.values()) registers?.[Symbol.dispose]();
    for (const pci of this.#pci.values()) pci?.[Symbol.dispose]();
    this.#cpus.clear();
    this.#pci.clear();
  }
}

/** Registers of one CPU that may be written. */
export class CpuRegisters {
  low = 0;
  high = 0;
  readonly #registers: Registers;
  readonly #device: string | undefined;
  /** Over a tree: what was written, and counters that are not in the tree. */
  readonly #written = new Map<number, bigint>();

  /** @param device The register device; `undefined`: writes are kept beside. */
  constructor(registers: Registers, device: string | undefined) {
    this.#registers = registers;
    this.#device = device;
  }

  /** Reads into `low` and `high`; false if the CPU has no such register. */
  read(register: number): boolean {
    const written = this.#written.size > 0 ? this.#written.get(register) : undefined;
    if (written !== undefined) {
      this.low = Number(written & 0xffffffffn);
      this.high = Number(written >> 32n);
      return true;
    }
    if (this.#registers.read(register) !== 0) return false;
    this.low = this.#registers.low;
    this.high = this.#registers.high;
    return true;
  }

  /** Writes a register; 0 or an errno. */
  write(register: number, value: bigint): number {
    if (this.#device === undefined) {
      this.#written.set(register, value);
      return 0;
    }
    const device = this.#device;
    const fd = openCounter(device, () => openFile(device, O.WRONLY));
    if (fd < 0) return -fd;
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, value, true);
    const n = libc().pwriteAt(fd, bytes, 8n, BigInt(register));
    closeFile(fd);
    return n === 8n ? 0 : ERRNO.EIO;
  }

  /** A counter that was just started: 0 if a tree does not list it. */
  started(register: number): void {
    if (this.#device === undefined && !this.read(register)) this.#written.set(register, 0n);
  }

  [Symbol.dispose](): void {
    this.#registers[Symbol.dispose]();
  }
}

/** Configuration space of one PCI function: 4-byte reads and writes, as the hardware requires. */
export class PciFunction {
  readonly #fd: number;
  readonly #isTree: boolean;
  readonly #word = new Uint32Array(1);
  readonly #bytes = new Uint8Array(this.#word.buffer);
  readonly #written = new Map<number, number>();

  constructor(fd: number, isTree: boolean) {
    this.#fd = fd;
    this.#isTree = isTree;
  }

  /** The word at an offset; 0 if the file ends before it. */
  read(offset: number): number {
    const written = this.#written.get(offset);
    if (written !== undefined) return written;
    return libc().pread(this.#fd, this.#bytes, 4, offset) === 4 ? this.#word[0] : 0;
  }

  /** Writes a word; 0 or an errno. */
  write(offset: number, value: number): number {
    if (this.#isTree) {
      this.#written.set(offset, value >>> 0);
      return 0;
    }
    this.#word[0] = value;
    return libc().pwriteAt(this.#fd, this.#bytes, 4n, BigInt(offset)) === 4n ? 0 : ERRNO.EIO;
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
  }
}
