/**
 * `joulemark run`: the command line, and the way to the monitor.
 * @module
 */
import { isHumanError } from "../core/errors.ts";
import { type OptionValues, withoutFiles } from "../core/option.ts";
import type { MonitorOptions } from "../run/session/monitor_options.ts";
import { wrongOrder } from "../job/place/wrong_order.ts";
import { countersChecked, countersCheckedPath } from "../os/files/counters_checked.ts";
import { readText } from "../os/files.ts";
import { CHECKED, guardian, isOnlyCheck } from "../job/guardian/guardian.ts";
import { findCommand } from "../os/process.ts";
import { beforePipeWaits } from "../os/pipes.ts";
import { prepare } from "../run/session/launch.ts";
import { parsePmcVersion } from "../run/outputs/pmc/version.ts";
import { LIST_VARIABLES, OPTIONAL_VARIABLES, preloadChanges } from "../marks/preload/preload.ts";
import { defaultReport, runRequest } from "../run/request/request.ts";
import { asksFunctions, TIMER } from "../run/outputs/function_options.ts";
import { loadOutputs, OUTPUTS, requestsChannels } from "../run/outputs/all.ts";
import { atOwnPlaces } from "../run/outputs/own_places.ts";
import type { RunIdle } from "../run/outputs/run_idle.ts";
import { say, stderrLook, writeStderr, writeStdout } from "./io.ts";
import { writeSummary } from "./summary_text.ts";
import { RUN_OPTIONS } from "../run/request/run_options.ts";
import { misused, type ParsedOptions } from "./command_line/options.ts";
import { permissionFlags } from "./permissions.ts";
import type { Verb } from "./command_line/verb.ts";
import { REPORT_VERSION } from "../core/version.ts";

/** Runs a command and reports on it. */
export const run: Verb = {
  name: "run",
  usage: ["[options] [--] COMMAND [ARG...]"],
  about: `Runs a command, finds its regions and writes a report.`,
  options: RUN_OPTIONS,
  command: true,
  notes: "Every option can also be set by a variable: JOULEMARK_REPORT, JOULEMARK_PERIOD, ... If " +
    "this variable is not set, GEOPM's variable with the same meaning is used. The exit " +
    "status is the status of the command. If signal N ended the command, it is 128+N. It is 127 if " +
    "the command was not found, and 126 if the command cannot be executed. Options are checked " +
    "before the command starts.",
  examples: [
    "joulemark run -- ./app",
    "joulemark run --report lu.report --trace lu.trace -- mpirun -n 4 ./lu",
    "srun joulemark run --report-signals CPU_ENERGY@package -- ./app",
  ],
  run: (options) => runWith(options, {}),
};

/** Until the first sample, beyond what something takes that was asked for. */
const START_S = 10;
/** Lists of signals that a variable of GEOPM may name for another node: the command runs all the same. */
const FOREIGN_SIGNALS = ["report-signals", "trace-signals"];
/** For the preload library, which is built when it is asked for the first time. */
const BUILD_S = 60;

