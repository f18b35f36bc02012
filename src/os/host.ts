/**
 * The machine, or a tree laid out like one, as readers see it.
 *
 * @module
 */
import { AccessError } from "../core/errors.ts";
import type { Access, CpuidLeaf, Host, KeptFile, Registers } from "../core/machine/host.ts";
import type { Absence } from "../core/signal.ts";
import { readTopology } from "../core/machine/sysfs_topology.ts";
import type { PlatformTopology } from "../core/machine/topology.ts";
import {
  closeFile,
  listDirectory,
  O,
  openFile,
  readLinkTarget,
  readOpenText,
  readText,
  statPath,
} from "./files.ts";
import type { CollectorClient } from "./collector_client.ts";
import { OpenKeptFile } from "./devices/kept_file.ts";
import { openCounter } from "./confinement/caller_rights.ts";
import { ERRNO, errorText, libc } from "./libc.ts";
import { DeviceRegisters, FileRegisters, JsonRegisters } from "./devices/registers.ts";

/** Facts in a tree's `.root.json` that replace system calls. */
export interface RootFacts {
  modes?: Record<string, string>;
  owners?: Record<string, number>;
  statfs?: Record<string, Record<string, number>>;
  time?: number;
}

/** A source's note about the process that read it. */
const COLLECTOR_WORDS = "by the collector";

/** The register devices of a CPU, the one meant for ordinary users first. */
const REGISTER_DEVICES = ["msr_safe", "msr"] as const;

/** The machine or a tree. */
export class MachineHost implements Host {
  readonly root: string;
  readonly simulated: boolean;
  #topology: PlatformTopology | undefined;
  #facts: RootFacts | undefined;

  /**
   * @param root Prefix of every path; "" for the machine itself.
   * @param collector Reads what this user may not; asked for nothing else. @default none
   */
  constructor(root = "", readonly collector?: CollectorClient) {
    this.root = root === "/" ? "" : root.replace(/\/+$/, "");
    this.simulated = this.root !== "";
  }

  get live(): boolean {
    return this.facts.time === undefined;
  }

  get topology(): PlatformTopology {
    return this.#topology ??= readTopology(this);
  }

  /** The tree's values in place of system calls; empty on the machine. */
  get facts(): RootFacts {
    if (this.#facts !== undefined) return this.#facts;
    let facts: RootFacts = {};
    if (this.root !== "") {
      try {
        facts = JSON.parse(readText(`${this.root}/.root.json`) ?? "{}") as RootFacts;
      } catch {
        // A tree without valid facts is a tree without facts.
      }
    }
    return this.#facts = facts;
  }

  probe(path: string): Access {
    const access = this.#probeOwn(path);
    return isServed(access, this.collector, path) ? { ok: true } : access;
  }

  servedBy(path: string): string | undefined {
    if (this.collector === undefined) return undefined;
    return isServed(this.#probeOwn(path), this.collector, path) ? COLLECTOR_WORDS : undefined;
  }

  #probeOwn(path: string): Access {
    const mode = this.facts.modes?.[path];
    if (mode !== undefined && !this.#mayRead(path, parseInt(mode, 8))) {
      return lack(path, ERRNO.EACCES, `mode ${mode}`);
    }
    const fd = this.#open(path, () => openFile(this.#at(path), O.RDONLY | O.NONBLOCK));
    if (fd >= 0) {
      closeFile(fd);
      return { ok: true };
    }
    return lack(path, -fd, isAbsent(-fd) ? undefined : modeAndOwner(this.#at(path)));
  }

  /** May this user read a file of such a mode in a tree? Files belong to root if the tree names no owner. */
  #mayRead(path: string, mode: number): boolean {
    const user = libc().geteuid();
    const isOwner = user === (this.facts.owners?.[path] ?? 0);
    return user === 0 || (mode & (isOwner ? 0o400 : 0o004)) !== 0;
  }

  list(path: string): string[] {
    return this.#open(path, () => listDirectory(this.#at(path)));
  }

  readText(path: string): string | undefined {
    const fd = this.#open(path, () => openFile(this.#at(path), O.RDONLY | O.NONBLOCK));
    const text = fd < 0 ? undefined : readOpenText(fd, this.#at(path));
    // If nothing is, a collector has nothing either.
    return text ?? (isAbsent(-fd) ? undefined : this.#textOfServed(path));
  }

  #textOfServed(path: string): string | undefined {
    if (this.servedBy(path) === undefined) return undefined;
    using file = this.collector!.keep(path);
    const length = file.read();
    return length < 0 ? undefined : new TextDecoder().decode(file.bytes.subarray(0, length));
  }

  readLink(path: string): string | undefined {
    return this.#open(path, () => readLinkTarget(this.#at(path)));
  }

  keep(path: string): KeptFile {
    try {
      return this.#open(path, () => new OpenKeptFile(path, this.#at(path), this.root !== ""));
    } catch (error) {
      if (this.servedBy(path) === undefined) throw error;
      return this.collector!.keep(path);
    }
  }

  probeRegisters(cpu: number): { ok: true; device: string } | ({ ok: false } & Absence) {
    const own = this.#probeOwnRegisters(cpu);
    return !own.ok && this.collector?.hasRegisters(cpu) === true
      ? { ok: true, device: `/dev/cpu/${cpu}/msr ${COLLECTOR_WORDS}` }
      : own;
  }

  #probeOwnRegisters(cpu: number): { ok: true; device: string } | ({ ok: false } & Absence) {
    if (this.root !== "") {
      for (const name of ["msr.json", "msr"]) {
        const path = `/dev/cpu/${cpu}/${name}`;
        if (this.probe(path).ok) return { ok: true, device: path };
      }
      return { ok: false, kind: "absent", reason: `no /dev/cpu/${cpu}/msr` };
    }
    let answer: ({ ok: false } & Absence) | undefined;
    for (const name of REGISTER_DEVICES) {
      const path = `/dev/cpu/${cpu}/${name}`;
      const access = this.probe(path);
      if (access.ok) return { ok: true, device: path };
      if (answer === undefined || answer.kind === "absent") answer = access;
    }
    return answer!;
  }

  registers(cpu: number): Registers {
    const found = this.probeRegisters(cpu);
    if (!found.ok) {
      throw new AccessError({
        action: "open the registers of",
        target: `cpu ${cpu}`,
        found: found.reason,
        remedy: found.remedy && `fix: ${found.remedy}`,
      });
    }
    if (found.device.endsWith(COLLECTOR_WORDS)) return this.collector!.registers(cpu);
    const path = this.#at(found.device);
    if (found.device.endsWith(".json")) return new JsonRegisters(path);
    const fd = this.#open(path, () => openFile(path, O.RDONLY | O.NONBLOCK));
    if (fd < 0) {
      throw new AccessError({ action: "open", target: found.device, found: errorText(-fd) });
    }
    return this.root === "" ? new DeviceRegisters(fd) : new FileRegisters(fd, path);
  }

  cpuid(cpu: number, leaf: number, sub = 0): CpuidLeaf | undefined {
    if (this.root !== "") return this.#cpuidOfTree(cpu, leaf, sub);
    const path = `/dev/cpu/${cpu}/cpuid`;
    const fd = this.#open(path, () => openFile(path, O.RDONLY));
    if (fd < 0) return undefined;
    try {
      const words = new Uint32Array(4);
      // cpuid(4): the low half of the offset is the leaf, the high half the sub-leaf.
      const offset = (BigInt(sub) << 32n) | BigInt(leaf);
      const n = libc().preadAt(fd, new Uint8Array(words.buffer), 16n, offset);
      return n === 16n ? [words[0], words[1], words[2], words[3]] : undefined;
    } finally {
      closeFile(fd);
    }
  }

  #cpuidOfTree(cpu: number, leaf: number, sub: number): CpuidLeaf | undefined {
    const text = readText(`${this.root}/dev/cpu/${cpu}/cpuid.json`);
    if (text === undefined) return undefined;
    try {
      const leaves = JSON.parse(text) as Record<string, number[]>;
      for (const [key, value] of Object.entries(leaves)) {
        const [l, s = "0"] = key.split(".");
        if (Number(l) === leaf && Number(s) === sub && value.length === 4) {
          return value.map((v) => Number(v) >>> 0) as unknown as CpuidLeaf;
        }
      }
    } catch {
      // Half-written or no JSON: as good as no leaf.
    }
    return undefined;
  }

  #at(path: string): string {
    return this.root + path;
  }

