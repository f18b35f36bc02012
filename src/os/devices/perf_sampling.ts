/**
 * Samples of the kernel's perf subsystem: one event a CPU on a command and all that it starts, each with a
 * ring. Truth: perf_event_open(2), linux/perf_event.h.
 *
 * Records are read where they lie. Copied are those that wait, those that cross the end of a ring, and those of
 * rings that another process has mapped too.
 * @module
 */
import type { RecordUser, RingPiece } from "../../core/record_bytes.ts";
import { openCounter } from "../confinement/caller_rights.ts";
import { rawNanoseconds } from "../clock.ts";
import { closeFile } from "../files.ts";
import { bindEventCalls, type EventCalls } from "./ioctl.ts";
import { ERRNO, errno, libc, SYSCALLS } from "../libc.ts";
import { PerfRing } from "./perf_ring.ts";
import { RecordPool } from "./record_pool.ts";

const FD_CLOEXEC = 8n;
const NO_LEADER = -1;
/** Bytes of a ring: one of few, one of many, and at least. */
const RING_BYTES = 1 << 20, RING_OF_MANY = 1 << 19, RING_LEAST = 1 << 16;
const MAX_LARGE_RINGS = 64;
/** Bytes of struct perf_event_header, and where it has the size of the record. */
const HEADER_BYTES = 8, SIZE_AT = 6;
/** Time from which a record is in its ring at the latest, after its own time, ns. */
const SETTLED_NS = 1e6;

/** A call that the kernel refused. */
export interface RefusedCall {
  readonly errno: number;
  readonly call: "perf_event_open" | "mmap" | "ioctl";
}

interface Ring {
  readonly cpu: number;
  readonly ring: PerfRing;
  /** Has another process the event too? It might change the records. */
  readonly isShared: boolean;
  /** Bytes of the records that are new. */
  length: number;
}

/** Events that are open. */
export class PerfSampling extends RecordPool implements Disposable {
  readonly #rings: Ring[] = [];
  /** The events of the rings, by CPU. */
  readonly #events = new Map<number, number>();
  /** Events whose counts are no CPU time. */
  readonly #further: number[] = [];
  /** Events of other processes that write into the ring of their CPU. */
  readonly #others: (readonly [cpu: number, fd: number])[] = [];
  /** Bound before the monitor is confined. */
  readonly #calls: EventCalls = bindEventCalls();
  /** All records up to here were copied, CLOCK_MONOTONIC_RAW in ns. */
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
   * @param ringBytes Bytes of a ring at most.
   */
  static open(
    pid: number,
    cpus: readonly number[],
    attribute: Uint8Array<ArrayBuffer>,
    further?: Uint8Array<ArrayBuffer>,
    ringBytes: number = cpus.length > MAX_LARGE_RINGS ? RING_OF_MANY : RING_BYTES,
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
      made.#events.set(cpu, fd);
      if (further === undefined) continue;
      const member = openEvent(pid, cpu, further, fd);
      if (member < 0) return fail("perf_event_open");
      made.#further.push(member);
    }
    if (!made.#map(ringBytes)) return fail("mmap");
    const events = [...made.#events.values()], { redirect } = made.#calls;
    if (made.#further.some((fd, i) => redirect(fd, events[i]) !== 0)) return fail("ioctl");
    return made;
  }

  /** The refusal of events with the smallest rings; `undefined`: the kernel allows them. */
  static refusal(
    pid: number,
    cpus: readonly number[],
    attribute: Uint8Array<ArrayBuffer>,
  ): RefusedCall | undefined {
    const opened = PerfSampling.open(pid, cpus, attribute, undefined, RING_LEAST);
    if (!(opened instanceof PerfSampling)) return opened;
    opened[Symbol.dispose]();
    return undefined;
  }

  /** Maps rings of one size, the largest that this user may have (perf_event_mlock_kb, RLIMIT_MEMLOCK). */
  #map(most: number): boolean {
    const events = this.#events, rings = this.#rings;
    for (let bytes = most; bytes >= RING_LEAST; bytes /= 2) {
      for (const [cpu, fd] of events) {
        const ring = PerfRing.map(fd, bytes);
        if (ring === undefined) break;
        rings.push({ cpu, ring, isShared: false, length: 0 });
      }
      if (rings.length === events.size) return true;
      for (const { ring } of rings.splice(0)) ring[Symbol.dispose]();
    }
    return false;
  }

  /** Takes an event that another process opened on itself. @returns False: it has no room, and is closed. */
  add(cpu: number, fd: number): boolean {
    const event = this.#events.get(cpu);
    const isTaken = event === undefined
      ? this.#mapOther(cpu, fd)
      : this.#calls.redirect(fd, event) === 0;
    if (!isTaken) closeFile(fd);
    else if (event === undefined) this.#events.set(cpu, fd);
    else this.#others.push([cpu, fd]);
    return isTaken;
  }

  /** Maps the ring of an event on a CPU that the command may not use. */
  #mapOther(cpu: number, fd: number): boolean {
    for (let bytes = RING_OF_MANY; bytes >= RING_LEAST; bytes /= 2) {
      const ring = PerfRing.map(fd, bytes);
      if (ring === undefined) continue;
      this.#rings.push({ cpu, ring, isShared: true, length: 0 });
      return true;
    }
    return false;
  }

