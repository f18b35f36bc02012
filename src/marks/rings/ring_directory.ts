/**
 * The run's private directory as the monitor watches it: ring files of processes that mark, and
 * lines of scripts that mark, notes of processes that were handed over and may mark later, and
 * questions.
 * @module
 */
import { closeFile, listDirectory, modifiedAt, O, openFile } from "../../os/files.ts";
import { cString, libc } from "../../os/libc.ts";
import { NewNames } from "../../os/new_names.ts";
import { rawNanoseconds } from "../../os/clock.ts";
import { clockAheadNs, isAlive } from "../../os/process.ts";
import { RingFileMemory } from "../../os/memory/ring_file.ts";
import { RingProcess } from "./ring_process.ts";
import { HostPids } from "./processes/host_pids.ts";
import { QUESTION_PREFIX } from "./answers.ts";
import { FULL_SUFFIX, LAUNCH_PREFIX } from "../../core/events/ring_layout.ts";
import { LaunchNotes, lookAtNoted } from "./processes/launch_notes.ts";
import type { Marks } from "./marks.ts";
import { ScriptMarks } from "./script_marks.ts";
import { StampClock } from "./stamp_clock.ts";

/** More files than this at one time are taken as abuse. */
const FILES_MAX = 65536;
/** Maximum number of refused files that are named. */
const REFUSED_MAX = 1000;
/** The directory's time is coarse: more may come within the same jiffy, of 10 ms at most. */
const COARSE_NS = 20e6;
/** Clocks of two processors differ by less. */
const CLOCKS_NS = 1e9;

/** Receives what is new. */
export interface DirectoryListener {
  /** @param host Number here of the process, or `UNMATCHED`. */
  ring(ring: Marks, host: number): void;
  launched(pid: number): void;
  /** A process asks, by this file, what is open at this moment. */
  asked(name: string): void;
}

/** Watches one directory. */
export class RingDirectory {
  /** Files that were not ours to read, and what in others no clock can reach: why, by file. */
  readonly refused: string[] = [];
  readonly #path: string;
  readonly #originNs: bigint;
  readonly #fd: number;
  readonly #known = new Set<string>();
  /** Files that are being made. */
  readonly #pending = new Set<string>();
  readonly #files = new Map<Marks, string>();
  /** One clock for all files of an image of a process. */
  readonly #clocks = new Map<string, StampClock>();
  readonly #notes: LaunchNotes;
  readonly #pids: HostPids;
  readonly #newNames: NewNames;
  #changedAt = -2;
  /** Until then it is listed, changed or not; 0: only when it changes. */
  #listUntilNs = Infinity;

  /** @param originNs CLOCK_MONOTONIC_RAW that counts as 0. */
  constructor(path: string, originNs: bigint) {
    this.#path = path;
    this.#originNs = originNs;
    this.#fd = openFile(path, O.RDONLY | O.DIRECTORY | O.NOFOLLOW);
    this.#pids = new HostPids(path);
    this.#newNames = new NewNames(this.#fd);
    this.#notes = new LaunchNotes((pid) => lookAtNoted(pid, path));
  }

  /** Is a file being made at this moment, or is it not known yet whose process a note means? */
  get waiting(): boolean {
    return this.#pending.size > 0 || this.#notes.waiting;
  }

