/**
 * The region table of the summary for GitHub and wikis.
 * @module
 */
import { reportTotals } from "../../core/job_totals.ts";
import { printable } from "../../core/printable.ts";
import { type RegionRows, regionRows, reportedJoules } from "../../core/region_rows.ts";
import type { EnergyKind, TreeRow } from "../../core/region_tree.ts";
import type { Report } from "../../core/report.ts";
import { figures } from "./quantity_text.ts";
import { COMPONENT_NAMES } from "./report_view.ts";

/** Share of the energy that has to have a standard error for a component to be shown. */
const MIN_SHARE_WITH_ERROR = 0.9;

/** Regions, then the energy outside of them; `~`: no error is known. */
export function regionMarkdown(report: Report): string {
  const table = regionRows(report);
  const kind = shownKind(table);
  const rows = [...table.rows, ...table.outside];
  const totalJ = kind === undefined
    ? NaN
    : reportTotals(report).components.get(kind)?.joules ?? NaN;
  const name = kind === undefined ? [] : [`${COMPONENT_NAMES[kind]} energy (J)`, "share"];
  const heads = ["region", ...name, "time (s)", "power (W)", "visits"];
  const lines = rows.map((row) => {
    const energy = kind === undefined ? undefined : row.energies.get(kind);
    const share = 100 * reportedJoules(energy) / totalJ;
    return [
      "&nbsp;".repeat(2 * row.depth) + escaped(row.region),
      ...(kind === undefined ? [] : [energyText(row, kind), percent(share)]),
      figures(row.runtimeS, 4),
      figures(energy?.powerW ?? NaN, 4),
      figures(row.count, 6),
    ];
  });
  const rule = heads.map((_, i) => i === 0 ? "---" : "---:");
  return [heads, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** The most inclusive component with errors for most of its energy, else the most inclusive one. */
function shownKind({ kinds, rows, outside }: RegionRows): EnergyKind | undefined {
  const outermost = [...rows.filter(({ depth }) => depth === 0), ...outside];
  return kinds.find((kind) => {
    let all = 0, withError = 0;
    for (const { energies } of outermost) {
      const energy = energies.get(kind), joules = reportedJoules(energy) || 0;
      all += joules;
      if (Number.isFinite(energy?.seJ ?? NaN)) withError += joules;
    }
    return withError >= MIN_SHARE_WITH_ERROR * all;
  }) ?? kinds[0];
}

function energyText({ energies }: TreeRow, kind: EnergyKind): string {
  const energy = energies.get(kind), joules = reportedJoules(energy);
  if (energy === undefined || !Number.isFinite(joules)) return "-";
  if (!(energy.seJ > 0)) return `~${figures(joules, 4)}`;
  const decimals = Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(energy.seJ))));
  return `${joules.toFixed(decimals)} ± ${energy.seJ.toFixed(decimals)}`;
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${share.toFixed(1)} %` : "-";
}

function escaped(name: string): string {
  return printable(name).replace(/[\\|`*_<>&[\]]/g, (c) => `\\${c}`);
}
