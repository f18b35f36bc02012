/**
 * The end-of-job card: what a run cost, on twenty lines of a terminal.
 *
 * Pure: a report in, text out, so that what is read from the report's file makes the same card. One
 * estimator a row: energy, its error and power are those of the report's tree, or GEOPM's sampled
 * ones where there is no other; the column names the estimator. A figure without a source reads "not measured"
 * and why; nothing simulated is shown without the word.
 * @module
 */
import { absenceOf, isStillReason, type JobTotals, reportTotals } from "../../core/job_totals.ts";
import { printable } from "../../core/printable.ts";
import { ENERGY_KINDS, type EnergyKind, type TreeRow } from "../../core/region_tree.ts";
import { isMapping, type Nested, numberOf, type Report } from "../../core/report.ts";
import { type RegionRows, regionRows } from "../../core/region_rows.ts";
import { simulatedBy } from "../../core/simulated.ts";
import { functionLines } from "./card_functions.ts";
import { count, quantity, time, withError } from "./card_text.ts";

const WIDTH = 78;
const MAX_LINES = 20;
const MAX_NOTES = 3;
/** Regions shown where there is room; the report has all. */
const MAX_ROWS = 8;
const LABELS: Readonly<Record<EnergyKind, string>> = {
  node: "node",
  package: "package",
  dram: "memory",
  gpu: "GPU",
};
const KWH_FROM_J = 3.6e5;

/** What the card prints beside the report. */
export interface CardOptions {
  /** Where the report went; `undefined` when it could not be written. */
  readonly reportPath?: string;
}

/** The card of a report, of one host or of a whole job; lines ending in LF. */
export function card(report: Report, { reportPath }: CardOptions = {}): string {
  const top = [head(report), ...totals(report), ...spread(report)];
  const bottom = [
    ...overhead(report),
    ...notes(report),
    ...(reportPath === undefined ? [] : [`report ${printable(reportPath)}`]),
  ];
  const table = regionRows(report);
  // The table takes what is left, but for its heading, what is left out, and unmarked.
  const room = MAX_LINES - top.length - bottom.length - 4;
  const steps = stepLines(report);
  const middle = table.rows.length === 0 && steps.length > 0 ? steps : [
    ...(table.rows.length === 0
      ? spanLines(report, Math.min(MAX_ROWS, Math.max(1, room))) ?? withoutRegions(report)
      : tableLines(table, Math.min(MAX_ROWS, Math.max(1, room)))),
    ...steps,
  ];
  const lines = [...top, ...middle, ...functionLines(report), ...bottom];
  return lines.map((line) => line.slice(0, 400) + "\n").join("");
}

function head(report: Report): string {
  const name = printable(report.profile).slice(0, 40);
  const { hosts } = report;
  const where = hosts.length === 1 ? printable(hosts[0].host) : `${hostCount(report)} nodes`;
  const simulated = simulatedBy(report);
  const text = `--- ${name} on ${where} `.slice(0, WIDTH - 4);
  const room = WIDTH - text.length - 6;
  const label = simulated === undefined ? "" : printable(simulated);
  const short = label.length > room ? `${label.slice(0, Math.max(9, room - 3))}...` : label;
  const marked = simulated === undefined ? text : `${text}[${short}] `;
  return marked + "-".repeat(Math.max(3, WIDTH - marked.length));
}

function hostCount(report: Report): number {
  const { hosts } = report.joulemark ?? {};
  return typeof hosts === "number" ? hosts : report.hosts.length;
}

function totals(report: Report): string[] {
  const found = reportTotals(report);
  const [host] = report.hosts;
  if (report.hosts.length !== 1 && Number.isNaN(found.seconds)) return [];
  const lines = [`time    ${time(found.seconds)}${edp(found)}`];
  for (const kind of ENERGY_KINDS) {
    const total = found.components.get(kind);
    const label = LABELS[kind].padEnd(8);
    if (total === undefined) {
      const reason = host === undefined ? undefined : absenceOf(host, kind);
      if (isStillReason(reason)) {
        // Its source is in the report.
        lines.push(`${label}not measured: ${reason.split(": ")[0]}`);
        continue;
      }
      // An absent counter gets a line only where no other covers it.
      if (kind !== "package" || reason === undefined || found.components.size > 0) continue;
      const [first] = printable(reason).split(";");
      lines.push(...wrapped(`${label}not measured: ${first}; more by joulemark doctor`));
      continue;
    }
    const parts = [`${label}${quantity(total.joules, "J").padStart(8)}`];
    if (total.covers !== "") {
      const covered = `${parts[0]} of ${printable(total.covers)}`;
      lines.push(`${covered}  ${quantity(total.meanW, "W")} while measured`);
      continue;
    }
    if (total.joules >= KWH_FROM_J) parts.push(quantity(total.joules / 3.6e6, "kWh"));
    parts.push(`mean ${quantity(total.meanW, "W")}`);
    if (Number.isFinite(total.peakW)) parts.push(`peak ${quantity(total.peakW, "W")}`);
    if (Number.isFinite(total.peakAtMostW)) {
      parts.push(`peak at most ${quantity(total.peakAtMostW, "W")}`);
    }
    if (Number.isFinite(total.netJ)) {
      parts.push(`idle ${quantity(total.idleJ, "J")}, net ${quantity(total.netJ, "J")}`);
    }
    lines.push(parts.join("  "));
  }
  return lines;
}