  /** A tree is the user's, and so are the rights by which it is read. */
  #open<T>(path: string, open: () => T): T {
    return this.root === "" ? openCounter(path, open) : open();
  }
}

function isServed(access: Access, collector: CollectorClient | undefined, path: string): boolean {
  return !access.ok && access.kind === "forbidden" && collector?.hasFile(path) === true;
}

function isAbsent(number: number): boolean {
  return number === ERRNO.ENOENT || number === ERRNO.ENOTDIR || number === ERRNO.ENODEV;
}

/** `mode 0400 owner 0`; `undefined`: there is nothing. */
export function modeAndOwner(path: string): string | undefined {
  const facts = statPath(path);
  return facts && `mode ${(facts.mode & 0o7777).toString(8).padStart(4, "0")} owner ${facts.uid}`;
}

/** Why a path cannot be opened. @param state Of what is there. */
export function lack(path: string, number: number, state?: string): { ok: false } & Absence {
  const kind = isAbsent(number)
    ? "absent"
    : number === ERRNO.EACCES || number === ERRNO.EPERM
    ? "forbidden"
    : "unusable";
  const reason = kind === "absent"
    ? `no ${path}`
    : `${path}: ${errorText(number)}${state === undefined ? "" : ` (${state})`}`;
  return { ok: false, kind, reason };
}

/** The machine's own name, without its domain: uname(2) by way of /proc. */
export function hostName(host: Host): string {
  const name = host.readText("/proc/sys/kernel/hostname")?.trim();
  return name === undefined || name === "" ? "localhost" : name;
}

/** Keeps the calling thread on one CPU. @returns Whether the kernel did so. */
export function stayOn(cpu: number): boolean {
  const mask = new Uint8Array(1024);
  mask[cpu >> 3] |= 1 << (cpu & 7);
  return libc().schedSetaffinity(0, 1024n, mask) === 0;
}

/** The logical CPUs that a process may run on; 0 is the caller. Empty when it is gone. */
export function affinityOf(pid: number): number[] {
  const mask = new Uint8Array(1024);
  const n = libc().schedGetaffinity(pid, 1024n, mask);
  if (n < 0) return [];
  const cpus: number[] = [];
  // By words: most are empty.
  new Uint32Array(mask.buffer).forEach((word, i) => {
    for (let bit = 0; word !== 0; word >>>= 1, bit++) if ((word & 1) === 1) cpus.push(i * 32 + bit);
  });
  return cpus;
}
