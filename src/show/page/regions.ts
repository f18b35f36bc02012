/**
 * Regions of a report as columns.
 * @module
 */
import {
  allVisits,
  OUTSIDE_REGIONS,
  ownEnergies,
  type RegionRows,
  regionRows,
  UNDETERMINED,
} from "../../core/region_rows.ts";
import {
  ENERGY_KINDS,
  type EnergyKind,
  reportedJoules,
  type TreeEnergy,
  type TreeRow,
} from "../../core/region_tree.ts";
import type { JobTotals } from "../../core/job_totals.ts";
import type { Report } from "../../core/report.ts";
import { processSpreads } from "../analysis/process_times.ts";
import type { Column, PageRegions } from "./data.ts";

/** Regions with a histogram of their durations: those with most energy. */
const MAX_HISTOGRAMS = 500;

/** The columns, and the row of each path. */
export interface RegionColumns {
  readonly regions: PageRegions | undefined;
  /** Components in the order of the columns, the most inclusive first. */
  readonly kinds: readonly EnergyKind[];
  /** Row of a path; −1: it has none. */
  rowOf(path: readonly string[]): number;
}

/**
 * Columns of all regions, then of the energy outside of them.
 *
 * @param components Components that have a total.
 * @param processes Those of the run.
 */
export function regionColumns(
  report: Report,
  { components, processes }: { components: JobTotals["components"]; processes: number },
): RegionColumns {
  const found = regionRows(report);
  const kinds = ENERGY_KINDS.filter((kind) => components.has(kind) || found.kinds.includes(kind));
  const rows = [...found.rows, ...found.outside];
  const places = new Map<string, number>();
  if (rows.every(({ region }) => region === UNDETERMINED)) {
    return {
      regions: undefined,
      kinds,
      rowOf: () => -1,
    };
  }
  const { parent, order } = inOrder(found);
  const at = order.map((i) => rows[i]);
  const paths: string[] = [];
  at.forEach(({ region }, i) => {
    paths[i] = parent[i] < 0 ? region : `${paths[parent[i]]}\0${region}`;
    if (!places.has(paths[i])) places.set(paths[i], i);
  });
  const column = (of: (row: TreeRow) => number): Column => at.map((row) => known(of(row)));
  const energies = (of: (energy: TreeEnergy) => number): Column[] => {
    return (kinds.length === 0 ? [undefined] : kinds).map((kind) => {
      return column(({ energies }) => {
        const energy = kind === undefined ? undefined : energies.get(kind);
        return energy === undefined ? NaN : of(energy);
      });
    });
  };
  const energy_j = energies(reportedJoules);
  const regions: PageRegions = {
    name: at.map(({ region }) => region),
    parent,
    rest: found.rows.length,
    visits: column(({ count }) => count),
    all_visits: column((row) => allVisits(row, processes)),
    time_s: column(({ runtimeS }) => runtimeS),
    own_time_s: column(({ selfS }) => selfS),
    p50_s: column(({ visits }) => visits.p50S),
    p99_s: column(({ visits }) => visits.p99S),
    slowest: slowest(report, at, parent),
    energy_j,
    se_j: energies(({ seJ }) => seJ),
    own_energy_j: (kinds.length === 0 ? [undefined] : kinds).map((kind) => {
      const own = kind === undefined ? [] : ownEnergies(found, kind, components.get(kind)?.joules);
      return order.map((i) => known(own[i]));
    }),
    power_w: energies(({ powerW }) => powerW),
    durations: durations(at, energy_j[Math.max(0, kinds.indexOf(found.kinds[0]))]),
  };
  return { regions, kinds, rowOf: (path) => places.get(path.join("\0")) ?? -1 };
}

/** Rows in the order of the tree, siblings by energy, the rest last; the row around each. */
function inOrder({ rows, outside, kinds: [kind] }: RegionRows): {
  order: number[];
  parent: number[];
} {
  const children: number[][] = [];
  const tops: number[] = [], around: number[] = [];
  rows.forEach(({ depth }, i) => {
    around[depth] = i;
    const list = depth === 0 ? tops : children[around[depth - 1]] ??= [];
    list.push(i);
  });
  const weight = (i: number) => {
    const { energies, runtimeS } = rows[i];
    const joules = kind === undefined ? NaN : reportedJoules(energies.get(kind));
    return Number.isFinite(joules) ? joules : kind === undefined ? runtimeS : -1;
  };
  const order: number[] = [], parent: number[] = [];
  const add = (list: readonly number[], above: number) => {
    for (const i of list.toSorted((a, b) => weight(b) - weight(a))) {
      const own = order.push(i) - 1;
      parent.push(above);
      if (children[i] !== undefined) add(children[i], own);
    }
  };
  add(tops, -1);
  outside.forEach((_, i) => {
    order.push(rows.length + i);
    parent.push(-1);
  });
  return { order, parent };
}

/** Slowest process ÷ mean, of names: those of nested regions have the value of their name. */
function slowest(report: Report, rows: readonly TreeRow[], parent: readonly number[]): Column {
  const byName = new Map<string, number>();
  for (const { of } of processSpreads(report)) {
    if (of.processes < 2 || !(of.meanS > 0)) continue;
    byName.set(of.region, Math.max(byName.get(of.region) ?? 0, of.mostS / of.meanS));
  }
  const named = Map.groupBy(rows.keys(), (i) => rows[i].region);
  return rows.map(({ region }, i) => {
    // The times of a process in a region are not known by path.
    const isOnly = named.get(region)!.length === 1 || parent[i] < 0;
    return region === OUTSIDE_REGIONS || !isOnly ? null : known(byName.get(region) ?? NaN);
  });
}

function durations(rows: readonly TreeRow[], energy: Column): PageRegions["durations"] {
  const counted = [...rows.keys()].filter((i) => rows[i].visits.buckets.size > 0)
    .sort((a, b) => (energy[b] ?? 0) - (energy[a] ?? 0)).slice(0, MAX_HISTOGRAMS);
  const list: PageRegions["durations"] = rows.map(() => null);
  for (const i of counted) list[i] = [...rows[i].visits.buckets].sort(([a], [b]) => a - b);
  return list;
}

/** Null for what is not available. */
export function known(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
