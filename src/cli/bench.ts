/**
 * `joulemark bench`: several commands, run again and again in blocks, until their energies can be compared; and
 * `joulemark run --repeat`, which is one command without a comparison.
 * @module
 */
import { comparableFigures } from "../show/analysis/job_figures.ts";
import { compare, metricOf } from "../show/analysis/comparison.ts";
import { differences } from "../show/analysis/comparable.ts";
import { LEVEL } from "../show/analysis/difference.ts";
import {
  type BenchComparison,
  type BenchFailure,
  benchJson,
  type BenchResult,
  benchText,
  failureLines,
} from "../show/analysis/print_bench.ts";
import { comparisonJunit, outcomeOf } from "../show/analysis/print_comparison.ts";
import {
  type BenchCommand,
  commandLines,
  commandWords,
  oneCommand,
} from "../show/study/commands.ts";
import { NodePower } from "../show/study/node_power.ts";
import { programOf, runLogged, runOnce } from "../show/study/runner.ts";
import {
  type SessionBlock,
  type SessionPlan,
  type SessionRun,
  sessionRuns,
} from "../show/study/session.ts";
import { baseName } from "../core/names.ts";
import { unusable, UsageError } from "../core/errors.ts";
import { signalNumber } from "../core/signal_names.ts";
import { simulatedBy } from "../core/simulated.ts";
import { IS_REPORT } from "../job/place/part_files.ts";
import { readRuns } from "../job/place/read_runs.ts";
import { loadYaml } from "../formats/yaml.ts";
import { monotonicNanoseconds } from "../os/clock.ts";
import { listDirectory, statPath } from "../os/files.ts";
import { makeOutputDirectory, probeDocument, writeDocument } from "../os/files/whole_file.ts";
import { removeUserFile, renameOutput } from "../os/output_place.ts";
import { findCommand } from "../os/process.ts";
import { selfCommand } from "../os/self.ts";
import { readFoundText } from "../os/user_file.ts";
import { OUTPUTS } from "../run/outputs/all.ts";
import { RUN_OPTIONS } from "../run/request/run_options.ts";
import { BenchValues } from "./bench_values.ts";
import { BenchProgress } from "./bench_progress.ts";
import { EXIT } from "./exit_codes.ts";
import { say, writeFormat, writeStderr } from "./io.ts";
import { formatOptions, outputOption, quietOption } from "./command_line/common_options.ts";
import {
  misused,
  parseCount,
  type ParsedOptions,
  parseFormat,
  parsePercent,
  parseSeconds,
} from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

const FORMATS = ["text", "json", "junit", "html"] as const;
const DEFAULT_MAX_TIME_S = 120;
/** Lines of a failed command that are printed. */
const LAST_LINES = 10;
/** Added to the number of a signal in an exit status. */
const SIGNAL_STATUS = 128;
/** Time between two looks at the power. */
const POWER_MS = 500;
/** Size of a small report. */
const PROBE_BYTES = 16384;
/** Directory of the runs that do not count. */
const WARMUP = "warmup";

const OWN_OPTIONS: Verb["options"] = [
  {
    name: "repeat",
    short: "r",
    value: "N",
    help: "number of blocks (default: as many as fit into --max-time, at most 30)",
  },
  {
    name: "max-time",
    value: "S",
    help: "start no new block after S seconds (default: 120, or no limit with -r)",
  },
  {
    name: "warmup",
    short: "w",
    value: "N",
    default: "1",
    help: "number of warm-up runs of each command, which do not count",
  },
  {
    name: "precision",
    value: "P%",
    help: "continue until the half-width of the confidence interval is at most P % (tested after " +
      "each block, from the 10th block on)",
  },
  {
    name: "pause",
    value: "S|auto",
    default: "0",
    help:
      "seconds between runs; auto: wait until the power is within 2 % of the power before the " +
      "first run",
  },
  { name: "seed", value: "N", help: "seed of the random order (the output has the seed)" },
  {
    name: "setup",
    value: "CMD",
    help: "shell command that runs once per command, before its first run",
  },
  { name: "prepare", value: "CMD", help: "shell command that runs before each run" },
  { name: "cleanup", value: "CMD", help: "shell command that runs after all runs" },
  {
    name: "ignore-failure",
    short: "i",
    help: "continue after a run that fails; its block is left out, and the output names the run",
  },
  {
    name: "metric",
    value: "M",
    default: "energy",
    help: "metric of the verdict: energy, time, power, edp, region:NAME, region-time:NAME",
  },
  { name: "max-increase", value: "P%", default: "0", help: "allowed increase, in percent" },
  {
    name: "level",
    value: "P%",
    default: "98.5",
    help: "confidence level of the interval, two-sided; with more than two commands the level " +
      "holds for all intervals together",
  },
  { name: "strict", help: "exit with status 3 if the result is not decided" },
  {
    name: "dir",
    value: "DIR",
    help: "directory of all results (default: bench-NAME, with the name of the first program)",
  },
  ...formatOptions(FORMATS),
  outputOption("write to FILE instead of stdout"),
  quietOption("print no progress"),
];

