/**
 * Samples of the kernel's perf subsystem: one event a CPU on a command and all that it starts, each with a
 * ring. Truth: perf_event_open(2), linux/perf_event.h.
 *
 * Only what was in the rings at the turn before is taken, up to the moment when that turn began: all of them are
 * complete up to then, and no barrier is needed between the kernel's head and its data.
 * @module
 */
import { openCounter } from "../confinement/caller_rights.ts";
import { rawNanoseconds } from "../clock.ts";
import { closeFile } from "../files.ts";
import { bindEventCalls, type EventCalls } from "./ioctl.ts";
import { ERRNO, errno, libc, SYSCALLS } from "../libc.ts";
import { pageBytes } from "../page.ts";
import { type EndOf, RecordPool, type RingPiece } from "./record_pool.ts";

const FD_CLOEXEC = 8n;
/**
 * Offsets in struct perf_event_mmap_page of the writer's and the reader's position, and of the
 * data.
 */
const HEAD_AT = 1024n, TAIL_AT = 1032n, DATA_AT = 1040n;
const PROT_READ_WRITE = 3, MAP_SHARED = 1;
const NO_LEADER = -1;
const FAILED = 0xffffffffffffffffn;
/** A plain user has about so much for each CPU (perf_event_mlock_kb), or less if others take of it. */
const RING_BYTES = 1 << 19, RING_LEAST = 1 << 16;

/** A call that the kernel refused. */
export interface RefusedCall {
  readonly errno: number;
  readonly call: "perf_event_open" | "mmap" | "ioctl";
}

interface Ring {
  readonly cpu: number;
  readonly fd: number;
  /** Addresses of the mapped control page and of the records. */
  readonly base: bigint;
  readonly data: bigint;
  readonly bytes: number;
  /** Writer's position at the last turn, end of the records to copy, and reader's position. */
  head: bigint;
  upTo: bigint;
  tail: bigint;
}

/** Events that are open. */
export class PerfSampling extends RecordPool implements Disposable {
  readonly #rings: Ring[] = [];
  /** Events whose counts are no CPU time. */
  readonly #further: number[] = [];
  /** Events of other processes that write into the ring of their CPU. */
  readonly #others: { readonly cpu: number; readonly fd: number }[] = [];
  /** Bound before the monitor is confined. */
  readonly #calls: EventCalls = bindEventCalls();
  /** Begin of the previous turn, and the time up to which all records were copied, CLOCK_MONOTONIC_RAW in ns. */
  #beganNs = 0;
  #copiedNs = 0;
  /** All records up to here were taken, by the same clock. */
  takenNs = 0;
  readonly #word = new BigUint64Array(1);
  readonly #wordBytes = new Uint8Array(this.#word.buffer);

  private constructor() {
    super();
  }

