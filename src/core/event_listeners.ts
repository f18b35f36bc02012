/**
 * One sink that stands for several: recording, PMC log, Caliper's channels.
 * @module
 */
import type { EventSink } from "./event.ts";

const EVENTS = [
  "start",
  "startCommand",
  "threadCpus",
  "region",
  "enter",
  "exit",
  "epoch",
  "tprofInit",
  "tprofPost",
  "overhead",
  "shortVisits",
  "shutdown",
  "died",
  "at",
  "attribute",
  "span",
  "pm",
] as const satisfies readonly (keyof EventSink)[];

type Call = (...args: unknown[]) => number;

/** Passes events on to all; one alone gets them itself. What no sink wants has no method. */
export function eventListeners(
  wanted: readonly (Partial<EventSink> | undefined)[],
): Partial<EventSink> | undefined {
  const all = wanted.filter((sink) => sink !== undefined);
  if (all.length < 2) return all[0];
  const together: Record<string, Call> = {};
  for (const name of EVENTS) {
    const sinks = all.filter((sink) => sink[name] !== undefined);
    if (sinks.length === 0) continue;
    together[name] = (...args) => {
      for (const sink of sinks) (sink[name] as Call).apply(sink, args);
      return -1;
    };
  }
  return together as unknown as Partial<EventSink>;
}