/** The range of the hosts of a job, by its most inclusive component. */
function spread(report: Report): string[] {
  const { totals } = report.joulemark ?? {};
  if (hostCount(report) < 2 || !isMapping(totals)) return [];
  const kind = ENERGY_KINDS.find((kind) => isMapping(totals[kind]));
  const fields = kind === undefined ? undefined : totals[kind];
  if (!isMapping(fields)) return [];
  const [least, most, mean] = ["least", "most", "mean"].map((word) => {
    return quantity(Number(fields[`host ${word} (J)`] ?? NaN), "J");
  });
  const [low, high] = ["host least", "host most"].map((key) => printable(String(fields[key])));
  return [`hosts   ${least} (${low}) to ${most} (${high}), mean ${mean}`];
}

function edp({ edp }: JobTotals): string {
  return Number.isFinite(edp) ? `  energy x time ${quantity(edp, "J s")}` : "";
}

/** The log of steps that the run left. */
function stepLines(report: Report): string[] {
  const { hosts } = report;
  const steps = hosts.length === 1 ? hosts[0].joulemark?.steps : undefined;
  if (!isMapping(steps)) return [];
  const [count, of, file] = ["count", "of", "file"].map((key) => printable(String(steps[key])));
  return wrapped(`steps   ${count} by ${of}: joulemark pmc ${file}`);
}

/** Spans of a run that has no regions, those with most time first; `undefined`: there are none either. */
function spanLines({ hosts }: Report, most: number): string[] | undefined {
  const spans = new Map<string, { count: number; timeS: number }>();
  for (const { joulemark } of hosts) {
    for (const fields of Array.isArray(joulemark?.spans) ? joulemark.spans : []) {
      if (!isMapping(fields)) continue;
      const all = spans.getOrInsertComputed(String(fields.span), () => ({ count: 0, timeS: 0 }));
      all.count += numberOf(fields.count);
      all.timeS += numberOf(fields["time (s)"]);
    }
  }
  if (spans.size === 0) return undefined;
  const rows = [...spans].sort(([, a], [, b]) => b.timeS - a.timeS).slice(0, most);
  const more = spans.size - rows.length;
  return [
    line(["span (no energy)", "visits", "time"]),
    ...rows.map(([name, { count: n, timeS }]) => line([printable(name), count(n), time(timeS)])),
    ...more > 0 ? [`... and ${more} more in the report`] : [],
  ];
}

/** What to do, where a note does not tell it. */
function withoutRegions({ hosts: [host] }: Report): string[] {
  const isTold = listOf(host?.joulemark?.notes).some((note) => note.startsWith("--preload:"));
  const remedy = isTold ? "" : "joulemark run --preload LIST, ";
  return [`no region was marked; ${remedy}joulemark client --help`];
}

/** The text for one that cannot be determined. */
const ABOUT = "~";
const NAME_WIDTH = 22;

function tableLines(table: RegionRows, most: number): string[] {
  const { kinds, rows, leftOut, outside, method } = table;
  // The first with its error and power, one more beside it; the report has all.
  const [main, beside] = kinds;
  const joulesOf = (row: TreeRow, kind: EnergyKind, hasError: boolean): string => {
    const energy = row.energies.get(kind);
    if (energy === undefined) return "-";
    const { joules, seJ, exactJ } = energy;
    if (!Number.isNaN(joules)) {
      return hasError ? withError(joules, seJ, "J") : quantity(joules, "J");
    }
    return (method === "fit" ? ABOUT : "") + quantity(exactJ, "J");
  };
  const cells = (row: TreeRow): string[] => [
    indented(row),
    Number.isNaN(row.count) ? "" : count(row.count),
    time(row.runtimeS),
    ...(main === undefined
      ? []
      : [joulesOf(row, main, true), quantity(row.energies.get(main)?.powerW ?? NaN, "W")]),
    ...(beside === undefined ? [] : [joulesOf(row, beside, false)]),
  ];
  const by = { sampled: ", sampled", exact: ", by edges", fit: "" }[method];
  const lines = [line([
    ...["region", "visits", "time"],
    ...(main === undefined ? [] : [LABELS[main] + by, "power"]),
    ...(beside === undefined ? [] : [LABELS[beside]]),
  ])];
  const shown = largest(rows, most);
  for (const row of shown) lines.push(line(cells(row)));
  const more = leftOut + rows.length - shown.length;
  if (more > 0) lines.push(`... and ${more} more in the report`);
  for (const row of outside) lines.push(line(cells(row)));
  return lines;
}

