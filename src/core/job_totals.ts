/**
 * Totals of a run by component: energy, power, idle and net, of one host or of a job, and the way
 * to a report's `totals:` and back. Layout: docs/reference/formats/report.md.
 * @module
 */
import { rounded } from "./number_format.ts";
import { ENERGY_KINDS, type EnergyKind } from "./region_tree.ts";
import { fieldOf, isMapping, type Nested, numberOf, type Report } from "./report.ts";
import type { ReportHost } from "./report.ts";

/** The signal that a component's energy comes from. */
export const ENERGY_SIGNALS: Readonly<Record<EnergyKind, string>> = {
  node: "BOARD_ENERGY",
  package: "CPU_ENERGY",
  dram: "DRAM_ENERGY",
  gpu: "GPU_ENERGY",
};

/** Key under `sampling:` of signals whose first update after the run was not read. */
export const UNREAD_KEY = "last update not read";

/** Key under `sampling:` of the time before the first sample, if that matters: no energy is of it. */
export const UNSAMPLED_KEY = "first sample after (s)";

/** Energy of the node by samples, if it is the integral of a power: GEOPM has no key for it. */
export const NODE_ENERGY_KEY = "joulemark-node-energy (J)";

/** One component; NaN: not known. */
export interface ComponentTotal {
  readonly joules: number;
  /** Reading error: the counter is read at two moments between its updates. */
  readonly errorJ: number;
  /** Energy ÷ time of the run; of a part that it covers, the power while it was measured. */
  readonly meanW: number;
  /** Sum of the mean powers of a job's hosts, each while it ran. */
  readonly hostsW: number;
  /** Maximum mean power over a second, of one host. */
  readonly peakW: number;
  /**
   * Sum of the hosts' maximum powers: hosts may reach them at different times, so a job drew no
   * more than this.
   */
  readonly peakAtMostW: number;
  readonly idleJ: number;
  readonly netJ: number;
  /** Part of the time and of the parts that the energy covers, 0 to 1. */
  readonly coverage: number;
  /** Covered part, in words; "" if all is covered. */
  readonly covers: string;
  readonly source: string;
}

/** Totals of one host, or of a job. */
export interface JobTotals {
  /** Runtime, of a job the longest of its hosts'. */
  readonly seconds: number;
  /** The most inclusive first. */
  readonly components: ReadonlyMap<EnergyKind, ComponentTotal>;
  /** Energy × time of the most inclusive component, J s; NaN: there is none. */
  readonly edp: number;
}

const J_PER_KWH = 3.6e6;
const DIGITS = 12;
const KEYS = {
  joules: "energy (J)",
  errorJ: "reading-error (J)",
  meanW: "power (W)",
  hostsW: "power-of-hosts (W)",
  peakW: "power-peak (W)",
  peakAtMostW: "power-peak-at-most (W)",
  idleJ: "idle (J)",
  netJ: "net (J)",
} as const;

/** Texts of a report for a counter of which nothing is known, since it may not count at all. */
export const NEVER_CHANGED = "the counter did not change in the whole run";
export const ZERO_POWER = "the power was 0 W in the whole run";
/** Before the period: no failure of the counter. */
export const TOO_SHORT = "the measured time was shorter than the update period of the counter";

/** Is it one of these texts? */
export function isStillReason(text: Nested | undefined): text is string {
  return typeof text === "string" &&
    [NEVER_CHANGED, ZERO_POWER, TOO_SHORT].some((reason) => text.startsWith(reason));
}

/** Facts for the entry of a source by such a text: a run that is too short is no trouble. */
export function stillFacts(reason: string | undefined): { note?: string; trouble?: string } {
  if (reason === undefined) return {};
  return reason.startsWith(TOO_SHORT) ? { note: reason } : { trouble: reason };
}

/** Why a component has no energy, in the host's own words; `undefined`: it has, or none was requested. */
export function absenceOf(host: ReportHost, kind: EnergyKind): string | undefined {
  const source = sourceOf(host, kind);
  const still = [source?.trouble, source?.note].find(isStillReason);
  if (still !== undefined) return `${still}: ${source!.source}`;
  return typeof source?.absent === "string" ? source.absent : undefined;
}

/** GEOPM's fields of the energies that a host has no source for. */
export function absentEnergies(host: ReportHost): Set<string> {
  const absent = ENERGY_KINDS.filter((kind) => absenceOf(host, kind) !== undefined);
  return new Set(absent.map((kind) => `${kind}-energy (J)`));
}

