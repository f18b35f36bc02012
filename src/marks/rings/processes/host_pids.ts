/**
 * Numbers of processes. Who marks knows itself by the number in its own namespace, which in a container is
 * another one than here; and a file may have any number in its name. pid_namespaces(7), proc_pid_status(5).
 * @module
 */
import { monotonicNanoseconds } from "../../../os/clock.ts";
import { listDirectory, readText, statPath } from "../../../os/files.ts";
import { namespaceOf } from "../../../job/place/process_rank.ts";
import { lookAtNoted } from "./launch_notes.ts";

/** In place of a number here: no process of the run is known that has the number. */
export const UNMATCHED = -1;
/** Looking for processes may take so long, and of the time since the first look a twentieth more. */
const BURST_NS = 5e7, SHARE = 1 / 20;
/** Maximum number of parents that are followed. */
const MAX_PARENTS = 256;

/** A process inside of a namespace of its own. */
interface Inside {
  readonly pid: number;
  /** Process number in its own namespace. */
  readonly own: number;
  /** See `find`. */
  readonly namespace: number;
}

/** A process as its status has it. */
interface Status {
  readonly parent: number;
  /** Process numbers from this namespace to its own. */
  readonly numbers: readonly number[];
}

/** Finds the processes of one session. */
export class HostPids {
  readonly #directory: string;
  /** The guardian, of a run. */
  readonly #starter = Deno.ppid;
  readonly #own = ownNamespace();
  /** Numbers here of processes that were looked at, and what there was to see. */
  #known: ReadonlyMap<number, Inside | undefined> = new Map();
  /** There may be others by now. */
  #isOld = true;
  #firstNs = NaN;
  #tookNs = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** There may be other processes now. */
  renew(): void {
    this.#isOld = true;
  }

  /**
   * Number here of a process; of one that has ended, its own. `UNMATCHED`: it is not of this run, or has gone from
   * its namespace.
   *
   * @param pid Its own number.
   * @param namespace The lower half of its namespace's inode; 0: not known.
   * @returns `undefined`: ask later, all processes were looked at just now.
   */
  find(pid: number, namespace: number): number | undefined {
    if (this.#own === 0) return pid;
    const isGone = statusOf(pid) === undefined;
    if (namespace === this.#own) return isGone || this.#isOurs(pid) ? pid : UNMATCHED;
    if (namespace === 0 && !isGone && this.#isOurs(pid)) return pid;
    if (this.#isOld && !this.#look()) return undefined;
    for (const one of this.#known.values()) {
      // Of a script the namespace is not known.
      if (one?.own === pid && (namespace === 0 || one.namespace === namespace)) return one.pid;
    }
    return namespace === 0 && isGone ? pid : UNMATCHED;
  }

  #isOurs(pid: number): boolean {
    // The first is quicker: the other asks the guardian for the environment.
    return isBelow(pid, this.#starter) || lookAtNoted(pid, this.#directory) === "ours";
  }

  /** Looks for those of this run that are in namespaces of their own; false: not now. */
  #look(): boolean {
    const nowNs = monotonicNanoseconds();
    if (Number.isNaN(this.#firstNs)) this.#firstNs = nowNs;
    if (this.#tookNs > BURST_NS + SHARE * (nowNs - this.#firstNs)) return false;
    const known = new Map<number, Inside | undefined>();
    for (const name of listDirectory("/proc")) {
      const pid = /^\d+$/.test(name) ? Number(name) : 0;
      if (pid > 0) {
        known.set(pid, this.#known.has(pid) ? this.#known.get(pid) : this.#insideOf(pid));
      }
    }
    this.#known = known;
    this.#isOld = false;
    this.#tookNs += monotonicNanoseconds() - nowNs;
    return true;
  }

  #insideOf(pid: number): Inside | undefined {
    const numbers = statusOf(pid)?.numbers ?? [];
    if (numbers.length < 2 || !this.#isOurs(pid)) return undefined;
    return { pid, own: numbers.at(-1)!, namespace: namespaceOf(pid) };
  }
}

/** Was a process started by another one, or by what that started? */
function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid, left = MAX_PARENTS; left > 0 && at > 1; left--) {
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
