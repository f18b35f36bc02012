/**
 * Sums and metrics of raw stats for people.
 *
 * @module
 */
import { printable } from "../../../core/printable.ts";
import type { RawAnalysisTable } from "./tables.ts";

/** A number in at most nine places. */
function shortNumber(value: number): string {
  if (value !== value) return "-";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const text = value.toPrecision(6);
  return text.includes("e") ? text.replace(/\.?0+e/, "e") : text.replace(/\.?0+$/, "");
}

const AT_LEAST_SIGN = "≥";

/** A value with its marks: a lower limit, and one that a correction went into. */
function marked(
  text: string,
  { isCorrected, isAtLeast }: { isCorrected: boolean; isAtLeast: boolean },
): string {
  if (text === "-") return text;
  return `${isAtLeast ? AT_LEAST_SIGN : ""}${text}${isCorrected ? "*" : ""}`;
}

/** Columns under each other, two blanks between; the last one is truncated if it is too wide. */
export function columns(rows: readonly (readonly string[])[], most = Infinity): string {
  const widths = (rows[0] ?? []).map((_, k) => Math.max(...rows.map((row) => row[k].length)));
  return rows.map((row) => {
    const cells = row.map((cell, k) => k === row.length - 1 ? cell : cell.padEnd(widths[k]));
    const line = printable(cells.join("  ").trimEnd());
    return (line.length > most ? line.slice(0, most - 1) + "…" : line) + "\n";
  }).join("");
}

/** The whole table of one pass. */
export function printRawTable(table: RawAnalysisTable): string {
  let text = "";
  for (const node of table.nodes) {
    const span = `${node.samples} samples in ${shortNumber(node.seconds)} s`;
    text += `${node.host}: ${span}${table.job === undefined ? "" : `, job ${table.job}`}\n\n`;
    const rows = [["TYPE", "DEVICE", "KEY", "UNIT", "TOTAL", "RATE", "GAUGE (LAST MIN MAX)"]];
    for (const row of node.rows) {
      const { total: sum, seconds } = row;
      const hasValue = row.gauge !== undefined && row.gauge.every((value) => value === value);
      const gauge = hasValue ? row.gauge.map(shortNumber).join(" ") : "-";
      const total = sum === undefined ? "-" : marked(String(sum), row);
      const perSecond = seconds > 0 ? Number(sum) / seconds : NaN;
      const rate = sum === undefined ? "-" : marked(shortNumber(perSecond), row);
      const last = row.gauge === undefined ? "" : gauge;
      rows.push([row.type, row.device, row.key, row.unit || "-", total, rate, last]);
    }
    text += columns(rows) + "\n";
  }
  const metrics = table.metrics.filter(({ value }) => value === value);
  const unknown = table.metrics.filter(({ value }) => value !== value);
  const [partial, missing] = [true, false].map((is) =>
    unknown.filter(({ isOfSome }) => isOfSome === is).map(({ name }) => name).join(" ")
  );
  if (metrics.length > 0) {
    const rows = [["METRIC", "VALUE", "UNIT"]];
    for (const m of metrics) rows.push([m.name, marked(shortNumber(m.value), m), m.unit]);
    text += columns(rows);
  }
  if (partial !== "") text += wrap(`known on some hosts only: ${partial}`) + "\n";
  const why = table.nodes.every(({ samples }) => samples < 2)
    ? "not known from one record"
    : "without counters here";
  if (missing !== "") text += wrap(`${why}: ${missing}`) + "\n";
  if (table.jobs.length > 0) {
    const rows = [["JOB", "HOSTS", "SECONDS", "CORES", "GFLOP/S", "GIB/S", "PACKAGE W", "NOTE"]];
    for (const job of table.jobs) {
      const of = (name: string) => {
        const metric = job.metrics.get(name);
        return metric === undefined ? "-" : marked(shortNumber(metric.value), metric);
      };
      rows.push([
        job.id,
        String(job.hosts),
        shortNumber(job.seconds),
        of("avg_cpuusage"),
        of("avg_flops"),
        of("avg_mbw"),
        of("package_power"),
        job.cut > 0 ? `begin or end mark missing on ${job.cut} of its hosts` : "",
      ]);
    }
    text += columns(rows);
  }
  const { wrap: wraps, reset, dip } = table.counts;
  if (text.includes(AT_LEAST_SIGN)) {
    text += wrap(
      `${AT_LEAST_SIGN}: at least this value, because an energy register may have overflowed between ` +
        `two records, or is not in all of them`,
    ) + "\n";
  }
  if (/[\d]\*/.test(text)) text += "*: calculated from at least one counter that decreased\n";
  return text +
    `decreases of counters: ${wraps} wraps corrected, ${dip} dips left out, ${reset} resets\n`;
}

function wrap(text: string): string {
  let line = "";
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    if (line.length + word.length > 78) {
      lines.push(line.trimEnd());
      line = "  ";
    }
    line += word + " ";
  }
  return [...lines, line.trimEnd()].join("\n");
}
