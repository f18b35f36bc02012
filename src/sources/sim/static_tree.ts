/**
 * Constant files of a simulated node's tree: topology, processor, kernel, frequencies.
 *
 * Files as Linux has them: Documentation/admin-guide/cputopology.rst and
 * Documentation/admin-guide/pm/cpufreq.rst.
 * @module
 */
import type { SimSpec } from "./spec.ts";
import { putLines, type TreeWriter } from "./tree_writer.ts";

const CPU_DIR = "/sys/devices/system/cpu";

/** Writes it. @param cpus Of the node. @param packageOf Package of a CPU. */
export function writeStaticTree(
  spec: SimSpec,
  writer: TreeWriter,
  cpus: number,
  packageOf: (cpu: number) => number,
): void {
  const cores = spec.packages * spec.coresPerPackage;
  const all = Array.from({ length: cpus }, (_, cpu) => cpu);
  const range = cpus === 1 ? "0" : `0-${cpus - 1}`;
  const list = (member: (cpu: number) => boolean) => all.filter(member).join(",");
  putLines(writer, CPU_DIR, { online: range, present: range, possible: range });
  const khz = (factor: number) => Math.round((spec.baseHz * factor) / 1e8) * 100000;
  for (const cpu of all) {
    const dir = `${CPU_DIR}/cpu${cpu}`;
    const inPackage = (other: number) => packageOf(other) === packageOf(cpu);
    putLines(writer, `${dir}/topology`, {
      physical_package_id: packageOf(cpu),
      die_id: 0,
      core_id: cpu % spec.coresPerPackage,
      thread_siblings_list: list((other) => other % cores === cpu % cores),
      core_siblings_list: list(inPackage),
      package_cpus_list: list(inPackage),
    });
    putLines(writer, `${dir}/cpufreq`, {
      base_frequency: khz(1),
      cpuinfo_min_freq: khz(0.35),
      cpuinfo_max_freq: khz(1.4),
      scaling_min_freq: khz(0.35),
      scaling_max_freq: khz(1.4),
      scaling_driver: "intel_pstate",
      scaling_governor: "performance",
    });
  }
  const nodes = Array.from({ length: spec.packages }, (_, pkg) => pkg);
  for (const pkg of nodes) {
    putLines(writer, `/sys/devices/system/node/node${pkg}`, {
      cpulist: list((cpu) => packageOf(cpu) === pkg),
      distance: nodes.map((other) => other === pkg ? 10 : 21).join(" "),
    });
  }
  writer.put("/proc/cpuinfo", all.map((cpu) => cpuinfo(spec, cpu, packageOf(cpu))).join("\n"));
  putLines(writer, "/proc/sys/kernel", {
    hostname: spec.hostname,
    ostype: "Linux",
    osrelease: "6.1.0-simulated",
    version: "#1 SMP joulemark simulated node",
    arch: "x86_64",
  });
  writer.put("/.root.json", JSON.stringify({ simulated: true, seed: spec.seed }) + "\n");
}

/** An Ice Lake server by its numbers, which decide the units of registers; by name what it is. */
function cpuinfo(spec: SimSpec, cpu: number, pkg: number): string {
  const ghz = (spec.baseHz / 1e9).toFixed(2);
  return `processor\t: ${cpu}
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 106
model name\t: joulemark simulated processor @ ${ghz}GHz
stepping\t: 6
physical id\t: ${pkg}
siblings\t: ${spec.coresPerPackage * spec.threadsPerCore}
core id\t\t: ${cpu % spec.coresPerPackage}
cpu cores\t: ${spec.coresPerPackage}
flags\t\t: fpu tsc msr apic constant_tsc nonstop_tsc aperfmperf
`;
}
