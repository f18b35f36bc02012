/**
 * The page of a comparison: its verdict, changes with their intervals, the runs as points, and tables.
 * @module
 */
import type { NamedReport } from "../analysis/comparable.ts";
import {
  allRegions,
  type Comparison,
  type Letters,
  type LoneRegion,
  type MetricRow,
  type RegionRow,
  type Verdict,
} from "../analysis/comparison.ts";
import {
  changeText,
  type ComparisonNotes,
  detectableText,
  knownLimits,
  percent as percentText,
  unknownLimitText,
  verdictText,
} from "../analysis/print_comparison.ts";
import type { View } from "../analysis/views.ts";
import { COMPONENT_NAMES } from "../analysis/report_view.ts";
import { columnsOf, type Table } from "../analysis/table.ts";
import { treeDifference } from "../analysis/tree_difference.ts";
import type { PageChanges, PageData, PageVerdict } from "./data.ts";
import { viewPage } from "./page.ts";
import { known } from "./regions.ts";
import { regionsOf, type TreeNode } from "./tree.ts";

/** Regions in the plot of changes: those with the largest change in joules. */
const MAX_CHANGES = 30;

/** The page. */
export function comparePage(
  comparison: Comparison,
  { a, b }: { a: readonly NamedReport[]; b: readonly NamedReport[] },
  { simulated, overruled, profiles }: ComparisonNotes,
): PageData {
  const { gate, job, source, regions, missing, unknown, letters } = comparison;
  const level = percentText(comparison.level);
  const page = viewPage({
    tables: [
      metricTable(`Energy of ${source}, whole run`, job, letters),
      regionTable("Energy of regions", allRegions(comparison), letters),
    ].filter(({ rows }) => rows.length > 0),
    panels: [runsPanel(comparison)],
    notes: [
      "± is the standard deviation of a run. A change is the ratio of the geometric means.",
      ...overruled.map((one) => `compared although not comparable: ${one}`),
      ...profiles === undefined ? [] : [`runs of different names: ${profiles.join(", ")}`],
      ...missing.length === 0 ? [] : [`only some runs have the region ${missing.join(", ")}`],
      ...unknown.length === 0
        ? []
        : [`in a run the energy is 0, below 0 or absent: region ${unknown.join(", ")}`],
    ],
  }, {
    title: `Comparison of ${commonName([...a, ...b])}: ${metricName(gate.metric)}`,
    lead: `${letters[0]}: ${names(a)}; ${letters[1]}: ${names(b)}`,
    ...simulated === undefined ? {} : { simulated },
  });
  const tree = changes(a, b), more = regions.length - MAX_CHANGES;
  const all = [
    changesOf("Change of the whole run", true, job, `Line: ${level} interval.`),
    changesOf(
      "Change by region: energy",
      false,
      regions.slice(0, MAX_CHANGES),
      `Largest change in joules first. All intervals together are right with a probability of ` +
        `${level}.${more > 0 ? ` The table has ${more} more regions.` : ""}`,
    ),
  ].filter(({ rows }) => rows.length > 0);
  return {
    ...page,
    verdicts: [verdictOf(comparison)],
    changes: all.map((one) => ({ ...one, of: letters[1] })),
    ...tree === undefined ? {} : { regions: regionsOf(tree) },
  };
}

/** Name of the program; of several, how many they are. */
function commonName(runs: readonly NamedReport[]): string {
  const names = new Set(runs.map(({ report }) => report.profile));
  return names.size === 1 ? [...names][0] : `${names.size} programs`;
}

const NAMES: Readonly<Record<string, string>> = { edp: "energy × time" };

/** Name of a metric for people. */
function metricName(metric: string): string {
  const [, kind, region] = /^(region|region-time):(.*)$/s.exec(metric) ?? [];
  if (kind === undefined) return NAMES[metric] ?? metric;
  return `${kind === "region" ? "energy" : "time"} of ${region}`;
}

function verdictOf(comparison: Comparison): PageVerdict {
  const { gate: { verdict, metric, difference: { change } }, design, warnings } = comparison;
  const [first, other] = comparison.letters;
  const name = metricName(metric), size = percentText(Math.abs(change));
  const more = `${other} ${metric === "power" ? "draws" : "needs"} ${size} ${
    change < 0 ? "less" : "more"
  } ${name} than ${first}`;
  const title: Readonly<Record<Verdict, string>> = {
    worse: `Worse: ${more}`,
    better: `Better: ${more}`,
    "within the limit": `Within the limit: ${more}`,
    "more, limit not decided": `${more}: the limit is not decided`,
    "no significant change": `No significant change: ${name}`,
    "not enough runs": `Not enough runs for a verdict: ${name}`,
    "not known": `Not known: ${name}`,
  };
  return {
    kind: verdict === "worse" || verdict === "better" ? verdict : "open",
    title: title[verdict],
    lines: [
      `verdict: ${verdictText(comparison)}`,
      ...unknownLimitText(comparison),
      detectableText(comparison).join(" "),
      ...design === "blocks"
        ? [`Each run of ${other} is compared with the run of ${first} in the same block.`]
        : [],
      ...warnings,
    ].filter((line) => line !== "").map((line) => sentence(minusSigns(line))),
  };
}

