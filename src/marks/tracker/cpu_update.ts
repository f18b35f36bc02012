/**
 * From open regions to CPUs: what each CPU of a process shows at a step.
 *
 * A CPU shows the most recently entered region that is still open in its process and covers it;
 * without threads that have regions of their own, that is the process's region. Among processes
 * that share a CPU, the last writer wins.
 * @module
 */
import type { CpuStates } from "./cpu_states.ts";
import type { TrackedProcess } from "./process.ts";
import type { Track } from "./track.ts";

/** Writes the states of the CPUs of processes, once a step; keeps its scratch space. */
export class CpuUpdate {
  readonly #cpus: CpuStates;
  /** By CPU: the open track that was entered last, and the last change of any that covers it. */
  readonly #best: (Track | undefined)[];
  readonly #changed: Float64Array;

  constructor(cpus: CpuStates) {
    this.#cpus = cpus;
    this.#best = new Array(cpus.count).fill(undefined);
    this.#changed = new Float64Array(cpus.count);
  }

  /** Brings the CPUs of a process up to date. */
  apply(process: TrackedProcess): void {
    const own = process.track;
    const { threads, retired } = process;
    if (threads.length === 0 && retired.length === 0) {
      for (let k = 0; k < own.cpus.length; k++) {
        this.#cpus.write(own.cpus[k], own.region, own.hint, own.changed);
      }
      return;
    }
    this.#clear(own.cpus);
    for (const thread of threads) if (thread.cpus !== own.cpus) this.#clear(thread.cpus);
    for (const thread of retired) if (thread.cpus !== own.cpus) this.#clear(thread.cpus);
    this.#consider(own);
    for (const thread of threads) this.#consider(thread);
    this.#considerPast(own.cpus, retired);
    this.#write(own.cpus);
    for (const thread of threads) if (thread.cpus !== own.cpus) this.#write(thread.cpus);
    for (const thread of retired) if (thread.cpus !== own.cpus) this.#write(thread.cpus);
  }

  /** Threads that ended have nothing open: of those on all CPUs only the last change matters. */
  #considerPast(cpus: Int32Array, retired: readonly Track[]): void {
    let changed = 0;
    for (const thread of retired) {
      if (thread.cpus !== cpus) this.#consider(thread);
      else if (thread.changed > changed) changed = thread.changed;
    }
    if (changed === 0) return;
    for (let k = 0; k < cpus.length; k++) {
      if (changed > this.#changed[cpus[k]]) this.#changed[cpus[k]] = changed;
    }
  }

  /** The open track of a process that one of its CPUs shows now. */
  static trackAt(process: TrackedProcess, cpu: number): Track | undefined {
    let best = process.track.region >= 0 && process.track.cpus.includes(cpu)
      ? process.track
      : undefined;
    for (const thread of process.threads) {
      if (thread.region < 0 || !thread.cpus.includes(cpu)) continue;
      if (best === undefined || thread.entered > best.entered) best = thread;
    }
    return best;
  }

  #clear(cpus: Int32Array): void {
    for (let k = 0; k < cpus.length; k++) {
      this.#best[cpus[k]] = undefined;
      this.#changed[cpus[k]] = 0;
    }
  }

  #consider(track: Track): void {
    for (let k = 0; k < track.cpus.length; k++) {
      const cpu = track.cpus[k];
      if (track.changed > this.#changed[cpu]) this.#changed[cpu] = track.changed;
      if (track.region < 0) continue;
      const best = this.#best[cpu];
      if (best === undefined || track.entered > best.entered) this.#best[cpu] = track;
    }
  }

  #write(cpus: Int32Array): void {
    for (let k = 0; k < cpus.length; k++) {
      const cpu = cpus[k];
      const best = this.#best[cpu];
      this.#cpus.write(cpu, best?.region ?? -1, best?.hint ?? 0, this.#changed[cpu]);
    }
  }
}