/** Options of a run that a benchmark decides itself. */
const DECIDED = new Set(["report", "bench-place", "help", "verbose"]);
const OWN_NAMES = new Set(OWN_OPTIONS.map(({ name }) => name));

/** Options that go to each run. */
const PASSED = RUN_OPTIONS.filter(({ name }) => !DECIDED.has(name) && !OWN_NAMES.has(name));

/** Options of a run with a file of each run. */
const FILE_OPTIONS = new Set(
  OUTPUTS.flatMap(({ options }) => options)
    .filter(({ value }) => value === "FILE" || value === "DIR").map(({ name }) => name),
);

/** Compares commands by repeated runs. */
export const bench: Verb = {
  name: "bench",
  usage: ["[options] 'COMMAND A' 'COMMAND B' ...", "[options] -- COMMAND A -- COMMAND B ..."],
  about: `Runs commands several times and compares their energy.

The runs are done in blocks. A block has one run of each command, in random order. Therefore a slow
change of the node affects all commands in the same way. All other commands are compared with the
first command.
Write each command as one quoted argument, or write its words after --. An argument with special
characters such as ; or > is executed by a shell. If a command begins with a launcher such as srun,
write {run} before the program: {run} is replaced by "joulemark run".

DIR contains the reports, the output of each run, and a page. "joulemark compare" and "joulemark
show --format csv" read DIR.

Options of "joulemark run" apply to each run. The name of each output file begins with the name of
the run.`,
  options: [
    ...OWN_OPTIONS,
    ...PASSED.map((option) => ({ ...option, env: false, foreign: undefined, help: "" })),
  ],
  notes: "The exit status is 1 if the metric of a command is significantly higher than the " +
    "metric of the first command, or if a run fails. The status is 2 if there is no verdict. The status " +
    "is 127 if a command was not found, and 126 if it cannot be executed: then nothing runs. " +
    '"joulemark compare --help" lists the verdicts. --cleanup also runs after a failure, SIGINT and ' +
    "SIGTERM.",
  examples: [
    "joulemark bench './flow 60' './flow 60 --fast'",
    "joulemark bench -r 10 --metric time -- ./a x -- ./b y",
    "joulemark bench --precision 2% 'srun {run} ./a' 'srun {run} ./b'",
  ],
  run(options) {
    const { words, rest } = options;
    if (rest !== undefined && words.length > rest.length) {
      throw misused("bench", "all commands as arguments, or all after --", words[0]);
    }
    const commands = rest === undefined ? commandLines(words) : commandWords(rest);
    if (commands.length === 0 || commands.some((one) => one.words.join("") === "")) {
      throw misused("bench", "a command", "none");
    }
    return runBench(options, commands, "mean");
  },
};

/** `joulemark run --repeat N -- COMMAND`. */
export function repeatRun(options: ParsedOptions, repeat: string): Promise<number> {
  parseCount("repeat", repeat);
  if (options.words.length === 0) {
    throw misused("run", "a command after the options", "none");
  }
  const text = { ...options.text, warmup: "0" };
  return runBench({ ...options, text }, [oneCommand(options.words)], "run");
}

/** The session has ended before its time: a command failed, or a signal came. */
class EndedSession extends Error {
  /** Exit status of the command; of a signal 128 + its number. */
  readonly status: number;

  constructor(message: string, status: number, output = "") {
    super(message, { cause: output });
    this.status = status;
  }
}

/** Signals that end a session after its cleanup. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Metric of a region with a name. */
const REGION_METRIC = /^region(-time)?:./;

