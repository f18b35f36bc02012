/**
 * What a service of a channel is: it receives events, adds measurements to snapshots, and receives
 * finished snapshots. The channel calls services in the order in which they were registered.
 * @module
 */

import type { ContextTree, Meta } from "./tree.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Variant } from "./variant.ts";

/** A change of context; services see it before it happens. */
export type EventKind = "begin" | "set" | "end";

/** Visits that a snapshot stands for. */
export interface FoldedVisits {
  readonly count: number;
  /** Their time, without what is nested in them where that is reported separately. */
  readonly ns: number;
  /** Of a thread that folds all of its visits by path: the time is exact, and no part of any other. */
  readonly byPath?: {
    /** Lengths of the visits: sum, least, greatest; nested ones included. */
    readonly sumNs: number;
    readonly minNs: number;
    readonly maxNs: number;
  };
}

/** What an event adds to a snapshot. */
export interface EventInfo {
  /** Entries that the trigger adds; null for none. */
  readonly info: Snapshot | null;
  /** A reference of the context that `info` stands in for, or `NONE`. */
  readonly replaces: number;
}

/** What made a snapshot. */
export interface Trigger extends EventInfo {
  /** The event, or null for a snapshot that the program asked for. */
  readonly event: { kind: EventKind; attribute: number } | null;
  /** It stands for visits of which nothing but their number and their time is known. */
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
  /** It only grows: what a snapshot gets is its growth. */
  readonly grows: boolean;
  /** Its source and quality, `measured` or `simulated`, as in metadata. */
  readonly source?: string;
  /** How the value came about: measured, derived, simulated. */
  readonly quality?: string;
  /** The value now; NaN where there is none. @returns NaN where there is nothing. */
  read(): number;
}

/** What can be known beside the context. */
export interface Machine {
  /** A quantity by its name, one of each instance that was asked for, or why it cannot be had. */
  values(name: string): readonly MachineValue[] | { readonly absent: string };
}

/** What services may use of their channel. */
export interface ServiceHost {
  readonly tree: ContextTree;
  /** Monotonic time in nanoseconds. */
  now(): number;
  /** The thread whose context is current: a small number, 0 for the first. */
  thread(): number;
  /** All visits of that thread are folded by path: time is reported for paths, never for events. */
  folds(): boolean;
  /** When that thread began, by the same clock. */
  threadStart(): number;
  /** Takes finished records at once; without it they are kept until the flush. */
  readonly stream?: (record: Snapshot, thread: number) => void;
  readonly machine?: Machine;
  /** A configuration value, `CALI_<SERVICE>_<KEY>` in full; undefined where unset. */
  config(name: string): string | undefined;
  /** Makes an attribute, with the default scope if `properties` name none. */
  createAttribute(name: string, type: number, properties: number, meta?: Iterable<Meta>): number;
  /** The innermost node of the stack of an attribute, `NONE` where it is empty. */
  stackNode(attribute: number): number;
  /** Takes a snapshot. */
  push(trigger: Trigger): void;
  /** Sets run metadata: the value of an attribute that is global. */
  setGlobal(attribute: number, value: number | string): void;
  /** Sets a value of the current thread's context, without an event. */
  setContext(attribute: number, value: number | string): void;
  /** Notes a line for people. */
  log(line: string): void;
  /** Notes what it did, under the channel's name, where CALI_LOG_VERBOSITY is 1 or more. */
  note(line: string): void;
}

export interface Service {
  readonly name: string;
  /** An attribute was made. */
  attributeMade?(attribute: number): void;
  /**
   * The attribute of a region that a library made (`MPI_Send`, `[OMPT]…`); `NONE`
   * where this service does not listen to it.
   */
  adopt?(region: string): number;
  /** A change of an attribute without `skip_events` is about to happen. */
  event?(kind: EventKind, attribute: number, value: Variant): void;
  /** What an event adds to its snapshot; null: it makes none. One service of a channel has it. */
  mark?(kind: EventKind, attribute: number, value: Variant): EventInfo | null;
  /** Adds measurements to a snapshot. */
  measure?(trigger: Trigger, record: Snapshot): void;
  /** Takes a snapshot, which is overwritten after the call. */
  take?(record: Snapshot, trigger: Trigger): void;
  /** Hands over what it kept. */
  flush?(emit: (record: Snapshot, thread: number) => void): void;
  /** Time has passed for the current thread: the moment to take snapshots by time. */
  tick?(): void;
}

/** Makes a service for a channel. */
export type ServiceFactory = (host: ServiceHost) => Service;

/** What a service gets of the machine; each absent part is logged in one line. */
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
