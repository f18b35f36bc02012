/**
 * The machine as readers see it: paths, registers and topology, behind one interface.
 *
 * `os/host.ts` implements it for the real machine and for a tree given by `--root`; tests may use
 * any other. A reader gets a host that refuses what the reader did not declare in `needs`.
 * @module
 */
import type { Remedy } from "../remedy.ts";
import type { Absence, Needs, Offer, SignalReading, SignalRow } from "../signal.ts";
import type { OfferedSignal } from "../signal.ts";
import type { PlatformTopology } from "./topology.ts";

/** Can a path be read? */
export type Access = { readonly ok: true } | ({ readonly ok: false } & Absence);

/** A file that stays open and is read from its start again and again, without allocation. */
export interface KeptFile {
  /** The path below the host's root. */
  readonly path: string;
  /** Filled by `read`; valid up to the length it returned, until the next read of any kept file. */
  readonly bytes: Uint8Array;
  /** Bytes read, or −errno. Never throws; a file that went away gives −ENOENT. */
  read(): number;
  /** Closes the file. */
  [Symbol.dispose](): void;
}

/** The model specific registers of one CPU. */
export interface Registers {
  /** Low and high 32 bits of the last register read. */
  readonly low: number;
  /** Upper half of the register. */
  readonly high: number;
  /** 0, or the errno: 5 (EIO) for a register that the CPU does not have. */
  read(register: number): number;
  /** Closes the device. */
  [Symbol.dispose](): void;
}

/** One CPUID leaf: eax, ebx, ecx, edx. */
export type CpuidLeaf = readonly [number, number, number, number];

/** A node's files, registers and topology. Paths are absolute and as on the real machine, for any root. */
export interface Host {
  /** Prefix under which everything is looked up; "" is the machine itself. */
  readonly root: string;
  /** A tree that a simulator keeps: nothing read from it is a measurement. */
  readonly simulated: boolean;
  /**
   * True if its counters follow the clock; those of a tree with a time of its own change at any
   * time.
   */
  readonly live: boolean;
  /** The domains of the node. */
  readonly topology: PlatformTopology;
  /** Can it be opened for reading? Answers, never throws. */
  probe(path: string): Access;
  /** Names in a directory, sorted; empty when there is none. */
  list(path: string): string[];
  /** Whole text of a small file, `undefined` when it cannot be read. */
  readText(path: string): string | undefined;
  /** Target of a symbolic link, `undefined` when it is none. */
  readLink(path: string): string | undefined;
  /** Opens a file that is read again and again. @throws {AccessError} If it cannot be opened. */
  keep(path: string): KeptFile;
  /**
   * Name of the helper that reads a file which this user may not read; `undefined`: none is needed.
   * @default none
   */
  servedBy?(path: string): string | undefined;
  /** Opens the registers of a CPU. @throws {AccessError} If the CPU's register device cannot be opened. */
  registers(cpu: number): Registers;
  /** Can the register device of a CPU be opened? Names which device it is. */
  probeRegisters(cpu: number): { ok: true; device: string } | ({ ok: false } & Absence);
  /** `undefined` if the processor or the tree has no such leaf. */
  cpuid(cpu: number, leaf: number, sub?: number): CpuidLeaf | undefined;
}

/** A portable name that a reader's signal may stand for. */
export interface ReaderAlias {
  /** The portable name: one of `signals/alias.ts`, or a new one, which is what the signal is. */
  readonly name: string;
  /** The reader's signal. */
  readonly signal: string;
  /** The source of a known name that comes right after it. @default it comes last */
  readonly before?: string;
}

/**
 * A source of signals: one file in `readers/`, one line in `readers/all.ts`.
 *
 * `docs/how-to/add-a-reader.md` walks through the shortest one.
 */
export interface Reader {
  /** Prefix of the names of its signals, and its name for `--without`. */
  readonly name: string;
  /** Content of its signals, and their source, in sentences: the page of signals has them. @default none */
  readonly about?: string;
  /** Files, libraries and capabilities that it needs. */
  readonly needs: Needs;
  /** Fixes for a source that exists and is forbidden, lowest risk first. @default none */
  readonly remedies?: readonly Remedy[];
  /** Portable names that its signals may stand for, beside those of `signals/alias.ts`. @default none */
  readonly aliases?: readonly ReaderAlias[];
  /** Every row that it could ever offer, for the catalogue; true on any machine. */
  readonly signals: readonly SignalRow[];
  /** Finds the signals that are present. Returns, never throws. */
  probe(host: Host): Offer;
  /** Opens the rows that were asked for, and nothing else. */
  open(host: Host, wanted: readonly OfferedSignal[]): SignalReading;
}
