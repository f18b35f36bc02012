/**
 * Caliper's channels of a run: what processes mark becomes context, and snapshots of it.
 *
 * Events of a step wait until the step is settled: only then are the counters before and after them
 * known, so that a snapshot at an edge gets the energy up to that edge; where a counter changes only
 * ten times a second they wait for its next change. Then each event is told to every channel at its
 * own time. No clock and no hardware here, so a replay makes the same.
 * @module
 */
import type { Channel } from "../context/services/channel.ts";
import type { AttributeEvent, EventSink } from "../core/event.ts";
import type { Batch } from "../signals/batch.ts";
import type { RunMachine } from "./machine.ts";
import type { Sharer } from "./shares.ts";
import { RunThread } from "./threads.ts";
import { KIND, WaitingEvents } from "./waiting_events.ts";

/** A process as the recorder sees it. Times in seconds, as events have them. */
export interface KnownProcess extends Sharer {
  readonly pid: number;
}

/** What is known of processes and regions: the tracker's. */
export interface RunNames {
  regionName(handle: number): string;
  process(handle: number): KnownProcess;
  /** All that ever were, by handle. */
  processes(): readonly KnownProcess[];
}

/** A process and its threads, by their ids; 0: its own. */
interface RunProcess {
  readonly pid: number;
  readonly startS: number;
  readonly threads: Map<number, RunThread>;
}

/** What a recorder is made from. */
export interface ContextRecorderOptions {
  readonly names: RunNames;
  /** Rank of a process in its MPI job, where it has one. */
  rankOf(pid: number): string | undefined;
  /** A thread begins in a channel; `first` is the process's own. */
  joined?(channel: Channel, thread: number, first: number, pid: number): void;
}

/** Keeps the events of a sample and passes them on to the channels when it is settled. */
export class ContextRecorder implements EventSink {
  /** Ends of regions that were not open. */
  unmatched = 0;
  readonly #options: ContextRecorderOptions;
  readonly #channels: Channel[] = [];
  readonly #processes: (RunProcess | undefined)[] = [];
  readonly #waiting = new WaitingEvents();
  #machine!: RunMachine;
  #cpu = -1;
  /** The first event of all, from which channels count; NaN before it. */
  #zeroS = NaN;
  #nowNs = 0;

  constructor(options: ContextRecorderOptions) {
    this.#options = options;
  }

  /** The clock that channels are to be made with: ns since the first event. */
  readonly now = (): number => this.#nowNs;

  /** Who is told; before the first step. */
  attach(machine: RunMachine, channels: readonly Channel[]): void {
    this.#machine = machine;
    this.#channels.push(...channels);
  }

  at(cpu: number): void {
    this.#cpu = cpu;
  }

  start(timeS: number): number {
    this.#waiting.add(KIND.processes, -1, timeS, -1, 0);
    return -1;
  }

  startCommand(timeS: number): number {
    return this.start(timeS);
  }

  threadCpus(): void {}

  region(): number {
    return -1;
  }

  enter(timeS: number, process: number, region: number, _hint: number, thread: number): void {
    const at = this.#waiting.add(KIND.enter, this.#takeCpu(), timeS, process, thread);
    this.#waiting.what[at] = region;
  }

  exit(timeS: number, process: number, region: number, thread: number): void {
    const at = this.#waiting.add(KIND.exit, this.#takeCpu(), timeS, process, thread);
    this.#waiting.what[at] = region;
  }

  epoch(): void {}
  tprofInit(): void {}
  tprofPost(): void {}
  overhead(): void {}

  shortVisits(
    timeS: number,
    process: number,
    region: number,
    count: number,
    seconds: number,
    thread: number,
  ): void {
    const waiting = this.#waiting;
    const at = waiting.add(KIND.folded, this.#takeCpu(), timeS, process, thread);
    waiting.what[at] = region;
    waiting.visits[at] = count;
    waiting.seconds[at] = seconds;
  }

  shutdown(timeS: number): void {
    this.start(timeS);
  }

  died(timeS: number): void {
    this.start(timeS);
  }

  attribute(timeS: number, process: number, thread: number, event: AttributeEvent): void {
    const waiting = this.#waiting;
    const at = waiting.add(KIND.attribute, this.#takeCpu(), timeS, process, thread);
    waiting.what[at] = waiting.keep(event);
  }

  /** A step was settled: everything is told now up to which counters are known. */
  samples(timeS: number, batch: Pick<Batch, "sample">): void {
    this.#machine.take(timeS, batch);
    if (this.#channels.some((channel) => channel.services.has("sampler"))) {
      this.#waiting.add(KIND.tick, -1, timeS, -1, 0);
    }
    this.#tell(this.#machine.horizonS(timeS));
  }

  /** Tells what no step came after. */
  finish(): void {
    this.#machine.close();
    this.#tell(Infinity);
  }

  #tick(timeS: number): void {
    this.#processes.forEach((process, handle) => {
      if (process === undefined || this.#options.names.process(handle).endS <= timeS) return;
      for (const [id, thread] of process.threads) {
        this.#turn(timeS, handle, id, -1);
        thread.tick(this.#channels);
      }
    });
  }

  /** Nanoseconds since the first event. */
  #since(timeS: number): number {
    if (Number.isNaN(this.#zeroS)) return 0;
    return Math.max(0, timeS - this.#zeroS) * 1e9;
  }

  #takeCpu(): number {
    const cpu = this.#cpu;
    this.#cpu = -1;
    return cpu;
  }

  #tell(untilS: number): void {
    const waiting = this.#waiting, machine = this.#machine, { names } = this.#options;
    if (waiting.count > 0 && Number.isNaN(this.#zeroS)) this.#zeroS = waiting.timeS[0];
    for (; waiting.first < waiting.count; waiting.first++) {
      const i = waiting.first, timeS = waiting.timeS[i], kind = waiting.kind[i];
      if (timeS > untilS) {
        waiting.forgetTold();
        return machine.forget(timeS);
      }
      if (kind === KIND.tick) {
        this.#tick(timeS);
        continue;
      }
      if (kind === KIND.processes) {
        machine.processes(timeS, names.processes());
        continue;
      }
      const handle = waiting.process[i], id = Math.max(0, waiting.thread[i]);
      this.#nowNs = this.#since(timeS);
      const thread = this.#thread(this.#process(handle), id);
      this.#turn(timeS, handle, id, waiting.cpu[i]);
      if (kind === KIND.attribute) {
        thread.attribute(this.#channels, waiting.attribute(waiting.what[i]));
        continue;
      }
      const name = names.regionName(waiting.what[i]);
      if (kind === KIND.enter) thread.enter(this.#channels, name);
      else if (kind === KIND.folded) {
        thread.folded(this.#channels, name, waiting.visits[i], waiting.seconds[i] * 1e9);
      } else if (!thread.exit(this.#channels, name)) this.unmatched++;
    }
    waiting.forgetTold();
    machine.forget(Infinity);
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
    const made: RunProcess = { pid, startS, threads: new Map() };
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

  /** Says in the process's own context which process it is. */
  #begin(channel: Channel, thread: number, pid: number): void {
    const rank = this.#options.rankOf(pid);
    channel.turnTo(thread);
    const name = rank === undefined ? "process.id" : "mpi.rank";
    const properties = "asvalue:process_scope:skip_events";
    channel.set(channel.attribute(name, "int", properties), rank === undefined ? pid : rank);
  }
}
