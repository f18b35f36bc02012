/**
 * Energy counter that a die shows: one rule for zones, registers and perf events.
 *
 * A package of AMD or Hygon has one counter, which each of its dies repeats. Of a package of Intel
 * each die has a counter of its own, and the package is their sum. Truth: "RAPL Package energy
 * counter scope" in arch/x86/events/rapl.c.
 * @module
 */
import type { Host } from "../../core/machine/host.ts";
import { identify } from "./processor.ts";

/**
 * Name of the counter that a die of a package shows; equal names are one counter.
 *
 * @param die The kernel's number of the die within its package.
 */
export function counterOfDie(host: Host, packageIndex: number, die: number): string {
  return identify(host).vendor === "amd" ? `${packageIndex}` : `${packageIndex}/${die}`;
}

/** Name of the counter of a CPU's package, or of its die; `undefined` for a CPU that is offline. */
export function counterOfCpu(host: Host, cpu: number): string | undefined {
  const place = host.topology.places[cpu] ?? undefined;
  return place && counterOfDie(host, place.package, place.dieId ?? 0);
}

/** CPUs by counter of a package, ascending: each list is the CPUs on which one counter can be read. */
export function cpusOfCounters(host: Host, packageIndex: number): number[][] {
  const cpus = host.topology.cpus("package", packageIndex);
  return [...Map.groupBy(cpus, (cpu) => counterOfCpu(host, cpu)).values()];
}
