/**
 * What a `run` was asked for: flags first, then JOULEMARK_ variables, then GEOPM's.
 *
 * A mistake in a flag or a JOULEMARK_ variable is the caller's and stops before the command starts.
 * A mistake in a GEOPM_ variable, which a job script may set for another tool, is told in one line,
 * and the command runs: geopmlaunch(1), ENVIRONMENT.
 * @module
 */
import { UsageError } from "../core/errors.ts";
import type { ChannelOptions } from "../channels/request.ts";
import type { RunFiles } from "../job/run_names.ts";
import type { ReportOptions } from "../outputs/run_view.ts";
import { parseRecordFilter } from "../regions/record_filter.ts";
import { type AttributionMode, ATTRIBUTIONS } from "../core/attribution_mode.ts";
import type { Environment } from "../core/environment.ts";
import { parsePmcVersion } from "../outputs/pmc/version.ts";
import { type PreloadRequest, preloadRequest } from "../preload/preload.ts";

/** Default period of the sampling loop in seconds. */
export const DEFAULT_PERIOD_S = 0.005;
/** GEOPM's own period for the monitor agent, at which a trace asked for in its words is kept. */
const GEOPM_TRACE_PERIOD_S = 0.2;
/** Default time between checkpoints in seconds. */
export const DEFAULT_CHECKPOINT_S = 10;
/** Fastest and slowest loop that makes sense. */
const PERIOD_RANGE_S = [0.0005, 60] as const;

/** What a run was asked for: the options of its outputs, and its own. */
export interface RunRequest extends ReportOptions, RunFiles, ChannelOptions {
  command: readonly string[];
  traceSignals: string;
  /** Rows are kept this far apart, 0: every step. */
  tracePeriodS: number;
  checkpointS: number;
  /** How energies of regions are told beside GEOPM's. */
  attribution: AttributionMode;
  /** Samples are dithered, so that no loop of the application keeps in step with them. */
  dither: boolean;
  profile: string;
  recordFilter?: string;
  /** The idle baseline, seconds or a file; `parseBaseline` reads it. */
  idle?: string;
  /** Calls of other tools to answer. */
  preload: PreloadRequest;
  /** Readers to leave out. */
  without: readonly string[];
  /** Tree to read instead of the machine. */
  root: string;
  /** Read the embedded simulated node; its description, "" for the default. */
  simulate?: string;
  verbose: boolean;
  /** Lines to tell before the command starts. */
  warnings: readonly string[];
}

/** Flags by name, as the command line gave them. */
export type RunFlags = Readonly<Record<string, string | undefined>>;

/** GEOPM variables that are honoured; the others are told once. */
const GEOPM_HONOURED = new Set([
  "GEOPM_REPORT",
  "GEOPM_REPORT_SIGNALS",
  "GEOPM_TRACE",
  "GEOPM_TRACE_SIGNALS",
  "GEOPM_TRACE_PROFILE",
  "GEOPM_PROFILE",
  "GEOPM_PERIOD",
  "GEOPM_RECORD_FILTER",
]);

/** Variables of Caliper that ask for channels. */
const CALI_ASKING = [
  "CALI_CONFIG",
  "CALI_SERVICES_ENABLE",
  "CALI_CONFIG_PROFILE",
  "CALI_CONFIG_FILE",
];

/** Does anything ask for Caliper's channels? Told before what makes them is loaded. */
export function asksForContext(request: RunRequest, env: Environment): boolean {
  return request.caliPath !== undefined || request.caliConfig !== undefined ||
    CALI_ASKING.some((name) => (env(name) ?? "") !== "");
}

/** Where a value came from. */
type Origin = "flag" | "joulemark" | "geopm" | "default";

/**
 * Puts a request together.
 *
 * @param environmentNames Names of all variables, to tell which of GEOPM's are not acted on.
 * @throws {UsageError} On a bad flag or JOULEMARK_ variable.
 */