async function runBench(
  options: ParsedOptions,
  commands: readonly BenchCommand[],
  spread: BenchResult["spread"],
): Promise<number> {
  const { text, flags } = options;
  const format = parseFormat(options, FORMATS);
  const metric = text.metric ?? "energy";
  // A region is known only after a run.
  if (!REGION_METRIC.test(metric)) metricOf(metric, []);
  const maxIncrease = parsePercent("max-increase", text["max-increase"] ?? "0");
  const level = parsePercent("level", text.level ?? String(100 * LEVEL));
  if (!(level >= 0.5 && level < 1)) {
    throw unusable(`--level ${text.level}`, "per cent from 50 to below 100", text.level!);
  }
  const each = 1 - (1 - level) / Math.max(1, commands.length - 1);
  const plan = planOf(options, commands.length, each);
  if (format !== "text" && format !== "json" && commands.length < 2) {
    throw unusable(`--format ${format}`, "two commands, or text or json", "one command");
  }
  // What is run before the commands may make them.
  const isMade = text.setup !== undefined || text.prepare !== undefined;
  for (const { words } of isMade ? [] : commands) {
    const found = findCommand(programOf(words), Deno.env.get("PATH"));
    if ("path" in found) continue;
    say(found.reason);
    return found.status;
  }
  const refused = text.output === undefined ? undefined : probeDocument(text.output);
  if (refused !== undefined) throw refused;
  const { pause = "0" } = text;
  const pauseS = pause === "auto" ? pause : pause === "0" ? 0 : parseSeconds("--pause", pause);
  const given = text.dir ?? text.report?.replace(/\.report$/, "");
  const directory = newDirectory(given, commands[0].name);
  if (plan.warmup > 0) makeOutputDirectory(`${directory}/${WARMUP}`);
  const runner = new Runner(options, { commands, directory, metric, seed: plan.seed, pauseS });
  const progress = new BenchProgress(plan, { isQuiet: flags.has("quiet"), metric });
  let blocks: readonly SessionBlock[];
  try {
    await runner.setUp();
    const session = sessionRuns(plan, {
      nowS: () => monotonicNanoseconds() * 1e-9,
      comparable: (blocks) => runner.values.comparable(blocks),
      done: (done) => progress.done(done),
    });
    let next = session.next();
    while (next.done !== true) {
      next = session.next(await runner.run(next.value, () => progress.tick()));
    }
    blocks = next.value;
  } catch (error) {
    progress.end();
    if (!(error instanceof EndedSession)) throw error;
    say(error.message);
    writeStderr(error.cause as string);
    return spread === "run" || error.status > SIGNAL_STATUS ? error.status : EXIT.failed;
  } finally {
    await runner.cleanUp();
    runner[Symbol.dispose]();
  }
  progress.end();
  await loadYaml();
  const sets = commands.map(({ set, text }) => {
    const reports = blocks.map(({ block }) => {
      const [{ name, report }] = readRuns(`${directory}/${set}-${block}.report`);
      return { name, report };
    });
    return { set, text, reports };
  });
  const all = sets.flatMap(({ reports }) => reports);
  if (all.length === 0) {
    say(`bench: no block is complete; reports and outputs are in ${directory}`);
    for (const line of failureLines(runner.failures)) say(line);
    return EXIT.usage;
  }
  const reasons = differences(all);
  for (const reason of reasons) say(`Not comparable: ${reason}`);
  const [first, ...others] = sets;
  const comparisons = reasons.length > 0 ? [] : others.map(({ set, reports }): BenchComparison => {
    const options = { metric, maxIncrease, level: each, letters: [first.set, set] } as const;
    const comparison = compare(first.reports, reports, options);
    const notes = { simulated: simulatedBy(all[0].report), overruled: [] };
    return { comparison, notes };
  });
  const { comparePages } = await import("../show/page/compare_page.ts");
  const { pageHtml } = await import("../show/page/html.ts");
  const compared = comparisons.map((one, i) => {
    return { ...one, runs: { a: first.reports, b: others[i].reports } };
  });
  const pages = compared.map((one) => {
    const path = `${directory}/compare${
      compared.length > 1 ? `-${one.comparison.letters[1]}` : ""
    }.html`;
    writeDocument(path, pageHtml(comparePages([one])));
    return path;
  });
  const figures = comparableFigures(all.map(({ report }) => report));
  const { source } = figures[0];
  const result: BenchResult = {
    source,
    seed: plan.seed,
    warmup: plan.warmup,
    blocks: blocks.length,
    failures: runner.failures,
    sets: sets.map(({ set, text, reports }) => {
      return { set, text, jobs: figures.splice(0, reports.length) };
    }),
    metric,
    comparisons,
    simulated: simulatedBy(all[0].report),
    directory,
    pages,
    spread,
  };
  const output = format === "text"
    ? benchText(result)
    : format === "json"
    ? benchJson(result)
    : format === "html"
    ? compared.length === 0 ? "" : pageHtml(comparePages(compared))
    : comparisonJunit(
      comparisons.map((one) => {
        return { ...one, name: `${one.comparison.letters.toReversed().join(" against ")}: ` };
      }),
      "bench",
    );
  if (text.output === undefined) writeFormat(format, output);
  else writeDocument(text.output, output);
  // One command alone has succeeded.
  if (spread === "run") return EXIT.done;
  return statusOf(comparisons, reasons.length > 0, flags.has("strict"));
}

