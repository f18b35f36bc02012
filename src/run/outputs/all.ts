/**
 * Every output that a run can have, one entry each, loaded when asked for. Adding one: a file with its
 * opener, and an entry here; options, help, environment and documents follow.
 * @module
 */
import { ATTRIBUTIONS, parseAttribution } from "../../core/attribution_mode.ts";
import type { Environment } from "../../core/environment.ts";
import type { Option, OptionValues } from "../../core/option.ts";
import { parseMetricsAddress } from "./metrics_address.ts";
import type { MakeOpener, Output } from "./output.ts";
import { PMC_VERSIONS } from "../../formats/pmc/log.ts";
import { parsePmcVersion } from "./pmc/version.ts";
import { asksFunctions, checkFunctions, DEFAULT_HZ } from "./function_options.ts";

/** Variables of Caliper that ask for channels. */
const CALI_ASKING = [
  "CALI_CONFIG",
  "CALI_SERVICES_ENABLE",
  "CALI_CONFIG_PROFILE",
  "CALI_CONFIG_FILE",
];

/** In the order in which they ask for signals and get samples. */
export const OUTPUTS: readonly Output[] = [
  {
    name: "trace",
    options: [
      option("trace", "FILE", "signals over time, one row per sample, in GEOPM's trace format", {
        foreign: "GEOPM_TRACE",
      }),
      option("trace-signals", "LIST", "additional columns of the trace: SIGNAL[@DOMAIN],...", {
        foreign: "GEOPM_TRACE_SIGNALS",
      }),
    ],
    replays: true,
    holdsEvents: true,
    load: async () => (await import("./trace.ts")).makeTrace,
  },
  {
    name: "event-log",
    options: [
      option(
        "event-log",
        "FILE",
        "every begin and end call, in the format of GEOPM's profile trace",
        {
          foreign: "GEOPM_TRACE_PROFILE",
        },
      ),
    ],
    replays: true,
    holdsEvents: true,
    load: async () => (await import("./event_log.ts")).makeEventLog,
  },
  {
    name: "attribution",
    options: [option(
      "attribution",
      "HOW",
      "energies of each region in the report. sampled: only GEOPM's energies, which come from " +
        "samples. exact: also energies from the exact times of begin and end calls. fit (default): " +
        "also estimates with a standard error",
      { words: ATTRIBUTIONS },
    )],
    replays: true,
    isAsked: (values) => parseAttribution(values) !== "sampled",
    check: (values) => void parseAttribution(values),
    load: async () => (await import("./attribution.ts")).makeAttribution,
  },
  {
    name: "recording",
    options: [option("record", "DIR", 'recording of events and samples, for "joulemark replay"')],
    replays: false,
    holdsEvents: true,
    load: async () => (await import("./recording.ts")).makeRecording,
  },
  {
    name: "pmc",
    options: [
      option(
        "pmc",
        "FILE",
        "log in the format of pm_mpi_lib: power and energy of each time step of the program",
      ),
      option("pmc-version", "V", "version of the PMC log: 2.0, 3.1, 4.0, 4.3, 4.4, 5.0 or 6.0", {
        words: PMC_VERSIONS,
        default: "4.4",
      }),
    ],
    replays: true,
    holdsEvents: true,
    isAsked: (values) => values.has("pmc"),
    check: (values) => void parsePmcVersion(values.get("pmc-version")?.text),
    load: async () => (await import("./pmc/output.ts")).makePmc,
  },
  {
    name: "counters",
    options: [option(
      "counters",
      "LIST",
      'also report these signals (names as in "joulemark read"): one value for each part that the signal has, such as each package, for "pmc --summary craypat". The variable PAT_RT_PERFCTR of the ' +
        "profiler CrayPat has the same effect",
      { foreign: "PAT_RT_PERFCTR" },
    )],
    replays: true,
    load: async () => (await import("./counters.ts")).makeCounters,
  },
  // Channels take its samples.
  {
    name: "functions",
    options: [
      option(
        "functions",
        "HZ",
        "CPU time and energy of functions, by sampling their stacks; needs no annotations. HZ is the " +
          "number of samples per second of CPU time",
        {
          optionalValue: true,
          default: `${DEFAULT_HZ}`,
        },
      ),
      {
        name: "off-cpu",
        env: true,
        group: "Outputs",
        help: "with --functions: also record the time in which threads wait. If you are root or " +
          "kernel.perf_event_paranoid is 1 or less, joulemark also records the stacks of these threads",
      },
      option("folded", "FILE", "stacks of --functions as text, for flame graphs"),
      option("pprof", "FILE", "stacks of --functions for pprof"),
      option("speedscope", "FILE", "stacks of --functions for speedscope.app"),
      option("perf-script", "FILE", 'samples of --functions in the format of "perf script"'),
    ],
    replays: true,
    isAsked: asksFunctions,
    check: checkFunctions,
    load: async (values) => {
      const pack = values.has("pprof")
        ? await (await import("./function_pprof.ts")).loadPprof()
        : undefined;
      return (await import("./functions.ts")).makeFunctions(pack);
    },
  },
  {
    name: "channels",
    options: [
      option(
        "cali",
        "FILE",
        "Caliper file (.cali) with every begin and end call, times and energies",
      ),
      option(
        "cali-config",
        "STRING",
        "outputs of Caliper (its configurations), such as runtime-report,event-trace",
      ),
    ],
    replays: true,
    holdsEvents: true,
    isAsked: requestsChannels,
    load: async () => {
      const { makeChannels } = await import("./channels.ts");
      return (values, site) => makeChannels(values, site, madeOptions());
    },
  },
  {
    name: "perfetto",
    options: [
      option(
        "perfetto",
        "FILE",
        "regions of every thread and the node's power over time, for ui.perfetto.dev",
      ),
    ],
    replays: true,
    holdsEvents: true,
    load: async () => (await import("./perfetto.ts")).makePerfetto,
  },
  {
    name: "metric files",
    options: [
      option(
        "openmetrics",
        "FILE",
        "values for monitoring systems, in OpenMetrics format, also during the run (--checkpoint); " +
          "if FILE ends in .prom, in the format of node_exporter's textfile collector",
      ),
      option(
        "otlp",
        "FILE",
        "values for monitoring systems, as OTLP metrics (OpenTelemetry) in JSON; written at the " +
          "end",
      ),
    ],
    replays: true,
    load: async () => (await import("./metrics.ts")).makeMetricFiles,
  },
  {
    name: "live metrics",
    options: [
      option(
        "metrics",
        "ADDRESS",
        "export values to Prometheus on [HOST:]PORT or unix:PATH while the command runs",
      ),
    ],
    replays: false,
    check: (values) => void parseMetricsAddress(values.get("metrics")?.text ?? "1"),
    load: async () => (await import("./metrics.ts")).makeLiveMetrics,
  },
  // It keeps values of signals that the others ask for.
  {
    name: "timeline",
    options: [{
      name: "no-timeline",
      env: true,
      group: "Outputs",
      help:
        "do not write the file NAME.timeline next to NAME.report. HTML pages then do not show " +
        "power over time",
    }],
    replays: true,
    isAsked: (values) => values.has("html") || !values.has("no-timeline"),
    load: async () => (await import("./timeline.ts")).makeTimeline,
  },
  {
    name: "html",
    options: [option("html", "FILE", "page with plots and tables, for a browser")],
    replays: true,
    load: async () => (await import("./html.ts")).loadHtml(),
  },
];

/** One that a variable may give, too. */
function option(name: string, value: string, help: string, more: Partial<Option> = {}): Option {
  return { name, value, env: true, group: "Outputs", help, ...more };
}

/** Options whose values are files or directories that a run makes, the report's before all. */
export function madeOptions(): string[] {
  const made = OUTPUTS.flatMap(({ options }) => options)
    .filter(({ value }) => value === "FILE" || value === "DIR");
  return ["report", ...made.map(({ name }) => name)];
}

/** Is an output asked for? */
export function isAsked(output: Output, values: OptionValues, env: Environment): boolean {
  return output.isAsked?.(values, env) ?? output.options.some(({ name }) => values.has(name));
}

/** Does anything ask for Caliper's channels? */
export function requestsChannels(values: OptionValues, env: Environment): boolean {
  return values.has("cali") || values.has("cali-config") ||
    CALI_ASKING.some((name) => (env(name) ?? "") !== "");
}

/** Loads the outputs that are asked for. */
export async function loadOutputs(
  outputs: readonly Output[],
  values: OptionValues,
  env: Environment,
): Promise<MakeOpener[]> {
  return await Promise.all(
    outputs.filter((output) => isAsked(output, values, env)).map((output) => output.load(values)),
  );
}
