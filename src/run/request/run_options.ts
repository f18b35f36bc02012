/**
 * The options of a run, as data. `replay` has those of them that a recording can answer.
 * @module
 */
import type { Option } from "../../core/option.ts";
import { OUTPUTS } from "../outputs/all.ts";

const RESULTS = "Outputs";
const MEASURING = "Measuring";
const MARKS = "Marks that a program already has";
const TALK = "Talk";

/** Words of `--preload`. */
const DIALECTS = [
  ...["mpi", "pcontrol", "ompt", "geopm", "caliper", "likwid", "pm_mpi", "nvtx", "roctx", "itt"],
  ...["kokkos", "tau", "papi", "craypat", "io", "alloc", "callpath", "perfstubs", "scorep"],
  ...["mpi=all", "all"],
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
    help: "GEOPM report",
  },
  {
    name: "report-signals",
    value: "LIST",
    env: true,
    foreign: "GEOPM_REPORT_SIGNALS",
    group: RESULTS,
    help: "more signals in it: SIGNAL[@DOMAIN],...",
  },
  ...OUTPUTS.flatMap(({ options }) => options),
  {
    name: "checkpoint",
    value: "S",
    env: true,
    group: RESULTS,
    default: "10",
    help: "time between reports so far, FILE.partial",
  },
  {
    name: "period",
    value: "S",
    env: true,
    foreign: "GEOPM_PERIOD",
    group: MEASURING,
    default: "0.005",
    help: "time between two samples",
  },
  {
    name: "budget",
    value: "P%",
    env: true,
    group: MEASURING,
    default: "5 %",
    help: "share of one core that sampling may take: short visits are folded, then samples are " +
      "fewer; 100: no bound",
  },
  {
    name: "dither",
    value: "on|off",
    env: true,
    group: MEASURING,
    words: ["on", "off"],
    help: "dither the samples, so that no loop keeps in step with them (on, where there is a fit)",
  },
  {
    name: "idle",
    value: "SECONDS|FILE",
    env: true,
    group: MEASURING,
    help: "idle power, measured so long before the command starts or from a report or JSON: " +
      "energy net of it",
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
    help: "epochs without marks: proxy_epoch,REGION[,CALLS [,STARTUP]] or edit_distance[,...]",
  },
  {
    name: "without",
    value: "READERS",
    env: true,
    group: MEASURING,
    help: "leave sources out: MSR,POWERCAP,...",
  },
  {
    name: "root",
    value: "DIR",
    env: true,
    group: MEASURING,
    help: "read a tree laid out like / instead of the machine",
  },
  {
    name: "collector",
    value: "SOCKET|off",
    env: true,
    group: MEASURING,
    default: "/run/joulemark-collector.sock",
    help: "helper that reads counters for which you have no permission (joulemark collector)",
  },
  {
    name: "simulate",
    value: "SPEC",
    optionalValue: true,
    env: true,
    group: MEASURING,
    help: "read the embedded simulated node; nothing it says is a measurement, and every output " +
      "says so",
  },
  {
    name: "preload",
    value: "LIST",
    env: true,
    group: MARKS,
    words: DIALECTS,
    help: "answer the calls of mpi, pcontrol, ompt, geopm, caliper, likwid, pm_mpi, nvtx, roctx, " +
      "itt, kokkos, tau, papi, craypat, or all; besides, only by name: mpi=all, perfstubs, scorep, and " +
      "io, alloc and callpath, for --cali and --cali-config",
  },
  {
    name: "preload-lib",
    value: "FILE",
    env: true,
    group: MARKS,
    help: 'by a library built before ("client preload")',
  },
  {
    name: "phase",
    value: "REGEX",
    env: true,
    group: MARKS,
    help: "a line of the command's output that matches begins a phase, named for the first group",
  },
  {
    name: "probe",
    value: "FILE:FUNCTION,...",
    env: true,
    group: MARKS,
    help: "calls of these functions are regions, where perf may place probes (uprobes)",
  },
  {
    name: "python",
    env: true,
    group: MARKS,
    help: "functions of a Python program's own files are regions, without a line in it",
  },
  { name: "quiet", short: "q", env: true, group: TALK, help: "no card at the end" },
  { name: "verbose", short: "v", env: true, group: TALK, help: "more of what was done" },
  { name: "help", short: "h", group: TALK, help: "this text" },
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

/** Options of the outputs that replays have. */
export function replayOptions(): Option[] {
  return sharedOptions(
    OUTPUTS.filter(({ replays }) => replays).flatMap(({ options }) => options.map((o) => o.name)),
  );
}
