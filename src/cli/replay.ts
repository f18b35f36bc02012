/**
 * `joulemark replay`: the same tracker, aggregator and formats over recordings, no hardware.
 *
 * Several recordings are several hosts of one job; the first one's header is used.
 * @module
 */
import { jsonText } from "../core/printable.ts";
import { unusable, UsageError } from "../core/errors.ts";
import type { Host } from "../core/machine/host.ts";
import { treeToNested } from "../core/region_tree.ts";
import type { Nested, Report, ReportHost } from "../core/report.ts";
import type { SignalProvider } from "../core/signal.ts";
import type { Recording } from "../formats/recording.ts";
import { stringifyReport } from "../formats/report.ts";
import { HostStatistics } from "../job/merge/host_statistics.ts";
import { jobTotals, jobTree } from "../job/merge/job_totals.ts";
import type { NodeSteps } from "../job/merge/steps.ts";
import { TRACKER_ALIASES } from "../marks/tracker/tracker_signals.ts";
import { writePmc } from "../job/merge/pmc.ts";
import { nodeRanks } from "../run/outputs/pmc/log.ts";
import { DEFAULT_ATTRIBUTION } from "../core/attribution_mode.ts";
import { attributionIn } from "../run/outputs/attribution.ts";
import { parsePmcVersion } from "../run/outputs/pmc/version.ts";
import { loadOutputs, OUTPUTS, requestsChannels } from "../run/outputs/all.ts";
import type { Opener } from "../run/outputs/output.ts";
import { atOwnPlaces } from "../run/outputs/own_places.ts";
import type { RunIdle } from "../run/outputs/run_idle.ts";
import { replay as replayOne, type Replayed, type ReplayOptions } from "../run/session/replay.ts";
import { WholeFile } from "../os/files/whole_file.ts";
import type { NameTable } from "../sources/signals/batch.ts";
import { ReplaySite } from "./replay_site.ts";
import { EXIT } from "./exit_codes.ts";
import { say, stderrLook, writeStdout } from "./io.ts";
import { writeSummary } from "./summary_text.ts";
import { replayOptions, sharedOptions } from "../run/request/run_options.ts";
import { quietOption } from "./command_line/common_options.ts";
import { misused, type ParsedOptions, parseSeconds } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";
import { REPORT_VERSION } from "../core/version.ts";

/** Replays recordings. */
export const replay: Verb = {
  name: "replay",
  usage: ["[options] DIR..."],
  about: `Makes report, trace and event log from a recording.

DIR contains recording.yaml, events.csv and samples.csv (or .gz), as written by "run --record DIR".
Several directories are several hosts of one job. Without --report the report is printed on stdout.`,
  options: [
    { name: "report", value: "FILE", help: "report of the run, in GEOPM's format" },
    ...sharedOptions(["report-signals"]),
    ...replayOptions(),
    { name: "period", value: "S", help: "minimum seconds between two rows of the trace" },
    ...sharedOptions(["record-filter"]),
    {
      name: "idle",
      value: "FILE",
      help:
        "also report the net energy: the energy of the run minus the energy that an idle node " +
        "uses in the same time. The idle power is read from FILE (a report or JSON)",
    },
    { name: "profile", value: "NAME", help: "new name for the run" },
    {
      name: "lenient",
      help: "repair or skip wrong rows of the recording, and report their number",
    },
    { name: "json", help: "print the report as JSON on stdout" },
    ...sharedOptions(["color"]),
    quietOption("print no summary and no notes on stderr"),
    {
      name: "verbose",
      short: "v",
      help:
        "print all notes of the summary at full length, also notes without influence on the values",
    },
  ],
  notes: "With several hosts the names of trace and event log are FILE-HOSTNAME. A truncated " +
    'recording is read up to its end, and the report is marked "partial".',
  examples: [
    "joulemark replay lu.rec",
    "joulemark replay --report lu.report --trace lu.trace node1.rec node2.rec",
    "joulemark replay --record-filter proxy_epoch,MPI_Barrier lu.rec",
  ],
  run,
};

async function run({ text, values: given, flags, words }: ParsedOptions): Promise<number> {
  if (words.length === 0) throw misused("replay", "a directory with a recording", "none");
  const files: WholeFile[] = [];
  const several = words.length > 1;
  const tracePeriodS = text.period === undefined ? 0 : parseSeconds("--period", text.period);
  const look = stderrLook(text.color);
  const outputs = OUTPUTS.filter(({ replays }) => replays);
  for (const output of outputs) output.check?.(given);
  atOwnPlaces(given, undefined);
  const values = new Map(given);
  if (requestsChannels(values, () => undefined)) {
    (await import("../run/outputs/channels.ts")).askFunctions(values, undefined, say);
  }
  const makers = await loadOutputs(outputs, values, () => undefined);
  const steps: NodeSteps[] = [];
  const idle = await idleFrom(text.idle);
  try {
    const results = await replayAll(words, {
      lenient: flags.has("lenient"),
      profile: text.profile,
      recordFilter: text["record-filter"],
      reportSignals: text["report-signals"],
      outputs: (recording, directory) => {
        const site = new ReplaySite(recording, directory, { several, tracePeriodS, files, steps });
        return makers.map((make) => make(values, site));
      },
      idle,
    });
    const report = document(results);
    for (const { engine, host, recording } of results) {
      const rankOf = (pid: number) => recording.ranks?.[pid];
      engine.reported({ ...report, hosts: [host] }, { path: undefined, rankOf });
    }
    const written = stringifyReport(report);
    if (text.report !== undefined) {
      const file = new WholeFile(text.report);
      files.push(file);
      file.write(written);
    }
    for (const file of files) file.keep();
    if (text.pmc !== undefined) {
      const version = parsePmcVersion(text["pmc-version"]);
      writePmc(text.pmc, version, ranked(steps, results)).forEach((line) => say(line));
    }
    if (flags.has("json")) writeStdout(jsonText(report, 2) + "\n");
    else if (text.report === undefined) writeStdout(written);
    if (!flags.has("quiet")) {
      logResults(results);
      if (text.report !== undefined) {
        const isVerbose = flags.has("verbose");
        writeSummary(report, { look, reportPath: text.report, pagePath: text.html, isVerbose });
      }
    }
  } finally {
    for (const file of files) file[Symbol.dispose]();
  }
  return EXIT.done;
}

