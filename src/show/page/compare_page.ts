/**
 * The page of a comparison: its tables, the runs as points, and the regions by their change.
 * @module
 */
import type { NamedReport } from "../analysis/comparable.ts";
import {
  allRegions,
  type Comparison,
  type LoneRegion,
  type MetricRow,
} from "../analysis/comparison.ts";
import {
  type ComparisonNotes,
  detectableText,
  knownLimits,
  verdictText,
} from "../analysis/print_comparison.ts";
import { COMPONENT_NAMES } from "../analysis/report_view.ts";
import { columnsOf, type Table } from "../analysis/table.ts";
import { treeDifference } from "../analysis/tree_difference.ts";
import type { PageData } from "./data.ts";
import { viewPage } from "./page.ts";
import { known } from "./regions.ts";
import { regionsOf, type TreeNode } from "./tree.ts";

/** The page. */
export function comparePage(
  comparison: Comparison,
  { a, b }: { a: readonly NamedReport[]; b: readonly NamedReport[] },
  { simulated, overruled }: ComparisonNotes,
): PageData {
  const { gate, job, source } = comparison;
  const page = viewPage({
    tables: [
      metricTable(`Energy of ${source}; ± is the standard deviation of a run`, job),
      {
        ...metricTable("Energy of regions, for information; p is corrected (Holm)", []),
        rows: allRegions(comparison).map((row) => {
          if ("set" in row) return loneRow(row);
          return rowOf(row, row.metric.slice("region:".length), row.p);
        }),
      },
    ].filter(({ rows }) => rows.length > 0),
    panels: [{
      title: `${gate.metric} of each run`,
      xTitle: "run",
      yTitle: `${gate.metric} (${gate.unit})`,
      fromZero: false,
      series: [["A", gate.a], ["B", gate.b]].map(([name, values]) => ({
        name: name as string,
        kind: "points" as const,
        y: values as number[],
        x: (values as number[]).map((_, i) => i + 1),
      })),
    }],
    notes: [
      verdictText(comparison),
      ...detectableText(comparison),
      ...comparison.warnings,
      ...overruled.map((one) => `compared although not comparable: ${one}`),
    ],
  }, {
    title: `${a.length} runs (A) and ${b.length} runs (B): ${gate.metric}`,
    lead: `A: ${names(a)}; B: ${names(b)}`,
    ...simulated === undefined ? {} : { simulated },
  });
  const tree = changes(a, b);
  return tree === undefined ? page : { ...page, regions: regionsOf(tree) };
}

/** A comparison of a benchmark, with its runs. */
export interface ComparedRuns {
  readonly set: string;
  readonly comparison: Comparison;
  readonly notes: ComparisonNotes;
  readonly runs: { readonly a: readonly NamedReport[]; readonly b: readonly NamedReport[] };
}

/** One page of comparisons with the first command. @param first Its letter. */
export function comparePages(first: string, list: readonly ComparedRuns[]): PageData {
  const pages = list.map(({ comparison, notes, runs }) => comparePage(comparison, runs, notes));
  if (pages.length === 1) return pages[0];
  const titled = <T extends { readonly title: string }>(of: (page: PageData) => readonly T[]) => {
    return pages.flatMap((page, i) => {
      return of(page).map((one) =>
        Object.assign({}, one, { title: `${list[i].set} ÷ ${first}: ${one.title}` })
      );
    });
  };
  return Object.assign({}, pages[0], {
    title: `${pages.length + 1} commands: ${list[0].comparison.gate.metric}`,
    lead: [
      `${first}: ${names(list[0].runs.a)}`,
      ...list.map(({ set, runs: { b } }) => `${set}: ${names(b)}`),
    ].join("; "),
    notes: pages.flatMap(({ notes }, i) => {
      return notes.map((note) =>
        Object.assign({}, note, { text: `${list[i].set} ÷ ${first}: ${note.text}` })
      );
    }),
    tables: titled(({ tables }) => tables),
    panels: titled(({ panels }) => panels),
    regions: undefined,
  });
}

const MAX_NAMES = 5;

function names(runs: readonly NamedReport[]): string {
  const some = runs.slice(0, MAX_NAMES).map(({ name }) => name).join(", ");
  return runs.length > MAX_NAMES ? `${some} and ${runs.length - MAX_NAMES} more` : some;
}

function metricTable(title: string, rows: readonly MetricRow[]): Table {
  return {
    title,
    columns: columnsOf("quantity", "A", "± A", "B", "± B", "change (%)", "from (%)", "to (%)", "p"),
    rows: rows.map((row) => rowOf(row, `${row.metric} (${row.unit})`, row.difference.p)),
  };
}

function rowOf({ difference: d }: MetricRow, name: string, p: number): (string | number)[] {
  const shares = [d.change, ...knownLimits(d)].map((share) => 100 * share);
  return [name, d.a.mean, d.a.deviation, d.b.mean, d.b.deviation, ...shares, p];
}

function loneRow({ name, set, energyJ }: LoneRegion): (string | number)[] {
  const [a, b] = set === "A" ? [energyJ, NaN] : [NaN, energyJ];
  return [`${name} (only in ${set})`, a, NaN, b, ...Array(5).fill(NaN)];
}

/** Energies of B, with what each changed by. */
function changes(a: readonly NamedReport[], b: readonly NamedReport[]): TreeNode | undefined {
  const { kind, paths } = treeDifference(a, b);
  if (kind === undefined || paths.length === 0) return undefined;
  const root = { name: `B: ${COMPONENT_NAMES[kind]}`, children: [] as TreeNode[] };
  const around = [root.children];
  let [all, change] = [0, 0];
  for (const { name, depth, aJ, bJ, timeS } of paths) {
    const children: TreeNode[] = [];
    const changeJ = known((bJ || 0) - (aJ || 0));
    around[depth].push({ name, energyJ: known(bJ), timeS: known(timeS), changeJ, children });
    around[depth + 1] = children;
    if (depth === 0) [all, change] = [all + (bJ || 0), change + (changeJ ?? 0)];
  }
  return { ...root, energyJ: all, timeS: null, changeJ: change };
}
