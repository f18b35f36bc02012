/**
 * Sums and metrics of a pass as plain data: what the table prints.
 *
 * @module
 */
import type { RawCorrectionKind } from "../judge.ts";
import { type DeviceTotals, type NodeTotals, sumOf } from "../totals.ts";
import { type Exact, scaled } from "../exact.ts";
import type { MetricSums } from "../metric_sums.ts";
import { JOB_METRICS } from "../metrics.ts";

/** One line of the table. */
export interface RawTableRow {
  readonly type: string;
  /** `-` also for the sum over devices. */
  readonly device: string;
  readonly key: string;
  readonly unit: string;
  /** In `unit`; `undefined` for gauges and control registers. */
  readonly total: Exact | undefined;
  /** Per second. */
  readonly rate: number;
  /** Last, least and greatest value, in `unit`. */
  readonly gauge: readonly [number, number, number] | undefined;
}

/** A metric with its value. */
export interface MetricValue {
  readonly name: string;
  readonly unit: string;
  /** NaN where the counters are missing. */
  readonly value: number;
}

/** One job's tables. */
export interface RawAnalysisTable {
  readonly job: string | undefined;
  readonly nodes: readonly {
    readonly host: string;
    readonly samples: number;
    readonly seconds: number;
    /** Microseconds since the epoch: the last sample. */
    readonly lastUs: number;
    readonly rows: readonly RawTableRow[];
  }[];
  readonly metrics: readonly MetricValue[];
  readonly jobs: readonly {
    readonly id: string;
    readonly hosts: number;
    readonly seconds: number;
    readonly metrics: ReadonlyMap<string, number>;
    readonly cut: number;
  }[];
  readonly counts: Readonly<Record<RawCorrectionKind, number>>;
}

/** All metrics over some nodes. */
export function metricValues(nodes: readonly MetricSums[]): MetricValue[] {
  const there = nodes.filter((node) => node.samples > 0);
  return JOB_METRICS.map(({ name, unit, of }) => ({ name, unit, value: of(there) }));
}

/**
 * The rows of a node, by type and key.
 *
 * @param perDevice One row per device instead of the sum over devices.
 */
export function tableRows(totals: NodeTotals, perDevice: boolean): RawTableRow[] {
  const byType = Map.groupBy(totals.list, (device) => device.counters.type.schema.type);
  return [...byType.keys()].sort().flatMap((type) => {
    const devices = byType.get(type)!;
    return perDevice
      ? devices.flatMap((device) => rowsOf(type, [device], device))
      : rowsOf(type, devices, devices[0]);
  });
}

function rowsOf(type: string, devices: DeviceTotals[], first: DeviceTotals): RawTableRow[] {
  const { keys, units } = first.counters.type;
  const same = devices.filter((d) => d.counters.type === first.counters.type);
  const count = devices.reduce((n, device) => n + device.devices, 0);
  const device = count === 1 ? first.counters.device : `(${count} devices)`;
  const rows: RawTableRow[] = [];
  keys.forEach((key, k) => {
    if (key.kind === "control") return;
    const { name: unit, scale } = units[k];
    if (key.kind === "gauge") {
      const add = (of: (d: DeviceTotals) => number) => same.reduce((n, d) => n + of(d), 0) * scale;
      const gauge = [add((d) => d.last[k]), add((d) => d.least[k]), add((d) => d.most[k])] as const;
      rows.push({ type, device, key: key.name, unit, total: undefined, rate: NaN, gauge });
      return;
    }
    const sums = same.map((d) => scaled(sumOf(d, k), scale));
    const wide = sums.some((sum) => typeof sum === "bigint");
    const total = wide
      ? sums.reduce((n: bigint, sum) => n + BigInt(sum), 0n)
      : sums.reduce((n: number, sum) => n + Number(sum), 0);
    const seconds = same.reduce((most, d) => Math.max(most, d.seconds), 0);
    const rate = seconds > 0 ? Number(total) / seconds : NaN;
    rows.push({ type, device, key: key.name, unit, total, rate, gauge: undefined });
  });
  return rows;
}
