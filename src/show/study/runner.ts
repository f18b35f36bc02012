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
import { monotonicNanoseconds, sleepUntil } from "../../os/clock.ts";
import { environment, reap, spawn } from "../../os/process.ts";
import { readFoundText } from "../../os/user_file.ts";
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

/** A word of a command that stands for this program's `run`. */
const RUN = "{run}";

const NAP_NS = 20e6;

/**
 * Runs it to its end.
 *
 * @param wait Called now and then while it runs.
 */
export function runOnce(
  { self, command, stem, settings = {} }: RunLaunch,
  wait: () => void,
): RunOutcome {
  const report = `${stem}.report`;
  const own = [...self, "--report", report, "--"];
  const words = command.includes(RUN)
    ? command.flatMap((word) => word === RUN ? own : [word])
    : [...own, ...command];
  const startNs = monotonicNanoseconds();
  const status = runLogged(words, `${stem}.out`, { settings, wait });
  const wallS = (monotonicNanoseconds() - startNs) * 1e-9;
  try {
    return { status, wallS, report: parseReport(readFoundText(report), report) };
  } catch {
    return { status, wallS };
  }
}

/** Runs words with their output in a file. @returns Exit status. */
export function runLogged(
  words: readonly string[],
  path: string,
  { settings = {}, wait = () => {} }: { settings?: RunLaunch["settings"]; wait?: () => void } = {},
): number {
  const pid = spawn({
    path: "/bin/sh",
    args: ["sh", "-c", 'exec "$@" >"$0" 2>&1', path, ...words],
    env: environment(settings),
  });
  let ended = reap(pid);
  while (ended === undefined) {
    sleepUntil(monotonicNanoseconds() + NAP_NS);
    ended = reap(pid);
    wait();
  }
  return ended.code;
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
