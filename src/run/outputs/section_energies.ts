/**
 * Energies in the sections of a report: their keys, how they follow the tree, and facts of their counters.
 * @module
 */
import { KINDS } from "../../energy/edges/attribution.ts";
import type { DomainFacts } from "../../energy/attribution/kind.ts";
import { familyOf } from "../../energy/attribution/response.ts";
import { type EnergyKind, reportedJoules, type TreeEnergy } from "../../core/region_tree.ts";
import type { Nested, ReportFields } from "../../core/report.ts";

/** Keys of the report. */
export const ENERGY_KEYS = Object.fromEntries(KINDS.map((kind) => [kind, {
  exact: `joulemark-${kind}-energy-exact (J)`,
  fit: `joulemark-${kind}-energy-fit (J)`,
  se: `joulemark-${kind}-energy-fit-se (J)`,
  caused: `joulemark-${kind}-energy-caused (J)`,
  other: `joulemark-${kind}-energy-other-cpus (J)`,
}])) as Readonly<Record<EnergyKind, Record<"exact" | "fit" | "se" | "caused" | "other", string>>>;

/**
 * Sets the estimates of a section to those of its rows in the tree. The energies by exact times stay as they are, since
 * those of all sections add up to the total by themselves.
 */
export function takeEnergies(
  fields: ReportFields,
  rows: readonly ReadonlyMap<EnergyKind, TreeEnergy>[],
): void {
  for (const kind of KINDS) {
    const keys = ENERGY_KEYS[kind];
    const joules = rows.reduce((sum, row) => sum + reportedJoules(row.get(kind)), 0);
    // Rows of several tracks have an estimate together that is better than their sum.
    if (!Number.isFinite(joules) || rows.length > 1) continue;
    if (Number.isFinite(fields[keys.fit])) fields[keys.fit] = joules;
  }
}

/** Facts about the response of a counter. */
export function fitFacts(
  { response, jitterS, notes, refusal }: DomainFacts,
): { [key: string]: Nested } {
  const lack = [...(refusal === undefined ? [] : [refusal]), ...notes];
  const { kernel } = response ?? {};
  return {
    ...(lack.length === 0 ? {} : { "lack of fit": lack.join("; ") }),
    ...(response === undefined ? {} : { response: familyOf(response.kernel) }),
    ...numbers({
      "lag (s)": kernel?.lagS ?? NaN,
      "lag se (s)": response?.lagSeS ?? NaN,
      "clock jitter (s)": jitterS,
      "moving average (s)": kernel?.meanS || NaN,
      "window (s)": kernel?.windowS || NaN,
      "time constant (s)": kernel?.orderS || NaN,
      intervals: response?.intervals ?? 0,
      columns: response?.columns ?? NaN,
    }),
  };
}

/** Numbers without the missing ones. */
export function numbers(all: { [key: string]: number }): { [key: string]: number } {
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => Number.isFinite(value))
      .map(([key, value]) => [key, Number(value.toPrecision(9))]),
  );
}
