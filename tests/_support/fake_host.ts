/**
 * A host over maps in memory, for what no tree can show: errno, registers that fault, files that
 * change while they are read.
 *
 * @module
 */
import { AccessError } from "../../src/core/errors.ts";
import type { Access, CpuidLeaf, Host, KeptFile, Registers } from "../../src/core/machine/host.ts";
import type { Absence } from "../../src/core/signal.ts";
import { PlatformTopology } from "../../src/core/machine/topology.ts";

/** What a file holds: text, bytes as text, or an errno that reading answers. */
export type Content = string | number | (() => string | number);

const EIO = 5;
const ENOENT = 2;

/** The machine of a test. */
export class FakeHost implements Host {
  root = "/fake";
  readonly simulated = false;
  /** Tests feed counters minutes of energy at once, unless they say otherwise. */
  live = false;
  topology: PlatformTopology;
  readonly files = new Map<string, Content>();
  /** Registers by CPU; a register that is not there faults. */
  readonly msr = new Map<number, Map<number, bigint | number>>();
  /** Files that cannot be opened, with the errno. */
  readonly closed = new Map<string, number>();
  readonly cpuids = new Map<number, CpuidLeaf>();
  /** Reads of registers and files, to count them. */
  reads = 0;

  constructor(files: Record<string, Content> = {}, topology?: PlatformTopology) {
    for (const [path, content] of Object.entries(files)) this.files.set(path, content);
    this.topology = topology ??
      PlatformTopology.regular({ packages: 1, coresPerPackage: 2, threadsPerCore: 1 });
  }

  content(path: string): string | number {
    const content = this.files.get(path) ?? ENOENT;
    return typeof content === "function" ? content() : content;
  }

  probe(path: string): Access {
    if (this.closed.has(path)) {
      return { ok: false, kind: "forbidden", reason: `${path}: mode 0400` };
    }
    const there = this.files.has(path);
    return there ? { ok: true } : { ok: false, kind: "absent", reason: `no ${path}` };
  }

  list(path: string): string[] {
    const names = new Set<string>();
    for (const file of this.files.keys()) {
      if (file.startsWith(`${path}/`)) names.add(file.slice(path.length + 1).split("/")[0]);
    }
    return [...names].sort();
  }

  readText(path: string): string | undefined {
    if (this.closed.has(path)) return undefined;
    const content = this.content(path);
    return typeof content === "string" ? content : undefined;
  }

  readLink(): undefined {
    return undefined;
  }

  keep(path: string): KeptFile {
    if (!this.files.has(path) || this.closed.has(path)) {
      throw new AccessError({ action: "read", target: path, found: "no such file" });
    }
    const bytes = new Uint8Array(65536);
    return {
      path,
      bytes,
      read: () => {
        this.reads++;
        const content = this.content(path);
        if (typeof content === "number") return -content;
        return new TextEncoder().encodeInto(content, bytes).written;
      },
      [Symbol.dispose]() {},
    };
  }

  registers(cpu: number): Registers {
    const values = this.msr.get(cpu);
    if (values === undefined) {
      throw new AccessError({ action: "open the registers of", target: `${cpu}` });
    }
    const device = {
      low: 0,
      high: 0,
      read: (register: number) => {
        this.reads++;
        const value = values.get(register);
        if (value === undefined) return EIO;
        // A number stands for the errno.
        if (typeof value === "number") return value;
        device.low = Number(value & 0xffffffffn);
        device.high = Number(value >> 32n);
        return 0;
      },
      [Symbol.dispose]() {},
    };
    return device;
  }

  probeRegisters(cpu: number): { ok: true; device: string } | ({ ok: false } & Absence) {
    if (this.msr.has(cpu)) return { ok: true, device: `/dev/cpu/${cpu}/msr` };
    return { ok: false, kind: "absent", reason: `no /dev/cpu/${cpu}/msr` };
  }

  cpuid(_cpu: number, leaf: number): CpuidLeaf | undefined {
    return this.cpuids.get(leaf);
  }
}
