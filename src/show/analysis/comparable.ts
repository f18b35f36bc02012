/**
 * May runs be compared? Not where they were measured in different ways: another processor, another
 * clock, other counters, a counter that failed for a while, another version.
 * @module
 */
import type { Report, ReportHost } from "../../core/report.ts";
import { counterParts } from "./job_figures.ts";
import { absenceOf, TOO_SHORT, unsampledS } from "../../core/job_totals.ts";
import { COMPONENT_NAMES, ENERGY_KINDS } from "../../core/region_tree.ts";
import { simulatedBy } from "../../core/simulated.ts";
import { mapping } from "./report_view.ts";

/** A run, by its name for the user. */
export interface NamedReport {
  readonly name: string;
  readonly report: Report;
}

/** Facts that have to be the same, in words; a run without the value does not differ. */
const SAME: readonly { what: string; of: (report: Report) => string | undefined }[] = [
  { what: "the versions differ", of: ({ version }) => version },
  { what: "the numbers of hosts differ", of: ({ hosts }) => String(hosts.length) },
  { what: "the processors differ", of: ({ hosts }) => together(hosts, processor) },
  { what: "the base frequencies differ", of: ({ hosts }) => together(hosts, clock) },
  { what: "the simulated counters differ", of: (report) => simulatedBy(report) ?? "none" },
  { what: "the parts of the energy differ", of: (report) => counterParts(report) },
  { what: "the counters differ", of: ({ hosts }) => together(hosts, counters) },
];

/** Why the runs cannot be compared, a line each; empty: they can. */
export function differences(runs: readonly NamedReport[]): string[] {
  const reasons: string[] = [];
  for (const { what, of } of SAME) {
    const known = runs.map(({ name, report }) => ({ name, value: of(report) }))
      .filter(({ value }) => value !== undefined);
    const other = known.find(({ value }) => value !== known[0].value);
    if (other === undefined) continue;
    reasons.push(
      `${what}: ${known[0].name} has ${known[0].value}, ${other.name} has ${other.value}`,
    );
  }
  for (const { name, report } of runs) {
    const reason = uncovered(report);
    if (reason !== undefined) reasons.push(`${name} ${reason}`);
    const end = failure(report);
    if (end !== undefined) reasons.push(`${name} ${end}`);
  }
  return reasons;
}

/** Failure of a run that did not do all of its work. */
function failure({ hosts, joulemark }: Report): string | undefined {
  for (const own of [joulemark, ...hosts.map((host) => host.joulemark)]) {
    if (own?.["ended by"] !== undefined) return `was ended by ${own["ended by"]}`;
    const status = own?.["exit status"];
    if (status !== undefined && status !== 0) return `has the exit status ${status}`;
  }
}

function uncovered({ hosts, joulemark }: Report): string | undefined {
  const partial = joulemark?.partial ?? hosts.find((h) => h.joulemark?.partial)?.joulemark?.partial;
  if (partial === true) return "is partial: it covers only a part of the run";
  if (partial !== undefined && partial !== false) return `is partial (${partial})`;
  for (const host of hosts) {
    if (unsampledS(host) > 0) return `has the energy of ${host.host} only for a part of the time`;
    for (const key of Object.keys(mapping(host.joulemark?.coverage))) {
      const kind = ENERGY_KINDS.find((kind) => key.startsWith(`${kind}-energy`));
      const absence = kind === undefined ? undefined : absenceOf(host, kind);
      // The other parts have an energy of the whole run.
      if (!key.includes("energy") || absence?.startsWith(TOO_SHORT)) continue;
      if (absence === undefined) {
        return `has the energy of ${host.host} only for a part of the time`;
      }
      return `has no ${COMPONENT_NAMES[kind!]} energy of ${host.host}: ${absence}`;
    }
  }
}

function together(
  hosts: readonly ReportHost[],
  of: (host: ReportHost) => string | undefined,
): string | undefined {
  const values = new Set(hosts.map(of).filter((value) => value !== undefined));
  return values.size === 0 ? undefined : [...values].sort().join(" and ");
}

function processor({ joulemark }: ReportHost): string | undefined {
  const { processor, packages, cpus } = mapping(joulemark?.machine);
  if (processor === undefined) return undefined;
  return `${packages} x ${processor}, ${cpus} CPUs`;
}

/** GEOPM's frequency is reported in Hz and in per cent of the sticker frequency. */
function clock({ application }: ReportHost): string | undefined {
  const [hz, percent] = [application["frequency (Hz)"], application["frequency (%)"]].map(Number);
  const ghz = hz / percent / 1e7;
  return ghz > 0 && Number.isFinite(ghz) ? `${ghz.toFixed(3)} GHz` : undefined;
}

/** Counter of each energy. */
function counters({ joulemark }: ReportHost): string | undefined {
  const energies = Object.entries(mapping(joulemark?.sources))
    .filter(([name]) => name.endsWith("_ENERGY"));
  if (energies.length === 0) return undefined;
  return energies.map(([name, source]) => {
    const { absent, signal } = mapping(source);
    return absent === undefined ? `${signal ?? name}` : `no ${name}`;
  }).sort().join(", ");
}
