/**
 * Request for a `run`: flags first, then JOULEMARK_ variables, then GEOPM's, then files.
 *
 * A mistake in a flag or a JOULEMARK_ variable is the caller's and stops before the command starts.
 * A mistake in a GEOPM_ variable, which a job script may set for another tool (geopmlaunch(1),
 * ENVIRONMENT), or in a configuration file is one line, and the command runs.
 * @module
 */
import { listOf } from "../../core/names.ts";
import { nearest, unusable, UsageError } from "../../core/errors.ts";
import { isOn, type OptionValues, variableOf } from "../../core/option.ts";
import { applicationName } from "../../job/place/launchers.ts";
import type { RunFiles } from "../../job/place/run_names.ts";
import { statPath } from "../../os/files.ts";
import { findCommand } from "../../os/process.ts";
import { OsError, readUserText } from "../../os/user_file.ts";
import type { ReportOptions } from "../outputs/run_view.ts";
import { parseRecordFilter } from "../../marks/tracker/record_filter.ts";
import type { Environment } from "../../core/environment.ts";
import { isAsked, OUTPUTS } from "../outputs/all.ts";
import { parsePmcVersion } from "../outputs/pmc/version.ts";
import { posixExpression } from "../../marks/preload/phase.ts";
import { parseProbes, type Probe } from "../../marks/preload/probes.ts";
import { type PreloadRequest, preloadRequest } from "../../marks/preload/preload.ts";
import { RUN_OPTIONS } from "./run_options.ts";

/** Default period of the sampling loop in seconds. */
const DEFAULT_PERIOD_S = 0.005;
/** GEOPM's own period for the monitor agent, at which a trace asked for in its words is kept. */
const GEOPM_TRACE_PERIOD_S = 0.2;
/** Default time between checkpoints in seconds. */
const DEFAULT_CHECKPOINT_S = 10;
/** Fastest and slowest loop that makes sense. */
const PERIOD_RANGE_S = [0.0005, 60] as const;

/** Request for a run: the options of its outputs, and its own. */
export interface RunRequest extends ReportOptions, RunFiles {
  command: readonly string[];
  /** Rows are kept this far apart, 0: every step. */
  tracePeriodS: number;
  checkpointS: number;
  /** Share of one core that the monitor may take, %; `undefined`: the default. */
  budget?: number;
  /** An output was asked for that is made of single events. */
  wantsEvents: boolean;
  /** Samples are dithered, so that no loop of the application keeps in step with them. */
  dither: boolean;
  profile: string;
  /** GEOPM's policy, as the report has it: nothing acts on it. */
  policy: string;
  recordFilter?: string;
  /** The idle baseline, seconds or a file; `parseBaseline` reads it. */
  idle?: string;
  /** Calls of other tools to answer. */
  preload: PreloadRequest;
  /** Lines that begin a phase, as an extended regular expression. */
  phases?: string;
  /** Functions whose calls are regions. */
  probes: readonly Probe[];
  /** Readers to leave out. */
  without: readonly string[];
  /** Tree to read instead of the machine. */
  root: string;
  /** Socket of a collector, or "off". */
  collector?: string;
  /** Read the embedded simulated node; its description, "" for the default. */
  simulate?: string;
  verbose: boolean;
  /** Lines to log before the command starts. */
  warnings: readonly string[];
}

/** GEOPM variables that are honoured; the others are named once. */
const GEOPM_HONOURED = new Set(RUN_OPTIONS.flatMap(({ foreign }) => foreign ?? []));

/**
 * Puts a request together.
 *
 * @param values Of {@linkcode RUN_OPTIONS}.
 * @param environmentNames Names of all variables, to list those that are not acted on.
 * @throws {UsageError} On a bad flag or JOULEMARK_ variable.
 */
