/**
 * Sums and metrics of a pass as plain data: what the table prints.
 *
 * @module
 */
import type { RawCorrectionKind } from "../judge.ts";
import { AT_LEAST, CORRECTED } from "../differ.ts";
import { addExact, type Exact, scaled } from "../exact.ts";
import type { NodeTotals, TotalsEntry } from "../totals.ts";
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
  /** Seconds over which the total was counted. */
  readonly seconds: number;
  /** Last, smallest and largest sum over the devices of a sample, in `unit`; NaN without any value. */
  readonly gauge: readonly [last: number, min: number, max: number] | undefined;
  /** Microseconds since the epoch: the last sample that has it. */
  readonly lastUs: number;
  /** Did a counter step back? Is the total a lower limit? */
  readonly isCorrected: boolean;
  readonly isAtLeast: boolean;
}

/** A metric with its value. */
export interface MetricValue {
  readonly name: string;
  readonly unit: string;
  /** NaN if the counters are missing. */
  readonly value: number;
  /** Do only some hosts have the counters, or records enough for a difference? */
  readonly isOfSome: boolean;
  /** Did a counter step back that went into it? Is it a lower limit? */
  readonly isCorrected: boolean;
  readonly isAtLeast: boolean;
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
    readonly metrics: ReadonlyMap<string, MetricValue>;
    readonly cut: number;
  }[];
  readonly counts: Readonly<Record<RawCorrectionKind, number>>;
}

/** All metrics over some nodes. */
export function metricValues(nodes: readonly MetricSums[]): MetricValue[] {
  const there = nodes.filter((node) => node.samples > 0);
  return JOB_METRICS.map(({ name, unit, of }) => {
    for (const node of there) node.seen = 0;
    const value = of(there);
    const flags = there.reduce((all, node) => all | node.seen, 0);
    const isOfSome = value !== value && there.some((node) => Number.isFinite(of([node])));
    return { name, unit, value, isOfSome, ...marksOf(flags) };
  });
}

function marksOf(flags: number): { isCorrected: boolean; isAtLeast: boolean } {
  return { isCorrected: (flags & CORRECTED) !== 0, isAtLeast: (flags & AT_LEAST) !== 0 };
}

/** The rows of a node, by type and key. */
export function tableRows(totals: NodeTotals): RawTableRow[] {
  const byType = Map.groupBy(totals.entries.values(), (entry) => entry.type);
  return [...byType.keys()].sort().flatMap((type) => byType.get(type)!.flatMap(rowsOf));
}

function rowsOf({ type, devices, parts }: TotalsEntry): RawTableRow[] {
  const [only] = devices;
  const device = devices.size === 1 ? only : `(${devices.size} devices)`;
  const rows = new Map<string, RawTableRow>();
  for (const part of parts) {
    part.type.keys.forEach(({ name, kind }, k) => {
      if (kind === "control") return;
      const { name: unit, scale } = part.type.units[k];
      const id = `${name} ${kind} ${unit}`;
      const before = rows.get(id);
      const head = { type, device, key: name, unit, lastUs: part.lastUs };
      if (kind === "gauge") {
        const [last, least, most] = [part.last, part.least, part.most].map((v) => v[k] * scale);
        const [lastBefore, leastBefore, mostBefore] = before?.gauge ?? [NaN, NaN, NaN];
        const gauge = [
          last === last ? last : lastBefore,
          leastBefore <= least || least !== least ? leastBefore : least,
          mostBefore >= most || most !== most ? mostBefore : most,
        ] as const;
        rows.set(id, { ...head, total: undefined, seconds: NaN, gauge, ...marksOf(0) });
        return;
      }
      const total = addExact(before?.total ?? 0, scaled(part.sumOf(k), scale));
      const seconds = (before?.seconds ?? 0) + part.seconds;
      const { isCorrected, isAtLeast } = marksOf(part.flags[k]);
      rows.set(id, {
        ...head,
        total,
        seconds,
        gauge: undefined,
        isCorrected: isCorrected || before?.isCorrected === true,
        isAtLeast: isAtLeast || before?.isAtLeast === true,
      });
    });
  }
  return [...rows.values()];
}
