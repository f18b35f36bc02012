/**
 * The region table of a summary: a tree with energy or time, its error, share and bar.
 * @module
 */
import { allVisits, moreRegions } from "../../core/region_rows.ts";
import { COMPONENT_NAMES, type EnergyKind, type TreeRow } from "../../core/region_tree.ts";
import {
  errorOf,
  joulesOf,
  type RegionFacts,
  type SummaryFacts,
  totalOf,
} from "./summary_facts.ts";
import { decimalsOf, fixed, unitOf } from "./cell_text.ts";
import { timeText } from "./quantity_text.ts";
import { markdownColumns, WIDE_LOOK } from "./markdown.ts";
import {
  barText,
  cutText,
  type Look,
  painted,
  shownNames,
  shownText,
  textWidth,
} from "./text_layout.ts";

/** The share from which a region has a row. */
const MIN_SHARE = 0.01;
const MIN_NAME = 12, MIN_BAR = 4, BAR = 9, WIDE_BAR = 20;
/** Sums of parts that may exceed the whole by estimation alone. */
const MAX_EXCESS = 1.05;
/** Columns of a terminal from which visits have a column and bars are long. */
const WIDE = 100;

/** A table's lines, and how many regions have none. */
export interface SummaryTable {
  readonly lines: readonly string[];
  readonly hidden: number;
  /** Number of hidden regions with at least 1 %, or of unknown size. */
  readonly hiddenLarge: number;
}

/** A column of the table. */
interface Column {
  readonly heading: string;
  readonly cells: readonly string[];
  readonly isText?: boolean;
  readonly isBar?: boolean;
  /** The column that is left out first has the lowest number; 0: none is. */
  readonly order?: number;
}

/** One line of the table. */
interface Line {
  readonly row: TreeRow;
  readonly rail: string;
  readonly region: RegionFacts | undefined;
}

/** The regions of a run. @param maxRows Rows of regions. */
export function summaryTable(facts: SummaryFacts, look: Look, maxRows: number): SummaryTable {
  const { columns, ...hidden } = tableOf(facts, look, maxRows);
  return { lines: columns.length === 0 ? [] : laidOut(columns, look), ...hidden };
}

/** All rows for GitHub and wikis, without bars. */
export function markdownTable(facts: SummaryFacts): string {
  const { columns } = tableOf(facts, WIDE_LOOK, Infinity);
  return markdownColumns(columns.filter(({ isBar }) => isBar !== true));
}

/** The columns of the table, and the number of regions without a row. */
function tableOf(
  facts: SummaryFacts,
  look: Look,
  maxRows: number,
): { columns: readonly Column[] } & Omit<SummaryTable, "lines"> {
  const { regions, column, rests } = facts;
  const sizeOf = sizes(facts), total = wholeOf(facts);
  const order = regionOrder(facts);
  const large = order.filter((i) =>
    sizeOf(regions[i]) >= MIN_SHARE * total || isLongAndCoarse(regions[i], facts)
  );
  const shown = chosen(regions, large, sizeOf, maxRows);
  const lines: Line[] = [
    ...withRails(regions, order.filter((i) => shown.has(i)), look),
    ...rests.filter((row) => sizeOf(row) !== 0 || row.runtimeS > 0)
      .map((row) => ({ row, rail: "", region: undefined })),
  ];
  if (lines.length === 0) return { columns: [], hidden: regions.length, hiddenLarge: 0 };
  const shares = shareTexts(facts);
  const columns = column === undefined
    ? timeColumns(facts, look, lines, shares)
    : energyColumns(facts, look, lines, shares);
  // Regions that the report has no rows of have one row, or an unknown size.
  const hasRow = lines.some(({ row }) => row.region === moreRegions(facts.leftOut));
  const others = hasRow ? 0 : facts.leftOut;
  return {
    columns,
    hidden: regions.length - shown.size + others,
    hiddenLarge: large.filter((i) => !shown.has(i)).length + others,
  };
}

/** Is a region's energy coarse, and its time at least 1 %? Its true energy may be large. */
function isLongAndCoarse(
  region: RegionFacts,
  { column, totals: { seconds } }: SummaryFacts,
): boolean {
  return column !== undefined && Number.isNaN(errorOf(region, column)) &&
    region.runtimeS >= MIN_SHARE * seconds;
}