function statusOf(
  comparisons: readonly BenchComparison[],
  isNotComparable: boolean,
  isStrict: boolean,
): number {
  if (isNotComparable) return EXIT.usage;
  const outcomes = comparisons.map(({ comparison }) => {
    return outcomeOf(comparison.gate.verdict, isStrict);
  });
  if (outcomes.includes("fail")) return EXIT.failed;
  if (outcomes.includes("none")) return EXIT.usage;
  return outcomes.includes("open") ? EXIT.undecided : EXIT.done;
}

function planOf({ text }: ParsedOptions, sets: number, level: number): SessionPlan {
  const blocks = text.repeat === undefined ? undefined : parseCount("repeat", text.repeat);
  const precision = text.precision === undefined
    ? undefined
    : parsePercent("precision", text.precision);
  if (precision === 0) {
    throw unusable(`--precision ${text.precision}`, "per cent above 0", text.precision!);
  }
  const maxTimeS = text["max-time"] !== undefined
    ? parseSeconds("--max-time", text["max-time"])
    : blocks === undefined
    ? DEFAULT_MAX_TIME_S
    : undefined;
  const seed = text.seed === undefined
    ? Math.floor(monotonicNanoseconds() % 1e9)
    : parseWhole("seed", text.seed, 2 ** 32);
  const warmup = parseWhole("warmup", text.warmup ?? "1", 1000);
  return { sets, blocks, precision, maxTimeS, seed, warmup, level };
}

function parseWhole(name: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw unusable(`--${name} ${text}`, `a whole number from 0 to ${most}`, text);
}

/** A directory without reports: the one that was asked for, or the first name that is free. */
function newDirectory(given: string | undefined, name: string): string {
  const isUsed = (path: string) =>
    statPath(path) !== undefined && listDirectory(path).some((one) => IS_REPORT.test(one));
  let path = given ?? `bench-${name}`;
  for (let i = 2; given === undefined && statPath(path) !== undefined; i++) {
    path = `bench-${name}-${i}`;
  }
  if (isUsed(path)) {
    throw new UsageError({
      action: "begin a benchmark in",
      target: path,
      expected: "a new directory, or one without reports",
      found: "reports in it",
      remedy: "give another directory with --dir",
    });
  }
  makeOutputDirectory(path);
  const refused = probeDocument(`${path}/A-1.report`);
  if (refused !== undefined) throw refused;
  return path;
}

