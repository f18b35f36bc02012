/**
 * `joulemark stats`: post-processing of raw stats files.
 * @module
 */
import { counted } from "../core/counted.ts";
import { UnknownNameError, UsageError } from "../core/errors.ts";
import { printRawTable } from "../rawstats/analysis/print/print_table.ts";
import { metricValues, type RawAnalysisTable } from "../rawstats/analysis/print/tables.ts";
import type { RawTableRequest } from "../rawstats/analysis/print/table.ts";
import { readRawTables } from "../rawstats/analysis/workers.ts";
import { lookAtRawFiles } from "../rawstats/analysis/files.ts";
import { energySourceLine, parseEnergyUnits } from "../rawstats/analysis/energy_units.ts";
import type { RawCopies } from "../rawstats/analysis/once.ts";
import { type SeriesFormat, writeSeries } from "../rawstats/analysis/print/print_series.ts";
import { printOpenMetrics } from "../rawstats/analysis/print/print_openmetrics.ts";
import { joinRawNodes, type RawAnalysis } from "../rawstats/analysis/stats.ts";
import { HIDDEN_VERBS, selfCommand } from "../os/self.ts";
import { EXIT } from "./exit_codes.ts";
import { finished, say, writeStdout } from "./io.ts";
import { JSON_FORMAT, quietOption } from "./command_line/common_options.ts";
import { misused, type ParsedOptions, parseFormat } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

/** Jobs that an error lists. */
const MAX_LISTED_JOBS = 20;

const FORMATS = ["table", "csv", "jsonl", "json", "openmetrics"] as const;
type Format = typeof FORMATS[number];

interface Request extends RawTableRequest {
  readonly format: Format;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Processes that read; `undefined`: as many as pays. */
  readonly processes: number | undefined;
}

/** Post-processes raw stats files. */
export const stats: Verb = {
  name: "stats",
  usage: ["[options] FILE..."],
  about: `Computes deltas, rates and job metrics from raw stats files.

FILE is a raw stats file of version 1.0 to 2.3.5 (plain, gzip or tar), a directory of such files, or
- for standard input. The files may be from many nodes. Counters that wrap at their declared width
are corrected, dips (short decreases by wrong readings) are repaired, and resets are detected.
Differences are calculated for counters only, not for gauges (values that rise and fall).`,
  options: [
    { name: "job", value: "ID", help: "only the samples of this job" },
    { name: "types", value: "LIST", help: "only these types of counters, such as cpu,mem" },
    {
      name: "format",
      value: "F",
      words: FORMATS,
      help:
        "output format: table (default); csv or jsonl: a row for each value; json: all values, which must fit " +
        "in memory; openmetrics: the sums of each device",
    },
    JSON_FORMAT,
    {
      name: "energy-unit",
      value: "UNIT",
      help:
        "energy of one count of an energy register, for files that do not have this unit, such " +
        "as 61.04uJ or 2^-14. TYPE=UNIT sets the unit for one record type, TYPE.KEY=UNIT for one " +
        "column of a type; comma-separated",
    },
    { name: "devices", help: "table: one row per device instead of the sum over devices" },
    // Refused with the reason.
    { name: "as-original", value: "Y", help: "" },
    {
      name: "processes",
      value: "N",
      help: "number of worker processes for table and openmetrics, each for some of the nodes " +
        "(default: one per CPU, at most 8, if the files of several nodes have 64 MiB or more)",
    },
    { name: "verbose", short: "v", help: "also print the number of processes" },
    quietOption("print no lines about errors in the files"),
  ],
  examples: [
    "joulemark stats /var/log/joulemark/node17/current",
    "joulemark stats --job 4001 --json archive/*/1556000000.gz",
    "joulemark stats --format csv --types cpu,intel_rapl current",
  ],
  async run(options) {
    if (options.text["as-original"] !== undefined) {
      throw new UsageError({
        action: "use --as-original",
        found: "stats prints only joulemark's own values",
        remedy: "leave the option out",
      });
    }
    if (options.words.length === 0) throw usage("at least one file", "none");
    const format = parseFormat(options, FORMATS);
    const files = await lookAtRawFiles(options.words);
    if (files.length === 0) throw noRecord(options.words);
    const types = options.text.types?.split(",").map((type) => type.trim());
    const request: Request = {
      files,
      job: options.text.job,
      energyUnits: options.text["energy-unit"] === undefined
        ? undefined
        : parseEnergyUnits(options.text["energy-unit"]),
      format,
      devices: options.flags.has("devices"),
      quiet: options.flags.has("quiet"),
      verbose: options.flags.has("verbose"),
      processes: processesOf(options),
      types,
    };
    if (format === "table") return finished(printRawTable(await analysed(request, say)));
    if (format === "openmetrics") {
      return finished(printOpenMetrics(await analysed({ ...request, devices: true }, say)));
    }
    return await series(request, format);
  },
};

const usage = (expected: string, found: string) => misused("stats", expected, found);

