/**
 * Marks of a process whose functions are probed: regions of its threads, made by the monitor.
 * @module
 */
import { HINT_UNKNOWN } from "../../core/hints.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import { CPU_UNKNOWN, FLAG, OTHER_NAME, TRACK_SHIFT } from "../../core/events/ring_layout.ts";
import { affinityOf } from "../../os/host.ts";
import type { Marks } from "./marks.ts";
import { RingThread } from "./ring_thread.ts";
import { StampClock } from "./stamp_clock.ts";

/** Name of the track of probes. */
export const PROBE_TRACK = "probe";
/** Points' regions. */
const POINT_TRACK = "usdt";
/** Track bits of functions and points, as a record has them above the name. */
const FUNCTIONS = 1 << TRACK_SHIFT, POINTS = 2 << TRACK_SHIFT;

/** Time and CPU of an event: the kernel's time, in halves. */
export interface ProbeMoment {
  low: number;
  high: number;
  cpu: number;
}

/** A thread, and its functions that are open: numbers of names, and the stack where each began. */
interface Thread {
  readonly ring: RingThread;
  readonly names: number[];
  readonly stacks: number[];
}

/** The marks of one process. */
export class ProbeMarks implements Marks {
  /** Joins the other marks of the process. */
  readonly execId = "";
  readonly cpus: readonly number[];
  readonly threads: RingThread[] = [];
  readonly skipped = { nested: 0, refused: 0 };
  readonly endsSilently = true;
  readonly garbage = 0;
  readonly otherVisits = 0;
  /** Begins and ends that found no room on their way here. */
  lostEvents = 0;
  readonly names: { name: string; hint: number }[];
  readonly #clock: StampClock;
  readonly #known = new Map<number, Thread>();
  /** Threads that the collector has not seen. */
  #made: RingThread[] = [];
  readonly #record = new DataView(new ArrayBuffer(16));
  readonly #bytes = new Uint8Array(this.#record.buffer);

  constructor(
    readonly pid: number,
    readonly startNs: number,
    names: readonly string[],
    originNs: bigint,
  ) {
    this.cpus = affinityOf(pid);
    this.names = [OTHER_NAME, ...names].map((name) => ({ name, hint: HINT_UNKNOWN }));
    this.#clock = new StampClock(originNs);
  }

  /**
   * A function begins. All that began at the same depth of the stack or further down has ended: it was
   * left by an exception, a long jump or a jump into this one.
   */
  enter(tid: number, name: number, stack: number, when: ProbeMoment): void {
    const thread = this.#thread(tid);
    this.#leave(thread, stack, true, when);
    thread.names.push(name);
    thread.stacks.push(stack);
    this.#put(thread, KIND.enter, name | FUNCTIONS, when);
  }

  /** A function is left, where its stack is what it was at its begin. */
  exit(tid: number, name: number, stack: number, when: ProbeMoment): void {
    const thread = this.#thread(tid);
    this.#leave(thread, stack, false, when);
    const last = thread.names.length - 1;
    if (last < 0 || thread.names[last] !== name || thread.stacks[last] !== stack) return;
    thread.names.pop();
    thread.stacks.pop();
    this.#put(thread, KIND.exit, name | FUNCTIONS, when);
  }

  /** A point that begins a region or ends it, whatever functions are open around it. */
  point(tid: number, name: number, begins: boolean, when: ProbeMoment): void {
    this.#put(this.#thread(tid), begins ? KIND.enter : KIND.exit, name | POINTS, when);
  }

  /** Stacks grow downwards: what began below a place is over when something happens there. */
  #leave(thread: Thread, stack: number, orAt: boolean, when: ProbeMoment): void {
    const { names, stacks } = thread;
    for (;;) {
      const last = names.length - 1;
      if (last < 0 || !(stacks[last] < stack || (orAt && stacks[last] === stack))) return;
      stacks.pop();
      this.#put(thread, KIND.exit, names.pop()! | FUNCTIONS, when);
    }
  }

  #thread(tid: number): Thread {
    let thread = this.#known.get(tid);
    if (thread === undefined) {
      const ring = new RingThread(tid, [], this.#clock);
      this.#known.set(tid, thread = { ring, names: [], stacks: [] });
      this.#made.push(ring);
    }
    return thread;
  }

  #put({ ring }: Thread, kind: number, what: number, when: ProbeMoment): void {
    const flags = FLAG.nanoseconds | (ring.tid === this.pid ? FLAG.process : 0);
    const record = this.#record;
    record.setUint32(0, when.low, true);
    record.setUint32(4, when.high, true);
    record.setUint32(8, kind | flags << 8 | Math.min(when.cpu, CPU_UNKNOWN) << 16, true);
    record.setUint32(12, what, true);
    ring.reserve(1).set(this.#bytes);
    ring.filled(1);
  }

  get lostVisits(): number {
    return Math.ceil(this.lostEvents / 2);
  }

  trackName(track: number): string {
    return track === 1 ? PROBE_TRACK : track === 2 ? POINT_TRACK : "";
  }

  /** NaN: probes report no end of a process. */
  stopNs(): number {
    return NaN;
  }

  poll(): number {
    for (const ring of this.#made) this.threads.push(ring);
    if (this.#made.length > 0) this.#made = [];
    return 0;
  }

  hasName(index: number): boolean {
    return index < this.names.length;
  }

  [Symbol.dispose](): void {}
}
