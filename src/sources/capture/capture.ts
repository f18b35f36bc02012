/**
 * Saves what the readers read here as a tree for `--root`, with frames of what changes.
 *
 * The tree is laid out like `/`: files with their text, links as links (an absolute target becomes a
 * relative one), registers as `dev/cpu/N/msr.json`, CPUID as `cpuid.json`, and modes, owners and
 * time in `.root.json`. Frame K, in `.frames/KKKK/`, holds what changed since the frame before:
 * copied over the tree in order, frames make it what it was then. docs/how-to/capture.md.
 * @module
 */
import { AccessError } from "../../core/errors.ts";
import type { Reader } from "../../core/machine/host.ts";
import { openCounter } from "../../os/confinement/caller_rights.ts";
import {
  monotonicNanoseconds,
  rawSeconds,
  realtimeNanoseconds,
  sleepUntil,
} from "../../os/clock.ts";
import { readLinkTarget, readWhole, statPath } from "../../os/files.ts";
import { MachineHost } from "../../os/host.ts";
import { makeDirectories, makeLink, OutputPlace } from "../../os/output_place.ts";
import { RawMachine } from "../../os/raw_machine.ts";
import { RAW_TYPES } from "../readers/raw/all.ts";
import { identifyProcessor } from "../readers/raw/processor.ts";
import { accessOf, RawRow } from "../readers/raw/raw_type.ts";
import { Batch } from "../signals/batch.ts";
import { buildCatalogue } from "../signals/catalogue.ts";
import { NotingHost } from "./_noting_host.ts";
import { isIdentity, type Redact } from "./redact.ts";

/** Options of a capture. */
export interface CaptureOptions {
  /** Target directory; must not exist, or be empty. */
  readonly directory: string;
  readonly host: MachineHost;
  readonly readers: readonly Reader[];
  /** Readers to leave out. @default none */
  readonly without?: readonly string[];
  /** Frames, the tree itself included. @default 1 */
  readonly frames?: number;
  /** Seconds between two frames. @default 1 */
  readonly intervalS?: number;
  /** @default keeps everything */
  readonly redact?: Redact;
  /** Names of serial numbers and the like are emptied. @default false */
  readonly anonymous?: boolean;
}

/** Numbers of saved items, and notes. */
export interface Captured {
  files: number;
  links: number;
  registers: number;
  /** Files that existed and could not be read, with the reason. */
  readonly closed: string[];
  /** Files and register sets that changed, by frame after the first. */
  readonly changes: number[];
}

/** Configuration space of PCI functions: binary, a few hundred bytes each. */
const PCI = "/proc/bus/pci";
/** Longest file that is kept: /proc/stat of the largest nodes is a quarter of it. */
const MAX_FILE_BYTES = 1 << 20;

/**
 * Saves the node.
 *
 * @throws {AccessError} If the directory is not empty or cannot be written.
 */
export function capture(options: CaptureOptions): Captured {
  prepare(options.directory);
  const noting = new NotingHost(options.host);
  readEverything(noting, options);
  const machine = new NotingMachine(noting, options.host);
  readRawTypes(machine);
  const tree = new Tree(noting, machine.statfs, options);
  tree.write(options.directory, true);
  const frames = options.frames ?? 1;
  let next = monotonicNanoseconds();
  for (let frame = 1; frame < frames; frame++) {
    next += (options.intervalS ?? 1) * 1e9;
    sleepUntil(next);
    const name = String(frame).padStart(4, "0");
    tree.captured.changes.push(tree.write(`${options.directory}/.frames/${name}`, false));
  }
  return tree.captured;
}

function prepare(directory: string): void {
  try {
    makeDirectories(directory);
    // A link that another user planted would lead the whole tree elsewhere.
    using _place = new OutputPlace(`${directory}/hostname`);
    for (const entry of Deno.readDirSync(directory)) {
      throw new AccessError({
        action: "capture to",
        target: directory,
        expected: "an empty or new directory",
        found: `${entry.name} in it`,
        remedy: "give a new directory",
      });
    }
  } catch (error) {
    if (error instanceof AccessError) throw error;
    throw new AccessError({
      action: "capture to",
      target: directory,
      found: (error as Error).message,
      remedy: "give a new directory",
      cause: error,
    });
  }
}

/** A report's or a header's facts about the node itself. */
const KERNEL_FILES = ["hostname", "ostype", "osrelease", "version", "arch", "perf_event_paranoid"];

