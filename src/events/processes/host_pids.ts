/**
 * Numbers of processes. Who marks knows itself by the number in its own namespace, which in a container is
 * another one than here; and a file may have any number in its name. pid_namespaces(7), proc_pid_status(5).
 * @module
 */
import { monotonicNanoseconds } from "../../os/clock.ts";
import { listDirectory, readText, statPath } from "../../os/files.ts";
import { lookAtNoted } from "./launch_notes.ts";

/** Nobody's number here. */
export const NOBODY = -1;
/** All processes are looked at again after so many times what that took: a twentieth of the time. */
const AGAIN_TIMES = 20;
/** Longest line of parents that is followed. */
const MOST_PARENTS = 256;

/** A process inside of a namespace of its own. */
interface Inside {
  readonly pid: number;
  /** The number here of the namespace's first process. */
  readonly first: number;
}

/** A process as its status has it. */
interface Status {
  readonly parent: number;
  /** Its numbers from this namespace to its own. */
  readonly numbers: readonly number[];
}

/** Finds the processes of one session. */
export class HostPids {
  readonly #directory: string;
  /** The guardian, of a run. */
  readonly #starter = Deno.ppid;
  readonly #own = ownNamespace();
  /** Number here of the first process of each namespace. */
  readonly #firsts = new Map<number, number>();
  /** By their own numbers; and whether there may be others by now. */
  #inside: ReadonlyMap<number, readonly Inside[]> = new Map();
  #isOld = true;
  #againNs = -Infinity;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** There may be other processes now. */
  renew(): void {
    this.#isOld = true;
  }

  /**
   * Number here of a process; that of one which has ended is its own, too. Nobody's: it is not of this run, or
   * has gone from its namespace.
   *
   * @param pid Its own number.
   * @param namespace The lower half of its namespace's inode; 0: not known.
   * @returns `undefined`: ask later, all processes were looked at just now.
   */
  find(pid: number, namespace: number): number | undefined {
    if (this.#own === 0) return pid;
    const isGone = statusOf(pid) === undefined;
    if (namespace === this.#own) return isGone || this.#isOurs(pid) ? pid : NOBODY;
    if (namespace === 0 && !isGone && this.#isOurs(pid)) return pid;
    if (this.#isOld && !this.#look()) return undefined;
    const first = this.#firsts.get(namespace), known = new Set(this.#firsts.values());
    const all = this.#inside.get(pid) ?? [];
    const found = all.find((one) =>
      first === undefined ? !known.has(one.first) : one.first === first
    );
    if (found === undefined) return namespace === 0 && isGone ? pid : NOBODY;
    if (namespace !== 0) this.#firsts.set(namespace, found.first);
    return found.pid;
  }

  #isOurs(pid: number): boolean {
    // The first is quicker: the other asks the guardian for the environment.
    return isBelow(pid, this.#starter) || lookAtNoted(pid, this.#directory) === "ours";
  }

  /** Looks for those of this run that are in namespaces of their own, the youngest first; false: not now. */
  #look(): boolean {
    const beganNs = monotonicNanoseconds();
    if (beganNs < this.#againNs) return false;
    const inside = new Map<number, Inside[]>();
    const all = new Map<number, Status>();
    for (const name of listDirectory("/proc")) {
      const status = /^\d+$/.test(name) ? statusOf(Number(name)) : undefined;
      if (status !== undefined) all.set(Number(name), status);
    }
    for (const [pid, { numbers }] of [...all].reverse()) {
      if (numbers.length < 2 || !this.#isOurs(pid)) continue;
      const own = numbers.at(-1)!, others = inside.get(own);
      const one = { pid, first: firstOf(pid, all) };
      if (others === undefined) inside.set(own, [one]);
      else others.push(one);
    }
    // With its first process a namespace is gone, and its inode may be another one's.
    for (const [inode, first] of this.#firsts) if (!all.has(first)) this.#firsts.delete(inode);
    this.#inside = inside;
    this.#isOld = false;
    const endedNs = monotonicNanoseconds();
    this.#againNs = endedNs + AGAIN_TIMES * (endedNs - beganNs);
    return true;
  }
}

/** The first process of the namespace of a process. */
function firstOf(pid: number, all: ReadonlyMap<number, Status>): number {
  const depth = all.get(pid)!.numbers.length;
  for (let at = pid, left = MOST_PARENTS; left > 0; left--) {
    const status = all.get(at);
    if (status?.numbers.length !== depth) return pid;
    if (status.numbers[depth - 1] === 1) return at;
    at = status.parent;
  }
  return pid;
}

/** Was a process started by another one, or by what that started? */
function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid, left = MOST_PARENTS; left > 0 && at > 1; left--) {
    at = statusOf(at)?.parent ?? 0;
    if (at === ancestor) return at > 1;
  }
  return false;
}

/** `undefined`: there is no such process; the number may be that of a thread. */
function statusOf(pid: number): Status | undefined {
  const text = readText(`/proc/${pid}/status`);
  const [, process, parent] = /^Tgid:\s*(\d+)$.*?^PPid:\s*(\d+)$/ms.exec(text ?? "") ?? [];
  if (Number(process) !== pid) return undefined;
  const numbers = /^NSpid:\s*([\d\s]+?)$/m.exec(text!)?.[1].split(/\s+/).map(Number) ?? [pid];
  return { parent: Number(parent), numbers };
}

/** The lower half of its inode; 0: it cannot be seen, or numbers in /proc are another namespace's. */
function ownNamespace(): number {
  const isOurs = /^Pid:\s*(\d+)$/m.exec(readText("/proc/self/status") ?? "")?.[1] === `${Deno.pid}`;
  return isOurs ? (statPath("/proc/self/ns/pid")?.inode ?? 0) % 2 ** 32 : 0;
}
