/**
 * Notes on the values of a report: those that its run left, and those that follow from the values themselves.
 * @module
 */
import { type Finding, findingLine, HostNotes } from "../../core/finding.ts";
import {
  absenceOf,
  type ComponentTotal,
  isStillReason,
  type JobTotals,
} from "../../core/job_totals.ts";
import type { RegionRows } from "../../core/region_rows.ts";
import {
  COMPONENT_NAMES,
  ENERGY_KINDS,
  type EnergyKind,
  reportedJoules,
  type TreeRow,
} from "../../core/region_tree.ts";
import { isMapping, type Nested, type Report, type ReportHost } from "../../core/report.ts";
import { simulatedBy } from "../../core/simulated.ts";
import { figures, timeText } from "./quantity_text.ts";

/** Names in a note. */
const MAX_NAMES = 4;
/** Part of the samples that may be missed or late without a note. */
const MIN_MISSED = 0.05;
/** A relative standard error above which a value is inaccurate, and the share of energy that matters. */
const MAX_ERROR = 0.05, MIN_SHARE = 0.01;
/** The error that advice is for. */
const GOAL = 0.01;
/** Per cent of a core that sampling may take without a note. */
const MAX_MONITOR_PERCENT = 2;
/** Length of a run from which that is a note, s: the first seconds cost more. */
const MIN_COSTLY_S = 10;

/** Sources of notes on values. */
export interface NoteFacts {
  readonly totals: JobTotals;
  readonly column: EnergyKind | undefined;
  readonly regions: readonly TreeRow[];
  readonly periodsS: ReadonlyMap<EnergyKind, number>;
  /** Method of the regions' energies: GEOPM's samples, readings at begins and ends, or the fit. */
  readonly method: RegionRows["method"];
  /** Why no energy is known; "": it is. */
  readonly absence: string;
  readonly monitor: { readonly percent: number } | undefined;
  /** Steps that the run logged; NaN: none. */
  readonly stepCount: number;
}

/** Why there is no energy in a report that was cut before it. */
export const NOT_IN_THIS_PART = "it is not in the part that was read";

/** Why there is no energy, and who says more. */
export function absenceWords(absence: string): string {
  return absence === NOT_IN_THIS_PART ? absence : `${absence} (joulemark doctor)`;
}

/** Notes that follow from the values. */
export function valueFindings(facts: NoteFacts): Finding[] {
  return [
    noEnergy(facts),
    uncertainTotal(facts),
    inaccurateRegions(facts),
    meteredRegions(facts),
    shortSteps(facts),
    costlyMonitor(facts),
  ].filter((one) => one !== undefined);
}

/** Note on a run without energy: only times are known. */
function noEnergy({ absence }: NoteFacts): Finding | undefined {
  // What was cut is told first of all.
  if (absence === "" || absence === NOT_IN_THIS_PART) return undefined;
  const isVirtual = absence.includes("virtual machine");
  return {
    code: "no-energy",
    severity: "warning",
    text: "no energy is known; times are exact",
    remedy: isVirtual
      ? 'to measure energy, run on the host; to see a summary with energy, use "joulemark run ' +
        '--simulate"'
      : "see joulemark doctor",
  };
}

/** The total is read with an error above 5 %. */
function uncertainTotal({ totals, periodsS }: NoteFacts): Finding | undefined {
  const { seconds, components } = totals;
  const found = [...components].find(([, total]) => relativeError(total) > MAX_ERROR);
  if (found === undefined) return undefined;
  const [kind, total] = found, relative = relativeError(total);
  const updates = Math.max(1, Math.round(seconds / (periodsS.get(kind) ?? NaN)) || 1);
  const often = updates === 1 ? "1 update" : `${updates} updates`;
  const enoughS = Math.ceil(seconds * relative / GOAL);
  return {
    code: "rough-totals",
    severity: "warning",
    text: `${COMPONENT_NAMES[kind]} energy is uncertain (±${figures(100 * relative, 2)} %): ` +
      `${often} of the counter in ${figures(seconds, 2)} s`,
    remedy: `run longer than ${enoughS} s for ±1 %`,
  };
}

/** Reading error of a total, relative; NaN: not known, or no energy. */
export function relativeError(total: ComponentTotal | undefined): number {
  return total === undefined || total.joules === 0 ? NaN : total.errorJ / total.joules;
}

