/**
 * Xeon Phi coprocessors (Knights Corner): schema only.
 *
 * Their counters come from the management library of a driver stack that ended with Linux 4.18; no
 * node that this program runs on has it, so the type is known to readers and never collected.
 * @module
 */
import { filesOnly, type RawStatsType } from "./raw_type.ts";

/** See the module. */
export const mic: RawStatsType = {
  name: "mic",
  keys: "num_cores,C threads_core,C user_sum,E,U=cs nice_sum,E,U=cs sys_sum,E,U=cs " +
    "idle_sum,E,U=cs jiffy_counter,E,U=cs",
  needs: filesOnly(),
  open: () => undefined,
};