/** The verb, with settings that only callers inside the program make. */
export async function runWith(
  options: ParsedOptions,
  own: { command?: readonly string[]; simulateIfBlind?: boolean; profile?: string },
): Promise<number> {
  if (own.command !== undefined && options.words.length > 0) {
    const remedy = "to measure a command: joulemark run -- ./app";
    throw misused("demo", "options only", options.words[0], remedy);
  }
  const repeat = options.values.get("repeat");
  if (repeat?.origin === "flag") {
    return await (await import("./bench.ts")).repeatRun(options, repeat.text);
  }
  const command = own.command ?? options.words;
  if (command.length === 0) {
    const remedy = "for example: joulemark run -- ./app";
    throw misused("run", "a command after the options", "none", remedy);
  }
  const env = (name: string) => Deno.env.get(name);
  const given = new Map(options.values);
  if (own.profile !== undefined && !given.has("profile")) {
    given.set("profile", { text: own.profile, origin: "flag", name: "--profile" });
  }
  const switches = { quiet: options.flags.has("quiet"), verbose: options.flags.has("verbose") };
  const names = Object.keys(Deno.env.toObject());
  const plain = withoutFiles(given, FOREIGN_SIGNALS);
  const ask = async (asked: OptionValues) => {
    const placed = atOwnPlaces(asked, defaultReport(env)), { lines } = placed;
    const values = new Map(placed.values);
    if (requestsChannels(values, env)) {
      const { askFunctions } = await import("../run/outputs/channels.ts");
      askFunctions(values, Deno.env.toObject(), say);
    }
    const request = runRequest(command, values, switches, env, names);
    const warnings = [...lines, ...request.warnings];
    const idle = await openIdle(request.idle);
    return { request: { ...request, warnings }, values, idle };
  };
  const leftAside = (error: unknown) => {
    if (plain === given || !isHumanError(error)) throw error;
    say(`${error.message}. ${ignoredText(given, plain)}`);
  };
  beforePipeWaits(() => guardian()?.needsTime(START_S));
  const { request, values, idle } = await ask(given).catch((error) => {
    leftAside(error);
    return ask(plain);
  });
  const hasPmCalls = request.preload.dialects.includes("pm_mpi");
  if (hasPmCalls && !values.has("pmc")) {
    values.set("pmc", (await import("../run/outputs/pmc/output.ts")).PMC_BY_CALLS);
  }
  // Before permissions are given back.
  const look = stderrLook(options.text.color);
  if (isOnlyCheck()) {
    await loadOutputs(OUTPUTS, values, env);
    return CHECKED;
  }
  const isProgram = (word: string) => "path" in findCommand(word, env("PATH"));
  const wrong = wrongOrder(command, { env, read: readText, isProgram });
  if (wrong !== undefined) say(wrong);
  const prepared = await prepare(command, env, say);
  if (prepared.kind === "refused") {
    say(prepared.reason);
    return prepared.status;
  }
  // The command waits a second for us, and longer only for what was asked for.
  if (idle !== undefined) prepared.guardian.needsTime(idle.secondsBefore + START_S);
  const { library } = request.preload;
  const timer = asksFunctions(values)
    ? (await import("../run/outputs/timer_choice.ts")).chosenTimer(values, prepared.guardian.pid)
    : undefined;
  if (request.preload.dialects.includes(TIMER) && !asksFunctions(values)) {
    say("--preload timer samples nothing: it needs --functions");
  }
  const dialects = [
    ...request.preload.dialects.filter((dialect) => dialect !== TIMER),
    ...(timer === undefined ? [] : [TIMER]),
    ...(request.phases === undefined ? [] : ["phase"]),
  ];
  if (dialects.length > 0 && library === undefined) prepared.guardian.needsTime(BUILD_S);
  const answered = await preloadChanges({ dialects, library }, env, say);
  const changes: Record<string, string> = { ...answered };
  const samples = answered.LD_PRELOAD !== undefined;
  if (samples && timer !== undefined) changes.JOULEMARK_TIMER = timer.variable;
  const withTimer = (options: OptionValues) => timer?.options(options, samples) ?? options;
  if (request.phases !== undefined) changes.JOULEMARK_PHASES = request.phases;
  if (options.flags.has("python")) {
    Object.assign(changes, (await import("../marks/preload/python.ts")).pythonChanges(env, say));
  }
  // The library cannot distinguish 2.0's calls from 3.1's alone.
  if (hasPmCalls) {
    changes.JOULEMARK_PMC_VERSION = parsePmcVersion(values.get("pmc-version")?.text);
  }
  // The same variables ask the program's own Caliper: one of the two has to keep still.
  const channels = requestsChannels(values, env);
  if (channels && request.preload.dialects.includes("caliper")) changes.JOULEMARK_KEEP = "caliper";
  // Without them the threads' records would fill the rings for no use.
  if (request.preload.dialects.includes("ompt") && (channels || values.has("record"))) {
    changes.JOULEMARK_OMPT_EVENTS = "1";
  }
  const plainOutputs = plain === given ? [] : await loadOutputs(OUTPUTS, withTimer(plain), env);
  const { monitor } = await import("../run/session/monitor.ts");
  const plan = { guardian: prepared.guardian, changes: changesOf(changes, own.command) };
  const { loadRunParts } = await import("../run/session/run_parts.ts");
  const simulateIfBlind = own.simulateIfBlind ?? false;
  const parts = await loadRunParts(request, { values, channels, simulateIfBlind, log: say });
  const settings: MonitorOptions = {
    log: say,
    stdout: writeStdout,
    stderr: writeStderr,
    show(report, reportPath, pagePath) {
      const hasFunctions = asksFunctions(values), isVerbose = switches.verbose;
      writeSummary(report, { look, reportPath, pagePath, hasFunctions, isVerbose });
    },
    debug: options.flags.has("debug"),
    simulateIfBlind,
    version: REPORT_VERSION,
    permissions: permissionFlags(),
    countersChecked: countersChecked(countersCheckedPath((name) => Deno.env.get(name))),
    idle,
    outputs: await loadOutputs(OUTPUTS, withTimer(values), env),
    values: withTimer(values),
    channelTexts: names.filter((n) => n.startsWith("CALI_")).map((name) => env(name) ?? ""),
    parts,
    otherwise(error) {
      leftAside(error);
      const other = runRequest(command, plain, switches, env, names);
      return {
        request: other,
        options: { ...settings, outputs: plainOutputs, values: withTimer(plain) },
      };
    },
  };
  return monitor(request, plan, settings);
}

/** Values that are ignored, as a line says it. */
function ignoredText(given: OptionValues, kept: OptionValues): string {
  const ignored = [...given].flatMap(([name, value]) => kept.has(name) ? [] : [value]);
  const foreign = ignored.filter(({ origin }) => origin === "foreign").map(({ name }) => name);
  const files = foreign.length < ignored.length ? ["The configuration files"] : [];
  const isOne = files.length === 0 && foreign.length === 1;
  return `${[...files, ...foreign].join(" and ")} ${isOne ? "is" : "are"} ignored`;
}

/** In the guardian's format: command.h. */
function changesOf(
  variables: Readonly<Record<string, string>>,
  command: readonly string[] | undefined,
): string[] {
  const changes = Object.entries(variables).map(([name, value]) => {
    const separator = LIST_VARIABLES[name];
    if (separator !== undefined) return `${separator}${name}=${value.split(separator)[0]}`;
    return `${OPTIONAL_VARIABLES.has(name) ? "?" : "="}${name}=${value}`;
  });
  if (command !== undefined) changes.push(`p${command[0]}`, ...command.map((word) => `a${word}`));
  return changes;
}

/** Loaded only if it is asked for: every process of a job pays for what is loaded. */
async function openIdle(text: string | undefined): Promise<RunIdle | undefined> {
  if (text === undefined) return undefined;
  const { parseBaseline } = await import("../run/outputs/idle_baseline.ts");
  const baseline = await parseBaseline(text);
  const { RunIdle } = await import("../run/outputs/run_idle.ts");
  return new RunIdle(baseline);
}
