/**
 * The machine as channels of a run see it: signals of the node, as the current process
 * has used them, and what is known of that process by itself.
 * @module
 */
import type { Machine, MachineValue } from "../model/service.ts";
import { UsageError } from "../../core/errors.ts";
import { parseSignalList } from "../../core/signal_list.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";
import type { Batch, NameTable } from "../../sources/signals/batch.ts";
import { CounterShare, type Sharer } from "./shares.ts";

/** Facts about processes other than signals; only live runs have them. */
export interface ProcessFacts {
  /** Fields of /proc/PID/statm, in pages. NaN: gone. */
  memory(pid: number, field: "size" | "resident" | "data"): number;
}

/** Whom and when a value is read for. */
export interface Moment {
  timeS: number;
  /** Number of the process in the tracker's list. */
  process: number;
  pid: number;
  thread: number;
  /** Main thread: the one that gets the process's share of the node's counters. */
  main: boolean;
  /** CPU of the event; −1: not known. */
  cpu: number;
}

const MEMORY = {
  "memstat.vmsize": "size",
  "memstat.vmrss": "resident",
  "memstat.data": "data",
} as const;

/** The quantities that services of a run's channels read. */
export class RunMachine implements Machine {
  /** Whom everything is read for. */
  readonly moment: Moment = {
    timeS: 0,
    process: -1,
    pid: 0,
    thread: 0,
    main: true,
    cpu: -1,
  };
  /** Values that depend only on the thread for which they are read. */
  readonly #own = new Map<string, () => number>([
    ["cpuinfo.cpu", () => this.moment.cpu],
    ["cpuinfo.numa_node", () => {
      const { cpu } = this.moment;
      return cpu < 0 ? NaN : this.#topology.indexOfCpu("memory", cpu);
    }],
    ["pthread.id", () => this.moment.thread],
    ["pthread.is_master", () => Number(this.moment.main)],
  ]);
  readonly #batch: Batch;
  readonly #table: NameTable;
  readonly #topology: PlatformTopology;
  readonly #facts: ProcessFacts | undefined;
  readonly #counters: { readonly handle: number; readonly share: CounterShare }[] = [];
  /** Values that do not grow, step by step. */
  readonly #others: { readonly handle: number; readonly values: ValueHistory }[] = [];
  readonly #byName = new Map<string, MachineValue>();

  constructor(
    batch: Batch,
    table: NameTable,
    topology: PlatformTopology,
    facts: ProcessFacts | undefined,
  ) {
    [this.#batch, this.#table, this.#topology, this.#facts] = [batch, table, topology, facts];
  }

  /** Signals by name; before the first sample, since it requests them from the batch. */
  values(name: string): readonly MachineValue[] | { absent: string } {
    const read = this.#own.get(name);
    if (read !== undefined) return [{ name, unit: "", grows: false, read }];
    if (name in MEMORY) return this.#memory(name as keyof typeof MEMORY);
    try {
      const [request] = parseSignalList(name, "signal");
      const resolved = this.#table.resolve(request.name);
      if (resolved.kind === "absent") return { absent: resolved.reason };
      if (resolved.kind === "unknown") return { absent: "there is no such signal" };
      const { row: { unit, behavior }, quality, source, updatePeriodS } = resolved.signal;
      const whole = request.domain === "board";
      return Array.from({ length: this.#topology.count(request.domain) }, (_, i) => {
        const handle = this.#batch.pushSignal(request.name, request.domain, i);
        const title = attributeNames(name, this.#topology)[i];
        const cpus = whole ? undefined : this.#topology.cpus(request.domain, i);
        const grows = behavior === "monotone";
        const about = { name: title, unit, grows, quality, source };
        return this.#signal(about, handle, { cpus, updatePeriodS });
      });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return { absent: error.message };
    }
  }

  /** A step was read. */
  take(timeS: number, batch: Pick<Batch, "sample">): void {
    for (const { handle, share } of this.#counters) share.take(timeS, batch.sample(handle));
    for (const { handle, values } of this.#others) values.take(timeS, batch.sample(handle));
  }

  /** Up to when it is known, at the time of this step, what counters grew. */
  horizonS(timeS: number): number {
    return this.#counters.reduce((s, { share }) => Math.min(s, share.horizonS(timeS)), Infinity);
  }

  /** Values before this moment are not needed any more. */
  forget(timeS: number): void {
    for (const { share } of this.#counters) share.forget(timeS);
    for (const { values } of this.#others) values.forget(timeS);
  }

  /** Ends the input: no step follows. */
  close(): void {
    for (const { share } of this.#counters) share.close();
  }

  /** From this moment on these processes run. */
  processes(timeS: number, all: readonly Sharer[]): void {
    for (const { share } of this.#counters) share.processes(timeS, all);
  }

  #signal(
    about: Omit<MachineValue, "read">,
    handle: number,
    { cpus, updatePeriodS }: { cpus?: readonly number[]; updatePeriodS?: number },
  ): MachineValue {
    const known = this.#byName.get(about.name);
    if (known !== undefined) return known;
    const { moment } = this;
    let read: () => number;
    if (about.grows) {
      const share = new CounterShare(cpus, updatePeriodS);
      this.#counters.push({ handle, share });
      read = () => moment.main ? share.used(moment.process, moment.timeS) : NaN;
    } else {
      const values = new ValueHistory();
      this.#others.push({ handle, values });
      read = () => values.at(moment.timeS);
    }
    const value = { ...about, read };
    this.#byName.set(about.name, value);
    return value;
  }

  #memory(name: keyof typeof MEMORY): readonly MachineValue[] | { absent: string } {
    const facts = this.#facts;
    if (facts === undefined) return { absent: "a recording holds no memory of processes" };
    const read = () => facts.memory(this.moment.pid, MEMORY[name]);
    return [{ name, unit: "", grows: false, read }];
  }
}

/**
 * Attributes that a signal becomes: its name, or of `NAME@domain` one for each instance.
 *
 * @throws {UsageError} If there is no such domain.
 */
export function attributeNames(text: string, topology: PlatformTopology): string[] {
  const [{ name, domain }] = parseSignalList(text, "signal");
  if (domain === "board") return [name];
  return Array.from({ length: topology.count(domain) }, (_, i) => `${name}-${domain}-${i}`);
}

/** Values of a signal, step by step, as long as they may be needed. */
class ValueHistory {
  #timesS: number[] = [];
  #values: number[] = [];

  take(timeS: number, value: number): void {
    this.#timesS.push(timeS);
    this.#values.push(value);
  }

  /** The value of the sample for a moment: of the first one not before it, else the last. */
  at(timeS: number): number {
    const times = this.#timesS;
    let i = times.length - 1;
    while (i > 0 && times[i - 1] >= timeS) i--;
    return i < 0 ? NaN : this.#values[i];
  }

  /** Lets go of steps before a moment. */
  forget(timeS: number): void {
    let gone = 0;
    while (gone < this.#timesS.length - 1 && this.#timesS[gone] < timeS) gone++;
    if (gone === 0) return;
    this.#timesS.splice(0, gone);
    this.#values.splice(0, gone);
  }
}