function processesOf(options: ParsedOptions): number | undefined {
  const given = options.text.processes;
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,2}$/.test(given)) throw usage("--processes N from 1 to 999", given);
  return Number(given);
}

/** Sums and metrics of files, as `stats` prints them. @param log Logs one line for the user. */
export async function rawTable(
  paths: readonly string[],
  log: (line: string) => void,
): Promise<RawAnalysisTable> {
  return await analysed({
    files: await lookAtRawFiles(paths),
    job: undefined,
    energyUnits: undefined,
    format: "table",
    devices: false,
    quiet: false,
    verbose: false,
    processes: undefined,
    types: undefined,
  }, log);
}

async function analysed(request: Request, log: (line: string) => void): Promise<RawAnalysisTable> {
  const { job, quiet } = request;
  const parts = await readRawTables(request, {
    processes: request.processes,
    helper: selfCommand(HIDDEN_VERBS.statsHelper),
    error: quiet ? () => {} : log,
    warn: quiet ? () => {} : log,
    note: request.verbose ? log : () => {},
  });
  const analysis = joinRawNodes(parts.map((part) => part.analysis));
  check(request, analysis);
  const counts = { wrap: 0, reset: 0, dip: 0 };
  for (const node of analysis.nodes) {
    for (const kind of ["wrap", "reset", "dip"] as const) counts[kind] += node.counts[kind];
  }
  const jobs = job !== undefined ? [] : [...analysis.jobs.values()].map((seen) => ({
    id: seen.id,
    hosts: seen.inputs.length,
    seconds: Math.max(...seen.inputs.map((input) => input.seconds)),
    metrics: new Map(metricValues(seen.inputs).map((m) => [m.name, m])),
    cut: seen.cut.length,
  }));
  const nodes = parts.flatMap((part) => part.table ?? []);
  const metrics = metricValues(analysis.inputs);
  return { job, nodes, metrics, jobs, counts };
}

/** Every sample, for programs. */
async function series(request: Request, format: SeriesFormat): Promise<number> {
  const { files, job, types, energyUnits, quiet } = request;
  await writeSeries({
    format,
    files,
    job,
    types,
    energyUnits,
    write: writeStdout,
    check: (analysis) => check(request, analysis),
    error: (error) => {
      if (!quiet) say(error.message);
    },
  });
  return EXIT.done;
}

/** Logs content that was found more than once, in one line. */
function logCopies(all: readonly RawCopies[]): void {
  const sum = (key: keyof RawCopies) => all.reduce((n, copies) => n + copies[key], 0);
  if (sum("records") === 0) return;
  const differing = sum("differing");
  say(
    `${sum("records")} records (${sum("lines")} lines) occur more than once by host, time, ` +
      "type and device: each counts once" +
      (differing === 0
        ? ""
        : `; in ${differing} lines values differ: those of the file with more records count`),
  );
}

function noRecord(paths: readonly string[]): UsageError {
  return new UsageError({
    action: "find records in",
    target: paths.length === 1
      ? paths[0]
      : `${paths[0]} and ${counted(paths.length - 1, "other file")}`,
    expected: "raw stats",
    found: "no record",
  });
}

/** Is there any data, and the requested job and types? */
function check({ job, files, quiet, types }: Request, analysis: RawAnalysis): void {
  if (analysis.samples === 0) throw noRecord(files.map(({ path }) => path));
  if (types !== undefined) checkTypes(types, analysis, quiet);
  if (!quiet) {
    logCopies(analysis.nodes.map((node) => node.copies));
    const lines = analysis.nodes.flatMap((node) => node.energySources.map(energySourceLine));
    for (const line of new Set(lines)) say(line);
  }
  if (job === undefined) {
    const left = analysis.jobNames.size - analysis.jobs.size;
    if (left > 0 && !quiet) say(`metrics of ${left} more jobs are not shown; --job ID selects one`);
    return;
  }
  const seen = analysis.jobs.get(job);
  if (seen === undefined) {
    const names = [...analysis.jobNames];
    const more = names.length > MAX_LISTED_JOBS
      ? `, and ${names.length - MAX_LISTED_JOBS} more`
      : "";
    const list = names.slice(0, MAX_LISTED_JOBS).join(", ") || "none";
    throw new UnknownNameError("job", job, names, `jobs in these files: ${list}${more}`);
  }
  if (seen.cut.length > 0 && !quiet) {
    say(`job ${job}: begin or end mark missing on ${seen.cut.join(", ")}`);
  }
}

/** Is there any of the requested types? A type that is not in the files has a line. */
function checkTypes(types: readonly string[], { nodes }: RawAnalysis, quiet: boolean): void {
  const known = new Set(nodes.flatMap((node) => node.types));
  const missing = types.filter((type) => !known.has(type));
  if (missing.length === types.length) throw new UnknownNameError("type", missing[0], known);
  if (missing.length > 0 && !quiet) say(`the files do not have the type ${missing.join(", ")}`);
}
