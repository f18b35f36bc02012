/** Channels whose clock and machine follow a script, and what they recorded as plain records. */
import type { Machine, MachineValue } from "../../../src/caliper/model/service.ts";
import { Channel, type ChannelOptions } from "../../../src/caliper/model/services/channel.ts";
import { type CaliRecord, readCali } from "../../../src/caliper/query/library.ts";

/** A machine whose quantities are what the test last set. */
export class ScriptedMachine implements Machine {
  /** What the next readings give, by name. */
  readonly now = new Map<string, number>();
  readonly #values: readonly Omit<MachineValue, "read">[];

  constructor(...values: (Partial<MachineValue> & { name: string })[]) {
    this.#values = values.map((value) => ({ unit: "", grows: false, ...value }));
  }

  set(name: string, value: number): void {
    this.now.set(name, value);
  }

  values(name: string): readonly MachineValue[] | { absent: string } {
    const found = this.#values.filter((value) => value.name === name);
    if (found.length === 0) return { absent: "not in the script" };
    return found.map((value) => ({ ...value, read: () => this.now.get(name) ?? NaN }));
  }
}

/** A channel and its clock. */
export class Scripted {
  /** Nanoseconds. */
  ns: number;
  readonly channel: Channel;

  constructor(services: string, config: Record<string, string> = {}, options: {
    machine?: Machine;
    globals?: ChannelOptions["globals"];
    startNs?: number;
  } = {}) {
    this.ns = options.startNs ?? 0;
    const variables = { CALI_SERVICES_ENABLE: services, ...config };
    this.channel = new Channel(variables, { ...options, now: () => this.ns });
  }

  /** Lets time pass up to a moment, then acts. */
  at(ns: number, action?: (channel: Channel) => void): this {
    this.ns = ns;
    action?.(this.channel);
    return this;
  }

  /** A visit of a region, from now on. */
  visit(name: string, ns = 0): this {
    this.channel.beginRegion(name);
    this.ns += ns;
    this.channel.endRegion(name);
    return this;
  }

  /** What the stream holds. */
  content(): ReturnType<typeof readCali> {
    return readCali(this.channel.flush());
  }

  /** Records without what is the same in all of them. */
  records(): Record<string, unknown>[] {
    return this.content().records.map(plain);
  }

  /** Values of one attribute, record by record. */
  column(name: string): unknown[] {
    return this.records().map((record) => record[name]);
  }
}

/** A record without the globals that every channel has. */
export function plain(record: CaliRecord): Record<string, unknown> {
  const { "cali.caliper.version": _, ...rest } = record;
  return rest;
}
