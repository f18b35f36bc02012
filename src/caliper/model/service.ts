/**
 * Service of a channel: it receives events, adds measurements to snapshots, and receives finished
 * snapshots. The channel calls services in the order in which they were registered.
 * @module
 */

import type { ContextTree, Meta } from "./tree.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Value, Variant } from "./variant.ts";

/** A change of context; services see it before it happens. */
export type EventKind = "begin" | "set" | "end";

/** Visits that a snapshot stands for. */
export interface FoldedVisits {
  readonly count: number;
  /** Time of the visits, ns; nested visits that are reported separately are not included. */
  readonly ns: number;
  /**
   * Lengths, only from a thread that aggregates all of its visits by path: the time is exact, and
   * part of no other.
   */
  readonly byPath?: {
    /** Lengths of the visits, nested ones included: sum, minimum, maximum. */
    readonly sumNs: number;
    readonly minNs: number;
    readonly maxNs: number;
  };
}

/** Entries that an event adds to a snapshot. */
export interface EventInfo {
  /** Entries that the trigger adds; null for none. */
  readonly info: Snapshot | null;
  /** A reference of the context that `info` stands in for, or `NONE`. */
  readonly replaces: number;
}

/** Cause of a snapshot. */
export interface Trigger extends EventInfo {
  /** The sample of a function that it is. */
  readonly sampled?: SampledCode;
  /** The event, or null for a snapshot that the program asked for. */
  readonly event: { kind: EventKind; attribute: number } | null;
  /** Aggregated visits that the snapshot represents: only their number and time are known. */
  readonly folded?: FoldedVisits & {
    /** Snapshots of them: as many begins or ends. */
    readonly snapshots: number;
  };
}

/** A quantity of the machine, as the current thread sees it now. */
export interface MachineValue {
  /** Name of the attribute that it becomes. */
  readonly name: string;
  /** Unit in words, `J`; empty for a plain number. */
  readonly unit: string;
  /** True if the value only grows: a snapshot gets its growth. */
  readonly grows: boolean;
  /** Source of the value, as in metadata. */
  readonly source?: string;
  /** Quality of the value: measured, derived, simulated. */
  readonly quality?: string;
  /** The value now; NaN if there is none. @returns NaN if there is nothing. */
  read(): number;
}

/** Place of an address in a program and in its source. */
export interface CodePlace {
  /** Name of the function. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Path of the program or library. */
  readonly module: string;
}

/** Stacks of samples: that of the current one, and the places of addresses at the end of the run. */
export interface SampledCode {
  /** Samples per second and CPU. */
  readonly hz: number;
  /** Process of the current sample. */
  readonly process: number;
  /** Addresses of the current sample, that of the outermost function first. */
  stack(): readonly Value[];
  /** The place of an address; undefined: no sample had it. */
  placeOf(process: number, address: Value): CodePlace | undefined;
}

/** Quantities of the machine other than the context. */
export interface Machine {
  /** A quantity by its name, one of each instance that was asked for, or why it cannot be had. */
  values(name: string): readonly MachineValue[] | { readonly absent: string };
}

/** Functions of a channel that its services may use. */
export interface ServiceHost {
  readonly tree: ContextTree;
  /** Monotonic time in nanoseconds. */
  now(): number;
  /** The thread whose context is current: a small number, 0 for the first. */
  thread(): number;
  /** All visits of that thread are folded by path: time is reported for paths, never for events. */
  folds(): boolean;
  /** Time when that thread began, by the same clock. */
  threadStart(): number;
  /** Takes finished records at once; without it they are kept until the flush. */
  readonly stream?: (record: Snapshot, thread: number) => void;
  readonly machine?: Machine;
  /** A configuration value, `CALI_<SERVICE>_<KEY>` in full; undefined if unset. */
  config(name: string): string | undefined;
  /** Makes an attribute, with the default scope if `properties` name none. */
  createAttribute(name: string, type: number, properties: number, meta?: Iterable<Meta>): number;
  /** The innermost node of the stack of an attribute, `NONE` if it is empty. */
  stackNode(attribute: number): number;
  /** Takes a snapshot. */
  push(trigger: Trigger): void;
  /** Sets run metadata: the value of an attribute that is global. */
  setGlobal(attribute: number, value: number | string): void;
  /** Sets a value of the current thread's context, without an event. */
  setContext(attribute: number, value: number | string): void;
  /** Notes a line for people. */
  log(line: string): void;
  /** Notes what it did, under the channel's name, if CALI_LOG_VERBOSITY is 1 or more. */
  note(line: string): void;
}

export interface Service {
  readonly name: string;
  /** An attribute was made. */
  attributeMade?(attribute: number): void;
  /**
   * The attribute of a region that a library made (`MPI_Send`, `[OMPT]…`); `NONE`
   * if this service does not listen to it.
   */
  adopt?(region: string): number;
  /** A change of an attribute without `skip_events` is about to happen. */
  event?(kind: EventKind, attribute: number, value: Variant): void;
  /**
   * Entries that an event adds to its snapshot; null: it makes none. One service of a channel has
   * this function.
   */
  mark?(kind: EventKind, attribute: number, value: Variant): EventInfo | null;
  /** Adds measurements to a snapshot. */
  measure?(trigger: Trigger, record: Snapshot): void;
  /** Takes a snapshot, which is overwritten after the call. */
  take?(record: Snapshot, trigger: Trigger): void;
  /** A sample of the current thread was taken. */
  sampled?(code: SampledCode): void;
  /** Adds entries to a record at the flush. @returns Another record. */
  edit?(record: Snapshot, thread: number): Snapshot;
  /** Hands over what it kept. */
  flush?(emit: (record: Snapshot, thread: number) => void): void;
  /** Time has passed for the current thread: the moment to take snapshots by time. */
  tick?(): void;
}

/** Makes a service for a channel. */
export type ServiceFactory = (host: ServiceHost) => Service;

/** Values of the machine for a service; each absent one is logged in one line. */
export function valuesOf(
  host: ServiceHost,
  service: string,
  name: string,
): readonly MachineValue[] {
  const values = host.machine?.values(name) ?? { absent: "this channel has no machine" };
  if (!("absent" in values)) return values;
  host.log(`${service}: no ${name}: ${values.absent}`);
  return [];
}
