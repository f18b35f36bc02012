/**
 * The quantities of a node that people and monitoring see: powers, energies, frequencies, temperatures,
 * by portable names, if the node has them.
 * @module
 */
import { type Domain, isInside } from "../../core/machine/domain.ts";
import type { Unit } from "../../core/signal.ts";
import type { Batch, NameTable } from "./batch.ts";

/** A quantity, true on every node. */
export interface QuantityRow {
  /** On a page, at most 15 characters. */
  readonly title: string;
  /** Name as part of a metric's name. */
  readonly name: string;
  readonly signal: string;
  readonly domain: Domain;
  readonly unit: Unit;
  /** Kind of metric: a value is a counter only if it never falls. */
  readonly kind: "counter" | "gauge";
}

const row = (
  ...[title, name, signal, domain, unit]: [string, string, string, Domain, Unit]
): QuantityRow => ({ title, name, signal, domain, unit, kind: unit === "J" ? "counter" : "gauge" });

/** In the order of a page. */
export const QUANTITIES: readonly QuantityRow[] = [
  row("node power", "power", "BOARD_POWER", "board", "W"),
  row("package power", "package_power", "CPU_POWER", "package", "W"),
  row("memory power", "memory_power", "DRAM_POWER", "package", "W"),
  row("GPU power", "gpu_power", "GPU_POWER", "gpu", "W"),
  row("package limit", "package_power_limit", "CPU_POWER_LIMIT_CONTROL", "package", "W"),
  row("GPU limit", "gpu_power_limit", "GPU_POWER_LIMIT_CONTROL", "gpu", "W"),
  row("frequency", "frequency", "CPU_FREQUENCY_STATUS", "package", "Hz"),
  row("temperature", "temperature", "CPU_PACKAGE_TEMPERATURE", "package", "°C"),
  row("GPU temperature", "gpu_temperature", "GPU_TEMPERATURE", "gpu", "°C"),
  row("GPU frequency", "gpu_frequency", "GPU_CORE_FREQUENCY_STATUS", "gpu", "Hz"),
  row("GPU use", "gpu_use_ratio", "GPU_UTILIZATION", "gpu", ""),
  row("CPU use", "cpu_use_ratio", "CPU_BUSY", "board", ""),
  row("node energy", "energy", "BOARD_ENERGY", "board", "J"),
  row("package energy", "package_energy", "CPU_ENERGY", "package", "J"),
  row("memory energy", "memory_energy", "DRAM_ENERGY", "package", "J"),
  row("GPU energy", "gpu_energy", "GPU_ENERGY", "gpu", "J"),
];

/**
 * Quantities of throttling: time lost to power limits, and reasons why GPUs are slower than they
 * could be.
 */
export const HOLDS: readonly QuantityRow[] = [
  row("throttled", "throttled", "MSR::PKG_PERF_STATUS:THROTTLE_TIME", "package", "s"),
  row("GPU throttled", "gpu_throttled", "NVML::GPU_CORE_THROTTLE_REASONS", "gpu", ""),
];

/** A quantity that this node has. */
export interface Quantity extends QuantityRow {
  readonly handles: readonly number[];
  readonly quality: string;
}

/** Requests from a batch those that the node has. */
export function pushQuantities(
  batch: Batch,
  { table, count }: { table: NameTable; count(domain: Domain): number },
  rows: readonly QuantityRow[] = QUANTITIES,
): Quantity[] {
  return rows.flatMap((row) => {
    const resolved = table.resolve(row.signal);
    if (resolved.kind !== "offered" && resolved.kind !== "derived") return [];
    const { row: own, quality } = resolved.signal;
    // A recording may have another domain, as `memory` for DRAM_ENERGY.
    const domain = isInside(own.domain, row.domain) ? row.domain : own.domain;
    const handles = Array.from(
      { length: count(domain) },
      (_, i) => batch.pushSignal(row.signal, domain, i),
    );
    return [{ ...row, domain, handles, quality }];
  });
}
