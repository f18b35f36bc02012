/**
 * What a service of a channel is: it is told of events, adds measurements to snapshots, and takes
 * finished snapshots. The channel calls services in the order in which they were registered.
 * @module
 */

import type { ContextTree, Meta } from "./tree.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Variant } from "./variant.ts";

/** A change of context; services see it before it happens. */
export type EventKind = "begin" | "set" | "end";

/** What made a snapshot. */
export interface Trigger {
  /** The event, or null for a snapshot that the program asked for. */
  event: { kind: EventKind; attribute: number } | null;
  /** Entries that the trigger adds; null for none. */
  info: Snapshot | null;
  /** A reference of the context that `info` stands in for, or `NONE`. */
  replaces: number;
}

/** What services may use of their channel. */
export interface ServiceHost {
  readonly tree: ContextTree;
  /** Monotonic time in nanoseconds. */
  now(): number;
  /** A configuration value, `CALI_<SERVICE>_<KEY>` in full; undefined where unset. */
  config(name: string): string | undefined;
  /** Makes an attribute, with the default scope if `properties` name none. */
  createAttribute(name: string, type: number, properties: number, meta?: Iterable<Meta>): number;
  /** The innermost node of the stack of an attribute, `NONE` where it is empty. */
  stackNode(attribute: number): number;
  /** Takes a snapshot. */
  push(trigger: Trigger): void;
  /** Notes a line for people. */
  log(line: string): void;
}

export interface Service {
  readonly name: string;
  /** An attribute was made. */
  attributeMade?(attribute: number): void;
  /** A change of an attribute without `skip_events` is about to happen. */
  event?(kind: EventKind, attribute: number, value: Variant): void;
  /** Adds measurements to a snapshot. */
  measure?(trigger: Trigger, record: Snapshot): void;
  /** Takes a snapshot, which is overwritten after the call. */
  take?(record: Snapshot): void;
  /** Hands over what it kept. */
  flush?(emit: (record: Snapshot) => void): void;
}

/** Makes a service for a channel. */
export type ServiceFactory = (host: ServiceHost) => Service;