export function runRequest(
  command: readonly string[],
  flags: RunFlags,
  switches: { quiet: boolean; verbose: boolean },
  env: Environment,
  environmentNames: readonly string[],
): RunRequest {
  const warnings: string[] = [];
  const pick = (flag: string, geopm?: string): { value?: string; origin: Origin; name: string } => {
    const name = `JOULEMARK_${flag.toUpperCase().replaceAll("-", "_")}`;
    if (flags[flag] !== undefined) {
      return { value: flags[flag], origin: "flag", name: `--${flag}` };
    }
    const ours = env(name);
    if (ours !== undefined && ours !== "") return { value: ours, origin: "joulemark", name };
    const theirs = geopm === undefined ? undefined : env(geopm);
    if (theirs !== undefined && theirs !== "") {
      return { value: theirs, origin: "geopm", name: geopm! };
    }
    return { origin: "default", name: `--${flag}` };
  };
  /** Checks a value; GEOPM's mistakes become warnings and the default. */
  const checked = <T>(
    picked: ReturnType<typeof pick>,
    otherwise: T,
    check: (text: string, name: string) => T,
  ): T => {
    if (picked.value === undefined) return otherwise;
    try {
      return check(picked.value, picked.name);
    } catch (error) {
      if (picked.origin !== "geopm" || !(error instanceof UsageError)) throw error;
      warnings.push(`${error.message}; it is left aside`);
      return otherwise;
    }
  };
  const period = pick("period", "GEOPM_PERIOD");
  const periodS = checked(period, DEFAULT_PERIOD_S, seconds(PERIOD_RANGE_S[0], PERIOD_RANGE_S[1]));
  const trace = pick("trace", "GEOPM_TRACE");
  const eventLog = pick("event-log", "GEOPM_TRACE_PROFILE");
  const report = pick("report", "GEOPM_REPORT");
  const usesGeopm = environmentNames.some((name) => GEOPM_HONOURED.has(name));
  const filter = checked(pick("record-filter", "GEOPM_RECORD_FILTER"), undefined, (text) => {
    parseRecordFilter(text);
    return text as string | undefined;
  });
  warnings.push(...notActedOn(env, environmentNames));
  return {
    command,
    reportPath: report.value ??
      (usesGeopm && report.origin === "default" && env("GEOPM_REPORT") !== undefined
        ? "geopm.report"
        : "joulemark.report"),
    reportSignals: pick("report-signals", "GEOPM_REPORT_SIGNALS").value ?? "",
    tracePath: trace.value,
    traceSignals: pick("trace-signals", "GEOPM_TRACE_SIGNALS").value ?? "",
    tracePeriodS: trace.origin === "geopm" && period.origin === "default"
      ? GEOPM_TRACE_PERIOD_S
      : 0,
    eventLogPath: eventLog.value,
    recordPath: pick("record").value,
    pmcPath: pick("pmc").value,
    pmcVersion: parsePmcVersion(pick("pmc-version").value),
    caliPath: pick("cali").value,
    caliConfig: pick("cali-config").value,
    checkpointS: checked(pick("checkpoint"), DEFAULT_CHECKPOINT_S, seconds(0.1, 86400)),
    periodS,
    attribution: checked(pick("attribution"), "fit", oneOf(ATTRIBUTIONS)),
    dither: checked(pick("dither"), "on", oneOf(["on", "off"])) === "on",
    profile: pick("profile", "GEOPM_PROFILE").value ??
      command[0].slice(command[0].lastIndexOf("/") + 1),
    recordFilter: filter,
    idle: pick("idle").value,
    preload: preloadRequest(pick("preload").value, pick("preload-lib").value),
    without: (pick("without").value ?? "").split(",").map((t) => t.trim()).filter((t) => t !== ""),
    root: pick("root").value ?? "",
    simulate: flags.simulate ?? env("JOULEMARK_SIMULATE"),
    hostSuffix: { trace: trace.origin === "geopm", eventLog: eventLog.origin === "geopm" },
    ...switches,
    warnings,
  };
}

function seconds(least: number, most: number): (text: string, name: string) => number {
  return (text, name) => {
    const value = Number(text);
    if (text.trim() !== "" && value >= least && value <= most) return value;
    throw new UsageError({
      action: "use",
      target: `${name}=${text}`,
      expected: `a number of seconds from ${least} to ${most}`,
      found: text,
    });
  };
}

/** A word of a list. */
function oneOf<T extends string>(words: readonly T[]): (text: string, name: string) => T {
  return (text, name) => {
    const word = words.find((w) => w === text.trim().toLowerCase());
    if (word !== undefined) return word;
    throw new UsageError({
      action: "use",
      target: `${name}=${text}`,
      expected: words.join(" or "),
      found: text,
    });
  };
}

/** One line for all of GEOPM's variables that mean nothing here. */
function notActedOn(env: Environment, names: readonly string[]): string[] {
  const lines: string[] = [];
  const agent = env("GEOPM_AGENT");
  const others = names.filter((n) => {
    return n.startsWith("GEOPM_") && !GEOPM_HONOURED.has(n) && n !== "GEOPM_AGENT";
  }).sort();
  if (others.length > 0) lines.push(`not acted on: ${others.join(", ")}`);
  if (agent !== undefined && agent !== "" && agent !== "monitor") {
    lines.push(`GEOPM_AGENT=${agent}: joulemark measures and controls nothing; agent is monitor`);
  }
  return lines;
}
