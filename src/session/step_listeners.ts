/**
 * One listener of events and steps that stands for several: recording, PMC log, Caliper's channels.
 * @module
 */
import type { EventSink } from "../core/event.ts";
import type { Batch } from "../signals/batch.ts";
import type { StepListener } from "../signals/step_listener.ts";

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
  "pm",
] as const satisfies readonly (keyof EventSink)[];

type Call = (...args: unknown[]) => number;

/** Hears for all; one alone hears by itself. What nobody hears is not there. */
export function stepListeners(
  wanted: readonly (StepListener | undefined)[],
): StepListener | undefined {
  const all = wanted.filter((listener) => listener !== undefined);
  if (all.length < 2) return all[0];
  const together: Record<string, Call> = {};
  for (const name of EVENTS) {
    const hearers = all.filter((listener) => listener[name] !== undefined);
    if (hearers.length === 0) continue;
    together[name] = (...args) => {
      for (const listener of hearers) (listener[name] as Call).apply(listener, args);
      return -1;
    };
  }
  const samples = (timeS: number, batch: Batch) => {
    for (const listener of all) listener.samples(timeS, batch);
  };
  return { ...together, samples } as unknown as StepListener;
}