/** Every reader is asked what it has, and every signal is read twice, so that all is noted. */
function readEverything(host: NotingHost, { readers, without }: CaptureOptions): void {
  for (const name of KERNEL_FILES) host.readText(`/proc/sys/kernel/${name}`);
  host.readText("/proc/uptime");
  const catalogue = buildCatalogue({ host, readers, without });
  using batch = new Batch(host.topology, catalogue);
  for (const offer of catalogue.offers.values()) {
    if (!offer.ok) continue;
    for (const { row } of offer.signals) {
      if (host.topology.count(row.domain) > 0) batch.pushSignal(row.name, row.domain, 0);
    }
  }
  for (let i = 0; i < 2; i++) batch.read(rawSeconds());
}

/** Types whose files describe single processes and their owners: private data. */
const PERSONAL_TYPES = ["proc"];

/** The monitor's types are asked too, once. */
function readRawTypes(machine: NotingMachine): void {
  const processor = identifyProcessor(machine.host);
  for (const type of RAW_TYPES) {
    if (PERSONAL_TYPES.includes(type.name)) continue;
    const collector = type.open(accessOf(type, machine, processor));
    if (collector === undefined) continue;
    collector.collect(new RawRow(type.keys.split(" ").length, () => {}));
    collector[Symbol.dispose]?.();
  }
}

/** Notes what raw types ask beyond files: PCI functions and sizes of file systems. */
class NotingMachine extends RawMachine {
  readonly statfs: Record<string, Record<string, number>> = {};
  readonly #noting: NotingHost;
  readonly #given: Record<string, Record<string, number>> | undefined;

  constructor(noting: NotingHost, host: MachineHost) {
    super(noting);
    this.#noting = noting;
    this.#given = host.facts.statfs;
  }

  override pci(name: string) {
    const found = super.pci(name);
    if (found !== undefined) this.#noting.paths.add(`${PCI}/${name}`);
    return found;
  }

  override statFileSystem(mount: string) {
    const given = this.#given?.[mount];
    const facts = given !== undefined ? given : super.statFileSystem(mount);
    if (facts !== undefined) this.statfs[mount] = { ...facts } as Record<string, number>;
    return facts as ReturnType<RawMachine["statFileSystem"]>;
  }
}

/** Saved tree of a node, from frame to frame. */
class Tree {
  readonly captured: Captured = { files: 0, links: 0, registers: 0, closed: [], changes: [] };
  readonly #host: NotingHost;
  readonly #options: CaptureOptions;
  readonly #redact: Redact;
  readonly #links = new Map<string, string>();
  readonly #files = new Set<string>();
  readonly #directories = new Set<string>();
  readonly #modes: Record<string, string> = {};
  readonly #owners: Record<string, number> = {};
  /** Text that each file had last. */
  readonly #last = new Map<string, string>();

  constructor(
    host: NotingHost,
    readonly statfs: Readonly<Record<string, Record<string, number>>>,
    options: CaptureOptions,
  ) {
    this.#host = host;
    this.#options = options;
    this.#redact = options.redact ?? ((text) => text);
    for (const path of host.paths) this.#follow(normal(path), false);
    for (const path of [...host.directories].map(normal)) {
      // Of device nodes the readers need only names: see `#skeleton`.
      if (path === "/dev") continue;
      for (const name of options.host.list(path)) this.#follow(`${path}/${name}`, true);
    }
  }