/** Size by which rows are compared: energy of the column, else time. */
function sizes({ column, isPartial }: SummaryFacts): (row: TreeRow) => number {
  if (column === undefined) return ({ runtimeS }) => runtimeS || 0;
  if (isPartial) return (row) => (row as Partial<RegionFacts>).partialJ || 0;
  return (row) => joulesOf(row, column) || 0;
}

/** Size that is 100 %: the energy of the column, else the time. */
function wholeOf(facts: SummaryFacts): number {
  const { column, totals: { seconds }, regions, rests } = facts;
  const whole = column === undefined ? seconds : totalOf(facts, column)?.joules ?? NaN;
  if (whole > 0) return whole;
  const sizeOf = sizes(facts);
  const outermost = [...regions.filter(({ depth }) => depth === 0), ...rests];
  return outermost.reduce((sum, row) => sum + sizeOf(row), 0);
}

/** Numbers of the regions in the order of the table. */
export function regionOrder(facts: SummaryFacts): number[] {
  return treeOrder(facts.regions, sizes(facts));
}

/** Each region, then those in it, the largest first. */
function treeOrder(regions: readonly RegionFacts[], sizeOf: (row: TreeRow) => number): number[] {
  const inside = Map.groupBy(regions.keys(), (i) => regions[i].parent);
  const order: number[] = [];
  const add = (parent: number) => {
    const own = (inside.get(parent) ?? []).sort((a, b) => sizeOf(regions[b]) - sizeOf(regions[a]));
    for (const i of own) {
      order.push(i);
      add(i);
    }
  };
  add(-1);
  return order;
}

/** The largest regions, each with those around it. */
function chosen(
  regions: readonly RegionFacts[],
  large: readonly number[],
  sizeOf: (row: TreeRow) => number,
  maxRows: number,
): Set<number> {
  const shown = new Set<number>();
  for (const i of large.toSorted((a, b) => sizeOf(regions[b]) - sizeOf(regions[a]) || a - b)) {
    const line: number[] = [];
    for (let at = i; at >= 0 && !shown.has(at); at = regions[at].parent) line.push(at);
    if (shown.size + line.length <= maxRows) line.forEach((at) => shown.add(at));
  }
  return shown;
}

/** Lines of a tree before its names. */
function withRails(
  regions: readonly RegionFacts[],
  order: readonly number[],
  { ascii }: Look,
): Line[] {
  const last = new Map(order.map((i) => [regions[i].parent, i]));
  const below = (i: number): string => {
    const { parent } = regions[i];
    if (parent < 0) return "";
    return below(parent) + (ascii || last.get(parent) === i ? "  " : "│ ");
  };
  return order.map((i) => {
    const row = regions[i];
    if (row.parent < 0) return { row, rail: "", region: row };
    const branch = ascii ? "  " : last.get(row.parent) === i ? "└ " : "├ ";
    return { row, rail: below(row.parent) + branch, region: row };
  });
}

/** Shares of the rows as texts. */
function shareTexts(facts: SummaryFacts): Map<TreeRow, string> {
  const sizeOf = sizes(facts);
  return new Map([...regionShares(facts)].map(([row, percent]) => {
    return [row, !(sizeOf(row) > 0) ? "" : percent < 1 ? "<1 %" : `${percent} %`];
  }));
}

/** Shares in whole per cent: siblings and what is left of the row around them add up to its share. */
export function regionShares(facts: SummaryFacts): Map<TreeRow, number> {
  const { regions, rests } = facts, sizeOf = sizes(facts), total = wholeOf(facts);
  const percents = new Map<TreeRow, number>();
  const inside = Map.groupBy(regions.keys(), (i) => regions[i].parent);
  const divide = (parent: number, percent: number, size: number) => {
    const rows: TreeRow[] = (inside.get(parent) ?? []).map((i) => regions[i]);
    if (parent < 0) rows.push(...rests);
    const parts = largestRemainder(rows.map(sizeOf), percent, size, total);
    rows.forEach((row, k) => percents.set(row, parts[k]));
    for (const i of inside.get(parent) ?? []) {
      divide(i, percents.get(regions[i])!, sizeOf(regions[i]));
    }
  };
  divide(-1, 100, total);
  return percents;
}

/**
 * Whole per cent of parts: what is left by rounding down goes to the largest remainders. Parts of much more than the
 * whole, as times of threads are, are rounded each by itself.
 *
 * @param percent Of the whole.
 */
