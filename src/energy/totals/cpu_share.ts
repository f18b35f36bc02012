/**
 * The share of a node's CPUs, or of its busy CPU time, that belongs to a job.
 * @module
 */

/** Minimum busy time, s: shorter is too coarse, as /proc/stat counts in hundredths of a second. */
const MIN_BUSY_S = 1;

/** A share from 0 to 1, and whether busy time or the number of CPUs made it. */
export interface CpuShare {
  readonly share: number;
  readonly by: "busy time" | "CPUs";
}

/**
 * The job's share.
 *
 * @param own CPUs that the job may use.
 * @param all CPUs of the node.
 * @param busyS Busy seconds over the run by CPU number; `undefined`: cannot be read.
 * @returns `undefined` if the job may use every CPU, or none of them is the node's.
 */
export function cpuShare(
  own: ReadonlySet<number>,
  all: readonly number[],
  busyS: readonly number[] | undefined,
): CpuShare | undefined {
  const used = all.filter((cpu) => own.has(cpu));
  if (used.length === 0 || used.length === all.length) return undefined;
  const total = (cpus: readonly number[]) => {
    return cpus.reduce((sum, cpu) => sum + (busyS?.[cpu] ?? NaN), 0);
  };
  const busy = total(all);
  if (busy >= MIN_BUSY_S) return { share: total(used) / busy, by: "busy time" };
  return { share: used.length / all.length, by: "CPUs" };
}

/**
 * Busy seconds by CPU number: all but idle, waiting for I/O, and what the hypervisor gave away.
 * The time of guests is included in the time of users already: proc(5).
 *
 * @param stat The text of /proc/stat; an offline CPU has no line and no entry.
 */
export function busySeconds(stat: string): number[] {
  const busy: number[] = [];
  for (const line of stat.matchAll(/^cpu(\d+) (.*)$/gm)) {
    const [user, nice, system, _idle, _iowait, irq = 0, softirq = 0] = line[2].trim().split(/ +/)
      .map(Number);
    busy[Number(line[1])] = (user + nice + system + irq + softirq) / 100;
  }
  return busy;
}
