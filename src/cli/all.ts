/**
 * Every subcommand, loaded when called. What does not work yet is not listed.
 * @module
 */
import type { Verb, VerbEntry } from "./command_line/verb.ts";

/** In the order of `--help`: name, group there, and summary. */
const LISTED = [
  ["run", "Measure", "run a command, find its regions, write a report"],
  ["demo", "Measure", "run a built-in marked workload and report on it"],
  ["read", "Look", "read one signal now; list and describe signals"],
  ["sample", "Look", "signals over time as CSV, and their statistics"],
  ["top", "Look", "what the node draws and what its processes do, now"],
  ["replay", "Look", "make report and traces again from a recording"],
  ["show", "Look", "a report, recording, trace or log, as tables or as a page"],
  ["merge", "Look", "reports of many hosts into one"],
  ["collate", "Look", "reports of many hosts into one, by the site's MPI"],
  ["recover", "Measure", "the report of a run whose monitor was killed"],
  ["compare", "Look", "two sets of reports: has the energy grown?"],
  ["study", "Measure", "a sweep over a setting: runs, table, picture"],
  ["pmc", "Look", "energy per step: statistics, histograms, comparisons, sweeps"],
  ["client", "Measure", "write the markup client for a language"],
  ["query", "Look", "CalQL over .cali files, reports, traces and raw stats"],
  ["capture", "Site", "save what the readers read here, as a tree for --root"],
  ["doctor", "Site", "which sources this node has, and what is in the way"],
  ["collector", "Site", "read closed counters for monitors without rights"],
  ["monitor", "Site", "raw stats of the node over time (hpcperfstats)"],
  ["mark", "Site", "mark a job's begin, end or a text in the monitor's raw stats"],
  ["stats", "Look", "deltas, rates and job metrics of raw stats files"],
  ["explain", "Look", "a field, signal, warning, verb or option, on one screen"],
  ["man", "Site", "write the manual page joulemark(1)"],
  ["completions", "Site", "write completions for bash, zsh or fish"],
] as const;

const LOADERS: Readonly<Record<(typeof LISTED)[number][0], () => Promise<Verb>>> = {
  run: async () => (await import("./run.ts")).run,
  demo: async () => (await import("./demo.ts")).demo,
  read: async () => (await import("./read.ts")).read,
  sample: async () => (await import("./sample.ts")).sample,
  top: async () => (await import("./top/top.ts")).top,
  replay: async () => (await import("./replay.ts")).replay,
  show: async () => (await import("./show/show.ts")).show,
  merge: async () => (await import("./merge.ts")).merge,
  collate: async () => (await import("./collate.ts")).collate,
  recover: async () => (await import("./recover.ts")).recover,
  compare: async () => (await import("./compare.ts")).compare,
  study: async () => (await import("./study.ts")).study,
  pmc: async () => (await import("./pmc.ts")).pmc,
  client: async () => (await import("./client.ts")).client,
  query: async () => (await import("./query.ts")).query,
  capture: async () => (await import("./capture.ts")).capture,
  doctor: async () => (await import("./doctor/doctor.ts")).doctorOf(VERBS),
  collector: async () => (await import("./collector.ts")).collector,
  monitor: async () => (await import("./monitor.ts")).monitor,
  mark: async () => (await import("./mark.ts")).mark,
  stats: async () => (await import("./stats.ts")).stats,
  explain: async () => (await import("./show/explain.ts")).explainOf(VERBS),
  man: async () => (await import("./command_line/man.ts")).manOf(VERBS),
  completions: async () => (await import("./command_line/completions.ts")).completionsOf(VERBS),
};

/** Subcommands by the first word of a command line; `--help` does not load their files. */
export const VERBS: readonly VerbEntry[] = LISTED.map(([name, group, summary]) => ({
  name,
  group,
  summary,
  load: async () => ({ ...await LOADERS[name](), summary }),
}));
