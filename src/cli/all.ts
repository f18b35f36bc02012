/**
 * Every subcommand, one line each, loaded when called. What does not work yet is not listed.
 * @module
 */
import type { Verb, VerbEntry } from "./command_line/verb.ts";

const LISTED: readonly (Omit<VerbEntry, "load"> & { load(): Promise<Verb> })[] = [
  {
    name: "run",
    group: "Measure",
    summary: "run a command, find its regions, write a report",
    load: async () => (await import("./run.ts")).run,
  },
  {
    name: "demo",
    group: "Measure",
    summary: "run a built-in marked workload and report on it",
    load: async () => (await import("./demo.ts")).demo,
  },
  {
    name: "read",
    group: "Look",
    summary: "read one signal now; list and describe signals",
    load: async () => (await import("./read.ts")).read,
  },
  {
    name: "sample",
    group: "Look",
    summary: "signals over time as CSV, and their statistics",
    load: async () => (await import("./sample.ts")).sample,
  },
  {
    name: "top",
    group: "Look",
    summary: "what the node draws and what its processes do, now",
    load: async () => (await import("./top/top.ts")).top,
  },
  {
    name: "replay",
    group: "Look",
    summary: "make report and traces again from a recording",
    load: async () => (await import("./replay.ts")).replay,
  },
  {
    name: "show",
    group: "Look",
    summary: "a report, recording, trace or log, as tables or as a page",
    load: async () => (await import("./show/show.ts")).show,
  },
  {
    name: "merge",
    group: "Look",
    summary: "reports of many hosts into one",
    load: async () => (await import("./merge.ts")).merge,
  },
  {
    name: "collate",
    group: "Look",
    summary: "reports of many hosts into one, by the site's MPI",
    load: async () => (await import("./collate.ts")).collate,
  },
  {
    name: "recover",
    group: "Measure",
    summary: "the report of a run whose monitor was killed",
    load: async () => (await import("./recover.ts")).recover,
  },
  {
    name: "compare",
    group: "Look",
    summary: "two sets of reports: has the energy grown?",
    load: async () => (await import("./compare.ts")).compare,
  },
  {
    name: "study",
    group: "Measure",
    summary: "a sweep over a setting: runs, table, picture",
    load: async () => (await import("./study.ts")).study,
  },
  {
    name: "pmc",
    group: "Look",
    summary: "energy per step: statistics, histograms, comparisons, sweeps",
    load: async () => (await import("./pmc.ts")).pmc,
  },
  {
    name: "client",
    group: "Measure",
    summary: "write the markup client for a language",
    load: async () => (await import("./client.ts")).client,
  },
  {
    name: "query",
    group: "Look",
    summary: "CalQL over .cali files, reports, traces and raw stats",
    load: async () => (await import("./query.ts")).query,
  },
  {
    name: "capture",
    group: "Site",
    summary: "save what the readers read here, as a tree for --root",
    load: async () => (await import("./capture.ts")).capture,
  },
  {
    name: "doctor",
    group: "Site",
    summary: "which sources this node has, and what is in the way",
    load: async () => (await import("./doctor/doctor.ts")).doctorOf(VERBS),
  },
  {
    name: "collector",
    group: "Site",
    summary: "read closed counters for monitors without rights",
    load: async () => (await import("./collector.ts")).collector,
  },
  {
    name: "monitor",
    group: "Site",
    summary: "raw stats of the node over time (hpcperfstats)",
    load: async () => (await import("./monitor.ts")).monitor,
  },
  {
    name: "mark",
    group: "Site",
    summary: "mark a job's begin, end or a text in the monitor's raw stats",
    load: async () => (await import("./mark.ts")).mark,
  },
  {
    name: "stats",
    group: "Look",
    summary: "deltas, rates and job metrics of raw stats files",
    load: async () => (await import("./stats.ts")).stats,
  },
  {
    name: "explain",
    group: "Look",
    summary: "a field, signal, warning, verb or option, on one screen",
    load: async () => (await import("./show/explain.ts")).explainOf(VERBS),
  },
  {
    name: "man",
    group: "Site",
    summary: "write the manual page joulemark(1)",
    load: async () => (await import("./command_line/man.ts")).manOf(VERBS),
  },
  {
    name: "completions",
    group: "Site",
    summary: "write completions for bash, zsh or fish",
    load: async () => (await import("./command_line/completions.ts")).completionsOf(VERBS),
  },
];

/** In the order of `--help`. */
export const VERBS: readonly VerbEntry[] = LISTED.map(({ load, ...entry }) => ({
  ...entry,
  load: async () => ({ ...await load(), summary: entry.summary }),
}));
