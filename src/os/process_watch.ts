/**
 * Finds which of many processes have ended, with one poll(2) for all of them.
 *
 * A pidfd stays with its process even when the number is given to another one, and a process that
 * waits for its parent to notice its end counts as ended. On kernels before 5.3, which have no
 * pidfd, /proc is asked instead.
 * @module
 */
import { grown } from "../core/grow.ts";
import { closeFile, statPath } from "./files.ts";
import { bindMore } from "./bind.ts";
import { libc } from "./libc.ts";
import { POLLIN } from "./poll.ts";
import { isAlive, openPidfd, statFields } from "./process.ts";

/** struct pollfd: descriptor, events, results. */
const ENTRY_BYTES = 8;

/** _IOWR(0xff, 11, struct pidfd_info of 64 bytes): linux/pidfd.h. */
const PIDFD_GET_INFO = 0xc040ff0bn;
const PIDFD_INFO_BYTES = 64;
/** Linux 6.15: the status of a process that its parent has noticed. */
const PIDFD_INFO_EXIT = 8n;
const EXIT_CODE = 60;

const SYMBOLS = {
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

/** Watches processes until they end. */
export class ProcessWatch {
  readonly #pids: number[] = [];
  /** Bound now: later the permission may be gone. */
  readonly #ioctl = bindMore(SYMBOLS)?.ioctl;
  readonly #statusOf: (pid: number) => number | undefined;
  #polls = new DataView(new ArrayBuffer(64 * ENTRY_BYTES));
  #bytes = new Uint8Array(this.#polls.buffer);

  /** @param statusOf The status of a process that its parent has not noticed; `undefined`: not known. */
  constructor(statusOf: (pid: number) => number | undefined) {
    this.#statusOf = statusOf;
  }

  /** Watches a process; one that has ended already is reported by the next `ended`. */
  add(pid: number): void {
    const at = this.#pids.length * ENTRY_BYTES;
    if (at + ENTRY_BYTES > this.#bytes.length) {
      this.#bytes = grown(this.#bytes);
      this.#polls = new DataView(this.#bytes.buffer);
    }
    this.#polls.setInt32(at, openPidfd(pid), true);
    this.#polls.setInt16(at + 4, POLLIN, true);
    this.#pids.push(pid);
  }

  /** Processes watched that still run. */
  get size(): number {
    return this.#pids.length;
  }

  /**
   * Calls back for every process that ended since the last call.
   *
   * @param report `bySignal`: a signal ended it; `undefined`: not known.
   */
  ended(report: (pid: number, bySignal: boolean | undefined) => void): void {
    if (this.#pids.length === 0) return;
    libc().poll(this.#bytes, BigInt(this.#pids.length), 0);
    for (let i = this.#pids.length - 1; i >= 0; i--) {
      const at = i * ENTRY_BYTES;
      const fd = this.#polls.getInt32(at, true);
      const gone = fd >= 0
        ? (this.#polls.getInt16(at + 6, true) & POLLIN) !== 0
        : !isAlive(this.#pids[i]);
      if (!gone) continue;
      const pid = this.#pids[i];
      const status = fd >= 0 ? this.#exitStatus(fd, pid) : undefined;
      closeFile(fd);
      this.#remove(i);
      report(pid, status === undefined ? undefined : (status & 0x7f) !== 0);
    }
  }

  [Symbol.dispose](): void {
    for (let i = 0; i < this.#pids.length; i++) {
      closeFile(this.#polls.getInt32(i * ENTRY_BYTES, true));
    }
    this.#pids.length = 0;
  }

  /** The status of a process that is not our child, as in wait(2); `undefined`: not known. */
  #exitStatus(pidfd: number, pid: number): number | undefined {
    // Before its parent reaps it /proc has it, after that its pidfd, on kernels that keep it there.
    return this.#statusInPidfd(pidfd) ?? this.#statusOf(pid) ?? this.#statusInPidfd(pidfd);
  }

  #statusInPidfd(pidfd: number): number | undefined {
    const info = new DataView(new ArrayBuffer(PIDFD_INFO_BYTES));
    info.setBigUint64(0, PIDFD_INFO_EXIT, true);
    const answer = this.#ioctl?.(pidfd, PIDFD_GET_INFO, new Uint8Array(info.buffer));
    const known = answer === 0 && (info.getBigUint64(0, true) & PIDFD_INFO_EXIT) !== 0n;
    return known ? info.getInt32(EXIT_CODE, true) : undefined;
  }

  /** The last one takes the place of one that is gone. */
  #remove(i: number): void {
    const last = this.#pids.length - 1;
    this.#pids[i] = this.#pids[last];
    this.#pids.length = last;
    this.#bytes.copyWithin(i * ENTRY_BYTES, last * ENTRY_BYTES, (last + 1) * ENTRY_BYTES);
    this.#polls.setInt16(i * ENTRY_BYTES + 6, 0, true);
  }
}

/** The last field of stat of a process that waits for its parent: proc(5). */
export function statusInProc(pid: number): number | undefined {
  const fields = statFields(pid);
  if (fields?.[0] !== "Z" || fields.length !== 50) return undefined;
  const status = Number(fields[49]);
  // Who may not trace the process reads 0. The link to its namespace needs the same right.
  const isShown = status !== 0 || statPath(`/proc/${pid}/ns/user`) !== undefined;
  return isShown ? status : undefined;
}
