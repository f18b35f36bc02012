/**
 * One run of a study: this program's own `run` as a process of its own, and the results of its report.
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
import { PLACEMENT, type PlannedRun } from "./plan.ts";

/** How a run is started. */
export interface StudyLaunch {
  /** This program, its verb `run` and options, up to the command's `--`. */
  readonly self: readonly string[];
  readonly command: readonly string[];
  /** Where reports and outputs go. */
  readonly directory: string;
  /** Nodes of each placement. */
  readonly nodes?: ReadonlyMap<string, readonly string[]>;
}

/** Words of a command that stand for this program's `run`, and for the nodes of a placement. */
const RUN = "{run}", NODES = "{nodes}";

const NAP_NS = 50e6;
/**
 * Runs it to its end.
 *
 * @param wait Called now and then while it runs.
 */
export function runOnce(run: PlannedRun, launch: StudyLaunch, wait: () => void): StudyResult {
  const stem = `${launch.directory}/${run.file}`;
  const report = `${stem}.report`;
  const self = [...launch.self, "--report", report, "--"];
  const nodes = launch.nodes?.get(run.settings[PLACEMENT])?.join(",") ?? "";
  const command = launch.command.flatMap((word) =>
    word === RUN ? self : [word.replaceAll(NODES, nodes)]
  );
  const own = launch.command.includes(RUN) ? command : [...self, ...command];
  const startNs = monotonicNanoseconds();
  const pid = spawn({
    path: "/bin/sh",
    args: ["sh", "-c", 'exec "$@" >"$0" 2>&1', `${stem}.out`, ...own],
    env: environment({ ...run.settings, ...(nodes === "" ? {} : { JOULEMARK_NODES: nodes }) }),
  });
  let ended = reap(pid);
  while (ended === undefined) {
    sleepUntil(monotonicNanoseconds() + NAP_NS);
    ended = reap(pid);
    wait();
  }
  const { file, label, repeat } = run;
  const wallS = (monotonicNanoseconds() - startNs) * 1e-9;
  const base = { file, label, repeat, status: ended.code };
  try {
    return { ...base, ...figures(parseReport(readFoundText(report), report)) };
  } catch {
    return { ...base, energyJ: null, runtimeS: wallS, source: "no report", simulated: false };
  }
}

type Figures = Pick<StudyResult, "energyJ" | "runtimeS" | "source" | "simulated">;

/** What the study notes of a report. */
export function figures(report: Report): Figures {
  const { energyJ, timeS, source } = jobFigures(report);
  const isKnown = Number.isFinite(energyJ);
  return {
    energyJ: isKnown ? energyJ : null,
    runtimeS: timeS,
    source: isKnown ? source : "none",
    simulated: report.joulemark?.simulated !== undefined,
  };
}
