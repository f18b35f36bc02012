/**
 * The end-of-job card: what a run cost, on twenty lines of a terminal.
 *
 * Pure: a report in, text out. A figure without a source reads "not measured" and why; nothing
 * simulated is shown without the word.
 * @module
 */
import type { Known } from "../aggregate/coverage.ts";
import type { Report, ReportFields, ReportHost } from "../core/report.ts";
import { printable } from "../core/printable.ts";
import { coverageText } from "./coverage.ts";

const FIT = "joulemark-package-energy-fit (J)";
const FIT_SE = "joulemark-package-energy-fit-se (J)";
/** Regions shown; the report has all. */
const TOP_REGIONS = 8;
const WIDTH = 78;

/** What the card says beside the report's own figures. */
export interface CardFacts {
  /** Where the report went, `undefined` when it could not be written. */
  reportPath?: string;
  /** Signals whose mandatory field reads 0 since they are absent, with the reason. */
  absent: ReadonlyMap<string, string>;
  /** Figures of the application that do not cover all of it, by their key. */
  gaps?: ReadonlyMap<string, Known>;
  /** Something in it came from the simulated node or a tree. */
  simulated?: string;
  /** CPU seconds of the monitor, and wall seconds that it watched. */
  ownCpuS: number;
  wallS: number;
  /** Lines worth a look: late samples, refused calls, folded visits. */
  notes: readonly string[];
}

/** The card of a report's first host, lines ending in LF. */
export function card(report: Report, facts: CardFacts): string {
  const host = report.hosts[0];
  const lines = [head(report, host, facts)];
  lines.push(...totals(host, facts));
  lines.push(...regions(host, facts));
  const share = facts.wallS > 0 ? 100 * facts.ownCpuS / facts.wallS : 0;
  lines.push(`monitor ${fixed(facts.ownCpuS, 2)} CPU s, ${fixed(share, 1)} % of one core`);
  for (const note of facts.notes) lines.push(`note: ${printable(note)}`);
  if (facts.reportPath !== undefined) lines.push(`report ${printable(facts.reportPath)}`);
  return lines.map((line) => line.slice(0, 400) + "\n").join("");
}

function head(report: Report, host: ReportHost, facts: CardFacts): string {
  const name = printable(report.profile).slice(0, 40);
  const text = `--- joulemark: ${name} on ${printable(host.host)} `;
  const marked = facts.simulated === undefined ? text : `${text}[${facts.simulated}] `;
  return marked + "-".repeat(Math.max(3, WIDTH - marked.length));
}

function totals(host: ReportHost, facts: CardFacts): string[] {
  const total = host.application;
  const lines = [`time    ${seconds(total["runtime (s)"])}`];
  const energy = (label: string, key: string, signal: string) => {
    const reason = facts.absent.get(signal);
    if (reason !== undefined) {
      const first = reason.split(";")[0].slice(0, 40);
      return lines.push(`${label} not measured: ${first}; more by joulemark doctor`);
    }
    const known = facts.gaps?.get(key);
    if (known !== undefined) {
      const covered = `${joules(known.value)} ${coverageText(key, known)}`;
      return lines.push(`${label} ${covered}  ${watts(known.powerW)} while measured`);
    }
    const value = Number(total[key]);
    const power = value / Number(total["sync-runtime (s)"]);
    lines.push(`${label} ${joules(value)}  ${Number.isFinite(power) ? watts(power) : ""}`);
  };
  energy("package", "package-energy (J)", "CPU_ENERGY");
  const [idle, net] = ["idle", "net"].map((part) => total[`joulemark-package-energy-${part} (J)`]);
  if (net !== undefined) {
    lines.push(lines.pop() + `  idle ${joules(Number(idle))}, net ${joules(Number(net))}`);
  }
  if (!facts.absent.has("DRAM_ENERGY")) energy("memory ", "dram-energy (J)", "DRAM_ENERGY");
  if (total["gpu-energy (J)"] !== undefined) energy("gpu    ", "gpu-energy (J)", "GPU_ENERGY");
  return lines;
}

function regions(host: ReportHost, facts: CardFacts): string[] {
  const list = host.regions ?? [];
  if (list.length === 0) return ["no region was marked; see docs/mark-regions in the manual"];
  const measured = !facts.absent.has("CPU_ENERGY");
  const fitted = host.application[FIT] !== undefined;
  const widths = fitted ? [18, 9, 10, 10, 16, 8] : [24, 9, 11, 11, 10, 8];
  const line = (cells: string[]) => {
    const [name, ...rest] = cells.map((cell, i) => {
      return i === 0 ? cell.slice(0, widths[0]).padEnd(widths[0]) : cell.padStart(widths[i]);
    });
    return [name, ...rest].join(" ");
  };
  const row = (name: string, f: ReportFields, count: string) => {
    const energy = !measured
      ? "-"
      : fitted
      ? withError(Number(f[FIT]), Number(f[FIT_SE]))
      : joules(Number(f["package-energy (J)"]));
    const power = measured ? watts(Number(f["power (W)"])) : "-";
    const times = [seconds(f["runtime (s)"]), seconds(f["sync-runtime (s)"])];
    return line([printable(name), count, ...times, energy, power]);
  };
  const lines = [line(["region", "visits", "runtime", "sync", "energy", "power"])];
  for (const r of list.slice(0, TOP_REGIONS)) {
    lines.push(row(r.region, r.fields, String(round(Number(r.fields.count)))));
  }
  if (list.length > TOP_REGIONS) lines.push(`... and ${list.length - TOP_REGIONS} more`);
  if (host.unmarked !== undefined) lines.push(row("(unmarked)", host.unmarked, ""));
  return lines;
}

function fixed(value: number, digits: number): string {
  return value.toFixed(digits);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function seconds(value: number | string | undefined): string {
  const n = Number(value);
  if (!Number.isFinite(n)) return "-";
  return Math.abs(n) < 1 ? `${(n * 1000).toPrecision(4)} ms` : `${n.toPrecision(5)} s`;
}

function joules(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return Math.abs(value) >= 1e6 ? `${(value / 1e6).toFixed(3)} MJ` : `${value.toPrecision(4)} J`;
}

/** An energy and its standard error, both to the error's second digit. */
function withError(value: number, error: number): string {
  if (!Number.isFinite(value)) return "cannot be told";
  if (!(error > 0)) return joules(value);
  const [scale, unit] = value >= 1e6 ? [1e6, "MJ"] : value >= 1e4 ? [1e3, "kJ"] : [1, "J"];
  const digits = Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(error / scale))));
  return `${(value / scale).toFixed(digits)} ± ${(error / scale).toFixed(digits)} ${unit}`;
}

function watts(value: number): string {
  return Number.isFinite(value) ? `${value.toPrecision(4)} W` : "-";
}