/** Regions that matter and have an error above 5 %. */
function inaccurateRegions({ totals, column, regions }: NoteFacts): Finding | undefined {
  const total = column === undefined ? undefined : totals.components.get(column);
  if (column === undefined || total === undefined) return undefined;
  const bad = regions.filter(({ energies }) => {
    const energy = energies.get(column);
    const joules = reportedJoules(energy);
    return joules >= MIN_SHARE * total.joules && Number.isFinite(energy?.joules) &&
      energy!.seJ > MAX_ERROR * joules;
  });
  if (bad.length === 0) return undefined;
  const worst = Math.max(...bad.map(({ energies }) => {
    const { seJ, joules } = energies.get(column)!;
    return seJ / joules;
  }));
  const times = (worst / MAX_ERROR) ** 2;
  const factor = times < 9.9 ? Math.ceil(10 * times) / 10 : Math.ceil(times);
  const which = bad.length === 1 ? `"${bad[0].region}"` : `${bad.length} regions`;
  const names = bad.length === 1 ? "" : `: ${listed(bad.map(({ region }) => region))}`;
  return {
    code: "inaccurate-regions",
    severity: "warning",
    text: `${COMPONENT_NAMES[column]} energy of ${which} is inaccurate ` +
      `(error up to ${figures(100 * worst, 2)} %${names})`,
    remedy: `run ${factor} times as long for errors below 5 %`,
  };
}

/** The only energy is that of a power meter, which shows no change at the begin or end of a region. */
function meteredRegions({ totals: { components }, regions }: NoteFacts): Finding | undefined {
  const isMetered = ({ source }: ComponentTotal) => /POWER$/.test(source);
  if (components.size === 0 || ![...components.values()].every(isMetered)) return undefined;
  if (regions.length === 0 || regions.some(hasEnergy)) return undefined;
  const [kind] = components.keys();
  return {
    code: "metered-regions",
    severity: "warning",
    text: `no energy of a region is estimated: the ${COMPONENT_NAMES[kind]} has only a power meter`,
    remedy: "for energies by samples see joulemark-node-energy in the report",
  };
}

function hasEnergy({ energies }: TreeRow): boolean {
  return [...energies.values()].some((energy) => Number.isFinite(reportedJoules(energy)));
}

/** Steps of a PMC log that are shorter than the updates of the counter. */
function shortSteps({ stepCount, totals, periodsS }: NoteFacts): Finding | undefined {
  const [main] = totals.components.keys();
  const periodS = main === undefined ? NaN : periodsS.get(main) ?? NaN;
  // The steps may be a part of the run: then they are still shorter.
  const stepS = totals.seconds / stepCount;
  if (!(stepS < periodS)) return undefined;
  return {
    code: "short-steps",
    severity: "warning",
    text: `the steps of the PMC log are shorter than ${timeText(stepS)} on average. The ` +
      `${COMPONENT_NAMES[main]} counter changes only every ${
        timeText(periodS)
      }, so the energy of ` +
      "a single step is inaccurate",
    remedy: "use the sum over many steps",
  };
}

/** Help for values without errors, which no longer run gets. */
export const FIT_ADVICE = "use --attribution fit";
/** Methods that give no errors, in a note. */
const WITHOUT_ERRORS = {
  sampled: "sampled values have no standard error",
  exact: "values of --attribution exact have no standard error",
};

/** Regions that matter and have no error; a run's own notes have the reason. */
function coarseRegions({ totals, column, regions, method }: NoteFacts): Finding[] {
  const total = column === undefined ? undefined : totals.components.get(column);
  if (column === undefined || total === undefined) return [];
  const coarse = regions.filter(({ energies }) => {
    const energy = energies.get(column);
    return reportedJoules(energy) >= MIN_SHARE * total.joules && !(energy!.seJ >= 0);
  });
  if (coarse.length === 0) return [];
  const which = coarse.length === 1 ? "1 region" : `${coarse.length} regions`;
  const isWhole = total.covers === "";
  return [{
    code: "coarse",
    severity: "warning",
    text: `${COMPONENT_NAMES[column]} energy of ${which} is coarse ` +
      `(~: ${listed(coarse.map(({ region }) => region))}): ` +
      (method !== "fit"
        ? WITHOUT_ERRORS[method]
        : isWhole
        ? "no standard error is known"
        : `it is that of ${total.covers}`),
    remedy: method !== "fit" ? FIT_ADVICE : isWhole ? "run longer" : undefined,
  }];
}

function costlyMonitor({ monitor, totals: { seconds } }: NoteFacts): Finding | undefined {
  const isCostly = (monitor?.percent ?? 0) > MAX_MONITOR_PERCENT && seconds >= MIN_COSTLY_S;
  if (!isCostly) return undefined;
  return {
    code: "costly-monitor",
    severity: "warning",
    text: `the monitor used ${monitor!.percent.toFixed(1)} % of one core`,
    remedy: "use a longer --period, or leave a CPU free",
  };
}

/** Samples missed or late: a note from 5 % on. */
export function missedSamples(
  { missed, late, samples }: { missed: number; late: number; samples: number },
): Finding | undefined {
  if (!(missed + late > 0)) return undefined;
  const wanted = samples + missed;
  const matters = Math.max(missed, late) >= MIN_MISSED * wanted;
  const share = figures(100 * missed / wanted, 2);
  return {
    code: "samples-missed",
    severity: matters ? "warning" : "info",
    text: `${share} % of the samples were missed (${missed} of ${wanted}), ${late} late. ` +
      "Energies stay correct; the power curve has gaps",
    remedy: "leave a CPU free, or use a longer --period",
  };
}

