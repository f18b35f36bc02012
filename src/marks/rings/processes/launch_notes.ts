/**
 * Notes of processes that were handed over: `run.PID` in the session directory. The monitor waits for
 * such a process, so a number that anybody may write is believed only of a process of this user that
 * was given this session.
 * @module
 */
import { isInSession } from "../../../job/place/process_rank.ts";
import { statPath } from "../../../os/files.ts";
import { isKernelThread } from "../../../os/process.ts";
import { libc } from "../../../os/libc.ts";

/** A process becomes its command soon after its note. */
const PATIENCE_NS = 5e9;
/** Between two looks at one that is not there yet. */
const AGAIN_NS = 5e7;

/** State of the process that a note names. */
export type NotedProcess =
  | "ours"
  | "gone"
  /** `never`: to wait would change nothing. */
  | { readonly not: string; readonly never?: boolean };

/** Looks at the process. @param directory The session's. */
export function lookAtNoted(pid: number, directory: string): NotedProcess {
  // It began before any run, and its environment is closed to many.
  if (pid === 1) return { not: "process 1 is the first of the machine", never: true };
  const facts = statPath(`/proc/${pid}`);
  if (facts === undefined) return "gone";
  // Its environment is as empty as that of a process that may not be looked at, and it never ends.
  if (isKernelThread(pid)) return { not: `process ${pid} is the kernel's`, never: true };
  const isOurs = facts.uid === libc().geteuid();
  if (!isOurs) return { not: `process ${pid} is user ${facts.uid}'s`, never: true };
  // Without the right to look, the owner is all there is to know.
  return isInSession(pid, directory) ?? true
    ? "ours"
    : { not: `process ${pid} is not of this run` };
}

/** Notes that were found. */
export class LaunchNotes {
  readonly #look: (pid: number) => NotedProcess;
  readonly #pending = new Map<number, { sinceNs: number; nextNs: number }>();

  constructor(look: (pid: number) => NotedProcess) {
    this.#look = look;
  }

  /** Is a note neither believed nor refused yet? */
  get waiting(): boolean {
    return this.#pending.size > 0;
  }

  add(pid: number, nowNs: number): void {
    this.#pending.set(pid, { sinceNs: nowNs, nextNs: nowNs });
  }

  /** Accepts or rejects the notes that can be decided. */
  check(nowNs: number, believe: (pid: number) => void, refuse: (why: string) => void): void {
    for (const [pid, note] of this.#pending) {
      if (nowNs < note.nextNs) continue;
      note.nextNs = nowNs + AGAIN_NS;
      const found = this.#look(pid);
      const isOpen = typeof found !== "string" && found.never !== true;
      if (isOpen && nowNs - note.sinceNs < PATIENCE_NS) continue;
      this.#pending.delete(pid);
      if (found === "ours") believe(pid);
      else if (found !== "gone") refuse(found.not);
    }
  }
}