/**
 * Totals of one host from its sections.
 *
 * @param peaksW Maximum power by component, if it is known.
 */
export function hostTotals(
  host: ReportHost,
  peaksW: ReadonlyMap<EnergyKind, number> = new Map(),
): JobTotals {
  const { application } = host;
  const runtimeS = fieldOf(application, "runtime (s)");
  // The time that the counters' energy is of.
  const sampledS = fieldOf(application, "sync-runtime (s)");
  const lateS = unsampledS(host);
  const coveredS = Math.max(0, runtimeS - lateS);
  const components = new Map<EnergyKind, ComponentTotal>();
  for (const kind of ENERGY_KINDS) {
    const own = `joulemark-${kind}-energy`;
    const sampled = fieldOf(
      application,
      kind === "node" ? NODE_ENERGY_KEY : `${kind}-energy (J)`,
    );
    const known = fieldOf(application, `${own}-known (J)`);
    // GEOPM's 0 for a counter that is not there is no energy.
    const isThere = absenceOf(host, kind) === undefined;
    const exact = fieldOf(application, `${own}-exact (J)`);
    const asked = kind === "node" ? fieldOf(application, ENERGY_SIGNALS.node) : NaN;
    const joules = !isThere ? NaN : [exact, sampled, asked, known].find(Number.isFinite) ?? NaN;
    if (!Number.isFinite(joules)) continue;
    const isPart = Number.isFinite(known);
    const share = isPart ? fieldOf(application, `${own}-coverage (%)`) / 100 : 1;
    const source = sourceOf(host, kind);
    const knownW = fieldOf(application, `joulemark-${kind}-power-known (W)`);
    const meanW = isPart
      ? Number.isFinite(knownW)
        ? knownW
        : numberOf(coveredFacts(host, kind)["power while measured (W)"])
      : joules / coveredS;
    const seenW = peaksW.get(kind) ?? NaN;
    components.set(kind, {
      joules,
      errorJ: readingErrorJ(
        host,
        kind,
        isPart ? meanW : joules / (sampledS > 0 ? sampledS : runtimeS),
      ),
      meanW,
      hostsW: NaN,
      // Seconds that no window covers, at the ends of a short run, may have drawn more than all others.
      peakW: seenW < meanW ? meanW : seenW,
      peakAtMostW: NaN,
      idleJ: fieldOf(application, `${own}-idle (J)`),
      netJ: fieldOf(application, `${own}-net (J)`),
      coverage: lateS > 0 ? share * coveredS / runtimeS : share,
      covers: isPart
        ? coveredPart(host, kind)
        : lateS > 0
        ? `the time after ${Number(lateS.toPrecision(3))} s`
        : "",
      source: [source?.quality, source?.source].filter((text) => typeof text === "string").join(
        ", ",
      ),
    });
  }
  return { seconds: runtimeS, components, edp: edpOf(components, runtimeS) };
}

/** Seconds of a host's run before its first sample, if they matter; else 0. */
export function unsampledS({ joulemark }: ReportHost): number {
  const { sampling } = joulemark ?? {};
  return isMapping(sampling) ? numberOf(sampling[UNSAMPLED_KEY], 0) : 0;
}

/** Signals whose first update after a host's run was not read. */
export function unreadIn(host: ReportHost | undefined): string[] {
  const { sampling } = host?.joulemark ?? {};
  const unread = isMapping(sampling) ? sampling[UNREAD_KEY] : undefined;
  return Array.isArray(unread) ? unread.map(String) : [];
}

/**
 * Standard error of a total that is read at any moment between two updates: of one counter, the energy of an
 * update period divided by √6; counters of equal parts add up as independent ones. A total whose last update was
 * not read lacks half a period. NaN: no period is known.
 *
 * @param countedW Power in the time that the counter's energy is of.
 */
function readingErrorJ(host: ReportHost, kind: EnergyKind, countedW: number): number {
  const { attribution } = host.joulemark ?? {};
  if (!isMapping(attribution)) return NaN;
  const periods = Object.entries(attribution).flatMap(([name, facts]) => {
    const isOne = name.startsWith(`${kind}-`) && isMapping(facts);
    return isOne ? [numberOf(facts["update period (s)"])] : [];
  });
  const lacks = unreadIn(host).includes(ENERGY_SIGNALS[kind]);
  const parts = periods.map((s) => s * countedW / periods.length);
  const squares = parts.reduce((sum, joules) => sum + joules ** 2 / 6, 0);
  const lackJ = lacks ? parts.reduce((sum, joules) => sum + joules / 2, 0) : 0;
  return parts.length > 0 ? Math.hypot(Math.sqrt(squares), lackJ) : NaN;
}

