/**
 * Every subcommand, loaded when called. What does not work yet is not listed.
 * @module
 */
import type { Verb, VerbEntry } from "./command_line/verb.ts";

/** In the order of `--help`: name, group there, and summary. */
const LISTED = [
  ["run", "Measure", "run a command, find its regions, write a report"],
  ["demo", "Measure", "run a built-in example program and report on it"],
  ["read", "Look", "read one signal now; list and describe signals"],
  ["sample", "Look", "write signals over time as CSV, and their statistics"],
  ["top", "Look", "live view of node power and of the running regions"],
  ["replay", "Look", "make reports and traces from a recording"],
  ["show", "Look", "show a report, recording, trace or log as tables or a page"],
  ["merge", "Look", "merge the reports of many hosts into one"],
  ["collate", "Look", "merge the reports of very many hosts over MPI"],
  ["recover", "Measure", "write the report of a run whose monitor was killed"],
  ["compare", "Look", "compare two sets of reports: did the energy increase?"],
  ["bench", "Measure", "compare the energy of several commands with repeated runs"],
  ["study", "Measure", "run a command with several settings, and compare energy and time"],
  ["pmc", "Look", "analyse energy per step: statistics, histograms, sweeps"],
  ["client", "Measure", "write the annotation header or module for a language"],
  ["query", "Look", "run CalQL over .cali files, reports, traces and raw stats"],
  ["capture", "Site", "save this node's counter files, for use with --root"],
  ["doctor", "Site", "list this node's energy counters and how to enable them"],
  ["collector", "Site", "privileged helper: reads restricted counters for other users"],
  ["monitor", "Site", "record raw stats of the node over time (hpcperfstats)"],
  ["mark", "Site", "write the begin or end of a job, or a text, into raw stats"],
  ["stats", "Look", "compute deltas, rates and job metrics from raw stats files"],
  ["explain", "Look", "explain a field, signal, note, verb or option"],
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
  bench: async () => (await import("./bench.ts")).bench,
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