export function largestRemainder(
  sizes: readonly number[],
  percent: number,
  whole: number,
  total: number,
): number[] {
  const positive = sizes.map((size) => Math.max(0, size));
  const sum = positive.reduce((all, size) => all + size, 0);
  if (!(sum <= whole * MAX_EXCESS)) {
    return positive.map((size) => Math.round(100 * size / total) || 0);
  }
  // Estimates may add up to a little more than the whole.
  const scale = 100 / total * Math.min(1, whole / (sum || 1));
  const exact = positive.map((size) => size * scale);
  const rest = Math.max(0, 100 * whole / total - exact.reduce((all, share) => all + share, 0));
  const all = [...exact, rest];
  const parts = all.map(Math.floor);
  const left = percent - parts.reduce((all, part) => all + part, 0);
  const order = [...all.keys()].sort((a, b) => all[b] - parts[b] - (all[a] - parts[a]));
  for (let k = 0; k < Math.min(left, order.length); k++) parts[order[k]]++;
  return parts.slice(0, sizes.length);
}

function energyColumns(
  facts: SummaryFacts,
  look: Look,
  lines: readonly Line[],
  shares: ReadonlyMap<TreeRow, string>,
): Column[] {
  const kind = facts.column!, { hostCount, processes } = facts;
  const sizeOf = sizes(facts);
  const [factor, unit] = unitOf(lines.map(({ row }) => sizeOf(row)));
  const isJob = hostCount > 1;
  const covers = totalOf(facts, kind)?.covers;
  const powers = lines.map(({ row, region }) => {
    // Of a part of the hosts there is no power of one.
    if (region === undefined || facts.isPartial || isJob && covers !== "") return NaN;
    return (row.energies.get(kind)?.powerW ?? NaN) / (isJob ? hostCount : 1);
  });
  const gpu = kind !== "gpu" && facts.totals.components.has("gpu")
    ? plainCells(lines.map(({ row }) => joulesOf(row, "gpu") / factor))
    : undefined;
  const perVisit = lines.map(({ row, region }) => {
    const visits = allVisits(row, processes);
    // The energy of a part of the visits is none of one.
    return region !== undefined && !covers && visits > 0 ? sizeOf(row) / visits : NaN;
  });
  const uneven = new Map(facts.spreads.map((of) => [of.region, of.mostS / of.meanS]));
  return [
    nameColumn(lines),
    {
      heading: `${COMPONENT_NAMES[kind]} energy (${unit})`,
      cells: energyCells(lines.map(({ row }) => row), facts, factor, look),
    },
    ...shareColumns(lines, shares, sizeOf, look),
    { heading: "time (s)", cells: plainCells(lines.map(({ row }) => row.runtimeS), 3) },
    ...look.width >= WIDE && !isJob ? [visitColumn(lines)] : [],
    ...facts.isPartial ? [] : [{
      heading: isJob ? "W a host" : "power (W)",
      cells: plainCells(powers),
      order: 3,
    }],
    ...gpu === undefined ? [] : [{ heading: `GPU (${unit})`, cells: gpu, order: 4 }],
    ...isJob
      ? [{
        heading: "max/mean",
        cells: lines.map(({ row, region }) => {
          const ratio = region === undefined ? undefined : uneven.get(row.region);
          return ratio === undefined || !Number.isFinite(ratio) ? "" : ratio.toFixed(2);
        }),
        order: 2,
      }]
      : gpu === undefined
      ? [{ heading: "J/visit", cells: plainCells(perVisit), order: 2 }]
      : [],
  ].filter(({ cells }) => cells.some((cell) => cell !== ""));
}

/** Times alone: no energy is known. */
function timeColumns(
  facts: SummaryFacts,
  look: Look,
  lines: readonly Line[],
  shares: ReadonlyMap<TreeRow, string>,
): Column[] {
  return [
    nameColumn(lines),
    ...shareColumns(lines, shares, sizes(facts), look),
    { heading: "time (s)", cells: plainCells(lines.map(({ row }) => row.runtimeS), 3) },
    visitColumn(lines),
    {
      heading: "median visit",
      cells: lines.map(({ row }) => row.visits.p50S > 0 ? timeText(row.visits.p50S) : ""),
      order: 2,
    },
  ].filter(({ cells }) => cells.some((cell) => cell !== ""));
}

function nameColumn(lines: readonly Line[]): Column {
  return {
    heading: "region",
    cells: lines.map(({ row, rail }) => rail + row.region),
    isText: true,
  };
}