/** Totals of a report: as its job has them, else its only host. */
export function reportTotals({ joulemark, hosts: [host, ...others] }: Report): JobTotals {
  return totalsFromNested(joulemark?.totals) ??
    (host === undefined || others.length > 0
      ? { seconds: NaN, components: new Map(), edp: NaN }
      : ownTotals(host));
}

/** Totals of one host: as it has them, else from its sections. */
export function ownTotals(host: ReportHost): JobTotals {
  return totalsFromNested(host.joulemark?.totals) ?? hostTotals(host);
}

/** Energy × time of the node, else of its packages; NaN: neither is known, or its energy is of a part of the run. */
export function edpOf(
  components: ReadonlyMap<EnergyKind, Pick<ComponentTotal, "joules" | "covers">>,
  seconds: number,
): number {
  const total = components.get("node") ?? components.get("package");
  return total?.covers === "" ? total.joules * seconds : NaN;
}

/** Maximum power of a part of a job over a second, W. */
export function mostOf({ peakW, peakAtMostW }: ComponentTotal): number {
  return Number.isNaN(peakW) ? peakAtMostW : peakW;
}

/** Totals as printed under `joulemark:`. */
export function totalsToNested(totals: JobTotals): { [key: string]: Nested } {
  const nested: { [key: string]: Nested } = {
    "time (s)": digits(totals.seconds),
    ...(Number.isFinite(totals.edp) ? { "EDP (J s)": digits(totals.edp) } : {}),
  };
  for (const [kind, total] of totals.components) {
    const fields: { [key: string]: Nested } = {};
    for (const [name, key] of Object.entries(KEYS)) {
      const value = total[name as keyof typeof KEYS];
      if (!Number.isFinite(value)) continue;
      fields[key] = digits(value);
      if (name === "joules") fields["energy (kWh)"] = digits(value / J_PER_KWH);
    }
    fields["coverage (%)"] = digits(100 * total.coverage);
    if (total.covers !== "") fields.covers = total.covers;
    if (total.source !== "") fields.source = total.source;
    nested[kind] = fields;
  }
  return nested;
}

/** Totals from a report; `undefined` for what is none. */
export function totalsFromNested(nested: Nested | undefined): JobTotals | undefined {
  if (!isMapping(nested) || typeof nested["time (s)"] !== "number") return undefined;
  const seconds = nested["time (s)"];
  const components = new Map<EnergyKind, ComponentTotal>();
  for (const kind of ENERGY_KINDS) {
    const fields = nested[kind];
    if (!isMapping(fields)) continue;
    const figures = Object.fromEntries(
      Object.entries(KEYS).map(([name, key]) => [name, numberOf(fields[key])]),
    ) as unknown as Record<keyof typeof KEYS, number>;
    // A damaged report's.
    if (!Number.isFinite(figures.joules)) continue;
    const coverage = numberOf(fields["coverage (%)"]) / 100;
    const [covers, source] = ["covers", "source"].map((key) => String(fields[key] ?? ""));
    const meanW = covers === "" ? figures.joules / seconds : figures.meanW;
    // Earlier reports of jobs have the sum as their power.
    const hostsW = numberOf(fields[KEYS.hostsW], figures.meanW);
    components.set(kind, { ...figures, meanW, hostsW, coverage, covers, source });
  }
  return { seconds, components, edp: numberOf(nested["EDP (J s)"]) };
}

function sourceOf(host: ReportHost, kind: EnergyKind): { [key: string]: Nested } | undefined {
  const { sources } = host.joulemark ?? {};
  const source = isMapping(sources) ? sources[ENERGY_SIGNALS[kind]] : undefined;
  return isMapping(source) ? source : undefined;
}

/** Entry of an energy in the host's coverage mapping. */
function coveredFacts(host: ReportHost, kind: EnergyKind): { [key: string]: Nested } {
  const { coverage } = host.joulemark ?? {};
  const facts = isMapping(coverage) ? coverage[`${kind}-energy (J)`] : undefined;
  return isMapping(facts) ? facts : {};
}

function coveredPart(host: ReportHost, kind: EnergyKind): string {
  const { of } = coveredFacts(host, kind);
  return typeof of === "string" ? of : "a part of the time";
}

function digits(value: number): number {
  return rounded(value, DIGITS);
}
