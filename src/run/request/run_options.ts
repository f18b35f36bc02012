/**
 * The options of a run, as data. `replay` has those of them that a recording can answer.
 * @module
 */
import { COLOR, type Option } from "../../core/option.ts";
import { OUTPUTS } from "../outputs/all.ts";
import { DEFAULT_STACK_BYTES } from "../outputs/function_options.ts";

const RESULTS = "Outputs";
const MEASURING = "Measuring";
const EXISTING = "Regions without changes to the code";
const CONTROL = "Output control";

/** Words of `--preload`. */
const DIALECTS = [
  ...["mpi", "pcontrol", "ompt", "geopm", "caliper", "likwid", "pm_mpi", "nvtx", "roctx", "itt"],
  ...["kokkos", "tau", "papi", "craypat", "io", "alloc", "callpath", "perfstubs", "scorep"],
  ...["timer", "mpi=all", "all"],
];

/** In the order of the help. */
export const RUN_OPTIONS: readonly Option[] = [
  {
    name: "report",
    value: "FILE",
    env: true,
    foreign: "GEOPM_REPORT",
    group: RESULTS,
    default: "joulemark.report",
    help: "report of the run, in GEOPM's format",
  },
  {
    name: "report-signals",
    value: "LIST",
    env: true,
    foreign: "GEOPM_REPORT_SIGNALS",
    group: RESULTS,
    help: "additional signals (named values, such as CPU_POWER) in the report: SIGNAL[@DOMAIN],...",
  },
  ...OUTPUTS.flatMap(({ options }) => options),
  {
    name: "checkpoint",
    value: "S",
    env: true,
    group: RESULTS,
    default: "10",
    help:
      "seconds between two updates of the files of --openmetrics, and the maximum for the files of --trace, " +
      "--event-log, --record and --perfetto. If REPORT is on a file server (NFS, Lustre, GPFS), also " +
      "seconds between two intermediate reports in REPORT.partial (else at most one second)",
  },
  {
    name: "period",
    value: "S",
    env: true,
    foreign: "GEOPM_PERIOD",
    group: MEASURING,
    default: "0.005",
    help: "seconds between two samples",
  },
  {
    name: "budget",
    value: "P%",
    env: true,
    group: MEASURING,
    default: "5 %",
    help: "maximum CPU use of the monitor, in percent of one core. Above this limit, the monitor " +
      "first aggregates short visits of regions, and then takes fewer samples. 100: no limit",
  },
  {
    name: "dither",
    value: "on|off",
    env: true,
    group: MEASURING,
    words: ["on", "off"],
    help: "randomize the sampling interval, to avoid aliasing with periodic code (default: on " +
      "with --attribution fit, else off)",
  },
  {
    name: "idle",
    value: "SECONDS|FILE",
    env: true,
    group: MEASURING,
    help: "also report the net energy: the energy of the run minus the energy that an idle node " +
      "uses in the same time. The idle power is measured for SECONDS before the command " +
      "starts, or read from FILE (a report or JSON)",
  },
  {
    name: "stack-bytes",
    value: "N",
    env: true,
    group: MEASURING,
    default: `${DEFAULT_STACK_BYTES}`,
    help: "number of bytes of each stack that --functions copies",
  },
  {
    name: "debuginfo",
    value: "DIR,...",
    env: true,
    group: MEASURING,
    help: "directories with debug files of stripped programs, for --functions",
  },
  {
    name: "profile",
    value: "NAME",
    env: true,
    foreign: "GEOPM_PROFILE",
    group: MEASURING,
    default: "the application's name",
    help: "name of the run",
  },
  {
    name: "record-filter",
    value: "F",
    env: true,
    foreign: "GEOPM_RECORD_FILTER",
    group: MEASURING,
    help: "derive epochs (steps of the outer loop) from entries into regions. " +
      "proxy_epoch,REGION[,CALLS[,STARTUP]]: an epoch begins at every CALLS-th entry into REGION " +
      "(default 1); the first STARTUP entries (default 0) do not count. " +
      "edit_distance[,BUFFER,...]: an epoch begins when a sequence of entries repeats. joulemark " +
      "searches the last BUFFER entries (default 50). With a filter, epoch calls of the application " +
      "have no effect",
  },
  {
    name: "without",
    value: "READERS",
    env: true,
    group: MEASURING,
    help: "do not use these sources of signals, comma-separated, such as MSR,POWERCAP",
  },
  {
    name: "root",
    value: "DIR",
    env: true,
    group: MEASURING,
    help: 'read counters from this directory instead of the machine; "joulemark capture" makes ' +
      "such a directory",
  },
  {
    name: "collector",
    value: "SOCKET|off",
    env: true,
    group: MEASURING,
    default: "/run/joulemark-collector.sock",
    help:
      "socket of the helper that reads restricted counters for you (joulemark collector); off: " +
      "do not use the helper",
  },
  {
    name: "simulate",
    value: "SPEC",
    optionalValue: true,
    env: true,
    group: MEASURING,
    help: "use built-in simulated counters instead of real ones; all outputs are labelled " +
      "simulated. SPEC: rapl (counters of the processor), cray (counters of the node), both " +
      "(default), or a JSON file that describes a node",
  },
  {
    name: "preload",
    value: "LIST",
    env: true,
    group: EXISTING,
    words: DIALECTS,
    help:
      "intercept calls of these APIs and turn them into regions: mpi (the blocking calls that " +
      "GEOPM records), pcontrol, ompt, geopm, caliper, likwid, pm_mpi, nvtx, roctx, itt, " +
      'kokkos, tau, papi, craypat. "all" means all of these words. You must name these words ' +
      "yourself: mpi=all (every MPI call that communicates, waits or uses files), perfstubs, " +
      "scorep; io, alloc, callpath (data only for --record, --cali and --cali-config); timer " +
      "(timers instead of the kernel take the samples of --functions)",
  },
  {
    name: "preload-lib",
    value: "FILE",
    env: true,
    group: EXISTING,
    help: 'library for --preload that you have built yourself, from the sources that "joulemark ' +
      'client preload" writes',
  },
  {
    name: "phase",
    value: "REGEX",
    env: true,
    group: EXISTING,
    help:
      "each output line of the command that matches REGEX begins a region, called a phase. The " +
      "name of the region is the text that matches the first parentheses of REGEX",
  },
  {
    name: "probe",
    value: "FILE:FUNCTION,...",
    env: true,
    group: EXISTING,
    help: "turn calls of these functions into regions, by uprobes of the kernel; needs root or " +
      "CAP_PERFMON",
  },
  {
    name: "python",
    env: true,
    group: EXISTING,
    help: "turn the functions in a Python program's own files into regions, without changing the " +
      "files",
  },
  {
    name: "repeat",
    value: "N",
    group: MEASURING,
    help:
      "run the command N times with one report per run, and print mean and standard deviation. " +
      "If runs fail, the exit status is the exit status of the first failed run",
  },
  // Place of the run in a benchmark, as the runner passes it on: SET,BLOCK,POSITION,SEED.
  { name: "bench-place", value: "PLACE", help: "" },
  { name: "quiet", short: "q", env: true, group: CONTROL, help: "print no summary at the end" },
  { ...COLOR, group: CONTROL },
  {
    name: "verbose",
    short: "v",
    env: true,
    group: CONTROL,
    help:
      "print all notes at full length, also notes without influence on the values. With --pmc, " +
      "also print which events are the steps of the log",
  },
  { name: "help", short: "h", group: CONTROL, help: "this text" },
];

