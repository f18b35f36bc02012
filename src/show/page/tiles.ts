/**
 * Tiles of the summary: how long, how many joules of which counter, how sure, which power, and what
 * sampling cost.
 * @module
 */
import { absenceWords, relativeError } from "../analysis/notes.ts";
import { type Outcome, type SummaryFacts, totalOf } from "../analysis/summary_facts.ts";
import { type ComponentTotal, mostOf } from "../../core/job_totals.ts";
import { COMPONENT_NAMES, type EnergyKind } from "../../core/region_tree.ts";
import type { PageTile } from "./data.ts";
import { joules, percent, seconds as time, watts, withUnit } from "./numbers.ts";
import { known } from "./regions.ts";

const J_PER_WH = 3600;
/** A smaller error is `<0.1 %`. */
const MIN_ERROR = 0.001;

/** The tiles. */
export function tilesOf(facts: SummaryFacts): PageTile[] {
  const { totals: { seconds, edp }, main, hostCount, absence, monitor } = facts;
  const total = totalOf(facts, main);
  const isMany = hostCount > 1;
  const tiles: PageTile[] = [{
    name: "Time",
    value: time(seconds),
    about: isMany ? "of the slowest host" : "wall clock",
  }];
  if (main === undefined || total === undefined) {
    tiles.push({
      name: "Energy",
      value: "not available",
      about: absence === "" ? "joulemark doctor says why" : absenceWords(absence),
    });
  } else {
    tiles.push(energyTile(main, total, hostCount), {
      name: "Mean power",
      value: watts(known(total.meanW)),
      about: powerText(total, facts),
    });
    if (total.covers === "" && Number.isFinite(edp)) {
      tiles.push({
        name: "EDP",
        value: withUnit(edp, "J s", 1e-6),
        about: "energy × time: lower is better",
      });
    }
  }
  if (monitor !== undefined) {
    const { percent: own, simulatedPercent } = monitor;
    tiles.push({
      name: "Monitor",
      value: percent(own / 100),
      about: `of one core${isMany ? ", at most on a host" : ""}` +
        (simulatedPercent > 0 ? `; simulator ${percent(simulatedPercent / 100)} more` : ""),
    });
  }
  return tiles;
}

function energyTile(main: EnergyKind, total: ComponentTotal, hosts: number): PageTile {
  const name = COMPONENT_NAMES[main];
  const relative = relativeError(total);
  const error = !(relative >= 0) || total.covers !== ""
    ? ""
    : relative < MIN_ERROR
    ? " ±<0.1 %"
    : ` ±${percent(relative)}`;
  const counters = hosts > 1 ? `${name} counters of ${hosts} hosts` : `${name} counter`;
  const part = total.covers === "" ? "" : `, at least: ${total.covers}`;
  return {
    name: "Energy",
    value: joules(total.joules) + error,
    about: `${counters}${part}; ${withUnit(total.joules / J_PER_WH, "Wh", 1e-3)}`,
  };
}

function powerText(total: ComponentTotal, { hostCount }: SummaryFacts): string {
  const peak = mostOf(total);
  if (hostCount === 1) return Number.isFinite(peak) ? `peak ${watts(peak)}` : "";
  const each = `${watts(known(total.hostsW / hostCount))} a host`;
  return Number.isFinite(peak) ? `${each}; peaks add up to ${watts(peak)}` : each;
}

/** Why a run is not as it should be; `undefined`: it ended well. */
export function outcomeText(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case "done":
      return undefined;
    case "failed":
      return `FAILED: the command ended with exit status ${outcome.status}.`;
    case "killed":
      return `FAILED: the command was killed by ${outcome.signal}.`;
    case "interrupted":
      return `INTERRUPTED by ${outcome.signal}; all values cover the time until then.`;
    case "partial":
      return `PARTIAL${outcome.why === "" ? "" : `: ${outcome.why}`}; values cover this part only.`;
  }
}
