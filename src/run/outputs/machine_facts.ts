/**
 * Machine of a run, for the report: facts that show if runs are comparable.
 * @module
 */
import type { Host } from "../../core/machine/host.ts";
import type { Nested } from "../../core/report.ts";

/** Name of the node's processor, as /proc/cpuinfo has it. */
export function processorName(host: Host): string {
  const text = host.readText("/proc/cpuinfo") ?? "";
  const name = /^model name\s*:\s*(.*)$/m.exec(text)?.[1] ??
    (/^CPU implementer\s*:\s*0x41$/m.test(text) ? "Arm processor" : "unknown processor");
  return name.trim().replace(/\s+/g, " ");
}

/** The mapping `machine:`. */
export function machineFacts(host: Host): Nested {
  const { topology } = host;
  return {
    processor: processorName(host),
    packages: topology.count("package"),
    cores: topology.count("core"),
    cpus: topology.count("cpu"),
  };
}