export function runRequest(
  command: readonly string[],
  values: OptionValues,
  switches: { quiet: boolean; verbose: boolean },
  env: Environment,
  environmentNames: readonly string[],
): RunRequest {
  const warnings: string[] = [];
  const text = (option: string) => values.get(option)?.text;
  const origin = (option: string) => values.get(option)?.origin;
  /** Checks a value; GEOPM's mistakes become warnings and the default. */
  const checked = <T>(
    option: string,
    otherwise: T,
    check: (text: string, name: string) => T,
  ): T => {
    const value = values.get(option);
    if (value === undefined) return otherwise;
    try {
      return check(value.text, value.name);
    } catch (error) {
      const isCallers = value.origin === "flag" || value.origin === "joulemark";
      if (isCallers || !(error instanceof UsageError)) throw error;
      warnings.push(`${error.message}. It is ignored`);
      return otherwise;
    }
  };
  for (const output of OUTPUTS) output.check?.(values);
  const periodS = checked(
    "period",
    DEFAULT_PERIOD_S,
    seconds(PERIOD_RANGE_S[0], PERIOD_RANGE_S[1]),
  );
  const recordFilter = checked<string | undefined>("record-filter", undefined, (filter) => {
    parseRecordFilter(filter);
    return filter;
  });
  const named = values.get("profile");
  if (named !== undefined && /[\n"]/.test(named.text)) {
    warnings.push(
      `${named.name}: line ends and double quotes are removed from the name of the run`,
    );
  }
  warnings.push(...notActedOn(env, environmentNames));
  return {
    command,
    policy: policyOf(env),
    values,
    reportPath: text("report") ?? defaultReport(env),
    reportSignals: text("report-signals") ?? "",
    pmc: pmcOf(values),
    tracePeriodS: origin("trace") === "foreign" && !values.has("period") ? GEOPM_TRACE_PERIOD_S : 0,
    checkpointS: checked("checkpoint", DEFAULT_CHECKPOINT_S, seconds(0.1, 86400)),
    periodS,
    budget: checked<number | undefined>("budget", undefined, percent),
    wantsEvents: OUTPUTS.some((o) => o.holdsEvents === true && isAsked(o, values, env)) ||
      recordFilter !== undefined || environmentNames.some((name) => name.startsWith("CALI_")),
    dither: checked("dither", "on", oneOf(["on", "off"])) === "on",
    profile: text("profile") ??
      applicationName(command, (word) => "path" in findCommand(word, env("PATH"))),
    recordFilter,
    idle: text("idle"),
    preload: preloadRequest(text("preload"), text("preload-lib")),
    phases: checked<string | undefined>("phase", undefined, posixExpression),
    probes: checked<readonly Probe[]>("probe", [], (list) => parseProbes(list, env("PATH"))),
    without: listOf(text("without")),
    root: text("root") ?? "",
    collector: text("collector"),
    simulate: isOn(text("simulate")) ? text("simulate") : undefined,
    ...switches,
    warnings,
  };
}

/** Default path of the report. GEOPM's variable, set and empty, selects GEOPM's own name. */
export function defaultReport(env: Environment): string {
  return env("GEOPM_REPORT") === undefined ? "joulemark.report" : "geopm.report";
}

/** The file and version of a PMC log. */
function pmcOf(values: OptionValues): RunFiles["pmc"] {
  const file = values.get("pmc")?.text;
  if (file === undefined) return undefined;
  return { file, version: parsePmcVersion(values.get("pmc-version")?.text) };
}

function seconds(least: number, most: number): (text: string, name: string) => number {
  return (text, name) => {
    const value = Number(text);
    if (text.trim() !== "" && value >= least && value <= most) return value;
    throw unusable(`${name}=${text}`, `a number of seconds from ${least} to ${most}`, text);
  };
}

/** A share of one core; from 100 % on there is no bound. */
function percent(text: string, name: string): number {
  const value = Number(text.replace(/%$/, ""));
  if (text.trim() !== "" && value >= 0.1 && value <= 100) return value < 100 ? value : Infinity;
  throw unusable(`${name}=${text}`, "percent of one core, from 0.1 to 100", text);
}

function oneOf<T extends string>(words: readonly T[]): (text: string, name: string) => T {
  return (text, name) => {
    const word = words.find((w) => w === text.trim().toLowerCase());
    if (word !== undefined) return word;
    throw unusable(`${name}=${text}`, words.join(" or "), text);
  };
}

/** Variables of ours that are no option of a run: sites and programs set them, or a run does. */
const OTHER_VARIABLES = [
  ...["JOULEMARK_MPI_LIB", "JOULEMARK_MONITOR_SOCKET", "JOULEMARK_NVML", "JOULEMARK_ROCM_SMI"],
  ...["JOULEMARK_SESSION", "JOULEMARK_CHAIN", "JOULEMARK_KEEP", "JOULEMARK_PCONTROL_EPOCH"],
  ...["JOULEMARK_OMPT_EVENTS", "JOULEMARK_PHASES", "JOULEMARK_TIMER"],
  // Of its own build and tests.
  ...["JOULEMARK_MAP", "JOULEMARK_BIN", "JOULEMARK_CONFIG", "JOULEMARK_RAW_DENO"],
];
/** Begins the variables of its own tests. */
const TEST_PREFIX = "JOULEMARK_TEST_";

/** One line for all variables of a kind that mean nothing here. */
/** Longest policy file that is read, bytes. */
const MAX_POLICY_BYTES = 1 << 20;
/** Bits of a mode, and their value for a file: stat(2). */
const FILE_TYPE = 0o170000, REGULAR_FILE = 0o100000;

/** The policy as GEOPM's header has it: the text of the file, the setting itself if there is none, or an endpoint's. */
function policyOf(env: Environment): string {
  if ((env("GEOPM_ENDPOINT") ?? "") !== "") return "DYNAMIC";
  const setting = env("GEOPM_POLICY") ?? "";
  if (setting === "") return "{}";
  const facts = statPath(setting);
  const isFile = facts !== undefined && (facts.mode & FILE_TYPE) === REGULAR_FILE;
  if (!isFile || facts.size > MAX_POLICY_BYTES) return setting;
  try {
    return readUserText(setting);
  } catch (error) {
    if (!(error instanceof OsError)) throw error;
    return setting;
  }
}

function notActedOn(env: Environment, names: readonly string[]): string[] {
  const lines: string[] = [];
  const known = [...RUN_OPTIONS.filter((o) => o.env === true).map(variableOf), ...OTHER_VARIABLES];
  const ours = names.filter((n) => {
    return n.startsWith("JOULEMARK_") && !n.startsWith(TEST_PREFIX) && !known.includes(n);
  }).sort();
  if (ours.length > 0) {
    const near = nearest(ours[0], known, 1);
    const hint = near.length > 0 ? `; did you mean ${near[0]}?` : "";
    lines.push(`unknown and ignored: ${ours.join(", ")}${hint}`);
  }
  const agent = env("GEOPM_AGENT");
  const others = names.filter((n) => {
    return n.startsWith("GEOPM_") && !GEOPM_HONOURED.has(n) && n !== "GEOPM_AGENT";
  }).sort();
  if (others.length > 0) lines.push(`not supported and ignored: ${others.join(", ")}`);
  if (agent !== undefined && agent !== "" && agent !== "monitor") {
    lines.push(`GEOPM_AGENT=${agent}: joulemark controls nothing; the agent is monitor`);
  }
  return lines;
}
