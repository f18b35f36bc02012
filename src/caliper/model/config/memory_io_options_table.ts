/**
 * Options about threads, I/O and memory.
 *
 * Truth: Caliper manual, ConfigManager API, "Built-in options".
 *
 * One thing differs from Caliper: bandwidths are shown when rows are aggregated as the program
 * runs, too; there they are computed from a time that only single snapshots have.
 * @module
 */

import { clauses, columns, flag, kept, lets, type Option, type OptionTable } from "./option.ts";

/** Bytes one way; `tag` names them within queries. */
function bytes(way: "read" | "written", tag: string): Option {
  return flag(`io.bytes.${way}`, `Bytes ${way} by I/O calls`, {
    services: ["io"],
    local: clauses(
      lets({ [`${tag}.bytes`]: kept("sum", `io.bytes.${way}`) }),
      columns([`sum(${tag}.bytes)`, `Bytes ${way}`, "Byte"]),
    ),
    cross: columns(
      [`avg(sum#${tag}.bytes)`, `Avg ${way}`, "Byte"],
      [`sum(sum#${tag}.bytes)`, `Total ${way}`, "Byte"],
    ),
  });
}

/** Bandwidth one way: bytes over nanoseconds, in 1e6 bits a second. */
function bandwidth(verb: "read" | "write", includes: string, tag: string): Option {
  const pair = `${tag}.bytes`, time = `${tag}.ns`, ratio = `ratio#${pair}/${time}`;
  const title = verb === "read" ? "Read" : "Write";
  return flag(`io.${verb}.bandwidth`, `Bandwidth of I/O calls that ${verb}`, {
    includes: [includes],
    local: clauses(
      lets({ [time]: kept("sum", "time.duration.ns") }),
      columns(
        ["io.region", "I/O"],
        [`ratio(${pair},${time},8e3)`, `${title} Mbit/s`, "Mb/s"],
      ),
      "group by io.region",
    ),
    cross: columns(
      [`avg(${ratio})`, `Avg ${verb} Mbit/s`],
      [`max(${ratio})`, `Max ${verb} Mbit/s`],
    ),
  });
}

/** Services and variables that measure `alloc.*`. */
const ALLOCATIONS = {
  services: ["allocstats", "sysalloc"],
  variables: { CALI_ALLOCSTATS_RECORD_HIGHWATERMARK: "true" },
};

const PAGES: readonly (readonly [metric: string, title: string])[] = [
  ["vmsize", "VmSize"],
  ["vmrss", "VmRSS"],
  ["data", "Data"],
];

const METRIC: readonly Option[] = [
  bytes("written", "ibw"),
  bytes("read", "ibr"),
  flag("io.bytes", "Bytes read and written by I/O calls", {
    includes: ["io.bytes.read", "io.bytes.written"],
  }),
  bandwidth("read", "io.bytes.read", "ibr"),
  bandwidth("write", "io.bytes.written", "ibw"),
  flag("mem.highwatermark", "Most memory that was allocated at once within a region", {
    ...ALLOCATIONS,
    local: clauses(
      lets({
        "mhwm.bytes": kept("max", "alloc.region.highwatermark"),
        "mhwm": "scale(mhwm.bytes,1e-6)",
      }),
      columns(["max(mhwm)", "Mem HWM MB", "MB"]),
    ),
    cross: columns(["max(max#mhwm)", "Mem HWM MB", "MB"]),
  }),
  flag("alloc.stats", "Allocations: how many, how large, how much at once", {
    ...ALLOCATIONS,
    local: columns(
      ["max(max#alloc.region.highwatermark)", "Mem HWM"],
      ["max(alloc.tally)", "Alloc tMax"],
      ["sum(alloc.count)", "Alloc count"],
      ["avg(avg#alloc.size)", "Avg Bytes/alloc"],
      ["max(max#alloc.size)", "Max Bytes/alloc"],
    ),
    cross: columns(
      ["max(max#max#alloc.region.highwatermark)", "Mem HWM"],
      ["max(max#alloc.tally)", "Alloc tMax"],
      ["sum(sum#alloc.count)", "Alloc count"],
      ["avg(avg#avg#alloc.size)", "Avg Bytes/alloc"],
      ["max(max#max#alloc.size)", "Max Bytes/alloc"],
    ),
  }),
  flag("mem.pages", "Pages of memory in use, from /proc/self/statm", {
    services: ["memstat"],
    local: clauses(
      lets(Object.fromEntries(PAGES.map(([m]) => [`mem.${m}`, kept("max", `memstat.${m}`)]))),
      columns(...PAGES.map(([m, title]) => [`max(mem.${m})`, title, "pages"] as const)),
    ),
    cross: columns(...PAGES.map(([m, title]) => [`max(max#mem.${m})`, title, "pages"] as const)),
  }),
];

/** Options by group. */
export const MEMORY_IO_OPTIONS: OptionTable = {
  region: [flag("main_thread_only", "Only what the first thread does", {
    services: ["pthread"],
    local: "where pthread.is_master=true",
  })],
  metric: METRIC,
};
