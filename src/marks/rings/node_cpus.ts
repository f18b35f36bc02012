/**
 * CPUs of real processes on a node that is read from a tree, and may be smaller than the machine:
 * a CPU outside its topology counts as CPU c mod N, which the report states.
 * @module
 */
import type { EventRecord, EventSink } from "../../core/events/event.ts";
import { EventCalls } from "../../core/events/event_calls.ts";
import { KIND } from "../../core/events/event_kinds.ts";

/** A sink whose events name the node's CPUs, in front of one that accepts no others. */
export class NodeCpus extends EventCalls {
  /** Some CPU was outside the node. */
  moved = false;

  /** @param count CPUs of the node. */
  constructor(readonly count: number, readonly sink: EventSink) {
    super();
  }

  /** A list of CPUs on the node, ascending, each once. */
  on(cpus: readonly number[]): readonly number[] {
    if (cpus.every((cpu) => cpu < this.count)) return cpus;
    this.moved = true;
    return [...new Set(cpus.map((cpu) => cpu % this.count))].sort((a, b) => a - b);
  }

  /** One CPU on the node; below 0: unknown, and stays so. */
  at(cpu: number): number {
    if (cpu < this.count) return cpu;
    this.moved = true;
    return cpu % this.count;
  }

  receive(event: EventRecord): number {
    const { kind } = event;
    if (event.cpu >= this.count) event.cpu = this.at(event.cpu);
    if (kind === KIND.start || kind === KIND.startCommand || kind === KIND.threadCpus) {
      event.cpus = this.on(event.cpus);
    }
    return this.sink.receive(event);
  }

  track(name: string): number {
    return this.sink.track(name);
  }

  regionPath(parent: number, name: string, track: string, attribute: string): number {
    return this.sink.regionPath(parent, name, track, attribute);
  }
}
