/**
 * Samples that threads take of themselves by a timer, in files of the session: client/preload/timer.c is the other
 * side, docs/reference/formats/timer-ring.md the layout. Any program may write anything into these files: they are
 * read by pread(2), and a ring that cannot be is left alone.
 * @module
 */
import { rawNanoseconds } from "../clock.ts";
import { closeFile, listDirectory, O, openFile, openOwnFile, readAt, writeAt } from "../files.ts";
import { cString, ERRNO, errno, libc } from "../libc.ts";
import { pageBytes } from "../page.ts";
import { openFilesLimit } from "../process.ts";
import type { RecordUser } from "../../core/record_bytes.ts";
import { RecordPool } from "./record_pool.ts";

/** The folder in the session's directory. */
const FOLDER = "timer";
const RING_NAME = /^[0-9a-f]{16}\.[0-9a-f]{16}$/;
const MAGIC = 0x544d4c4a, VERSION = 1;
/** Bytes of the records: a page is before them. */
const DATA_BYTES = 1 << 18;
/** Places in the head: dropped samples, the end of sampling, writer's and reader's position. */
const DROPPED_AT = 24, STOPPED_AT = 32, HEAD_AT = 64, TAIL_AT = 128;
/** Descriptors that stay free. */
const RESERVED = 128;
/** After this time all rings have their records, ns. */
const SETTLED_NS = 5e7;
/** A lock that nobody may have who has the file mapped: flock(2). */
const LOCK_EX_NB = 6;

/** Begin of the paths of a process's rings, below the session's directory. */
export function ringsOf(process: number): string {
  return `${FOLDER}/${process.toString(16).padStart(16, "0")}.`;
}

/** One ring. */
interface Ring {
  readonly fd: number;
  tail: number;
  dropped: number;
  /** True if no process has mapped the ring. */
  isLeft: boolean;
}

/** Rings of all threads. */
export class TimerSampling extends RecordPool implements Disposable {
  readonly ringBytes = DATA_BYTES;
  /** Number of rings that were found. */
  found = 0;
  /** Number of rings that are not read for lack of descriptors. */
  unread = 0;
  /** A program uses the timer's signal, or restricts its own rights: its samples end there. */
  isStopped = false;
  readonly #directory: string;
  readonly #recordsAt = pageBytes();
  readonly #maxFd = openFilesLimit() - RESERVED;
  #rings: Ring[] = [];
  #dropped = 0;
  readonly #head = new Uint8Array(TAIL_AT + 8);
  readonly #numbers = new DataView(this.#head.buffer);
  /** All records up to here were taken, and all up to there were copied, CLOCK_MONOTONIC_RAW in ns. */
  takenNs = 0;
  #copiedNs = 0;
  readonly #word = new BigUint64Array(1);

  /** The directory, locked as long as somebody reads the rings. */
  readonly #lock: number;

  private constructor(directory: string, lock: number) {
    super();
    [this.#directory, this.#lock] = [directory, lock];
  }

  /** Makes the folder of the rings; `undefined`: it cannot be made. @param session The session's directory. */
  static open(session: string): TimerSampling | undefined {
    const directory = `${session}/${FOLDER}`;
    const isMade = libc().mkdir(cString(directory), 0o700) === 0 || errno() === ERRNO.EEXIST;
    const lock = isMade ? openFile(directory, O.RDONLY | O.DIRECTORY) : -1;
    if (lock < 0) return undefined;
    // Nobody else has it, but an earlier request of this process may.
    libc().flock(lock, LOCK_EX_NB);
    return new TimerSampling(directory, lock);
  }

  /** Samples that had no room. */
  get dropped(): number {
    return this.#rings.reduce((sum, { dropped }) => sum + dropped, this.#dropped);
  }

  /** Hands records on, and makes room in the rings: as `PerfSampling.take()`. */
  take(knownNs: number, user: RecordUser): void {
    const isOver = knownNs === Infinity,
      settledNs = isOver ? Infinity : rawNanoseconds() - SETTLED_NS;
    this.begin();
    this.#find();
    const { length } = this.#rings;
    if (isOver || this.hasRoom(length * DATA_BYTES, length)) {
      this.#rings = this.#rings.filter((ring) => this.#empty(ring));
      this.#copiedNs = settledNs;
    }
    this.takenNs = Math.min(this.#copiedNs, knownNs);
    user.take(this.upTo(this.takenNs, user));
  }

  /** @returns False: the ring has ended, and is closed. */
  #empty(ring: Ring): boolean {
    const length = this.#copy(ring);
    if (length > 0) {
      this.copied(0, length);
      this.#word[0] = BigInt(ring.tail += length);
      writeAt(ring.fd, new Uint8Array(this.#word.buffer), TAIL_AT);
    }
    const isOver = length < 0 || ring.isLeft && length === 0;
    // What came before its end is read in the next turn.
    ring.isLeft ||= length === 0 && libc().flock(ring.fd, LOCK_EX_NB) === 0;
    if (isOver) this.#close(ring);
    return !isOver;
  }

  /** Opens new rings; their files have no names from here on, and end with their processes. */
  #find(): void {
    this.unread = 0;
    for (const name of listDirectory(this.#directory)) {
      const path = `${this.#directory}/${name}`;
      const fd = RING_NAME.test(name) ? openOwnFile(path, O.RDWR) : "";
      if (typeof fd === "string") continue;
      const isWhole = readAt(fd, this.#head, 0) === this.#head.length;
      const magic = isWhole ? this.#numbers.getUint32(0, true) : 0;
      if (fd >= this.#maxFd) this.unread++;
      // Without the word at its begin it is being made.
      if (magic === 0 || fd >= this.#maxFd) {
        closeFile(fd);
        continue;
      }
      libc().unlink(cString(path));
      if (magic === MAGIC && this.#numbers.getUint32(4, true) === VERSION) {
        this.found++;
        this.#rings.push({ fd, tail: 0, dropped: 0, isLeft: false });
      } else closeFile(fd);
    }
  }

  /** Copies what a ring has. @returns Bytes; less than 0: this is no ring. */
  #copy(ring: Ring): number {
    if (readAt(ring.fd, this.#head, 0) !== this.#head.length) return -1;
    const head = Number(this.#numbers.getBigUint64(HEAD_AT, true)), length = head - ring.tail;
    if (!(length >= 0 && length <= DATA_BYTES && Number.isSafeInteger(head))) return -1;
    ring.dropped = Number(this.#numbers.getBigUint64(DROPPED_AT, true));
    if (this.#head[STOPPED_AT] === 1) this.isStopped = true;
    if (length === 0) return 0;
    const to = this.reserve(length);
    const at = ring.tail % DATA_BYTES, first = Math.min(length, DATA_BYTES - at);
    const isRead = this.#read(ring, to, at, first) &&
      this.#read(ring, to + first, 0, length - first);
    return isRead ? length : -1;
  }

  #read({ fd }: Ring, to: number, at: number, length: number): boolean {
    return length === 0 ||
      readAt(fd, this.bytes.subarray(to, to + length), this.#recordsAt + at) === length;
  }

  #close({ fd, dropped }: Ring): void {
    this.#dropped += dropped;
    closeFile(fd);
  }

  /** CPU time by CPU: the samples alone have it. */
  counts(): Map<number, number> {
    return new Map();
  }

  [Symbol.dispose](): void {
    for (const ring of this.#rings) this.#close(ring);
    this.#rings = [];
    closeFile(this.#lock);
  }
}
