/**
 * Takes the records of a step out of every process, through its filter, in order of pid.
 *
 * Epochs reach the CPUs here, at the step, as in GEOPM: the last process that reports one for a CPU
 * wins. The command that stands in for a run without marks is recorded when it ends, so that a run
 * with marks never shows it.
 * @module
 */
import { EVENT, type RecordList } from "../../core/record.ts";
import type { CpuStates } from "./cpu_states.ts";
import type { TrackedProcess } from "./process.ts";
import type { Track } from "./track.ts";

/** Empties the windows of all tracks into one list. */
export function collectRecords(
  processes: readonly TrackedProcess[],
  out: RecordList,
  cpus: CpuStates,
): void {
  for (let i = 0; i < processes.length; i++) {
    const process = processes[i];
    if (process.command && process.end === "running") continue;
    const from = out.length;
    if (process.filter === undefined) take(process.track, out);
    else filter(process, out);
    spreadEpochs(process, out, from, cpus);
    for (let k = 0; k < process.retired.length; k++) take(process.retired[k], out);
    for (let k = 0; k < process.threads.length; k++) take(process.threads[k], out);
    process.track.nextWindow();
    for (let k = 0; k < process.threads.length; k++) process.threads[k].nextWindow();
  }
}

function take(track: Track, out: RecordList): void {
  for (let i = 0; i < track.records.length; i++) out.copy(track.records, i);
}

function filter(process: TrackedProcess, out: RecordList): void {
  const records = process.track.records;
  for (let i = 0; i < records.length; i++) {
    const event = records.event[i];
    if (event === EVENT.EPOCH_COUNT) continue;
    out.copy(records, i);
    const hash = records.signal[i];
    const epoch = event === EVENT.REGION_ENTRY
      ? process.filter!.onEntry(hash)
      : event === EVENT.SHORT_REGION
      ? process.filter!.onVisits?.(hash, records.visits[i]) ?? 0
      : 0;
    if (epoch > 0) out.push(records.timeNs[i], process.pid, EVENT.EPOCH_COUNT, epoch);
  }
}

function spreadEpochs(
  process: TrackedProcess,
  out: RecordList,
  from: number,
  cpus: CpuStates,
): void {
  const of = process.track.cpus;
  for (let i = from; i < out.length; i++) {
    if (out.event[i] !== EVENT.EPOCH_COUNT) continue;
    for (let k = 0; k < of.length; k++) cpus.epoch[of[k]] = out.signal[i];
  }
}
