/**
 * Functions of a page: call paths as columns, and which of them stay where there are too many.
 * @module
 */
import type { EnergyKind } from "../../core/region_tree.ts";
import type { Column, PageFunctions, PageRegions } from "./data.ts";

/** Columns of functions, as those of regions. */
export function functionColumns(
  functions: PageFunctions,
  kinds: readonly EnergyKind[],
): PageRegions {
  const { name, parent, rest, time_s, own_time_s, components } = functions;
  const none = () => name.map(() => null);
  const of = (columns: readonly Column[]) =>
    (kinds.length === 0 ? [""] : kinds).map((kind) => columns[components.indexOf(kind)] ?? none());
  const energy_j = of(functions.energy_j);
  return {
    name: [...name],
    parent: [...parent],
    rest,
    visits: none(),
    all_visits: none(),
    time_s,
    own_time_s,
    p50_s: none(),
    p99_s: none(),
    slowest: none(),
    energy_j,
    se_j: of(functions.se_j),
    own_energy_j: of(functions.own_energy_j),
    power_w: energy_j.map((column) =>
      column.map((joules, i) => {
        const seconds = time_s[i];
        return joules !== null && seconds !== null && seconds > 0
          ? Number((joules / seconds).toPrecision(5))
          : null;
      })
    ),
    durations: none(),
  };
}

/**
 * The rows with most time, in their order: so many, with names of so many letters in all. A row is behind the one
 * that calls it, which has at least its time and stays, too.
 */
export function rowsWithMostTime(
  times: Column,
  names: readonly string[],
  { rows, letters = Infinity }: { rows: number; letters?: number },
): number[] {
  const byTime = [...times.keys()].sort((a, b) => (times[b] ?? 0) - (times[a] ?? 0) || a - b);
  let length = 0;
  const kept = byTime.slice(0, rows).filter((row) => (length += names[row].length) <= letters);
  return kept.sort((a, b) => a - b);
}

/** The functions with most time, `count` of them, and the rows that are no functions. */
export function withoutShortest(functions: PageRegions, count: number): PageRegions {
  const { name, time_s, rest } = functions;
  const kept = rowsWithMostTime(time_s.slice(0, rest), name, { rows: count });
  const rows = kept.concat([...name.keys()].slice(rest));
  const places = new Map(rows.map((row, i) => [row, i]));
  const of = <T>(column: readonly T[]) => rows.map((row) => column[row]);
  const all = (columns: readonly Column[]) => columns.map(of);
  return {
    name: of(name),
    parent: of(functions.parent).map((row) => places.get(row) ?? -1),
    rest: kept.length,
    visits: of(functions.visits),
    all_visits: of(functions.all_visits),
    time_s: of(time_s),
    own_time_s: of(functions.own_time_s),
    p50_s: of(functions.p50_s),
    p99_s: of(functions.p99_s),
    slowest: of(functions.slowest),
    energy_j: all(functions.energy_j),
    se_j: all(functions.se_j),
    own_energy_j: all(functions.own_energy_j),
    power_w: all(functions.power_w),
    durations: of(functions.durations),
  };
}
