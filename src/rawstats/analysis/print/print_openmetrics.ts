/**
 * Sums of raw stats as OpenMetrics text 1.0: of a counter its growth, of a gauge its last value. Gauges of
 * devices that have gone before the last sample of their type are left out, so that sums over devices are right.
 *
 * Families are `rawstats_TYPE_KEY_UNIT`, labels host, device and, for one job, its id.
 * @module
 */
import { escapedLabel } from "../../../formats/metrics.ts";
import type { RawAnalysisTable } from "./tables.ts";

const UNITS: Readonly<Record<string, readonly [name: string, factor: number]>> = {
  B: ["bytes", 1],
  cs: ["seconds", 0.01],
  ms: ["seconds", 0.001],
  us: ["seconds", 1e-6],
  mW: ["watts", 0.001],
  W: ["watts", 1],
};

/** The whole text of a table whose rows are of single devices. */
export function printOpenMetrics({ nodes, job }: RawAnalysisTable): string {
  const families = new Map<string, string[]>();
  const id = job === undefined ? "" : `,job=${label(job)}`;
  for (const { host, rows, lastUs } of nodes) {
    const lastOf = new Map<string, number>();
    for (const row of rows) {
      lastOf.set(row.type, Math.max(row.lastUs, lastOf.get(row.type) ?? -Infinity));
    }
    for (const { type, device, key, unit, total, gauge, lastUs: rowUs } of rows) {
      const [unitName, factor] = UNITS[unit] ?? ["", 1];
      const plain = `rawstats_${type}_${key}`.replace(/[^A-Za-z0-9_]/g, "_");
      const family = unitName === "" ? plain : `${plain}_${unitName}`;
      const isCounter = total !== undefined;
      const value = total ?? gauge![0];
      if (value !== value || !isCounter && rowUs < lastOf.get(type)!) continue;
      const lines = families.getOrInsertComputed(family, () => [
        `# TYPE ${family} ${isCounter ? "counter" : "gauge"}`,
        ...unitName === "" ? [] : [`# UNIT ${family} ${unitName}`],
        `# HELP ${family} ${type} ${key} of raw stats`,
      ]);
      const amount = factor === 1 ? value : Number(value) * factor;
      const labels = `host=${label(host)},device=${label(device)}${id}`;
      lines.push(`${family}${isCounter ? "_total" : ""}{${labels}} ${amount} ${lastUs / 1e6}`);
    }
  }
  const sorted = [...families].sort(([a], [b]) => a < b ? -1 : 1);
  return sorted.map(([, lines]) => lines.join("\n") + "\n").join("") + "# EOF\n";
}

function label(text: string): string {
  return `"${escapedLabel(text)}"`;
}
