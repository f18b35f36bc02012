/** A small node whose counters follow a script, and Caliper's channels of what runs on it. */
import type { Domain } from "../../../src/core/machine/domain.ts";
import type { AttributeEvent } from "../../../src/core/events/event.ts";
import { PathTable } from "../../../src/core/path_stats.ts";
import { TYPE } from "../../../src/core/events/ring_layout.ts";
import type { Behavior, SignalProvider, Unit } from "../../../src/core/signal.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import { Channel, type ChannelOptions } from "../../../src/caliper/model/services/channel.ts";
import { type CaliRecord, readCali } from "../../../src/caliper/query/library.ts";
import { type ProcessFacts, RunMachine } from "../../../src/caliper/channels/machine.ts";
import { ReceiverCalls } from "../../_support/receiver_calls.ts";
import { ContextRecorder } from "../../../src/caliper/channels/recorder.ts";
import type { KnownProcess } from "../../../src/caliper/channels/shares.ts";
import { Batch, type NameTable } from "../../../src/sources/signals/batch.ts";

export const NODE = PlatformTopology.regular({
  packages: 2,
  coresPerPackage: 2,
  threadsPerCore: 1,
});

const ROWS: [name: string, domain: Domain, behavior: Behavior, unit: Unit][] = [
  ["CPU_ENERGY", "package", "monotone", "J"],
  ["BOARD_ENERGY", "board", "monotone", "J"],
  ["CPU_POWER", "package", "variable", "W"],
];

/** Seconds between two changes, of all signals or by name. */
export type UpdatePeriod = number | undefined | ((name: string) => number);

/** Value of a signal's instance at a moment. */
export type Value = (name: string, instance: number, timeS: number) => number;

function provider(
  value: Value,
  quality: "measured" | "simulated",
  updatePeriodS: UpdatePeriod,
): SignalProvider {
  return {
    name: "TEST",
    signals: ROWS.map(([name, domain, behavior, unit]) => ({
      row: { name, domain, unit, behavior, agg: "sum", about: "" },
      source: "script",
      quality,
      updatePeriodS: typeof updatePeriodS === "function" ? updatePeriodS(name) : updatePeriodS,
    })),
    open: (wanted) => ({
      readInto(out, timeS) {
        let at = 0;
        for (const { row: { name, domain } } of wanted) {
          for (let i = 0; i < NODE.count(domain); i++) out[at++] = value(name, i, timeS);
        }
      },
      [Symbol.dispose]() {},
    }),
  };
}

/** A batch of the node, a name table, and the machine of both. */
export function machineOf(
  value: Value,
  options: {
    facts?: ProcessFacts;
    quality?: "measured" | "simulated";
    updatePeriodS?: UpdatePeriod;
  } = {},
) {
  const source = provider(value, options.quality ?? "measured", options.updatePeriodS);
  const table: NameTable = {
    resolve(name) {
      const signal = source.signals.find(({ row }) => row.name === name);
      if (signal !== undefined) return { kind: "offered", provider: source, signal, phase: "read" };
      return name === "GPU_ENERGY"
        ? { kind: "absent", domain: "gpu", behavior: "monotone", reason: "no GPU on this node" }
        : { kind: "unknown" };
    },
    names: () => source.signals.map(({ row }) => row.name),
  };
  const batch = new Batch(NODE, table);
  return { batch, table, machine: new RunMachine(batch, table, NODE, options.facts) };
}

/** A process that runs until the test says when it ended. */
export interface ScriptedProcess extends KnownProcess {
  endS: number;
  role: KnownProcess["role"];
}

/** Channels of a run whose events a test tells. */
export class ContextNode {
  readonly recorder: ContextRecorder;
  /** Events for it. */
  readonly calls: ReceiverCalls;
  readonly channels: Channel[];
  readonly batch: Batch;
  readonly machine: RunMachine;
  /** Threads as the recorder numbered them, per channel. */
  readonly joined: { channel: number; thread: number; first: number; pid: number }[] = [];
  readonly paths = new PathTable();
  readonly #regions: string[] = [];
  readonly #tracks = [""];
  readonly #processes: ScriptedProcess[] = [];

  constructor(
    configs: readonly Record<string, string>[],
    options: {
      value?: Value;
      facts?: ProcessFacts;
      updatePeriodS?: UpdatePeriod;
      ranks?: Record<number, string>;
      /** How a channel is made. @default Channel itself */
      make?: (config: Record<string, string>, options: ChannelOptions) => Channel;
    } = {},
  ) {
    const { batch, machine } = machineOf(options.value ?? (() => NaN), options);
    [this.batch, this.machine] = [batch, machine];
    this.recorder = new ContextRecorder({
      names: {
        paths: this.paths,
        regionName: (handle) => this.#regions[handle],
        trackName: (handle) => this.#tracks[handle],
        process: (handle) => this.#processes[handle],
        processes: () => this.#processes,
      },
      rankOf: (pid) => options.ranks?.[pid],
      joined: (channel, thread, first, pid) => {
        this.joined.push({ channel: this.channels.indexOf(channel), thread, first, pid });
      },
    });
    this.calls = new ReceiverCalls(this.recorder);
    const make = options.make ?? ((config, about) => new Channel(config, about));
    this.channels = configs.map((config) => make(config, { now: this.recorder.now, machine }));
    this.recorder.attach(machine, this.channels);
  }

  /** A process begins. @returns Its handle. */
  start(
    timeS: number,
    pid: number,
    cpus: readonly number[],
    role?: KnownProcess["role"],
  ): number {
    const handle = this.#processes.push({ pid, cpus, startS: timeS, endS: NaN, role }) - 1;
    this.calls.start(timeS, pid, cpus);
    return handle;
  }

  /** Another process takes the place of the command. */
  withdraw(process: number): void {
    this.#processes[process].role = "withdrawn";
  }

  end(timeS: number, process: number): void {
    this.#processes[process].endS = timeS;
    this.calls.shutdown(timeS, process);
  }

  region(name: string): number {
    const known = this.#regions.indexOf(name);
    return known >= 0 ? known : this.#regions.push(name) - 1;
  }

  enter(timeS: number, process: number, name: string, thread = 0, track = ""): void {
    this.calls.enter(timeS, process, this.region(name), 0, thread, this.#track(track));
  }

  exit(timeS: number, process: number, name: string, thread = 0, track = ""): void {
    this.calls.exit(timeS, process, this.region(name), thread, this.#track(track));
  }

  #track(name: string): number {
    const known = this.#tracks.indexOf(name);
    return known >= 0 ? known : this.#tracks.push(name) - 1;
  }

  attribute(
    timeS: number,
    process: number,
    kind: AttributeEvent["kind"],
    name: string,
    value: string | number = "",
    { type = TYPE.string, properties = 0, thread = 0 }: {
      type?: number;
      properties?: number;
      thread?: number;
    } = {},
  ): void {
    this.calls.attribute(timeS, process, thread, { kind, name, type, properties, value });
  }

  /** A step is read and settled. */
  step(timeS: number): void {
    this.batch.read(timeS);
    this.batch.settle();
    this.recorder.samples(timeS, this.batch);
  }

  /** What a channel recorded, without what every record has. */
  records(channel = 0): Record<string, unknown>[] {
    return readCali(this.channels[channel].flush()).records.map(withoutVersion);
  }

  column(name: string, channel = 0): unknown[] {
    return this.records(channel).map((record) => record[name]);
  }
}

function withoutVersion(record: CaliRecord): Record<string, unknown> {
  const { "cali.caliper.version": _, ...rest } = record;
  return rest;
}
