/**
 * A profile from records of the kernel: which thread was in which stack, and for how long.
 *
 * The kernel begins every thread with a whole period, so that threads shorter than it have no sample; and a user
 * that may not sample the kernel gets none there. The kernel's own count of each thread's CPU time, which comes
 * at its end, tells both: the samples of a thread share that time.
 * @module
 */
import { grown } from "../core/grow.ts";
import type { RecordBytes, RecordUser, RingPiece } from "../core/record_bytes.ts";
import type { AddressSpace } from "./address_space.ts";
import type { Modules } from "./modules.ts";
import { type Process, Processes } from "./processes.ts";
import { noFacts, type ProfileFacts } from "./profile_facts.ts";
import { RECORD, RecordReader, type Sampling, type SamplingEvent } from "./records.ts";
import { NODES_MOST, ROOT, StackTrie } from "./stack_trie.ts";
import { END, Unwinder } from "./unwind.ts";

/** Frames that are no code of a module; their address is a number of its own kind. */
export const FRAME = {
  /** An address that belongs to no module. */
  unknown: -1,
  /** A process: the number of its name. */
  process: -2,
  /** Marker: one of {@linkcode MARKER}. */
  marker: -3,
  /** Code of the kernel: the address less its base. */
  kernel: -4,
  /** A region that the program marked: the number of its name. */
  region: -5,
} as const;
/** Markers for time or frames that are not known. */
export const MARKER = {
  /** Outer frames are missing. */
  cut: 0,
  shortThreads: 1,
  hiddenKernel: 2,
  kernelThread: 3,
  lost: 4,
  /** The thread waited, or still wanted to run. */
  offCpu: 5,
  preempted: 6,
} as const;

/** Time of a stack itself, without the stacks above it. */
export interface StackCost {
  readonly node: number;
  ns: number;
  samples: number;
  /** Part of the time that is of brief threads, ns. */
  briefNs: number;
}

/** One sample: when, where, and its stack. */
export interface SampleSeen {
  timeNs: number;
  cpu: number;
  process: number;
  thread: number;
  /** Name of the thread: its number among names of processes. */
  name: number;
  /** Node of the tree. */
  node: number;
}

/** One thread. */
interface Thread {
  readonly process: number;
  readonly root: number;
  /** Samples by stack. */
  readonly stacks: Map<number, number>;
  samples: number;
  /** By the kernel's count, once it has come. */
  cpuNs: number;
  isCounted: boolean;
  /** Has it ended? One of its counts has come. */
  isOver: boolean;
  /** Samples that this time should have had: each CPU has a period of its own. */
  expected: number;
  endedNs: number;
  /** When it left a CPU, and in which stack; NaN: it runs. */
  outNs: number;
  outNode: number;
  isPreempted: boolean;
}

/**
 * The kernel samples each thread at whole periods of its own CPU time. Threads that are alike and have few samples
 * are all sampled in the same functions: the share of a function is then off by up to the whole.
 */
export const BRIEF_PERIODS = 5;
/** Number of no process and no thread. */
const NO_TASK = 0;
/** Counts of a thread may come this much after its end. */
const SETTLED_NS = 1e9;

/** Takes records, and adds up. */
export class Profile implements RecordUser {
  readonly trie: StackTrie = new StackTrie();
  readonly modules: Modules;
  readonly periodNs: number;
  readonly facts: ProfileFacts = noFacts();
  readonly processes: Processes;
  readonly #reader: RecordReader;
  readonly #unwinder: Unwinder;
  readonly #threads = new Map<number, Thread>();
  readonly #threadNames = new Map<number, number>();
  readonly #ending: [thread: number, state: Thread][] = [];
  readonly #costs = new Map<number, StackCost>();
  readonly #off = new Map<number, StackCost>();
  readonly #endedByCpu = new Map<number, number>();
  /** Records of a turn: piece, offset, time, and their order. */
  #pieces = new Int32Array(1024);
  #ats = new Int32Array(1024);
  #times = new Float64Array(1024);
  #order = new Int32Array(1024);
  /** Number, below 0, of the last thread that ended without a count and whose own number another one took. */
  #renumbered = 0;
  /** Lost samples that no thread has missed so far. */
  #lostLeft = 0;
  /**
   * By root: samples that are missing in the kernel. Below 0 its threads have too many: the kernel may exchange the
   * events of two threads, and one then has samples that the other one misses.
   */
  readonly #missing = new Map<number, number>();
  /** Called for each period of each sample; the next sample overwrites it. */
  onSample: ((sample: Readonly<SampleSeen>) => void) | undefined;
  readonly #seen: SampleSeen = { timeNs: 0, cpu: 0, process: 0, thread: 0, name: 0, node: 0 };
  /** Called when a process has ended whose own code was sampled: its names may vanish. */
  onEnd: (process: number) => void = () => {};

