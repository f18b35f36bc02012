/** The services that a channel can be made of, by the names that CALI_SERVICES_ENABLE takes. */

import type { ServiceFactory } from "../service.ts";
import { aggregate } from "./aggregate.ts";
import { allocstats } from "./allocstats.ts";
import { callpath } from "./callpath.ts";
import { event } from "./event.ts";
import { loopMonitor } from "./loop_monitor.ts";
import { loopStatistics } from "./loop_statistics.ts";
import { cpuinfo, memstat } from "./machine_service.ts";
import { mpi } from "./mpi.ts";
import { ompt } from "./ompt.ts";
import { perf } from "./perf.ts";
import { pthread } from "./pthread.ts";
import { sampler } from "./sampler.ts";
import { signals } from "./signals.ts";
import { statistics } from "./statistics.ts";
import { symbollookup } from "./symbollookup.ts";
import { timer } from "./timer.ts";
import { trace } from "./trace.ts";

/** In the order in which they are registered, for any order of the list. */
export const SERVICES: ReadonlyMap<string, ServiceFactory> = new Map([
  ["pthread", pthread],
  ["mpi", mpi],
  ["ompt", ompt],
  ["event", event],
  ["sampler", sampler],
  ["loop_monitor", loopMonitor],
  ["loop_statistics", loopStatistics],
  ["timer", timer],
  ["timestamp", timer],
  ["cpuinfo", cpuinfo],
  ["memstat", memstat],
  ["memusage", memstat],
  ["perf", perf],
  ["papi", perf],
  ["joulemark", signals],
  ["allocstats", allocstats],
  ["callpath", callpath],
  ["statistics", statistics],
  ["trace", trace],
  ["aggregate", aggregate],
  ["symbollookup", symbollookup],
]);

/** Services that act at the end: `Channel.flush` and the writers of a run's outputs. */
export const OUTPUTS: readonly string[] = ["recorder", "report", "mpireport"];

/**
 * Services that only receive events of the intercepting library: `Channel.hears`. No source reports
 * events that a program times itself (`async_event`).
 */
export const LIBRARY_SERVICES: readonly string[] = ["io", "alloc", "sysalloc", "async_event"];

/** The lines that Caliper's services log when they are made; some log none. */
export const REGISTERED: ReadonlyMap<string, string> = new Map([
  ["pthread", "Registered pthread service"],
  ["mpi", "Registered MPI service"],
  ["mpireport", "Registered mpireport service"],
  ["event", "Registered event trigger service"],
  ["loop_monitor", "Registered loop_monitor service"],
  ["loop_statistics", "registered loop_statistics service"],
  ["timer", "Registered timer service"],
  ["timestamp", "Registered timer service"],
  ["cpuinfo", "Registered cpuinfo service"],
  ["memstat", "registered memstat service"],
  ["memusage", "registered memstat service"],
  ["alloc", "Registered alloc service"],
  ["allocstats", "Registered allocstats service"],
  ["sysalloc", "Registered sysalloc service"],
  ["callpath", "Registered callpath service"],
  ["symbollookup", "Registered symbollookup service"],
  ["statistics", "Registered statistics service"],
  ["trace", "Registered trace service"],
  ["aggregate", "Registered aggregation service"],
  ["io", "Registered io service"],
  ["report", "Registered report service"],
]);
