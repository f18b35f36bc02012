/**
 * Statistics over the hosts of a job: minimum, maximum, mean and standard deviation of every
 * numeric field of every section, and the outliers.
 *
 * Memory does not grow with hosts, except for the three fields that are searched for outliers:
 * eight bytes each per host and region. Results do not depend on the order of hosts.
 * @module
 */
import { absentEnergies } from "../../core/job_totals.ts";
import type { ReportHost } from "../../core/report.ts";
import { SectionSums } from "./field_sums.ts";
import { addJobProcesses } from "./job_processes.ts";
import { addJobTotals } from "./job_totals.ts";

const SECTIONS = [
  ["Unmarked Totals", "unmarked"],
  ["Epoch Totals", "epoch"],
  ["Application Totals", "application"],
] as const;

/** The statistics of one job's hosts. */
export class HostStatistics {
  /** Host names by number. */
  readonly hosts: string[] = [];
  /** Regions in the order that they were first seen. */
  readonly regions = new Map<string, SectionSums>();
  readonly sections = new Map<string, SectionSums>();

  /** Takes in one host. */
  add(host: ReportHost): void {
    const number = this.hosts.push(host.host) - 1;
    const absent = absentEnergies(host);
    for (const { region, fields } of host.regions ?? []) {
      this.region(region).add(fields, host.host, number, { absent });
    }
    for (const [title, name] of SECTIONS) {
      const fields = host[name];
      if (fields !== undefined) this.section(title).add(fields, host.host, number, { absent });
    }
    addJobTotals(this, host, number);
    addJobProcesses(this, host, number);
  }

  region(name: string): SectionSums {
    return this.regions.getOrInsertComputed(name, (name) => new SectionSums(name));
  }

  section(title: string): SectionSums {
    return this.sections.getOrInsertComputed(title, (title) => new SectionSums(title));
  }
}