function shareColumns(
  lines: readonly Line[],
  shares: ReadonlyMap<TreeRow, string>,
  sizeOf: (row: TreeRow) => number,
  look: Look,
): Column[] {
  const largest = Math.max(
    ...lines.filter(({ region }) => region !== undefined)
      .map(({ row }) => sizeOf(row)),
  );
  const columns = look.width >= WIDE ? WIDE_BAR : BAR;
  return [
    { heading: "share", cells: lines.map(({ row }) => shares.get(row) ?? "") },
    {
      heading: "",
      cells: lines.map(({ row, region }) => {
        return region === undefined ? "" : barText(look, sizeOf(row) / largest, columns);
      }),
      isText: true,
      isBar: true,
      order: 1,
    },
  ];
}

function visitColumn(lines: readonly Line[]): Column {
  const cells = lines.map(({ row, region }) => {
    if (region === undefined || !Number.isFinite(row.count)) return "";
    return String(Number(row.count.toFixed(row.count < 100 ? 1 : 0)));
  });
  return { heading: "visits", cells, order: 1 };
}

/** Energies with one number of decimals: two digits of the middle error. */
function energyCells(
  rows: readonly TreeRow[],
  facts: SummaryFacts,
  factor: number,
  look: Look,
): string[] {
  const kind: EnergyKind = facts.column!, pm = look.ascii ? "+-" : "±";
  const sizeOf = sizes(facts);
  const errors = rows.map((row) => errorOf(row, kind) / factor);
  const known = errors.filter((error) => error > 0).sort((a, b) => a - b);
  const values = rows.map((row) => {
    const isKnown = facts.isPartial || Number.isFinite(joulesOf(row, kind));
    return isKnown ? sizeOf(row) / factor : NaN;
  });
  const largest = Math.max(...values.map((value) => value || 0));
  const decimals = known.length === 0
    ? decimalsOf(largest, 4)
    : decimalsOf(known[(known.length - 1) >> 1], 2);
  return rows.map((_, i) => {
    const value = values[i], error = errors[i];
    if (!Number.isFinite(value) || facts.isPartial && !(value > 0)) return "";
    if (facts.isPartial) return `${fixed(value, decimalsOf(largest, 4))} partial`;
    if (!(error >= 0)) return `~${fixed(value, Math.min(decimals, decimalsOf(value, 3)))}`;
    return `${fixed(value, decimals)} ${pm} ${fixed(error, decimals)}`;
  });
}

/** Cells with one number of decimals: so many digits of the middle value. */
function plainCells(values: readonly number[], atMost = 4): string[] {
  const known = values.filter((value) => value > 0).sort((a, b) => a - b);
  const decimals = Math.min(atMost, decimalsOf(known[known.length >> 1] ?? 1, 3));
  return values.map((value) => Number.isFinite(value) ? fixed(value, decimals) : "");
}

/** Lines of columns that fit the terminal. */
function laidOut(all: readonly Column[], look: Look): string[] {
  const columns = [...all];
  const widthOf = ({ heading, cells, isBar }: Column) => {
    const width = Math.max(
      textWidth(heading),
      ...cells.map((cell) => textWidth(shownText(look, cell))),
    );
    return isBar ? Math.max(MIN_BAR, width) : width;
  };
  const others = () => columns.slice(1).reduce((sum, column) => sum + widthOf(column) + 1, 0);
  const name = Math.max(...columns.slice(0, 1).map(widthOf));
  const wanted = Math.min(name, MIN_NAME);
  while (others() + wanted > look.width) {
    const [next] = columns.filter(({ order = 0 }) => order > 0)
      .sort((a, b) => a.order! - b.order!);
    if (next === undefined) break;
    columns.splice(columns.indexOf(next), 1);
  }
  const room = Math.max(MIN_NAME, Math.min(name, look.width - others()));
  const names = shownNames(look, all[0].cells, room);
  const line = (first: string, of: (column: Column) => string, isHeading: boolean) => {
    return columns.map((column, i) => {
      if (i === 0) return first;
      const text = of(column);
      const shown = shownText(look, text), gap = " ".repeat(widthOf(column) - textWidth(shown));
      if (!column.isText) return gap + shown;
      return (isHeading ? shown : painted(look, "bar", shown)) + gap;
    }).join(" ").trimEnd();
  };
  return [
    painted(look, "dim", line(cutText(look, all[0].heading, room), ({ heading }) => heading, true)),
    ...names.map((name, row) => line(name, ({ cells }) => cells[row], false)),
  ];
}
