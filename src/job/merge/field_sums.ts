/**
 * Sums of one field, and of the fields of one section, over the hosts of a job.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { isExact, isRate, isSampled, type ReportFields } from "../../core/report.ts";
import { ExactSum, moments } from "./exact_sum.ts";

/** Fields whose single values are kept, to find outliers. */
const WATCHED: readonly string[] = [
  ...["runtime (s)", "package-energy (J)", "power (W)"],
  ...["node energy (J)", "dram energy (J)", "gpu energy (J)"],
];

/** One field of one section over hosts. */
export interface FieldStatistics {
  readonly count: number;
  readonly mean: number;
  /** Standard deviation of a sample, n − 1; NaN for one host. */
  readonly deviation: number;
  readonly min: number;
  readonly minHost: string;
  readonly max: number;
  readonly maxHost: string;
}

/** Single values of a field, with the numbers of their hosts: of 10,000 hosts there are millions. */
export class HostValues {
  count = 0;
  hosts = new Int32Array(0);
  values = new Float64Array(0);

  push(host: number, value: number): void {
    if (this.count === this.values.length) {
      this.hosts = grown(this.hosts);
      this.values = grown(this.values);
    }
    this.hosts[this.count] = host;
    this.values[this.count++] = value;
  }
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
  /** Values of a watched field, by host. */
  readonly watched: HostValues | undefined;
  readonly #isRate: boolean;
  readonly #isExact: boolean;

  constructor(readonly key: string) {
    this.#isRate = isRate(key);
    this.#isExact = isExact(key);
    this.watched = WATCHED.includes(key) ? new HostValues() : undefined;
  }

  /** A host's value. Ties of the extremes go to the name that sorts first. */
  add(value: number, host: string, number: number, hasSpread = true): void {
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
    if (hasSpread) this.squares.addSquare(value);
    this.watched?.push(number, value);
  }

  /** Is a value of a section one that was measured? GEOPM's 0 for "no sample" is none. */
  isKnown(value: number, hasSample: boolean): boolean {
    return this.#isExact || hasSample && !(value === 0 && this.#isRate);
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

  /**
   * Adds a host's section.
   *
   * @param hasSpread Deviations are asked for: they cost twice what sums do. @default true
   * @param absent Fields that have no source on the host: GEOPM has 0 for them. @default none
   */
  add(
    fields: ReportFields,
    host: string,
    number: number,
    { hasSpread = true, absent }: { hasSpread?: boolean; absent?: ReadonlySet<string> } = {},
  ): void {
    this.hosts++;
    const hasSample = isSampled(fields);
    let i = 0;
    for (const key in fields) {
      const value = fields[key];
      if (typeof value !== "number") continue;
      // Hosts of a job have the same fields in the same order, nearly always.
      const field = this.fields[i]?.key === key ? this.fields[i] : this.field(key);
      if (field.isKnown(value, hasSample) && absent?.has(key) !== true) {
        field.add(value, host, number, hasSpread);
      }
      i++;
    }
  }

  field(key: string): FieldSums {
    return this.#byKey.getOrInsertComputed(key, () => {
      const field = new FieldSums(key);
      this.fields.push(field);
      return field;
    });
  }
}
