/**
 * One run of a study: this program's own `run` as a process of its own, and what its report says.
 *
 * Started by posix_spawn(3), since the executable has no permission to run anything by the
 * runtime's own means. A shell puts the command's output into a file.
 * @module
 */
import type { Report } from "../core/report.ts";
import { parseReport } from "../formats/report.ts";
import { monotonicNanoseconds, sleepUntil } from "../os/clock.ts";
import { inheritedState } from "../os/inherited.ts";
import { environment, reap, spawn } from "../os/process.ts";
import { readUserText } from "../os/user_file.ts";
import type { StudyResult } from "./log.ts";
import type { PlannedRun } from "./plan.ts";

/** How a run is started. */
export interface StudyLaunch {
  /** This program, its verb `run` and options, up to the command's `--`. */
  readonly self: readonly string[];
  readonly command: readonly string[];
  /** Where reports and outputs go. */
  readonly directory: string;
}

const NAP_NS = 50e6;
/** Asked for beside GEOPM's own: the energy of the whole node, where it has a counter. */
export const NODE_ENERGY = "BOARD_ENERGY";

/**
 * Runs it to its end.
 *
 * @param wait Called now and then while it runs.
 */
export function runOnce(run: PlannedRun, launch: StudyLaunch, wait: () => void): StudyResult {
  const stem = `${launch.directory}/${run.file}`;
  const report = `${stem}.report`;
  const own = [...launch.self, "--report", report, "--", ...launch.command];
  const startNs = monotonicNanoseconds();
  const pid = spawn({
    path: "/bin/sh",
    args: ["sh", "-c", 'exec "$@" >"$0" 2>&1', `${stem}.out`, ...own],
    env: environment(run.settings),
    inherited: inheritedState(),
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
    return { ...base, ...figures(parseReport(readUserText(report), report)) };
  } catch {
    return { ...base, energyJ: null, runtimeS: wallS, source: "no report", simulated: false };
  }
}

type Figures = Pick<StudyResult, "energyJ" | "runtimeS" | "source" | "simulated">;

/** Energy of all hosts: of the nodes where all tell, else of what GEOPM's own fields have. */
export function figures(report: Report): Figures {
  const totals = report.hosts.map((host) => host.application);
  const sum = (key: string) => totals.reduce((all, fields) => all + Number(fields[key] ?? NaN), 0);
  const runtimeS = Math.max(...totals.map((fields) => Number(fields["runtime (s)"] ?? NaN)));
  const simulated = report.joulemark?.simulated !== undefined;
  const node = sum(NODE_ENERGY);
  if (Number.isFinite(node)) return { energyJ: node, runtimeS, source: "node", simulated };
  const isAbsent = (signal: string) =>
    report.hosts.some(({ joulemark }) => {
      const sources = joulemark?.sources as Record<string, { absent?: string }> | undefined;
      return sources?.[signal]?.absent !== undefined;
    });
  const parts = [
    ["package", "package-energy (J)", "CPU_ENERGY"],
    ["memory", "dram-energy (J)", "DRAM_ENERGY"],
    ["GPU", "gpu-energy (J)", "GPU_ENERGY"],
  ].filter(([, key, signal]) => Number.isFinite(sum(key)) && !isAbsent(signal));
  if (parts.length === 0) return { energyJ: null, runtimeS, source: "none", simulated };
  const energyJ = parts.reduce((all, [, key]) => all + sum(key), 0);
  return { energyJ, runtimeS, source: parts.map(([name]) => name).join(" + "), simulated };
}
