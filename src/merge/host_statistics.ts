/**
 * Statistics over the hosts of a job: minimum, maximum, mean and deviation of every numeric field of
 * every section, and who stands out.
 *
 * Memory does not grow with hosts but for the three fields whose outliers are looked for, eight
 * bytes a host and region each. Results do not depend on the order of hosts.
 * @module
 */
import type { ReportFields, ReportHost } from "../core/report.ts";
import { ExactSum, moments } from "./exact_sum.ts";

/** Fields whose single values are kept, to find who stands out. */
export const WATCHED: readonly string[] = ["runtime (s)", "package-energy (J)", "power (W)"];

/** One field of one section over hosts. */
export interface FieldStatistics {
  readonly count: number;
  readonly mean: number;
  /** Of a sample, n − 1; 0 for one host. */
  readonly deviation: number;
  readonly min: number;
  readonly minHost: string;
  readonly max: number;
  readonly maxHost: string;
}

/** A field's sums as they grow, and as they travel. */
export class FieldSums {
  count = 0;
  min = Infinity;
  minHost = "";
  max = -Infinity;
  maxHost = "";
  readonly sum = new ExactSum();
  readonly squares = new ExactSum();
  /** Values of the watched fields, with the hosts' numbers. */
  readonly watched: { host: number; value: number }[] | undefined;

  constructor(readonly key: string) {
    this.watched = WATCHED.includes(key) ? [] : undefined;
  }

  /** A host's value. Ties of the extremes go to the name that sorts first. */
  add(value: number, host: string, number: number): void {
    if (!Number.isFinite(value)) return;
    this.count++;
    if (value < this.min || (value === this.min && host < this.minHost)) {
      this.min = value;
      this.minHost = host;
    }
    if (value > this.max || (value === this.max && host < this.maxHost)) {
      this.max = value;
      this.maxHost = host;
    }
    this.sum.add(value);
    this.squares.addSquare(value);
    this.watched?.push({ host: number, value });
  }

  result(): FieldStatistics {
    const { count, min, minHost, max, maxHost } = this;
    return { count, ...moments(count, this.sum, this.squares), min, minHost, max, maxHost };
  }
}

/** Fields of one section, in the order that the first host has them. */
export class SectionSums {
  readonly fields: FieldSums[] = [];
  readonly #byKey = new Map<string, FieldSums>();
  hosts = 0;

  /** @param name The region's, or the section's title. */
  constructor(readonly name: string) {}

  add(fields: ReportFields, host: string, number: number): void {
    this.hosts++;
    let i = 0;
    for (const key in fields) {
      const value = fields[key];
      if (typeof value !== "number") continue;
      // Hosts of a job have the same fields in the same order, nearly always.
      const field = this.fields[i]?.key === key ? this.fields[i] : this.field(key);
      field.add(value, host, number);
      i++;
    }
  }

  field(key: string): FieldSums {
    let field = this.#byKey.get(key);
    if (field === undefined) {
      field = new FieldSums(key);
      this.#byKey.set(key, field);
      this.fields.push(field);
    }
    return field;
  }
}

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
    for (const { region, fields } of host.regions ?? []) {
      this.region(region).add(fields, host.host, number);
    }
    for (const [title, name] of SECTIONS) {
      const fields = host[name];
      if (fields !== undefined) this.section(title).add(fields, host.host, number);
    }
  }

  region(name: string): SectionSums {
    return found(this.regions, name);
  }

  section(title: string): SectionSums {
    return found(this.sections, title);
  }
}

function found(map: Map<string, SectionSums>, name: string): SectionSums {
  let section = map.get(name);
  if (section === undefined) {
    section = new SectionSums(name);
    map.set(name, section);
  }
  return section;
}
