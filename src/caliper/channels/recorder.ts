/**
 * Caliper's channels of a run: what processes mark becomes context, and snapshots of it.
 *
 * Events of a step wait until the step is settled: only then are the counters before and after them
 * known, so that a snapshot at an edge gets the energy up to that edge; if a counter changes only
 * ten times a second they wait for its next change. Then each event is passed to every channel at its
 * own time. No clock and no hardware here, so a replay makes the same.
 * @module
 */
import type { Channel } from "../model/services/channel.ts";
import type {
  AttributeEvent,
  EventReceiver,
  EventRecord,
  FoldedEvent,
} from "../../core/events/event.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import { type PathTable, ROOT } from "../../core/path_stats.ts";
import type { Batch } from "../../sources/signals/batch.ts";
import type { FunctionSamples } from "./function_samples.ts";
import type { RunMachine } from "./machine.ts";
import type { KnownProcess } from "./shares.ts";
import { PathSums } from "./path_sums.ts";
import { RunThread } from "./threads.ts";
import { Unordered } from "./unordered.ts";
import { SAMPLE, WaitingEvents } from "./waiting_events.ts";

/** Names of processes and regions, from the tracker. */
export interface RunNames {
  regionName(handle: number): string;
  trackName(handle: number): string;
  process(handle: number): KnownProcess;
  /** All that ever were, by handle. */
  processes(): readonly KnownProcess[];
  readonly paths: PathTable;
}

/** A process and its threads, by their ids; 0: its own. */
interface RunProcess {
  readonly pid: number;
  readonly startS: number;
  readonly threads: Map<number, RunThread>;
  /** Threads with folded visits that wait. */
  readonly folding: Set<number>;
}

/** Parts of a run that a recorder needs. */
export interface ContextRecorderOptions {
  readonly names: RunNames;
  /** Rank of a process in its MPI job, if it has one. */
  rankOf(pid: number): string | undefined;
  /** A thread begins in a channel; `first` is the process's own. */
  joined?(channel: Channel, thread: number, first: number, pid: number): void;
}

/** Keeps the events of a sample and passes them on to the channels when it is settled. */
export class ContextRecorder implements EventReceiver {
  /** Ends of regions that were not open. */
  unmatched = 0;
  /** Visits that came too fast to be recorded in their order. */
  readonly unordered = new Unordered();
  readonly #options: ContextRecorderOptions;
  readonly #channels: Channel[] = [];
  readonly #processes: (RunProcess | undefined)[] = [];
  readonly #waiting = new WaitingEvents();
  readonly #sums: PathSums;
  #machine!: RunMachine;
  /** Absent: the monitor takes samples, at its steps. */
  #samples: FunctionSamples | undefined;
  /** Processes by pid, and the launched command while no process with annotations runs; −1: none. */
  readonly #handles = new Map<number, number>();
  #command = -1;
  /** Samples of processes without annotations, and of all. */
  #foreign = 0;
  #sampled = 0;
  /** The first event of all, from which channels count; NaN before it. */
  #zeroS = NaN;
  #nowNs = 0;
  /** Time of the last sample. */
  #settledS = 0;
  readonly #stepsOf = (path: number) => this.#sums.stepsOf(path);

  constructor(options: ContextRecorderOptions) {
    this.#options = options;
    this.#sums = new PathSums(options.names.paths);
  }

  /** The clock that channels are to be made with: ns since the first event. */
  readonly now = (): number => this.#nowNs;

  /** The receivers; before the first sample. */
  attach(machine: RunMachine, channels: readonly Channel[]): void {
    this.#machine = machine;
    this.#channels.push(...channels);
    this.#sums.attach(this.#channels);
  }

  /** Takes samples of functions from here on; before the first sample. */
  takeFunctions(samples: FunctionSamples): void {
    this.#samples = samples;
  }

  /** Is it true that no process has annotations, and functions were sampled? */
  get hasOnlyFunctions(): boolean {
    return this.#sampled > 0 && this.#command >= 0;
  }

  /** Commands that a process with annotations took the place of, without those that annotated later. */
  get withdrawn(): number[] {
    const all = this.#options.names.processes();
    const own = new Set(all.filter(({ role }) => role !== "withdrawn").map(({ pid }) => pid));
    return all.filter(({ role, pid }) => role === "withdrawn" && !own.has(pid))
      .map(({ pid }) => pid);
  }

  /** Share of the samples of functions that belong to processes without annotations. */
  get foreignShare(): number {
    return this.#sampled === 0 ? 0 : this.#foreign / this.#sampled;
  }