/** Rows with most time, each below the rows that it is in, in their order: others may be in a small tree. */
function largest(rows: readonly TreeRow[], most: number): TreeRow[] {
  if (rows.length <= most) return [...rows];
  const parents: number[] = [];
  /** By depth, the row that the next one may be in. */
  const around: number[] = [];
  rows.forEach(({ depth }, i) => {
    parents.push(depth === 0 ? -1 : around[depth - 1] ?? -1);
    around[depth] = i;
  });
  const timeOf = (i: number) => rows[i].runtimeS || 0;
  const byTime = rows.map((_, i) => i).sort((a, b) => timeOf(b) - timeOf(a) || a - b);
  const shown = new Set<number>();
  for (const i of byTime) {
    const line = [];
    for (let at = i; at >= 0 && !shown.has(at); at = parents[at]) line.push(at);
    if (shown.size + line.length <= most) line.forEach((at) => shown.add(at));
  }
  return rows.filter((_, i) => shown.has(i));
}

/** The innermost names matter most: what is too long loses its end. */
function indented({ depth, region }: TreeRow): string {
  return "  ".repeat(Math.min(depth, 6)) + printable(region);
}

function line([name, ...rest]: string[]): string {
  const widths = [7, 9, 17, 8, 10];
  const isWide = rest.length < 5;
  const own = name.slice(0, isWide ? NAME_WIDTH + 10 : NAME_WIDTH).padEnd(NAME_WIDTH);
  return [own, ...rest.map((cell, i) => cell.padStart(widths[i]))].join(" ").trimEnd();
}

/** What the monitor cost, and how the sampling went, of the host that took most. */
function overhead(report: Report): string[] {
  let most: { cpuS: number; percent: number; simulated: number } | undefined;
  for (const { joulemark } of report.hosts) {
    const cost = joulemark?.overhead;
    if (!isMapping(cost)) continue;
    const cpuS = numberOf(cost["cpu (s)"]), share = numberOf(cost["cpu (% of a core)"]);
    const simulated = numberOf(cost["simulated counters (% of a core)"]);
    if (!Number.isFinite(cpuS) || share <= (most?.percent ?? -1)) continue;
    most = { cpuS, percent: share, simulated };
  }
  if (most === undefined) return [];
  const where = report.hosts.length > 1 ? " at most" : "";
  const apart = Number.isNaN(most.simulated)
    ? ""
    : `; simulated counters ${most.simulated.toFixed(1)} % more`;
  const share = `${most.percent.toFixed(1)} % of one core`;
  return [`monitor ${most.cpuS.toFixed(2)} CPU s, ${share}${where}${apart}`];
}

function notes(report: Report): string[] {
  const all = report.hosts.length === 1 ? listOf(report.hosts[0].joulemark?.notes) : [];
  const { partial, ...job } = report.joulemark ?? {};
  if (report.hosts.length !== 1 && typeof partial === "string") all.unshift(`partial: ${partial}`);
  for (const kind of ["stragglers", "outliers"]) {
    const [first, ...others] = listOf(job[kind]);
    const more = others.length > 0 ? `, and ${others.length} more` : "";
    if (first !== undefined) all.push(`${kind}: ${first}${more}; see those nodes`);
  }
  const lines = all.slice(0, MAX_NOTES).flatMap((note) => wrapped(`note: ${printable(note)}`));
  const more = all.length - MAX_NOTES;
  if (more > 0) lines.push(`${INDENT}and ${more} more under notes in the report`);
  return lines;
}

/** Blanks below "note: ". */
const INDENT = "      ";

/** A line on two at most; what does not fit is left out in the middle, since the end is the remedy. */
function wrapped(text: string): string[] {
  if (text.length <= WIDTH) return [text];
  const at = text.lastIndexOf(" ", WIDTH);
  const cut = at > INDENT.length ? at : WIDTH;
  const rest = text.slice(cut).trim();
  const room = WIDTH - INDENT.length;
  return [
    text.slice(0, cut),
    `${INDENT}${rest.length > room ? "..." + rest.slice(3 - room) : rest}`,
  ];
}

function listOf(value: Nested | undefined): string[] {
  return Array.isArray(value) ? value.filter((note) => typeof note === "string") : [];
}
