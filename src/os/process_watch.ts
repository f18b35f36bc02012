/**
 * Tells which of many processes have ended, with one poll(2) for all of them.
 *
 * A pidfd stays with its process even when the number is given to another one, and a process that
 * waits for its parent to notice its end counts as ended. On kernels before 5.3, which have no
 * pidfd, /proc is asked instead.
 * @module
 */
import { grown } from "../core/grow.ts";
import { closeFile } from "./files.ts";
import { libc } from "./libc.ts";
import { isAlive, openPidfd } from "./process.ts";

const POLLIN = 1;
/** struct pollfd: descriptor, events, results. */
const ENTRY_BYTES = 8;

/** See the module. */
export class ProcessWatch {
  readonly #pids: number[] = [];
  #polls = new DataView(new ArrayBuffer(64 * ENTRY_BYTES));
  #bytes = new Uint8Array(this.#polls.buffer);

  /** Watches a process; one that is gone already is told by the next `ended`. */
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

  /** Calls back for every process that ended since the last call. */
  ended(tell: (pid: number) => void): void {
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
      closeFile(fd);
      this.#remove(i);
      tell(pid);
    }
  }

  [Symbol.dispose](): void {
    for (let i = 0; i < this.#pids.length; i++) {
      closeFile(this.#polls.getInt32(i * ENTRY_BYTES, true));
    }
    this.#pids.length = 0;
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
