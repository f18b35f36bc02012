/**
 * CPUs of real processes on a node that is read from a tree, and may be smaller than the machine:
 * a CPU outside its topology counts as CPU c mod N, which the report says.
 * @module
 */
import type { EventSink } from "../core/event.ts";

/** Maps the CPUs of every event before it goes on. */
export class NodeCpus {
  /** Some CPU lay outside the node. */
  moved = false;
  readonly #count: number;

  /** @param count CPUs of the node. */
  constructor(count: number) {
    this.#count = count;
  }

  /** A list of CPUs on the node, ascending, each once. */
  on(cpus: readonly number[]): readonly number[] {
    if (cpus.every((cpu) => cpu < this.#count)) return cpus;
    this.moved = true;
    return [...new Set(cpus.map((cpu) => cpu % this.#count))].sort((a, b) => a - b);
  }

  /** One CPU on the node; below 0: unknown, and stays so. */
  at(cpu: number): number {
    if (cpu < this.#count) return cpu;
    this.moved = true;
    return cpu % this.#count;
  }

  /** A sink whose events name the node's CPUs, in front of one that knows no others. */
  before(sink: EventSink): EventSink {
    return new OnNode(sink, this);
  }
}

class OnNode implements EventSink {
  readonly #sink: EventSink;
  readonly #cpus: NodeCpus;
  readonly enter: EventSink["enter"];
  readonly exit: EventSink["exit"];
  readonly track: EventSink["track"];
  readonly region: EventSink["region"];
  readonly epoch: EventSink["epoch"];
  readonly tprofInit: EventSink["tprofInit"];
  readonly overhead: EventSink["overhead"];
  readonly shortVisits: EventSink["shortVisits"];
  readonly threadEnd: EventSink["threadEnd"];
  readonly shutdown: EventSink["shutdown"];
  readonly died: EventSink["died"];
  readonly attribute: EventSink["attribute"];
  readonly span: EventSink["span"];
  readonly pm: EventSink["pm"];
  readonly at: EventSink["at"];

  constructor(sink: EventSink, cpus: NodeCpus) {
    this.#sink = sink;
    this.#cpus = cpus;
    // What names no CPU goes straight through.
    this.enter = sink.enter.bind(sink);
    this.exit = sink.exit.bind(sink);
    this.track = sink.track?.bind(sink);
    this.region = sink.region.bind(sink);
    this.epoch = sink.epoch.bind(sink);
    this.tprofInit = sink.tprofInit.bind(sink);
    this.overhead = sink.overhead.bind(sink);
    this.shortVisits = sink.shortVisits.bind(sink);
    this.threadEnd = sink.threadEnd?.bind(sink);
    this.shutdown = sink.shutdown.bind(sink);
    this.died = sink.died.bind(sink);
    this.attribute = sink.attribute?.bind(sink);
    this.span = sink.span?.bind(sink);
    this.pm = sink.pm?.bind(sink);
    if (sink.at !== undefined) this.at = (cpu) => sink.at!(this.#cpus.at(cpu));
  }

  start(timeS: number, pid: number, cpus: readonly number[]): number {
    return this.#sink.start(timeS, pid, this.#cpus.on(cpus));
  }

  startCommand(timeS: number, pid: number, cpus: readonly number[]): number {
    return this.#sink.startCommand(timeS, pid, this.#cpus.on(cpus));
  }

  threadCpus(timeS: number, process: number, thread: number, cpus: readonly number[]): void {
    this.#sink.threadCpus(timeS, process, thread, this.#cpus.on(cpus));
  }

  tprofPost(timeS: number, process: number, cpu: number): void {
    this.#sink.tprofPost(timeS, process, this.#cpus.at(cpu));
  }
}