  /** Watch that reports new files; `undefined`: no watch works, or some files are not known yet. */
  awaitNames(): NewNames | undefined {
    const isKnown = this.#listUntilNs === 0 && !this.waiting;
    if (!isKnown || this.#newNames.mask === undefined) return undefined;
    // The next look takes no time's word for it.
    this.#listUntilNs = 1;
    return this.#newNames;
  }

  /** Reports new files; costs one fstat if there are none. */
  look(listener: DirectoryListener): void {
    this.#list(listener);
    if (!this.#notes.waiting) return;
    this.#notes.check(
      rawNanoseconds(),
      (pid) => listener.launched(pid),
      (why) => this.#refuse(`${LAUNCH_PREFIX}*`, why),
    );
  }

  #list(listener: DirectoryListener): void {
    const changed = modifiedAt(this.#fd);
    if (changed !== this.#changedAt) this.#listUntilNs = rawNanoseconds() + COARSE_NS;
    this.#changedAt = changed;
    if (this.#listUntilNs === 0 && this.#pending.size === 0) return;
    if (this.#listUntilNs > 0 && rawNanoseconds() >= this.#listUntilNs) this.#listUntilNs = 0;
    this.#pids.renew();
    const names = listDirectory(this.#path);
    // A process that found no room for its marks took its file away again. No names: there is no descriptor to look.
    if (names.length > 0 && this.#pending.size > 0) {
      const there = new Set(names);
      for (const name of this.#pending) if (!there.has(name)) this.#pending.delete(name);
    }
    for (const name of names) {
      if (this.#known.has(name) || this.#known.size > FILES_MAX) continue;
      if (name.startsWith(LAUNCH_PREFIX)) {
        this.#known.add(name);
        const pid = Number(name.slice(LAUNCH_PREFIX.length));
        if (Number.isInteger(pid) && pid > 0) this.#notes.add(pid, rawNanoseconds());
      } else if (name.startsWith(QUESTION_PREFIX)) {
        listener.asked(name);
      } else if (/^\d+\.\d+$/.test(name)) {
        this.#open(name, listener);
      } else if (name.endsWith(FULL_SUFFIX)) {
        this.#known.add(name);
        this.#refuse(name, "no room for the calls of its process");
      } else if (/^\d+\.sh$/.test(name)) {
        this.#openScript(name, listener);
      }
    }
  }

  /** The process is over: its file goes, and with it the memory that it holds. */
  remove(ring: Marks): void {
    const name = this.#files.get(ring);
    ring[Symbol.dispose]();
    if (name === undefined) return;
    this.#files.delete(ring);
    if (ring instanceof RingProcess) this.#clocks.delete(`${ring.pid} ${ring.execId}`);
    this.#known.delete(name);
    libc().unlink(cString(`${this.#path}/${name}`));
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
    for (const ring of this.#files.keys()) ring[Symbol.dispose]();
  }

  #openScript(name: string, listener: DirectoryListener): void {
    const pid = Number.parseInt(name), host = this.#pids.find(pid, 0);
    if (host === undefined) return void this.#pending.add(name);
    const refuse = (why: string) => this.#refuse(name, why);
    const path = `${this.#path}/${name}`;
    const script = ScriptMarks.open(path, { pid, host }, this.#originNs, refuse);
    this.#settle(name, script, host, listener);
  }

  #open(name: string, listener: DirectoryListener): void {
    const memory = RingFileMemory.open(`${this.#path}/${name}`);
    if (!(memory instanceof RingFileMemory)) return this.#settle(name, memory, 0, listener);
    let host = 0 as number | undefined;
    const aheadNs = (pid: number, namespace: number) => {
      host = this.#pids.find(pid, namespace);
      return host !== undefined && host > 0 ? clockAheadNs(host) : 0n;
    };
    const refuse = (what: string) => this.#refuse(name, what);
    const clockOf = (pid: number, execId: string, originNs: bigint) =>
      this.#clocks.getOrInsertComputed(`${pid} ${execId}`, () => new StampClock(originNs));
    const opened = RingProcess.open(memory, this.#originNs, refuse, clockOf, aheadNs);
    if (opened === "wait" || host === undefined) {
      memory[Symbol.dispose]();
      // Its maker may have died over it.
      if (host === undefined || isAlive(Number.parseInt(name))) this.#pending.add(name);
      else this.#pending.delete(name);
      return;
    }
    const isForeign = opened instanceof RingProcess &&
      opened.startNs > rawNanoseconds() - Number(this.#originNs) + CLOCKS_NS;
    if (isForeign || !(opened instanceof RingProcess)) memory[Symbol.dispose]();
    const outcome = isForeign ? { refused: "the clock of its process is not known" } : opened;
    this.#settle(name, outcome, host, listener);
  }

  /** Records the outcome for a file: a ring, or a refused file. */
  #settle(
    name: string,
    opened: Marks | { refused: string },
    host: number,
    listener: DirectoryListener,
  ): void {
    this.#known.add(name);
    this.#pending.delete(name);
    if ("refused" in opened) return this.#refuse(name, opened.refused);
    this.#files.set(opened, name);
    listener.ring(opened, host);
  }

  #refuse(name: string, why: string): void {
    if (this.refused.length < REFUSED_MAX) this.refused.push(`${this.#path}/${name}: ${why}`);
  }
}
