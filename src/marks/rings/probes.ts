/**
 * From rings of perf to marks: records of all CPUs in order of time, of the run's processes only.
 *
 * A thread may move between CPUs from one call to the next, so what has happened just now waits for the
 * next look: by then every CPU's ring has what came before it.
 * @module
 */
import type { PerfProbes, ProbeRing } from "../../os/devices/perf_probes.ts";
import { lookAtNoted } from "./processes/launch_notes.ts";
import { ProbeMarks } from "./probe_marks.ts";

const TWO_32 = 4294967296;
/** linux/perf_event.h. */
const RECORD = { lost: 2, comm: 3, exit: 4, fork: 7, sample: 9 } as const;
/** Flag of a PERF_RECORD_COMM: the process has executed a program. */
const MISC_COMM_EXEC = 1 << 13;
/**
 * Age below which a record may not be in its ring yet, or may have an older one in another ring.
 */
const HOLD_NS = 200_000;
/** Maximum number of other processes of the node that are tracked. */
const FOREIGN_MOST = 65_536;

/** Names and kinds of the probed places. */
export interface ProbeMeaning {
  readonly names: readonly string[];
  readonly places: readonly ProbePlaceMeaning[];
}

/** Meaning of one probed place. */
export interface ProbePlaceMeaning {
  /** Number of the place's name, from 0 on. */
  readonly name: number;
  /** True if the region begins here. */
  readonly begins: boolean;
  /** A point of the program's author, which says nothing of the stack. */
  readonly isPoint: boolean;
  /** True if the point has no end. */
  readonly isAlone: boolean;
}

/** The run whose processes are looked for. */
export interface ProbedRun {
  readonly originNs: bigint;
  /** The command, with all that it starts. */
  readonly command: number;
  /** Directory of the session, which shows the processes that other processes started. */
  readonly directory: string;
}

/** Receives processes. */
export interface ProbeListener {
  ring(marks: ProbeMarks): void;
}

const LOST = "calls of probed functions come faster than they are read: some are counted as " +
  "lost, without a name";

/** Marks by probes. */
export class Probes {
  /** The process of the last event. */
  #last: ProbeMarks | undefined;
  readonly #perf: PerfProbes;
  readonly #meaning: ProbeMeaning;
  readonly #run: ProbedRun;
  readonly #ours: Set<number>;
  readonly #foreign = new Set<number>();
  readonly #startNs = new Map<number, number>();
  readonly #marks = new Map<number, ProbeMarks>();
  readonly #when = { low: 0, high: 0, cpu: 0 };
  readonly #log: (line: string) => void;
  #hasLost = false;

  constructor(
    perf: PerfProbes,
    meaning: ProbeMeaning,
    run: ProbedRun,
    log: (line: string) => void,
  ) {
    [this.#perf, this.#meaning, this.#run, this.#log] = [perf, meaning, run, log];
    this.#ours = new Set([run.command]);
  }

  /** Does it hold events that were too recent to be emitted? */
  get waiting(): boolean {
    return this.#perf.rings.some((ring) => ring.start < ring.end);
  }

  /**
   * Emits what happened up to a moment before now.
   * @param nowNs Since the origin; Infinity: all of it, since a process has ended.
   * @param listener Gets each process with its first event.
   */
  drain(nowNs: number, listener: ProbeListener): void {
    const { rings } = this.#perf;
    const untilNs = nowNs - HOLD_NS + Number(this.#run.originNs);
    for (const ring of rings) ring.read();
    for (;;) {
      let first: ProbeRing | undefined;
      let firstNs = untilNs;
      for (const ring of rings) {
        if (ring.start >= ring.end) continue;
        const ns = timeOf(ring);
        if (ns <= firstNs && (first === undefined || ns < firstNs)) [first, firstNs] = [ring, ns];
      }
      if (first === undefined) return;
      this.#take(first, firstNs, listener);
      first.start += Math.max(8, first.view.getUint16(first.start + 6, true));
    }
  }

  #take(ring: ProbeRing, ns: number, listener: ProbeListener): void {
    const { view, start: at } = ring;
    const type = view.getUint32(at, true);
    if (type === RECORD.sample) this.#takeSample(view, at, listener);
    else if (type === RECORD.fork) {
      const [pid, parent] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)];
      if (pid === parent) return;
      this.#marks.delete(pid);
      this.#foreign.delete(pid);
      if (this.#ours.has(parent)) {
        this.#ours.add(pid);
        this.#startNs.set(pid, ns);
      } else this.#ours.delete(pid);
    } else if (type === RECORD.comm) {
      const pid = view.getUint32(at + 8, true);
      const isExec = (view.getUint16(at + 4, true) & MISC_COMM_EXEC) !== 0;
      if (isExec && this.#ours.has(pid) && !this.#marks.has(pid)) this.#startNs.set(pid, ns);
    } else if (type === RECORD.lost) {
      if (!this.#hasLost) this.#log(LOST);
      this.#hasLost = true;
      if (this.#last !== undefined) this.#last.lostEvents += view.getUint32(at + 16, true);
    }
  }

  /** Identifier, pid, tid, time, CPU, ABI of the registers, stack pointer. */
  #takeSample(view: DataView, at: number, listener: ProbeListener): void {
    const place = this.#perf.places.get(view.getUint32(at + 8, true));
    if (place === undefined) return;
    const [pid, tid] = [view.getUint32(at + 16, true), view.getUint32(at + 20, true)];
    const when = this.#when;
    [when.low, when.high] = [view.getUint32(at + 24, true), view.getUint32(at + 28, true)];
    when.cpu = view.getUint32(at + 32, true);
    let marks = this.#marks.get(pid);
    if (marks === undefined) {
      if (!this.#isOurs(pid)) return;
      const origin = Number(this.#run.originNs);
      const startNs = this.#startNs.get(pid) ?? when.high * TWO_32 + when.low;
      marks = new ProbeMarks(pid, startNs - origin, this.#meaning.names, this.#run.originNs);
      this.#marks.set(pid, marks);
      listener.ring(marks);
    }
    this.#last = marks;
    const { name, begins, isPoint, isAlone } = this.#meaning.places[place];
    const hasStack = view.getUint16(at + 6, true) >= 56;
    const stack = hasStack
      ? view.getUint32(at + 48, true) + view.getUint32(at + 52, true) * TWO_32
      : 0;
    if (isPoint) {
      if (begins) marks.point(tid, name + 1, true, when);
      if (!begins || isAlone) marks.point(tid, name + 1, false, when);
    } else if (begins) marks.enter(tid, name + 1, stack, when);
    else marks.exit(tid, name + 1, stack, when);
  }

  #isOurs(pid: number): boolean {
    if (this.#ours.has(pid)) return true;
    if (this.#foreign.has(pid)) return false;
    // Launched by another user's process, with our session in its environment.
    const isOurs = lookAtNoted(pid, this.#run.directory) === "ours";
    if (!isOurs && this.#foreign.size > FOREIGN_MOST) this.#foreign.clear();
    (isOurs ? this.#ours : this.#foreign).add(pid);
    return isOurs;
  }
}

/** Time of the record at a ring's start, ns of the kernel's clock. */
function timeOf({ view, start, end }: ProbeRing): number {
  const type = view.getUint32(start, true), size = view.getUint16(start + 6, true);
  const at = type === RECORD.sample || type === RECORD.fork || type === RECORD.exit
    ? start + 24
    : start + size - 24;
  // A record that cannot be is passed over at once.
  if (size < 8 || at + 8 > end || at < start) return -Infinity;
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * TWO_32;
}