  /**
   * Opens an event on each CPU; otherwise the error number of what was refused.
   *
   * At a switch the kernel may exchange the events of two threads: it then exchanges their counts back, event by
   * event. New threads have events in this order: those on any CPU first, then by CPU, each before its group. The
   * command must have the same order, or counts go to events of other CPUs.
   *
   * @param further Attribute of a further event on each CPU, whose records go into the same rings.
   */
  static open(
    pid: number,
    cpus: readonly number[],
    attribute: Uint8Array<ArrayBuffer>,
    further?: Uint8Array<ArrayBuffer>,
  ): PerfSampling | RefusedCall {
    const made = new PerfSampling();
    const fail = (call: RefusedCall["call"]) => {
      const failed = refused(call);
      made[Symbol.dispose]();
      return failed;
    };
    for (const cpu of cpus) {
      const fd = openEvent(pid, cpu, attribute);
      // A CPU of the affinity may be switched off.
      if (fd < 0 && errno() === ERRNO.ENODEV) continue;
      if (fd < 0) return fail("perf_event_open");
      const ring = mapRing(cpu, fd);
      if (ring === undefined) {
        closeFile(fd);
        return fail("mmap");
      }
      made.#rings.push(ring);
      if (further === undefined) continue;
      const member = openEvent(pid, cpu, further, fd);
      if (member < 0) return fail("perf_event_open");
      made.#further.push(member);
      if (made.#calls.redirect(member, fd) !== 0) return fail("ioctl");
    }
    return made;
  }

  /** Takes an event that another process opened on itself. @returns False: it has no room, and is closed. */
  add(cpu: number, fd: number): boolean {
    const ring = this.#rings.find((ring) => ring.cpu === cpu);
    if (ring === undefined) {
      const made = mapRing(cpu, fd);
      if (made === undefined) closeFile(fd);
      else this.#rings.push(made);
      return made !== undefined;
    }
    const { redirect } = this.#calls;
    if (redirect(fd, ring.fd) !== 0) {
      closeFile(fd);
      return false;
    }
    this.#others.push({ cpu, fd });
    return true;
  }

  /** Begins now: the process executed its program before it had events. */
  enable(): void {
    const { enable } = this.#calls;
    for (const fd of [...this.#rings.map(({ fd }) => fd), ...this.#further]) enable(fd);
  }

  /** The bytes of the smallest ring. */
  get ringBytes(): number {
    return Math.min(...this.#rings.map(({ bytes }) => bytes));
  }

  /**
   * Copies records, and makes room in the rings.
   *
   * @param knownNs Annotations up to here are known; Infinity: the run is over, and no record comes any more.
   * @returns Records up to there; later ones wait in the pool.
   */
  take(knownNs: number, endOf: EndOf): RingPiece[] {
    const rings = this.#rings, nowNs = rawNanoseconds(), isOver = knownNs === Infinity;
    this.begin();
    let length = 0;
    for (const ring of rings) {
      ring.upTo = isOver ? this.#read(ring.base + HEAD_AT) : ring.head;
      length += Number(ring.upTo - ring.tail);
    }
    if (isOver || this.hasRoom(length, rings.length)) {
      for (const ring of rings) this.#empty(ring);
      this.#copiedNs = isOver ? Infinity : this.#beganNs;
    }
    for (const ring of rings) ring.head = this.#read(ring.base + HEAD_AT);
    this.#beganNs = nowNs;
    this.takenNs = Math.min(this.#copiedNs, knownNs);
    return this.upTo(this.takenNs, endOf);
  }

  #empty(ring: Ring): void {
    const length = Number(ring.upTo - ring.tail);
    if (length === 0) return;
    const to = this.reserve(length);
    const at = Number(ring.tail % BigInt(ring.bytes)), first = Math.min(length, ring.bytes - at);
    this.#copy(to, first, ring.data + BigInt(at));
    if (first < length) this.#copy(to + first, length - first, ring.data);
    this.copied(ring.cpu, length);
    this.#word[0] = ring.tail = ring.upTo;
    libc().poke(ring.base + TAIL_AT, this.#wordBytes, 8n);
  }

  #copy(at: number, length: number, from: bigint): void {
    libc().peek(this.bytes.subarray(at, at + length), from, BigInt(length));
  }

  #read(address: bigint): bigint {
    libc().peek(this.#wordBytes, address, 8n);
    return this.#word[0];
  }

  /** CPU time of the commands and all that they started, by CPU, ns. */
  counts(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { cpu, fd } of [...this.#rings, ...this.#others]) {
      const isRead = libc().read(fd, this.#wordBytes, 8n) === 8n;
      counts.set(cpu, (counts.get(cpu) ?? 0) + (isRead ? Number(this.#word[0]) : 0));
    }
    return counts;
  }

  [Symbol.dispose](): void {
    for (const fd of [...this.#further, ...this.#others.map(({ fd }) => fd)]) closeFile(fd);
    for (const { fd, base, bytes } of this.#rings) {
      libc().munmap(base, BigInt(bytes + pageBytes()));
      closeFile(fd);
    }
  }
}

function refused(call: RefusedCall["call"]): RefusedCall {
  return { errno: errno() || ERRNO.EIO, call };
}

function openEvent(
  pid: number,
  cpu: number,
  attribute: Uint8Array<ArrayBuffer>,
  leader = NO_LEADER,
): number {
  return openCounter(undefined, () => {
    const number = SYSCALLS.perfEventOpen;
    return Number(libc().perfEventOpen(number, attribute, pid, cpu, leader, FD_CLOEXEC));
  });
}

/** Maps the largest ring that is allowed; `undefined`: errno says why not. */
function mapRing(cpu: number, fd: number): Ring | undefined {
  const c = libc(), word = new BigUint64Array(1), page = pageBytes();
  for (let bytes = RING_BYTES; bytes >= RING_LEAST; bytes /= 2) {
    const base = c.mmap(0n, BigInt(bytes + page), PROT_READ_WRITE, MAP_SHARED, fd, 0n);
    if (base === FAILED) continue;
    c.peek(new Uint8Array(word.buffer), base + DATA_AT, 8n);
    const data = base + (word[0] || BigInt(page));
    return { cpu, fd, base, data, bytes, head: 0n, upTo: 0n, tail: 0n };
  }
}