  receive(event: EventRecord): number {
    switch (event.kind) {
      case KIND.start:
      case KIND.startCommand:
      case KIND.shutdown:
      case KIND.died:
      case KIND.enter:
      case KIND.exit:
      case KIND.shortVisits:
      case KIND.folding:
      case KIND.folded:
      case KIND.inPath:
      case KIND.attributeBegin:
      case KIND.attributeSet:
      case KIND.attributeEnd:
        this.#waiting.add(event);
    }
    return -1;
  }

  /** A sample was settled: emits all up to the time at which counters are known. */
  samples(timeS: number, batch: Pick<Batch, "sample">): void {
    this.#machine.take(timeS, batch);
    this.#settledS = timeS;
    const isSampling = this.#channels.some((channel) => channel.services.has("sampler"));
    if (isSampling && this.#samples === undefined) this.#waiting.addSample(timeS);
    const { knownS } = this.#samples ?? { knownS: Infinity };
    this.#emitUntil(Math.min(this.#machine.horizonS(timeS), knownS), timeS);
  }

  /** Emits the events after the last sample. */
  finish(): void {
    this.#machine.close();
    this.#emitUntil(Infinity);
    this.#processes.forEach((process, handle) => {
      this.#emitAllFolded(this.#settledS, handle);
      for (const thread of process?.threads.values() ?? []) this.#sums.finish(thread);
    });
  }

  #tick(timeS: number): void {
    this.#processes.forEach((process, handle) => {
      if (process === undefined || this.#options.names.process(handle).endS <= timeS) return;
      for (const [id, thread] of process.threads) {
        this.#turn(timeS, handle, id, -1);
        this.#emitFolded(process, id);
        thread.tick(this.#channels);
      }
    });
  }

  /** Nanoseconds since the first event. */
  #since(timeS: number): number {
    if (Number.isNaN(this.#zeroS)) return 0;
    return Math.max(0, timeS - this.#zeroS) * 1e9;
  }

  /** @param settledS All events are known up to here. */
  #emitUntil(untilS: number, settledS = Infinity): void {
    const waiting = this.#waiting, machine = this.#machine, isSampled = this.#samples !== undefined;
    if (waiting.count > 0 && Number.isNaN(this.#zeroS)) this.#zeroS = waiting.timeS[0];
    for (; waiting.first < waiting.count; waiting.first++) {
      const i = waiting.first, timeS = waiting.timeS[i], kind = waiting.kind[i];
      this.#emitSamples(Math.min(timeS, untilS));
      if (timeS > untilS) {
        waiting.dropEmitted();
        return machine.forget(isSampled ? untilS : timeS);
      }
      if (kind === SAMPLE) this.#tick(timeS);
      else if (isTurn(kind)) {
        this.#emitAllFolded(timeS, waiting.process[i]);
        this.#turnOfProcesses(timeS);
      } else this.#emitOne(i);
    }
    const emittedS = Math.min(untilS, settledS);
    this.#emitSamples(emittedS);
    waiting.dropEmitted();
    machine.forget(isSampled ? emittedS : Infinity);
  }

  #turnOfProcesses(timeS: number): void {
    const all = this.#options.names.processes();
    this.#machine.processes(timeS, all);
    this.#command = all.findIndex(({ role }) => role === "command");
    this.#handles.clear();
    all.forEach(({ pid, role }, handle) => {
      if (role !== "withdrawn") this.#handles.set(pid, handle);
    });
  }

  /** Samples of functions up to a moment. */
  #emitSamples(untilS: number): void {
    const samples = this.#samples;
    if (samples === undefined || Number.isNaN(this.#zeroS)) return;
    for (; samples.first < samples.count; samples.first++) {
      const i = samples.first, timeS = samples.timeS[i], pid = samples.pid[i], tid = samples.tid[i];
      if (timeS > untilS) break;
      this.#sampled++;
      const handle = this.#handles.get(pid) ?? this.#command;
      if (handle < 0) {
        this.#foreign++;
        continue;
      }
      const id = tid === pid || !this.#handles.has(pid) ? 0 : tid;
      const thread = this.#thread(this.#process(handle), id);
      this.#turn(timeS, handle, id, samples.cpu[i]);
      this.#emitFolded(this.#process(handle), id);
      samples.turnTo(i);
      thread.sampled(this.#channels, samples);
    }
    samples.drop();
  }

  #emitOne(i: number): void {
    const waiting = this.#waiting, kind = waiting.kind[i], timeS = waiting.timeS[i];
    const handle = waiting.process[i], id = Math.max(0, waiting.thread[i]);
    this.#nowNs = this.#since(timeS);
    const process = this.#process(handle), thread = this.#thread(process, id);
    this.#turn(timeS, handle, id, waiting.cpu[i]);
    if (kind !== KIND.shortVisits && kind !== KIND.folded) this.#emitFolded(process, id);
    switch (kind) {
      case KIND.attributeBegin:
      case KIND.attributeSet:
      case KIND.attributeEnd:
        // It may be the process's, and so change the place of all threads.
        this.#emitAllFolded(timeS, handle);
        this.#turn(timeS, handle, id, waiting.cpu[i]);
        return thread.attribute(this.#channels, waiting.kept<AttributeEvent>(waiting.what[i]));
      case KIND.folding:
      case KIND.folded:
      case KIND.inPath:
        return this.#emitPath(process, id, kind, waiting.what[i]);
    }
    // They are in its paths too.
    if (thread.folds) return;
    const { names } = this.#options, name = names.regionName(waiting.what[i]);
    const track = waiting.track[i];
    if (kind === KIND.enter) thread.enter(this.#channels, name, track);
    else if (kind === KIND.shortVisits) {
      const path = names.paths.add(ROOT, name, names.trackName(track));
      this.#noteUnordered(process, waiting.visits[i]);
      process.folding.add(id);
      thread.addFolded(path, waiting.visits[i], waiting.seconds[i] * 1e9);
    } else if (!thread.exit(this.#channels, name, track)) this.unmatched++;
  }

  /** Folded visits of the thread that it is the turn of. */
  #emitFolded(process: RunProcess, id: number): void {
    if (!process.folding.delete(id)) return;
    this.#thread(process, id).emitFolded(this.#channels, this.#stepsOf);
  }

  /** Folded visits of all threads of a process. */
  #emitAllFolded(timeS: number, handle: number): void {
    const process = this.#processes[handle];
    for (const id of process?.folding ?? []) {
      this.#turn(timeS, handle, id, -1);
      this.#emitFolded(process!, id);
    }
  }

  #emitPath(process: RunProcess, id: number, kind: number, what: number): void {
    const thread = this.#thread(process, id);
    if (kind === KIND.folding) return thread.foldByPath(this.#channels);
    if (kind === KIND.inPath) return thread.moveTo(this.#channels, this.#sums.stepsOf(what));
    const event = this.#waiting.kept<FoldedEvent>(what);
    if (thread.folds) return this.#sums.add(thread, event);
    // Of a thread whose visits are recorded in their order: those for which there was no room.
    if (event.count > 0) this.#noteUnordered(process, event.count);
    process.folding.add(id);
    thread.addFolded(event.path, event.count, event.selfNs);
  }

  /** Visits of the thread that it is the turn of. */
  #noteUnordered({ pid }: RunProcess, visits: number): void {
    const { moment } = this.#machine;
    this.unordered.add(pid, moment.main ? 0 : moment.thread, visits, this.#nowNs * 1e-9);
  }

  #turn(timeS: number, handle: number, id: number, cpu: number): void {
    const { moment } = this.#machine;
    moment.timeS = timeS;
    moment.process = handle;
    moment.pid = this.#process(handle).pid;
    moment.thread = id === 0 ? moment.pid : id;
    moment.main = id === 0;
    moment.cpu = cpu;
    this.#nowNs = this.#since(timeS);
  }

  #process(handle: number): RunProcess {
    const known = this.#processes[handle];
    if (known !== undefined) return known;
    const { names } = this.#options;
    const { pid, startS } = names.process(handle);
    const made: RunProcess = { pid, startS, threads: new Map(), folding: new Set() };
    this.#processes[handle] = made;
    return made;
  }

  #thread(process: RunProcess, id: number): RunThread {
    const known = process.threads.get(id);
    if (known !== undefined) return known;
    // The process's own context is that of its first thread.
    const first = id === 0 ? undefined : this.#thread(process, 0);
    const startNs = id === 0 ? this.#since(process.startS) : this.#nowNs;
    const numbers = this.#channels.map((channel, i) => {
      const number = channel.addThread(first?.numbers[i], startNs);
      this.#options.joined?.(channel, number, first?.numbers[i] ?? number, process.pid);
      if (first === undefined) this.#begin(channel, number, process.pid);
      return number;
    });
    const made = new RunThread(numbers);
    process.threads.set(id, made);
    return made;
  }

  /** Puts the process's identity into its own context. */
  #begin(channel: Channel, thread: number, pid: number): void {
    const rank = this.#options.rankOf(pid);
    channel.turnTo(thread);
    const properties = "asvalue:process_scope:skip_events";
    // Readers of streams take each number for a metric, so a process's own number is a text.
    if (rank === undefined) {
      channel.set(channel.attribute("process.id", "string", properties), String(pid));
    } else channel.set(channel.attribute("mpi.rank", "int", properties), rank);
  }
}

/** Does a process come or go? */
function isTurn(kind: number): boolean {
  return kind === KIND.start || kind === KIND.startCommand || kind === KIND.shutdown ||
    kind === KIND.died;
}