  /** Begins now: the process executed its program before it had events. */
  enable(): void {
    const { enable } = this.#calls;
    for (const fd of [...this.#events.values(), ...this.#further]) enable(fd);
  }

  /** The bytes of the smallest ring. */
  get ringBytes(): number {
    return Math.min(...this.#rings.map(({ ring }) => ring.records.bytes.length));
  }

  /**
   * Hands records on, and makes room in the rings.
   *
   * @param knownNs Annotations up to here are known; Infinity: the run is over, and no record comes any more.
   * @param user Who takes the records up to there; later ones wait in the pool.
   */
  take(knownNs: number, user: RecordUser): void {
    const rings = this.#rings, isOver = knownNs === Infinity, pieces: RingPiece[] = [];
    const settledNs = isOver ? Infinity : rawNanoseconds() - SETTLED_NS;
    this.begin();
    let length = 0, fullest = 0;
    for (const one of rings) {
      length += one.length = one.ring.look();
      fullest = Math.max(fullest, one.length / one.ring.records.bytes.length);
    }
    const hasRoom = isOver || this.hasRoom(length, rings.length);
    // What waits in full rings does not leave them sooner.
    this.fullest = hasRoom ? fullest : 0;
    if (hasRoom) this.#copiedNs = settledNs;
    this.takenNs = Math.min(this.#copiedNs, knownNs);
    for (const one of hasRoom ? rings : []) this.#open(one, user, pieces);
    user.take([...this.upTo(this.takenNs, user), ...pieces]);
    for (const { ring } of hasRoom ? rings : []) ring.free();
  }

  /** Finds the records of a ring that can be read in place, and copies the others. */
  #open({ cpu, ring, isShared, length }: Ring, user: RecordUser, pieces: RingPiece[]): void {
    const { records, from } = ring, end = records.bytes.length, to = from + length;
    const copy = (from: number, to: number) => {
      if (from === to) return;
      const at = this.reserve(to - from);
      ring.copy(from, to - from, this.bytes, at);
      this.copied(cpu, to - from);
    };
    const readInPlace = (from: number, to: number) => {
      const later = user.endOf(records, from, to, this.takenNs);
      if (later > from) pieces.push({ records, cpu, from, to: later });
      copy(later, to);
    };
    if (isShared) return copy(from, to);
    if (to <= end) return readInPlace(from, to);
    let last = from, next = from;
    while (next < end) {
      last = next;
      next += Math.max(HEADER_BYTES, records.view.getUint16(last + SIZE_AT, true));
    }
    readInPlace(from, last);
    copy(last, next);
    readInPlace(next - end, to - end);
  }

  /** CPU time of the commands and all that they started, by CPU, ns. */
  counts(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const [cpu, fd] of [...this.#events, ...this.#others]) {
      const isRead = libc().read(fd, this.#wordBytes, 8n) === 8n;
      counts.set(cpu, (counts.get(cpu) ?? 0) + (isRead ? Number(this.#word[0]) : 0));
    }
    return counts;
  }

  [Symbol.dispose](): void {
    for (const fd of this.#further) closeFile(fd);
    for (const [, fd] of this.#others) closeFile(fd);
    for (const { ring } of this.#rings) ring[Symbol.dispose]();
    for (const fd of this.#events.values()) closeFile(fd);
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
