/** The services that a channel can be made of, by the names that CALI_SERVICES_ENABLE takes. */

import type { ServiceFactory } from "../service.ts";
import { aggregate } from "./aggregate.ts";
import { cpuinfo } from "./cpuinfo.ts";
import { event } from "./event.ts";
import { memstat } from "./memstat.ts";
import { mpi } from "./mpi.ts";
import { ompt } from "./ompt.ts";
import { perf } from "./perf.ts";
import { sampler } from "./sampler.ts";
import { signals } from "./signals.ts";
import { statistics } from "./statistics.ts";
import { timer } from "./timer.ts";
import { trace } from "./trace.ts";

/** In the order in which they are registered, whatever the order of the list. */
export const SERVICES: ReadonlyMap<string, ServiceFactory> = new Map([
  ["mpi", mpi],
  ["ompt", ompt],
  ["event", event],
  ["sampler", sampler],
  ["timer", timer],
  ["timestamp", timer],
  ["cpuinfo", cpuinfo],
  ["memstat", memstat],
  ["memusage", memstat],
  ["perf", perf],
  ["papi", perf],
  ["joulemark", signals],
  ["statistics", statistics],
  ["trace", trace],
  ["aggregate", aggregate],
]);

/** Those that act when all is over: `Channel.flush` and what writes a run's outputs. */
export const OUTPUTS: readonly string[] = ["recorder", "report", "mpireport"];

/** Why a service of Caliper is not here, and what serves instead. */
export const ABSENT: ReadonlyMap<string, string> = new Map([
  ["textlog", "gone since Caliper 2: use event, trace and report with a FORMAT query"],
  ["env", "gone since Caliper 2: set globals, or attributes at the start of the program"],
  ["callpath", "there is no call stack from outside the program: use the path of regions"],
  ["symbollookup", "there are no addresses to look up: use the path of regions"],
  ["libpfm", "no sampling of addresses: use perf for counts of events"],
  ["topdown", "no top-down ratios: use perf for counts of events"],
  ["variorum", "use joulemark with CALI_JOULEMARK_SIGNALS=CPU_ENERGY: energy, not power alone"],
  ["adiak_import", "no Adiak here: cali_set_global_* calls make run metadata"],
]);
