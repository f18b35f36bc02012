/**
 * The job's share of the package energy where others may run on the node beside it.
 *
 * Which CPUs are the job's: those of its control group of version 2, else those that the
 * commands of its launch may run on. What the share is worth: docs/explanation/how-sure.md.
 * @module
 */
import { busySeconds, cpuShare } from "../../energy/totals/cpu_share.ts";
import { parseCpuList } from "../../core/machine/cpu_list.ts";
import type { Host } from "../../core/machine/host.ts";
import type { ReportHost } from "../../core/report.ts";

const MOUNT = "/sys/fs/cgroup";
const STAT = "/proc/stat";
const MASK = "the command's affinity mask";

/** Measures the share over one run. */
export class JobShare {
  readonly #host: Host;
  readonly #own: ReadonlySet<number>;
  readonly #foundBy: string;
  readonly #before: readonly number[];

  /** @returns `undefined` where the job may use every CPU of the node. */
  static begin(host: Host, affinity: readonly number[]): JobShare | undefined {
    const all = host.topology.cpus("board", 0);
    const covers = (own: ReadonlySet<number>) => all.every((cpu) => own.has(cpu));
    const group = new Set(groupCpus(host) ?? all);
    if (!covers(group)) return new JobShare(host, group, "its control group's cpuset");
    const mask = new Set(affinity);
    // CPUs that the node does not have: the tree is not of the machine that the command runs on.
    if (affinity.some((cpu) => host.topology.indexOfCpu("board", cpu) < 0)) return undefined;
    return covers(mask) ? undefined : new JobShare(host, mask, MASK);
  }

  private constructor(host: Host, own: ReadonlySet<number>, foundBy: string) {
    [this.#host, this.#own, this.#foundBy] = [host, own, foundBy];
    this.#before = busySeconds(host.readText(STAT) ?? "");
  }

  /**
   * Adds the key and how it came about; nothing where the share is 1 or there is no counter.
   *
   * @param hasPackage Is the package's energy measured?
   * @param more CPUs that other commands of the launch may run on.
   */
  addTo(host: ReportHost, hasPackage: boolean, more: Iterable<number>): void {
    const own = this.#foundBy === MASK ? this.#own.union(new Set(more)) : this.#own;
    const all = this.#host.topology.cpus("board", 0);
    const busyS = busySeconds(this.#host.readText(STAT) ?? "").map((after, cpu) => {
      return after - this.#before[cpu];
    });
    const found = cpuShare(own, all, busyS);
    if (found === undefined || !(found.share < 1) || !hasPackage) return;
    const energyJ = found.share * Number(host.application["package-energy (J)"]);
    host.application["joulemark-package-energy-job-share (J)"] = energyJ;
    (host.joulemark ??= {})["job share"] = {
      share: Number(found.share.toPrecision(6)),
      method: found.by === "busy time"
        ? `busy time of the job's CPUs in that of the node's, ${STAT}`
        : `the job's CPUs in the node's; busy time in ${STAT} is absent or under 1 s`,
      cpus: `${all.filter((cpu) => own.has(cpu)).length} of ${all.length}`,
      "cpus found by": this.#foundBy,
    };
  }
}

/** CPUs of the control group; a group without the controller has those of the one above. */
function groupCpus(host: Host): number[] | undefined {
  let path = /^0::(\/.*)$/m.exec(host.readText("/proc/self/cgroup") ?? "")?.[1];
  if (path === undefined || `${path}/`.includes("/../")) return undefined;
  for (;;) {
    path = path.replace(/\/$/, "");
    const text = host.readText(`${MOUNT}${path}/cpuset.cpus.effective`)?.trim();
    if (text) {
      try {
        return parseCpuList(text);
      } catch {
        return undefined;
      }
    }
    if (path === "") return undefined;
    path = path.slice(0, path.lastIndexOf("/"));
  }
}