/** Options of a run that another verb has too, in one group and without variables. */
export function sharedOptions(names: readonly string[]): Option[] {
  return names.map((name) => {
    const { env: _env, foreign: _foreign, group: _group, ...option } = RUN_OPTIONS.find((o) =>
      o.name === name
    )!;
    return option;
  });
}

/** Texts of options that only use data of the recording in a replay. */
const REPLAY_HELP: Readonly<Record<string, string>> = {
  "functions":
    'CPU time and energy of functions, from a recording of "run --functions"; HZ has no ' +
    "effect",
  "off-cpu": "also the time in which threads waited, if the recording has it",
  "counters": 'also report these signals of the recording, for "pmc --summary craypat"',
  "openmetrics":
    "values for monitoring systems, in OpenMetrics format; if FILE ends in .prom, in " +
    "the format of node_exporter's textfile collector",
  "otlp": "values for monitoring systems, as OTLP metrics (OpenTelemetry) in JSON",
};

/** Options of the outputs that replays have. */
export function replayOptions(): Option[] {
  const names = OUTPUTS.filter(({ replays }) => replays)
    .flatMap(({ options }) => options.map((o) => o.name));
  return sharedOptions(names).map((option) => {
    const help = REPLAY_HELP[option.name];
    return help === undefined ? option : { ...option, help, default: undefined };
  });
}
