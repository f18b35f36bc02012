/**
 * A host that notes what is asked of it: the files, links, registers and leaves that readers use.
 *
 * @module
 */
import type { Access, CpuidLeaf, Host, KeptFile, Registers } from "../../core/machine/host.ts";
import type { Absence } from "../../core/signal.ts";
import { readTopology } from "../../core/machine/sysfs_topology.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";
import type { MachineHost } from "../../os/host.ts";

/** Notes what readers ask. Everything is answered by the machine or tree below. */
export class NotingHost implements Host {
  readonly simulated: boolean;
  /** Files that were opened, or found closed; directories that were listed. */
  readonly paths = new Set<string>();
  readonly directories = new Set<string>();
  /** Register numbers by CPU. */
  readonly registersRead = new Map<number, Set<number>>();
  /** Leaves by CPU, as `0xB.0`. */
  readonly leaves = new Map<number, Map<string, CpuidLeaf>>();
  readonly #inner: MachineHost;
  #topology: PlatformTopology | undefined;

  constructor(inner: MachineHost) {
    this.#inner = inner;
    this.simulated = inner.simulated;
  }

  get root(): string {
    return this.#inner.root;
  }

  get live(): boolean {
    return this.#inner.live;
  }

  get topology(): PlatformTopology {
    return this.#topology ??= readTopology(this);
  }

  probe(path: string): Access {
    const access = this.#inner.probe(path);
    if (access.ok || access.kind !== "absent") this.paths.add(path);
    return access;
  }

  list(path: string): string[] {
    const names = this.#inner.list(path);
    if (names.length > 0) this.directories.add(path);
    return names;
  }

  readText(path: string): string | undefined {
    const text = this.#inner.readText(path);
    if (text !== undefined) this.paths.add(path);
    return text;
  }

  readLink(path: string): string | undefined {
    const target = this.#inner.readLink(path);
    if (target !== undefined) this.paths.add(path);
    return target;
  }

  keep(path: string): KeptFile {
    const file = this.#inner.keep(path);
    this.paths.add(path);
    return file;
  }

  probeRegisters(cpu: number): { ok: true; device: string } | ({ ok: false } & Absence) {
    return this.#inner.probeRegisters(cpu);
  }

  registers(cpu: number): Registers {
    const inner = this.#inner.registers(cpu);
    const seen = this.registersRead.getOrInsertComputed(cpu, () => new Set());
    return {
      get low() {
        return inner.low;
      },
      get high() {
        return inner.high;
      },
      read(register) {
        const errno = inner.read(register);
        if (errno === 0) seen.add(register);
        return errno;
      },
      [Symbol.dispose]: () => inner[Symbol.dispose](),
    };
  }

  cpuid(cpu: number, leaf: number, sub = 0): CpuidLeaf | undefined {
    const answer = this.#inner.cpuid(cpu, leaf, sub);
    if (answer !== undefined) {
      const known = this.leaves.getOrInsertComputed(cpu, () => new Map());
      known.set(`0x${leaf.toString(16).toUpperCase()}.${sub}`, answer);
    }
    return answer;
  }
}
