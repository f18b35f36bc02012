/**
 * One run of a study or a benchmark: this program's own `run` as a process of its own, and its report.
 *
 * Started by posix_spawn(3), since the executable has no permission to run anything by the
 * runtime's own means. A shell puts the command's output into a file.
 * @module
 */
import { jobFigures } from "../analysis/job_figures.ts";
import type { Report } from "../../core/report.ts";
import { parseReport } from "../../formats/report.ts";
import { monotonicNanoseconds } from "../../os/clock.ts";
import { environment, reap, sendSignal, spawn } from "../../os/process.ts";
import { readFoundText } from "../../os/user_file.ts";
import { RUN } from "./commands.ts";
import type { StudyResult } from "./log.ts";

/** A run that can be started. */
export interface RunLaunch {
  /** Command of this program, its verb `run` and options, up to the command's `--`. */
  readonly self: readonly string[];
  readonly command: readonly string[];
  /** Path without ending: `.report` and `.out` are made of it. */
  readonly stem: string;
  /** Variables of the command. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Outcome of a run. */
export interface RunOutcome {
  /** Exit status of the command. */
  readonly status: number;
  /** Time from start to end, s. */
  readonly wallS: number;
  /** Absent: none was written. */
  readonly report?: Report;
}

const NAP_MS = 20;
/** Time after which a command that a signal of the terminal did not end gets one from here. */
const FORWARD_MS = 1000, SIGTERM = 15;

/** Callbacks while a command runs. */
export interface Waits {
  /** Called now and then. */
  readonly wait?: () => void;
  /** Is the command to end before its time? */
  readonly isEnded?: () => boolean;
}

/** Runs it to its end. */
export async function runOnce(
  { self, command, stem, settings = {} }: RunLaunch,
  waits: Waits,
): Promise<RunOutcome> {
  const report = `${stem}.report`;
  const own = [...self, "--report", report, "--"];
  const words = withRun(command, own);
  const startNs = monotonicNanoseconds();
  const status = await runLogged(words, `${stem}.out`, { settings, ...waits });
  const wallS = (monotonicNanoseconds() - startNs) * 1e-9;
  try {
    return { status, wallS, report: parseReport(readFoundText(report), report) };
  } catch {
    return { status, wallS };
  }
}

/** The program that a command starts: its first word that is one. */
export function programOf(command: readonly string[]): string {
  return command.find((word) => word !== RUN) ?? "";
}

/** A command under this program's `run`: where {@linkcode RUN} is, else before it. */
export function withRun(command: readonly string[], own: readonly string[]): string[] {
  if (command.includes(RUN)) return command.flatMap((word) => word === RUN ? own : [word]);
  const [shell, option, text] = command;
  const isShell = command.length === 3 && option === "-c" && text.includes(RUN);
  // The shell puts the words there, whatever is in them.
  return isShell
    ? [shell, option, text.replaceAll(RUN, '"$@"'), "sh", ...own]
    : [...own, ...command];
}

/** Runs words with their output in a file. @returns Exit status. */
export async function runLogged(
  words: readonly string[],
  path: string,
  { settings = {}, wait = () => {}, isEnded = () => false }:
    & Pick<RunLaunch, "settings">
    & Waits = {},
): Promise<number> {
  const pid = spawn({
    path: "/bin/sh",
    args: ["sh", "-c", 'exec "$@" >"$0" 2>&1', path, ...words],
    env: environment(settings),
  });
  let forwardMs = NaN;
  for (let ended = reap(pid);; ended = reap(pid)) {
    if (ended !== undefined) return ended.code;
    // Signals come while the runtime waits.
    await new Promise((resolve) => setTimeout(resolve, NAP_MS));
    wait();
    if (!isEnded()) continue;
    // A terminal sends its signal to all of them.
    if (Number.isNaN(forwardMs)) forwardMs = performance.now() + FORWARD_MS;
    if (performance.now() < forwardMs) continue;
    sendSignal(pid, SIGTERM);
    forwardMs = Infinity;
  }
}

type Figures = Pick<StudyResult, "energyJ" | "runtimeS" | "source" | "simulated">;

/** Figures that a study notes of a run; without a report its time alone. */
export function figures(report: Report | undefined, wallS = NaN): Figures {
  if (report === undefined) {
    return { energyJ: null, runtimeS: wallS, source: "no report", simulated: false };
  }
  const { energyJ, timeS, source } = jobFigures(report);
  const isKnown = Number.isFinite(energyJ);
  return {
    energyJ: isKnown ? energyJ : null,
    runtimeS: timeS,
    source: isKnown ? source : "none",
    simulated: report.joulemark?.simulated !== undefined,
  };
}