  /** Writes what differs from the last frame; the number of files. */
  write(directory: string, first: boolean): number {
    let changed = 0;
    const put = (path: string, text: string) => {
      if (this.#last.get(path) === text) return;
      this.#last.set(path, text);
      // Bytes, a character each.
      const isBytes = path.startsWith(`${PCI}/`);
      if (isBytes) save(directory + path, Uint8Array.from(text, (c) => c.charCodeAt(0)));
      else save(directory + this.#redact(path), this.#redact(text));
      changed++;
    };
    if (first) this.#skeleton(directory);
    for (const path of this.#files) {
      const text = this.#text(path, first);
      if (text !== undefined) put(path, text);
    }
    for (const [cpu, numbers] of this.#host.registersRead) {
      put(`/dev/cpu/${cpu}/msr.json`, this.#registers(cpu, numbers, first));
    }
    if (first) {
      this.captured.files = changed;
      this.captured.links = this.#links.size;
      for (const [cpu, leaves] of this.#host.leaves) {
        put(`/dev/cpu/${cpu}/cpuid.json`, JSON.stringify(Object.fromEntries(leaves)) + "\n");
      }
    }
    const time = this.#options.host.facts.time ?? Number(realtimeNanoseconds()) / 1e9;
    const facts = { modes: this.#modes, owners: this.#owners, statfs: this.statfs, time };
    save(`${directory}/.root.json`, this.#redact(JSON.stringify(facts)) + "\n");
    return changed;
  }

  #skeleton(directory: string): void {
    for (const path of this.#directories) {
      const made = directory + this.#redact(path);
      attempt(made, () => makeDirectories(made));
    }
    // Kernels before 6.1 have no file for it.
    const arch = "/proc/sys/kernel/arch";
    if (this.#host.root === "") save(directory + arch, `${Deno.build.arch}\n`);
    for (const name of this.#options.host.list("/dev")) {
      if (/^nvidia\d+$/.test(name)) save(`${directory}/dev/${name}`, "");
    }
    for (const [path, target] of this.#links) {
      const link = directory + this.#redact(path);
      attempt(link, () => {
        makeDirectories(link.slice(0, link.lastIndexOf("/")));
        makeLink(this.#redact(target), link);
      });
    }
  }

  /** Notes the links on a path, and the file at its end. */
  #follow(path: string, entry: boolean, depth = 0): void {
    // A process's own folder is a link to its number, which means nothing in a tree.
    const parts = path.split("/").slice(1);
    let at = "";
    for (let i = 0; i < parts.length; i++) {
      at += `/${parts[i]}`;
      if (at === "/proc/self") continue;
      const target = readLinkTarget(this.#host.root + at);
      if (target === undefined) continue;
      const parent = at.slice(0, at.lastIndexOf("/"));
      const whole = normal(target.startsWith("/") ? target : `${parent}/${target}`);
      this.#links.set(at, relative(parent, whole));
      const rest = parts.slice(i + 1).map((part) => `/${part}`).join("");
      if (depth < 20) this.#follow(whole + rest, entry, depth + 1);
      return;
    }
    const facts = statPath(this.#host.root + path);
    if (facts === undefined) return;
    const directory = (facts.mode & 0o170000) === 0o040000;
    if (directory) this.#directories.add(path);
    // A file that was listed and never opened needs no entry.
    else if (!entry) this.#files.add(path);
    if (directory || entry) return;
    const mode = facts.mode & 0o7777;
    const given = this.#options.host.facts.modes?.[path];
    if (given !== undefined) this.#modes[path] = given;
    else if ((mode & 0o004) === 0) this.#modes[path] = mode.toString(8).padStart(4, "0");
    if (!(path in this.#modes)) return;
    const owner = this.#options.host.facts.owners?.[path] ?? 0;
    this.#owners[path] = this.#host.root === "" ? facts.uid : owner;
  }

  #text(path: string, first: boolean): string | undefined {
    if (this.#options.anonymous && isIdentity(path)) return "redacted\n";
    const { root } = this.#host, read = () => readWhole(root + path, MAX_FILE_BYTES);
    const bytes = root === "" ? openCounter(path, read) : read();
    if (bytes !== undefined && path.startsWith(`${PCI}/`)) return String.fromCharCode(...bytes);
    if (bytes !== undefined) return new TextDecoder().decode(bytes);
    // The collector reads it; its mode stays, so that the tree shows to whom it is closed.
    const served = this.#options.host.servedBy(path) && this.#options.host.readText(path);
    if (served !== undefined) return served;
    if (!first) return undefined;
    this.captured.closed.push(path);
    // Closed files keep their place, so that a tree reports "forbidden" as the node did.
    return "";
  }

  #registers(cpu: number, numbers: ReadonlySet<number>, first: boolean): string {
    const values: Record<string, string> = {};
    using device = this.#options.host.registers(cpu);
    for (const number of [...numbers].sort((a, b) => a - b)) {
      if (device.read(number) !== 0) continue;
      const hex = (half: number) => (half >>> 0).toString(16).padStart(8, "0");
      values[`0x${number.toString(16)}`] = `0x${hex(device.high)}${hex(device.low)}`;
      if (first) this.captured.registers++;
    }
    return JSON.stringify(values) + "\n";
  }
}

function save(path: string, content: string | Uint8Array): void {
  attempt(path, () => {
    makeDirectories(path.slice(0, path.lastIndexOf("/")));
    using place = new OutputPlace(path);
    using file = place.beside();
    file.writeContent(content);
    place.finish(file);
  });
}

function attempt(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const found = (error as Error).message;
    throw new AccessError({ action: "write", target: path, found, cause: error });
  }
}

/** A path without `.` and `..`. */
function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** A path as seen from a directory. */
function relative(from: string, to: string): string {
  const [up, down] = [from, to].map((path) => path.split("/").filter((part) => part !== ""));
  let same = 0;
  while (same < up.length && same < down.length - 1 && up[same] === down[same]) same++;
  return [...up.slice(same).map(() => ".."), ...down.slice(same)].join("/");
}