/** A text for terminals has the other sign before per cent; hyphens of names stay. */
function minusSigns(text: string): string {
  return text.replace(/(?<=^|[ [])-(?=[\d.]+ %)/g, "−");
}

function sentence(text: string): string {
  return text[0].toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
}

function changesOf(
  title: string,
  isWhole: boolean,
  rows: readonly MetricRow[],
  caption: string,
): Omit<PageChanges, "of"> {
  return {
    title,
    isWhole,
    caption,
    rows: rows.filter(({ difference: { change } }) => Number.isFinite(change))
      .map(({ metric, difference }) => {
        const [low, high] = knownLimits(difference).map(known);
        const name = metric.replace(/^region:/, "");
        const text = minusSigns(changeText(difference)), { change } = difference;
        return { name: NAMES[name] ?? name, change, low, high, text };
      }),
  };
}

/** The metric of each run in the order of the starts, with the means of both sets. */
function runsPanel({ gate, order, letters }: Comparison): View["panels"][number] {
  const { a, b } = gate.difference, title = `${metricName(gate.metric)} (${gate.unit})`;
  const all = order.length > 0
    ? order
    : [gate.a, gate.b].flatMap((values, k) => values.map((value) => ({ set: k as 0 | 1, value })));
  const span = [0.5, all.length + 0.5];
  return {
    title: order.length > 0 ? "Runs in the order of their start" : "Runs",
    xTitle: "run",
    yTitle: title,
    fromZero: false,
    series: [a.mean, b.mean].flatMap((mean, set) => {
      const name = letters[set];
      const own = [...all.keys()].filter((i) =>
        all[i].set === set && Number.isFinite(all[i].value)
      );
      return [
        {
          name,
          kind: "points" as const,
          x: own.map((i) => i + 1),
          y: own.map((i) => all[i].value),
          colour: set,
        },
        {
          name: `mean of ${name}`,
          kind: "line" as const,
          x: Number.isFinite(mean) ? span : [],
          y: Number.isFinite(mean) ? span.map(() => mean) : [],
          colour: set,
        },
      ];
    }),
  };
}

/** A comparison of a benchmark, with its runs. */
export interface ComparedRuns {
  readonly comparison: Comparison;
  readonly notes: ComparisonNotes;
  readonly runs: { readonly a: readonly NamedReport[]; readonly b: readonly NamedReport[] };
}

/** One page of comparisons with the first command. */
export function comparePages(list: readonly ComparedRuns[]): PageData {
  const pages = list.map(({ comparison, notes, runs }) => {
    return comparePage(comparison, runs, notes);
  });
  if (pages.length === 1) return pages[0];
  const heads = list.map(({ comparison: { letters: [a, b] } }) => `${b} ÷ ${a}`);
  const titled = <T extends { readonly title: string }>(
    of: (page: PageData) => readonly T[] | undefined,
  ) => {
    return pages.flatMap((page, i) => {
      return (of(page) ?? []).map((one) =>
        Object.assign({}, one, { title: `${heads[i]}: ${one.title}` })
      );
    });
  };
  return Object.assign({}, pages[0], {
    title: `Comparison of ${pages.length + 1} commands: ${
      metricName(list[0].comparison.gate.metric)
    }`,
    lead: [
      `${list[0].comparison.letters[0]}: ${names(list[0].runs.a)}`,
      ...list.map(({ comparison, runs: { b } }) => `${comparison.letters[1]}: ${names(b)}`),
    ].join("; "),
    notes: pages.flatMap(({ notes }, i) => {
      return notes.map((note) => Object.assign({}, note, { text: `${heads[i]}: ${note.text}` }));
    }),
    verdicts: titled(({ verdicts }) => verdicts),
    changes: titled(({ changes }) => changes),
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

function metricTable(title: string, rows: readonly MetricRow[], [a, b]: Letters): Table {
  return {
    title,
    columns: columnsOf(
      "quantity",
      a,
      `± ${a}`,
      b,
      `± ${b}`,
      "change (%)",
      "from (%)",
      "to (%)",
      "p",
    ),
    rows: rows.map((row) => rowOf(row, `${row.metric} (${row.unit})`, row.difference.p)),
  };
}

function rowOf({ difference: d }: MetricRow, name: string, p: number): (string | number)[] {
  const shares = [d.change, ...knownLimits(d)].map((share) => 100 * share);
  return [name, d.a.mean, d.a.deviation, d.b.mean, d.b.deviation, ...shares, p];
}

function regionTable(
  title: string,
  rows: readonly (RegionRow | LoneRegion)[],
  letters: Letters,
): Table {
  return {
    title,
    columns: columnsOf(
      ...[
        "region",
        ...letters.map((letter) => `${letter} (J)`),
        "change (J)",
        "change (%)",
        "from (%)",
        "to (%)",
      ],
      ...["p, corrected", "result"],
    ),
    rows: rows.map((row) => {
      if ("set" in row) {
        const [a, b] = row.set === 0 ? [row.energyJ, NaN] : [NaN, row.energyJ];
        const only = `only in ${letters[row.set]}`;
        return [`${row.name} (${only})`, a, b, ...Array(5).fill(NaN), ""];
      }
      const { metric, difference: d, p, isSignificant } = row;
      const shares = [d.change, ...knownLimits(d)].map((share) => 100 * share);
      const result = !isSignificant ? "no significant change" : d.change > 0 ? "more" : "less";
      const changeJ = d.b.mean - d.a.mean;
      return [metric.slice("region:".length), d.a.mean, d.b.mean, changeJ, ...shares, p, result];
    }),
  };
}

/** Energies of the other set, with what each changed by. */
function changes(a: readonly NamedReport[], b: readonly NamedReport[]): TreeNode | undefined {
  const { kind, paths } = treeDifference(a, b);
  if (kind === undefined || paths.length === 0) return undefined;
  const root = { name: COMPONENT_NAMES[kind], children: [] as TreeNode[] };
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
