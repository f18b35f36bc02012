/**
 * One receiver that stands for several: recording, PMC log, Caliper's channels.
 * @module
 */
import type { EventReceiver } from "./event.ts";

/** Passes events on to all, in their order; one alone gets them itself. */
export function eventListeners(
  wanted: readonly (EventReceiver | undefined)[],
): EventReceiver | undefined {
  const all = wanted.filter((receiver) => receiver !== undefined);
  if (all.length < 2) return all[0];
  return {
    receive(event) {
      for (let i = 0; i < all.length; i++) all[i].receive(event);
      return -1;
    },
  };
}
