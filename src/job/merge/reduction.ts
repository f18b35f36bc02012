/**
 * Statistics over hosts as flat lists of doubles, so that processes can add up their shares by MPI.
 *
 * Counts and the limbs of exact sums are whole numbers and add without rounding, so the result is
 * that of one process, digit for digit: exact_sum.ts.
 * @module
 */
import { LIMBS } from "./exact_sum.ts";
import { HostStatistics } from "./host_statistics.ts";
import { FieldSums, type SectionSums } from "./field_sums.ts";

/** A field of a region (`R`) or of another section (`S`). */
export type FieldName = readonly ["R" | "S", string, string];

/** Doubles per field: count, sum, squares. */
const WIDTH = 1 + 2 * LIMBS;

/** All fields that a share has. */
export function fieldNames(statistics: HostStatistics): FieldName[] {
  return fieldsOf(statistics).map(([name]) => name);
}

/** A share of the statistics, by a list of names that all shares have in common. */
export class Share {
  readonly #names: readonly FieldName[];
  readonly #fields: readonly (FieldSums | undefined)[];
  readonly #sections: readonly string[];
  readonly #statistics: HostStatistics;

  constructor(statistics: HostStatistics, names: readonly FieldName[]) {
    this.#names = names;
    this.#statistics = statistics;
    const byName = new Map(
      fieldsOf(statistics).map(([name, field]) => [JSON.stringify(name), field]),
    );
    this.#fields = names.map((name) => byName.get(JSON.stringify(name)));
    this.#sections = [...new Set(names.map(([kind, name]) => JSON.stringify([kind, name])))];
  }

  /** Sums to exchange: counts and sums of every field, then the hosts of every section. */
  sums(): Float64Array {
    const out = new Float64Array(this.#names.length * WIDTH + this.#sections.length);
    this.#fields.forEach((field, i) => {
      if (field === undefined) return;
      field.sum.normalize();
      field.squares.normalize();
      out[i * WIDTH] = field.count;
      out.set(field.sum.limbs, i * WIDTH + 1);
      out.set(field.squares.limbs, i * WIDTH + 1 + LIMBS);
    });
    this.#sections.forEach((text, i) => {
      const [kind, name] = JSON.parse(text);
      const map = kind === "R" ? this.#statistics.regions : this.#statistics.sections;
      out[this.#names.length * WIDTH + i] = map.get(name)?.hosts ?? 0;
    });
    return out;
  }

  /** The extreme of every field. */
  extreme(which: "min" | "max"): Float64Array {
    const none = which === "min" ? Infinity : -Infinity;
    return Float64Array.from(this.#fields, (field) => field?.[which] ?? none);
  }

  /** Number of the first host by name that has the extreme of all shares; infinite for none. */
  extremeHosts(
    which: "min" | "max",
    all: Float64Array,
    number: (host: string) => number,
  ): Float64Array {
    return Float64Array.from(this.#fields, (field, i) => {
      if (field === undefined || field.count === 0 || field[which] !== all[i]) return Infinity;
      return number(which === "min" ? field.minHost : field.maxHost);
    });
  }

  /** Single values of the watched fields: number of the field, of the host, value. */
  watched(number: (host: string) => number): Float64Array {
    const rows: number[] = [];
    this.#fields.forEach((field, i) => {
      const watched = field?.watched;
      for (let k = 0; k < (watched?.count ?? 0); k++) {
        rows.push(i, number(this.#statistics.hosts[watched!.hosts[k]]), watched!.values[k]);
      }
    });
    return Float64Array.from(rows);
  }
}

/** The result of all shares together. */
export interface Reduced {
  readonly names: readonly FieldName[];
  /** All hosts, sorted. */
  readonly hosts: readonly string[];
  readonly sums: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly minHosts: Float64Array;
  readonly maxHosts: Float64Array;
  readonly watched: readonly Float64Array[];
}

/** Puts them into statistics that nothing was added to. */
export function restore(statistics: HostStatistics, all: Reduced): void {
  const { names, hosts, sums } = all;
  statistics.hosts.push(...hosts);
  const sections: SectionSums[] = [];
  const fields = names.map(([kind, name, key], i) => {
    const section = kind === "R" ? statistics.region(name) : statistics.section(name);
    if (!sections.includes(section)) sections.push(section);
    const field = section.field(key);
    field.count = sums[i * WIDTH];
    field.sum.limbs.set(sums.subarray(i * WIDTH + 1, i * WIDTH + 1 + LIMBS));
    field.squares.limbs.set(sums.subarray(i * WIDTH + 1 + LIMBS, (i + 1) * WIDTH));
    field.min = all.min[i];
    field.max = all.max[i];
    field.minHost = hosts[all.minHosts[i]] ?? "";
    field.maxHost = hosts[all.maxHosts[i]] ?? "";
    return field;
  });
  sections.forEach((section, i) => section.hosts = sums[names.length * WIDTH + i]);
  for (const rows of all.watched) {
    for (let at = 0; at + 2 < rows.length; at += 3) {
      fields[rows[at]].watched?.push(rows[at + 1], rows[at + 2]);
    }
  }
}

function fieldsOf({ regions, sections }: HostStatistics): [FieldName, FieldSums][] {
  const of = (kind: "R" | "S", all: Iterable<SectionSums>) =>
    [...all].flatMap(({ name, fields }) =>
      fields.map((field): [FieldName, FieldSums] => [[kind, name, field.key], field])
    );
  return [...of("R", regions.values()), ...of("S", sections.values())];
}