/** Replays one recording after the other. @throws {UsageError} If two are of one host. */
async function replayAll(
  directories: readonly string[],
  options: Omit<ReplayOptions, "makeTable" | "version">,
): Promise<Replayed[]> {
  const makeTable = await tableMaker();
  const results: Replayed[] = [];
  for (const directory of directories) {
    const version = REPORT_VERSION;
    results.push(await replayOne(directory, { makeTable, version, ...options }));
    refuseTwice(results, directory);
  }
  return results;
}

/** Makes baselines from a file; there is no node to measure here. */
async function idleFrom(text: string | undefined): Promise<(() => RunIdle) | undefined> {
  if (text === undefined) return undefined;
  const { parseBaseline } = await import("../run/outputs/idle_baseline.ts");
  const baseline = await parseBaseline(text);
  if (baseline.file === undefined) {
    throw unusable(`--idle=${text}`, "a file: a recording cannot be measured", "a time");
  }
  const { RunIdle } = await import("../run/outputs/run_idle.ts");
  return () => new RunIdle(baseline);
}

/**
 * The report that recordings give, for looking at it: errors are repaired and listed.
 *
 * @param outputs Of each recording.
 */
export async function replayReport(
  directories: readonly string[],
  outputs: (recording: Recording) => readonly Opener[] = () => [],
): Promise<Report> {
  const results = await replayAll(directories, {
    lenient: true,
    // Energies of regions as in a run with default options.
    outputs: (recording) => [attributionIn(DEFAULT_ATTRIBUTION), ...outputs(recording)],
  });
  logResults(results);
  return document(results);
}

/** The first recording's header around all hosts. */
function document(results: Replayed[]) {
  const hosts = results.flatMap(({ engine, host }): ReportHost[] => engine.document([host]).hosts);
  const partial = results.some((result) => result.partial);
  const outcomes = results.map(({ recording: { outcome } }) => outcome)
    .filter((outcome) => outcome !== undefined);
  // Of several hosts the first one that did not end well.
  const outcome = outcomes.find((one) => one["exit status"] !== 0) ?? outcomes[0];
  return results[0].engine.document(hosts, {
    replayed: true,
    ...outcome,
    ...(partial ? { partial: true } : {}),
    ...(hosts.length > 1 ? ofJob(hosts) : {}),
  });
}

/** Totals and tree of several hosts, as a merged report has them. */
function ofJob(hosts: readonly ReportHost[]): { [key: string]: Nested } {
  const statistics = new HostStatistics();
  for (const host of hosts) statistics.add(host);
  const tree = jobTree(statistics);
  return {
    totals: jobTotals(statistics),
    ...(tree === undefined ? {} : { tree: treeToNested(tree) }),
  };
}

/** The nodes' steps, with ranks in the order of the recordings. */
function ranked(steps: readonly NodeSteps[], results: Replayed[]): NodeSteps[] {
  const ranks = nodeRanks(results.map(({ engine }) => {
    return engine.tracker.processes().filter((p) => p.end !== "withdrawn").map((p) => p.pid);
  }));
  return steps.map((node, i) => ({ ...node, rank: ranks[i] }));
}

function refuseTwice(results: Replayed[], directory: string): void {
  const host = results.at(-1)!.recording.host;
  if (!results.slice(0, -1).some((result) => result.recording.host === host)) return;
  throw new UsageError({
    action: "replay",
    target: directory,
    expected: "one recording per host",
    found: `host ${host} again`,
  });
}

function logResults(results: Replayed[]): void {
  for (const { repairs, partial, recording, engine } of results) {
    for (const line of repairs.lines()) say(line);
    if (!partial) continue;
    const running = engine.tracker.processes().filter((p) => p.end === "running").length;
    const why = running > 0
      ? `${running} processes still running at the end`
      : "the recording is cut";
    say(`${recording.host}: partial, ${why}`);
  }
}

/** Known names are those of any machine; sources are the recording and the application only. */
async function tableMaker(): Promise<(providers: readonly SignalProvider[]) => NameTable> {
  const { READERS } = await import("../sources/readers/with_raw.ts");
  const { buildCatalogue } = await import("../sources/signals/catalogue.ts");
  return (providers) => {
    const catalogue = buildCatalogue({
      // Readers are left out, so nothing of a host is ever asked but whether it is simulated.
      host: { simulated: false } as Host,
      readers: READERS,
      without: READERS.map((reader) => reader.name),
      application: providers,
      applicationAliases: TRACKER_ALIASES,
    });
    return {
      resolve(name) {
        const resolved = catalogue.resolve(name);
        return resolved.kind === "absent"
          ? { ...resolved, reason: "not in the recording" }
          : resolved;
      },
      names: () => catalogue.names(),
    };
  };
}