  /** The regions that a thread is in: the number of their path, 0: none; and their names, the outermost first. */
  regionsOf: {
    pathAt(thread: number, timeNs: number): number;
    namesOf(path: number): readonly string[];
  } | undefined;
  /** By root of a process and path of regions: the node of the innermost one. */
  readonly #regions = new Map<number, number>();
  /** Samples are missing where the kernel may not be sampled. */
  readonly #hidesKernel: boolean;
  readonly event: SamplingEvent;

  constructor(
    modules: Modules,
    { periodNs, withKernel, offCpu, event }: Pick<
      Sampling,
      "periodNs" | "withKernel" | "offCpu" | "event"
    >,
  ) {
    this.event = event;
    [this.modules, this.periodNs] = [modules, periodNs];
    this.processes = new Processes(modules, (name) => this.trie.child(ROOT, FRAME.process, name));
    const { machine } = modules;
    this.#reader = new RecordReader(machine, { withKernel, offCpu });
    this.#hidesKernel = !withKernel && event === "cpu-clock";
    this.#unwinder = new Unwinder(machine, modules);
  }

  endOf(records: RecordBytes, from: number, to: number, ns: number): number {
    const reader = this.#reader;
    reader.open(records);
    for (let at = from; reader.isWhole(at, to); at += reader.size(at)) {
      if (reader.timeNs(at) > ns) return at;
    }
    return to;
  }

  take(pieces: readonly RingPiece[]): void {
    const reader = this.#reader;
    let count = 0;
    for (let piece = 0; piece < pieces.length; piece++) {
      const { records, from, to } = pieces[piece];
      reader.open(records);
      for (let at = from; reader.isWhole(at, to); at += reader.size(at)) {
        if (count === this.#ats.length) this.#grow();
        this.#pieces[count] = piece;
        this.#ats[count] = at;
        this.#times[count] = reader.timeNs(at);
        this.#order[count] = count++;
      }
    }
    const ats = this.#ats, times = this.#times;
    const order = this.#order.subarray(0, count);
    order.sort((a, b) => times[a] - times[b] || a - b);
    for (let k = 0; k < count; k++) {
      const i = order[k], { records, cpu } = pieces[this.#pieces[i]];
      reader.open(records);
      this.#record(records, ats[i], cpu, times[i]);
    }
    if (count > 0) this.#settle(times[order[count - 1]] - SETTLED_NS);
  }

  #grow(): void {
    this.#pieces = grown(this.#pieces);
    this.#ats = grown(this.#ats);
    this.#times = grown(this.#times);
    this.#order = grown(this.#order);
  }

  #record(bytes: RecordBytes, at: number, cpu: number, timeNs: number): void {
    const reader = this.#reader, facts = this.facts;
    switch (reader.type(at)) {
      case RECORD.sample:
        this.#sample(bytes, at);
        break;
      case RECORD.switch:
        this.#switch(at, timeNs);
        break;
      case RECORD.mmap2: {
        const { start, end, file } = reader.mapping(at);
        this.processes.map(reader.process(at), start, end, file);
        break;
      }
      case RECORD.comm:
        this.#threadNames.set(reader.thread(at), this.processes.nameOf(reader.comm(at)));
        if (reader.isExec(at)) this.#execute(at);
        break;
      case RECORD.maps:
        this.processes.mapAll(reader.process(at), reader.maps(at));
        break;
      case RECORD.fork:
        this.#fork(at);
        break;
      case RECORD.exit:
        this.#exit(at, timeNs);
        break;
      case RECORD.read:
        this.#count(at, cpu);
        break;
      case RECORD.lost:
        this.#lose(reader.count(at));
        break;
      case RECORD.lostSamples:
        this.#lose(reader.lostSamples(at));
        break;
      case RECORD.throttle:
        facts.throttled++;
    }
  }

