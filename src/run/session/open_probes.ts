/**
 * `--probe`: the kernel's probes for the functions that were asked for. Loaded if some were.
 * @module
 */
import { parseCpuList } from "../../core/machine/cpu_list.ts";
import { type ProbedRun, Probes } from "../../marks/rings/probes.ts";
import { readText } from "../../os/files.ts";
import { PerfProbes } from "../../os/devices/perf_probes.ts";
import type { Probe } from "../../marks/preload/probes.ts";

/** Opens them; if this kernel or this user has none, one line is logged and the command runs without them. */
export function openProbes(
  probes: readonly Probe[],
  log: (line: string) => void,
): { probes?: (run: ProbedRun) => Probes } {
  const cpus = parseCpuList(readText("/sys/devices/system/cpu/online") ?? "0");
  const names = [...new Set(probes.map(({ name }) => name))];
  const meaning = probes.flatMap(({ name, path, entries, exits, semaphores }) =>
    [...new Set([...entries, ...exits])].map((offset) => ({
      path,
      offset,
      name: names.indexOf(name),
      semaphore: semaphores?.get(offset) ?? 0,
      begins: entries.includes(offset),
      isPoint: semaphores !== undefined,
      isAlone: exits.length === 0 && semaphores !== undefined,
    }))
  );
  const perf = PerfProbes.open(meaning, cpus);
  if (typeof perf === "string") {
    log(`no probes: ${perf}. The command runs without probes`);
    return {};
  }
  return { probes: (run) => new Probes(perf, { names, places: meaning }, run, log) };
}