/** Runs the commands of a session, with what comes before each; a signal ends it. */
class Runner implements Disposable {
  readonly failures: BenchFailure[] = [];
  readonly #handlers = SIGNALS.map((signal) => {
    return [signal, () => this.#signal ??= signal] as const;
  });
  #signal: typeof SIGNALS[number] | undefined;
  readonly values: BenchValues;
  readonly #options: ParsedOptions;
  readonly #commands: readonly BenchCommand[];
  readonly #directory: string;
  readonly #seed: number;
  readonly #power: NodePower | undefined;
  readonly #pauseS: number;
  #isFirst = true;
  #isSetUp = false;

  constructor(
    options: ParsedOptions,
    { commands, directory, metric, seed, pauseS }: {
      commands: readonly BenchCommand[];
      directory: string;
      metric: string;
      seed: number;
      pauseS: number | "auto";
    },
  ) {
    [this.#options, this.#commands, this.#seed] = [options, commands, seed];
    this.#directory = directory;
    this.values = new BenchValues(metric);
    this.#power = pauseS === "auto" ? new NodePower(selfCommand("read"), directory) : undefined;
    this.#pauseS = pauseS === "auto" ? 0 : pauseS;
    for (const [signal, handler] of this.#handlers) Deno.addSignalListener(signal, handler);
  }

  [Symbol.dispose](): void {
    for (const [signal, handler] of this.#handlers) Deno.removeSignalListener(signal, handler);
  }

  /** @throws {EndedSession} If the command fails. */
  async setUp(): Promise<void> {
    const { setup } = this.#options.text;
    this.#isSetUp = true;
    if (setup === undefined) return;
    for (const { set } of this.#commands) await this.#shell("setup", setup, `setup-${set}`);
  }

  async cleanUp(): Promise<void> {
    const { cleanup } = this.#options.text;
    if (cleanup === undefined || !this.#isSetUp) return;
    const status = await runLogged(["/bin/sh", "-c", cleanup], `${this.#directory}/cleanup.out`);
    if (status !== 0) say(`--cleanup ended with status ${status}`);
  }

  /** @returns The metric; `undefined`: it failed. @throws {EndedSession} Unless failures are ignored. */
  async run(run: SessionRun, wait: () => void): Promise<number | undefined> {
    const { set, block, position, isWarmup } = run;
    const { text, flags } = this.#options;
    const command = this.#commands[set];
    // In a directory of their own, so that no reader of the reports takes them for runs that count.
    const name = `${isWarmup ? `${WARMUP}/` : ""}${command.set}-${block}`;
    const stem = `${this.#directory}/${name}`;
    await this.#rest(wait);
    if (text.prepare !== undefined) await this.#shell("prepare", text.prepare, "prepare");
    const place = isWarmup
      ? []
      : [`--bench-place=${command.set},${block},${position},${this.#seed}`];
    const profile = text.profile === undefined ? [`--profile=${command.name}`] : [];
    const passed = [...place, ...profile, ...this.#passed(name, isWarmup)];
    const self = selfCommand("run", "--quiet", ...passed);
    const launch = { self, command: command.words, stem };
    const { status, report } = await runOnce(launch, { wait, isEnded: () => this.#isEnded });
    this.#endBySignal();
    if (status === 0 && statPath(`${stem}.report`) === undefined) throw withoutReport(stem);
    if (status === 0) return this.values.take(run, report);
    if (!isWarmup && statPath(`${stem}.report`) !== undefined) {
      renameOutput(`${stem}.report`, `${stem}.report.failed`);
    }
    if (!flags.has("ignore-failure")) {
      throw failed(`run ${block} of "${command.text}"`, status, `${stem}.out`);
    }
    this.failures.push({ set: command.set, block, isWarmup, status });
    return undefined;
  }

  get #isEnded(): boolean {
    return this.#signal !== undefined;
  }

  /** @throws {EndedSession} If a signal came. */
  #endBySignal(): void {
    if (this.#signal === undefined) return;
    const message = `bench: ended by ${this.#signal}; reports of complete runs are in ` +
      this.#directory;
    throw new EndedSession(message, SIGNAL_STATUS + signalNumber(this.#signal));
  }

  /** Options of a run as the user gave them; files get the name of the run. */
  #passed(name: string, isWarmup: boolean): string[] {
    const { values, lists } = this.#options;
    return PASSED.flatMap((option) => {
      const value = values.get(option.name);
      if (value?.origin !== "flag") return [];
      if (option.value === undefined) return [`--${option.name}`];
      const texts = option.repeats === true ? lists[option.name] : [value.text];
      if (!FILE_OPTIONS.has(option.name)) {
        return texts.map((text) => text === "" ? `--${option.name}` : `--${option.name}=${text}`);
      }
      if (isWarmup) return [];
      return texts.map((text) => {
        const file = baseName(text);
        return `--${option.name}=${this.#directory}/${name}-${file}`;
      });
    });
  }

  /** The pause before a run. */
  async #rest(wait: () => void): Promise<void> {
    if (this.#isFirst) await this.#power?.remember();
    else {
      const nap = async (ms: number) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        this.#endBySignal();
        wait();
      };
      await this.#power?.settle(() => nap(POWER_MS));
      const endMs = performance.now() + 1000 * this.#pauseS;
      for (let now = performance.now(); now < endMs; now = performance.now()) {
        await nap(Math.min(100, endMs - now));
      }
    }
    this.#isFirst = false;
  }

  async #shell(option: string, line: string, name: string): Promise<void> {
    const path = `${this.#directory}/${name}.out`;
    const status = await runLogged(["/bin/sh", "-c", line], path, { isEnded: () => this.#isEnded });
    this.#endBySignal();
    if (status !== 0) throw failed(`--${option} "${line}"`, status, path);
  }
}

/** A run that succeeded but left no report, most often for lack of space. */
function withoutReport(stem: string): EndedSession {
  const path = `${stem}.report`;
  try {
    writeDocument(path, " ".repeat(PROBE_BYTES));
    removeUserFile(path);
  } catch (error) {
    return new EndedSession((error as Error).message, EXIT.failed);
  }
  const { message, cause } = failed(`${path} was not written: the run`, 0, `${stem}.out`);
  return new EndedSession(message, EXIT.failed, cause as string);
}

function failed(what: string, status: number, path: string): EndedSession {
  const lines = readFoundText(path).trimEnd().split("\n").slice(-LAST_LINES);
  const message = `${what} ended with status ${status}`;
  if (lines.join("").trim() === "") return new EndedSession(message, status);
  const output = lines.map((line) => `${line}\n`).join("");
  return new EndedSession(`${message}; its last lines:`, status, output);
}