/** Names, at most four. */
function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ", …" : "");
}

/** Notes of a report: partial, absent and lost values, and what its runs noted, errors first. */
export function reportNotes(
  report: Report,
  facts: NoteFacts,
): { notes: string[]; minor: string[] } {
  const { joulemark: job = {}, hosts } = report;
  const notes: string[] = [], minor: string[] = [];
  const has = (host: ReportHost) => Array.isArray(host.joulemark?.notes);
  if (hosts.length !== 1) {
    for (const kind of ["stragglers", "outliers"]) {
      const [first, ...others] = textsOf(job[kind]);
      if (first === undefined) continue;
      // The last line of a long list is the number of those that it does not have.
      const [, unlisted] = /^and (\d+) more$/.exec(others.at(-1) ?? "") ?? [];
      const count = unlisted === undefined ? others.length : others.length - 1 + Number(unlisted);
      const more = count > 0 ? `, and ${count} more` : "";
      notes.push(`${kind}: ${first}${more}. Look at these hosts.`);
    }
  }
  const grouped = (of: (host: ReportHost) => readonly string[]) => {
    if (hosts.length === 1) return of(hosts[0]);
    const all = new HostNotes();
    for (const host of hosts) all.add(host.host, of(host));
    return all.lines();
  };
  // A job's have those of its hosts.
  notes.push(
    ...Array.isArray(job.notes)
      ? textsOf(job.notes)
      : grouped(({ joulemark }) => textsOf(joulemark?.notes)),
  );
  minor.push(...grouped(({ joulemark }) => textsOf(joulemark?.["minor notes"])));
  // A run's own notes have these already.
  if (hosts.length !== 1 || !has(hosts[0])) {
    const isNoted = notes.some((note) => note.includes(" coarse (~"));
    const coarse = isNoted ? [] : coarseRegions(facts);
    notes.push(...[...valueFindings(facts), ...coarse].map(findingLine));
    notes.push(...grouped((host) => has(host) ? [] : lackingNotes(host)));
  }
  return { notes, minor };
}

/** All that a reader of tables should know, one note a kind. */
export function allNotes(report: Report, facts: NoteFacts): string[] {
  const simulated = simulatedBy(report);
  const { notes, minor } = reportNotes(report, facts);
  const { partial } = report.joulemark ?? {};
  const own = report.hosts.length === 1 ? report.hosts[0].joulemark?.partial : undefined;
  const why = [partial, own].find((one) => one !== undefined && one !== false);
  return [
    ...simulated === undefined ? [] : [`simulated: ${simulated}; no value is a measurement`],
    ...why === undefined ? [] : [`partial: ${why}`],
    ...notes,
    ...minor,
  ];
}

/** Why a component has no energy though its counter is there, in a few words; `undefined`: for another reason. */
export function stillText(host: ReportHost, kind: EnergyKind): string | undefined {
  const found = absenceOf(host, kind);
  if (!isStillReason(found)) return undefined;
  const [reason] = found.split(": "), name = COMPONENT_NAMES[kind];
  return reason.replace("the counter", `the ${name} counter`)
    .replace("the power", `${name} power`);
}

/** Notes on a host without notes of its own: another program's report, or a truncated one. */
function lackingNotes(host: ReportHost): string[] {
  const { joulemark } = host;
  const sources = isMapping(joulemark?.sources) ? joulemark.sources : {};
  const absent = Object.entries(sources).filter(([name, source]) => {
    return name.endsWith("ENERGY") && isMapping(source) && source.absent !== undefined;
  }).map(([name]) => name);
  const coverage = isMapping(joulemark?.coverage) ? joulemark.coverage : {};
  const sampling = isMapping(joulemark?.sampling) ? joulemark.sampling : {};
  const missed = missedSamples({
    missed: Number(sampling["samples missed"]),
    late: Number(sampling["samples late"]),
    samples: Number(sampling.samples),
  });
  return [
    ...missed === undefined || missed.severity === "info" ? [] : [findingLine(missed)],
    ...absent.length === 0
      ? []
      : [`${absent.join(", ")} not available. The reasons: joulemark doctor.`],
    ...Object.entries(coverage).map(([key, gap]) => {
      const kind = ENERGY_KINDS.find((one) => key.startsWith(`${one}-energy`));
      const still = kind === undefined ? undefined : stillText(host, kind);
      if (still !== undefined) {
        return `${COMPONENT_NAMES[kind!]} energy is not available: ${still}.`;
      }
      return `${key} covers ${isMapping(gap) ? gap["coverage (%)"] : "?"} % of the time.`;
    }),
  ];
}

function textsOf(value: Nested | undefined): string[] {
  return Array.isArray(value) ? value.filter((note) => typeof note === "string") : [];
}