  #execute(at: number): void {
    const reader = this.#reader;
    // The thread's count, if it comes, is of the program that begins.
    if (this.event === "timer") this.#leave(reader.thread(at));
    else this.#renumber(reader.process(at));
    this.processes.execute(reader.process(at), reader.comm(at));
  }

  /** A thread that executes a program takes the number of the first one, which has ended by then: execve(2). */
  #renumber(process: number): void {
    const first = this.#threads.get(process), threads = this.#threads;
    if (this.processes.known(process)?.isEnding !== true) return;
    if (first?.isCounted === true) this.#leave(process);
    // Without a count it waits for the end.
    else if (first !== undefined) threads.set(--this.#renumbered, first);
    threads.delete(process);
    for (const [id, thread] of threads) {
      if (thread.process !== process || !Number.isNaN(thread.endedNs)) continue;
      threads.delete(id);
      threads.set(process, thread);
      return;
    }
  }

  #lose(count: number): void {
    this.processes.lost += count;
    this.facts.lost += count;
    this.#lostLeft += count;
  }

  #sample(bytes: RecordBytes, at: number): void {
    const { facts, trie } = this, reader = this.#reader, unwinder = this.#unwinder;
    const { stackPointer, instructionPointer } = this.modules.machine;
    const id = reader.sampleProcess(at), isOfUser = reader.openSample(at);
    const process = isOfUser
      ? this.processes.withCode(id, reader.registers[instructionPointer])
      : this.processes.get(id);
    const thread = this.#thread(reader.sampleThread(at), id), leaves = reader.isSwitch(at);
    let node = this.#rootOf(process, reader.sampleThread(at), reader.timeNs(at));
    if (isOfUser) {
      const { space } = process, { registers } = reader;
      const depth = this.#walk(bytes, at, space);
      const used = unwinder.frames[depth - 1] - registers[stackPointer];
      // A handler's own stack is another one: more of it would not help.
      const isAway = unwinder.end === END.cut && !(used >= 0 && used <= reader.stackBytes);
      const end = isAway ? END.switched : unwinder.end;
      if (!leaves) {
        facts.frames += depth;
        facts.ends[end]++;
        if (end === END.cut) reader.isFull ? facts.deep++ : facts.torn++;
      }
      if (unwinder.end !== END.root) node = trie.child(node, FRAME.marker, MARKER.cut);
      for (let i = depth - 1; i >= 0; i--) {
        const address = unwinder.addresses[i], mapping = space.find(address);
        if (!leaves) facts.guessedFrames += unwinder.isGuessed[i];
        node = mapping === undefined
          ? trie.child(node, FRAME.unknown, 0)
          : trie.child(node, mapping.module * 2 + unwinder.isGuessed[i], address - mapping.bias);
      }
    } else node = trie.child(node, FRAME.marker, MARKER.kernelThread);
    for (let i = reader.kernelDepth - 1; i >= 0; i--) {
      node = trie.child(node, FRAME.kernel, reader.kernelAddresses[i]);
    }
    if (leaves) {
      thread.outNode = node;
      return;
    }
    const periods = reader.periods(at);
    facts.samples += periods;
    thread.samples += periods;
    thread.stacks.set(node, (thread.stacks.get(node) ?? 0) + periods);
    if (this.onSample === undefined) return;
    const seen = this.#seen;
    seen.timeNs = reader.timeNs(at);
    seen.cpu = reader.sampleCpu(at);
    seen.process = id;
    seen.thread = reader.sampleThread(at);
    seen.name = this.#threadNames.get(seen.thread) ?? process.name;
    seen.node = node;
    for (let i = 0; i < periods; i++) this.onSample(seen);
  }

  /** Walks the stack of a sample. @returns The number of frames. */
  #walk(bytes: RecordBytes, at: number, space: AddressSpace): number {
    const reader = this.#reader, unwinder = this.#unwinder;
    const { registers, stackAt, stackBytes } = reader;
    const depth = unwinder.walk(space, registers, bytes, stackAt, stackBytes);
    if (this.event !== "timer" || unwinder.end !== END.bad) return depth;
    if (space.find(unwinder.addresses[depth - 1]) !== undefined) return depth;
    const isRead = this.processes.readAgain(reader.sampleProcess(at), reader.timeNs(at));
    return isRead ? unwinder.walk(space, registers, bytes, stackAt, stackBytes) : depth;
  }

  /** The process, or the region in it that a thread is in. */
  #rootOf({ root }: Process, thread: number, timeNs: number): number {
    const path = this.regionsOf?.pathAt(thread, timeNs) ?? 0;
    if (path === 0) return root;
    const key = path * NODES_MOST + root, known = this.#regions.get(key);
    if (known !== undefined) return known;
    const node = this.regionsOf!.namesOf(path).reduce((node, name) => {
      return this.trie.child(node, FRAME.region, this.processes.nameOf(`{${name}}`));
    }, root);
    this.#regions.set(key, node);
    return node;
  }

  /** A thread leaves a CPU, or comes back; where it leaves was sampled just before, if that is allowed. */
  #switch(at: number, timeNs: number): void {
    const reader = this.#reader;
    const thread = this.#thread(reader.thread(at), reader.process(at));
    if (reader.isOut(at)) {
      [thread.outNs, thread.isPreempted] = [timeNs, reader.isPreempted(at)];
      return;
    }
    const marker = thread.isPreempted ? MARKER.preempted : MARKER.offCpu;
    const ns = timeNs - thread.outNs;
    if (ns >= 0) {
      const node = this.trie.child(thread.outNode, FRAME.marker, marker);
      const cost = this.#off.getOrInsertComputed(
        node,
        () => ({ node, ns: 0, samples: 0, briefNs: 0 }),
      );
      cost.ns += ns;
      cost.samples++;
    }
    [thread.outNs, thread.outNode] = [NaN, thread.root];
  }

  /** Time off the CPU by stack, and how often each thread left there. */
  get off(): StackCost[] {
    return [...this.#off.values()];
  }

  #thread(id: number, process: number): Thread {
    const known = this.#threads.get(id);
    if (known !== undefined) return known;
    const { root } = this.processes.get(process);
    const made = {
      process,
      root,
      stacks: new Map(),
      samples: 0,
      cpuNs: 0,
      isCounted: false,
      isOver: false,
      expected: 0,
      endedNs: NaN,
      outNs: NaN,
      outNode: root,
      isPreempted: false,
    };
    this.#threads.set(id, made);
    return made;
  }

  #fork(at: number): void {
    const task = this.#reader.task(at), { thread, parentThread } = task;
    this.#leave(thread);
    const name = this.#threadNames.get(parentThread);
    if (name !== undefined) this.#threadNames.set(thread, name);
    this.processes.fork(task);
  }

  #exit(at: number, timeNs: number): void {
    const task = this.#reader.task(at), isKnown = this.processes.known(task.process) !== undefined;
    const ended = isKnown
      ? this.#thread(task.thread, task.process)
      : this.#threads.get(task.thread);
    if (ended !== undefined) {
      ended.endedNs = timeNs;
      this.#ending.push([task.thread, ended]);
    }
    const { isOver, unseen } = this.processes.exit(task), { unseen: all } = this.facts;
    if (unseen !== undefined && !all.includes(unseen)) all.push(unseen);
    if (isOver) this.onEnd(task.process);
  }

  /** The CPU time of a thread that ended, on one CPU. */
  #count(at: number, cpu: number): void {
    const ns = this.#reader.count(at), id = this.#reader.thread(at);
    this.#endedByCpu.set(cpu, (this.#endedByCpu.get(cpu) ?? 0) + ns);
    const thread = this.#thread(id, this.#reader.process(at));
    // A thread has a count of each CPU: that of a CPU where it ran may be lost.
    thread.isCounted ||= ns > 0;
    thread.isOver = true;
    this.#add(thread, ns);
    // Nothing comes after it.
    if (this.event === "timer") this.#leave(id);
  }

  #add(thread: Thread, ns: number): void {
    thread.cpuNs += ns;
    thread.expected += Math.floor(ns / this.periodNs);
    this.facts.cpuNs += ns;
  }

  /** Threads that ended before a moment have all their records. */
  #settle(beforeNs: number): void {
    let done = 0;
    for (const [id, state] of this.#ending) {
      if (state.endedNs > beforeNs) break;
      // The command's own first thread has no count before the end.
      if (state.isCounted && this.#threads.get(id) === state) this.#leave(id);
      done++;
    }
    this.#ending.splice(0, done);
  }

  /** A thread's time goes to its stacks. */
  #leave(id: number): void {
    const thread = this.#threads.get(id);
    this.#threadNames.delete(id);
    if (thread === undefined) return;
    this.#threads.delete(id);
    // Without a count the samples of a timer have all of its time.
    if (this.event === "timer" && !thread.isCounted) {
      this.#add(thread, thread.samples * this.periodNs);
    }
    const { samples, cpuNs, expected, root } = thread, { facts, trie } = this;
    // A sample that is missing may be lost: only the others are of the kernel.
    const absent = Math.max(0, expected - samples), lost = Math.min(absent, this.#lostLeft);
    this.#lostLeft -= lost;
    const hiddenNs = this.#hidesKernel ? this.#hide(thread, absent - lost) : 0;
    if (samples === 0) {
      if (cpuNs === 0) return;
      const isShort = expected === 0 || hiddenNs === 0 && lost === 0;
      const isLost = !isShort && hiddenNs === 0;
      const ns = cpuNs - hiddenNs;
      facts[isShort ? "shortNs" : isLost ? "lostNs" : "hiddenNs"] += ns;
      const marker = isShort ? MARKER.shortThreads : isLost ? MARKER.lost : MARKER.hiddenKernel;
      this.#cost(trie.child(root, FRAME.marker, marker), ns, 0, false);
      return;
    }
    // One without a count has ended in a way that the kernel does not report.
    const known = cpuNs > 0 ? cpuNs : samples * this.periodNs;
    // A timer's first period has any length: its samples are not at the same places.
    const isBrief = this.event === "cpu-clock" && known < BRIEF_PERIODS * this.periodNs;
    if (isBrief) facts.briefNs += known - hiddenNs;
    const weight = (known - hiddenNs) / samples;
    for (const [node, count] of thread.stacks) this.#cost(node, count * weight, count, isBrief);
  }

  /** Time of a thread in the kernel, ns; below 0: time of others, whose samples it has. */
  #hide({ root, samples, cpuNs, expected, isCounted }: Thread, absent: number): number {
    const before = this.#missing.get(root) ?? 0, hasMore = isCounted && cpuNs > 0;
    const after = before + absent - (hasMore ? Math.max(0, samples - expected) : 0);
    this.#missing.set(root, after);
    return (Math.max(0, after) - Math.max(0, before)) * this.periodNs;
  }

  /** Time that a number of samples does not show. */
  #miss(root: number, marker: number, count: number): void {
    if (count <= 0) return;
    const ns = count * this.periodNs;
    this.facts[marker === MARKER.lost ? "lostNs" : "hiddenNs"] += ns;
    this.#cost(this.trie.child(root, FRAME.marker, marker), ns, 0, false);
  }

  #cost(node: number, ns: number, samples: number, isBrief: boolean): void {
    const cost = this.#costs.getOrInsertComputed(
      node,
      () => ({ node, ns: 0, samples: 0, briefNs: 0 }),
    );
    cost.ns += ns;
    cost.samples += samples;
    if (isBrief) cost.briefNs += ns;
  }

  /** Divides time among threads by their samples. */
  #divide(ns: number, threads: readonly Thread[]): void {
    const samples = samplesOf(threads);
    for (const thread of threads) {
      const share = samples > 0 ? thread.samples / samples : 1 / threads.length;
      if (ns * share > 0) this.#add(thread, ns * share);
    }
  }

  /**
   * Everything that was taken, by stack.
   *
   * @param totals CPU time by CPU, ns: of all threads, ended or not.
   */
  finish(totals: ReadonlyMap<number, number>): StackCost[] {
    // What no ended thread had is of those that go on, and of the command's own first thread.
    const parts = [...totals].map(([cpu, ns]) =>
      Math.max(0, ns - (this.#endedByCpu.get(cpu) ?? 0))
    );
    const left = parts.reduce((sum, part) => sum + part, 0);
    const uncounted = [...this.#threads.values()].filter(({ isCounted }) => !isCounted);
    const open = uncounted.filter(({ isOver }) => !isOver);
    // Every record of a thread that went on may be lost.
    if (open.length === 0 && left > 0) open.push(this.#thread(NO_TASK, NO_TASK));
    // A thread whose count was lost has the time of its samples.
    const over = uncounted.filter(({ isOver, samples }) => isOver && samples > 0);
    const overNs = samplesOf(over) * this.periodNs, openNs = samplesOf(open) * this.periodNs;
    const overShare = overNs / Math.max(left, overNs + openNs, 1);
    for (const part of parts) {
      this.#divide(part * overShare, over);
      this.#divide(part * (1 - overShare), open);
    }
    // All that is left is of one thread.
    if (open.length === 1 && this.#hidesKernel) open[0].isCounted = true;
    for (const id of [...this.#threads.keys()]) this.#leave(id);
    for (const [root, missing] of this.#missing) {
      // What was lost may be told after the threads that miss it have ended.
      const lost = Math.min(Math.max(0, missing), this.#lostLeft);
      this.#lostLeft -= lost;
      this.#miss(root, MARKER.lost, lost);
      this.#miss(root, MARKER.hiddenKernel, missing - lost);
    }
    return [...this.#costs.values()];
  }
}

function samplesOf(threads: readonly Thread[]): number {
  return threads.reduce((sum, { samples }) => sum + samples, 0);
}
