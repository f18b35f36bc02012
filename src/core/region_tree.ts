/**
 * Regions by path as a report has them under `tree:`, and the way there and back.
 *
 * A row is a path; rows are in the order of the tree, each after its parent, `depth` 0
 * outermost. Times and counts are means over processes, as GEOPM's are; energies are the node's.
 * Layout: docs/reference/formats/report.md.
 * @module
 */
import { rounded } from "./number_format.ts";
import { bucketsOf, bucketsText, isMapping, type Nested, numberOf } from "./report.ts";

/** Counters that a region's energy comes from, the most inclusive first. */
export const ENERGY_KINDS = ["node", "package", "dram", "gpu"] as const;
/** Name of a kind of energy. */
export type EnergyKind = typeof ENERGY_KINDS[number];
/** Components for people. */
export const COMPONENT_NAMES: Readonly<Record<EnergyKind, string>> = {
  node: "node",
  package: "package",
  dram: "memory",
  gpu: "GPU",
};

/** A region as people and tables name it: one without a name is `(no name)`. */
export function regionName(name: string): string {
  return name === "" ? "(no name)" : name;
}

/** Energy of one kind; J, W; NaN: there is none. */
export interface TreeEnergy {
  /** Energy with all nested regions, and its standard error, J; NaN: it cannot be determined. */
  readonly joules: number;
  readonly seJ: number;
  /** By exact edges alone: used if the other cannot be determined, or was not requested. */
  readonly exactJ: number;
  /** Outside of what is nested in it, and its standard error. */
  readonly selfJ: number;
  readonly selfSeJ: number;
  /** Power of the domains while all their CPUs of the application were in it. */
  readonly powerW: number;
}

/** Lengths of visits, s; NaN: no visit ended. */
export interface TreeVisits {
  readonly minS: number;
  readonly p50S: number;
  readonly p99S: number;
  readonly maxS: number;
  readonly deviationS: number;
  /** Visits by bucket of length: see `bucketOf`. Of all processes. */
  readonly buckets: ReadonlyMap<number, number>;
}

/** One path. */
export interface TreeRow {
  readonly region: string;
  readonly depth: number;
  /** Track of the region, as `API` or `API/domain`; "" is the program's own. */
  readonly track: string;
  /** Caliper's attribute; "" of a plain region. */
  readonly attribute: string;
  /** Number of processes that count and times are means over. */
  readonly processes: number;
  readonly count: number;
  readonly runtimeS: number;
  readonly selfS: number;
  readonly visits: TreeVisits;
  readonly energies: ReadonlyMap<EnergyKind, TreeEnergy>;
}

/** The best known energy of a row: by the fit, else by exact edges. */
export function reportedJoules(energy: TreeEnergy | undefined): number {
  if (energy === undefined) return NaN;
  return Number.isNaN(energy.joules) ? energy.exactJ : energy.joules;
}

/** The tree of one host, or of a job. */
export interface RegionTree {
  /** Processes that marked anything. */
  readonly processes: number;
  readonly rows: readonly TreeRow[];
  /** Paths with less time than those that have rows. */
  readonly leftOut: number;
  /** Outside all regions. */
  readonly unmarked: ReadonlyMap<EnergyKind, TreeEnergy>;
  /**
   * Energy of CPUs while none of their processes lives, and of domains that no process may use;
   * empty: there is none.
   */
  readonly otherCpus: ReadonlyMap<EnergyKind, TreeEnergy>;
  /** The rest of the total, which no row has; empty: there is none. */
  readonly undetermined: ReadonlyMap<EnergyKind, TreeEnergy>;
}

/** The tree of a run. */
export interface RunTree extends RegionTree {
  /** Path of each row. */
  readonly pathOf: readonly number[];
}

/** The energies beside the rows by their keys, in the order that they are printed. */
export const REST_KEYS = {
  unmarked: "unmarked",
  otherCpus: "other CPUs",
  undetermined: "undetermined",
} as const satisfies Partial<Record<keyof RegionTree, string>>;
/** Names of these. */
export type Rest = keyof typeof REST_KEYS;

/** Energy of some paths together, and the power of the domains there; NaN: there is none. */
export interface PathEnergy {
  readonly exactJ: number;
  readonly fitJ: number;
  readonly seJ: number;
  readonly powerW: number;
}

/** Energies of sets of paths. */
export interface PathEnergies {
  /** Kinds that there are, the most inclusive first. */
  readonly kinds: readonly EnergyKind[];
  of(kind: EnergyKind, paths: readonly number[]): PathEnergy;
  /** Energy of CPUs while none of their processes lives, and of domains that no process may use. */
  otherCpus(kind: EnergyKind): PathEnergy;
  /** Energy of the whole run, J. */
  totalJ(kind: EnergyKind): number;
}

const DIGITS = 12;
const VISIT_KEYS = {
  minS: "visit-min (s)",
  p50S: "visit-p50 (s)",
  p99S: "visit-p99 (s)",
  maxS: "visit-max (s)",
  deviationS: "visit-sd (s)",
} as const;
const ENERGY_KEYS = {
  joules: "-energy (J)",
  seJ: "-energy-se (J)",
  exactJ: "-energy-exact (J)",
  selfJ: "-energy-self (J)",
  selfSeJ: "-energy-self-se (J)",
  powerW: "-power (W)",
} as const;

/** Keys of each kind's energies: a merge reads millions of them. */
const KIND_KEYS = ENERGY_KINDS.map((kind) => {
  const keys = Object.entries(ENERGY_KEYS).map(([field, key]) => [field, kind + key]);
  return [kind, Object.fromEntries(keys) as Record<keyof typeof ENERGY_KEYS, string>] as const;
});

const RESTS = Object.entries(REST_KEYS) as [Rest, string][];

/** The energies beside the rows. */
export function restsOf<T>(of: (rest: Rest) => T): Record<Rest, T> {
  return Object.fromEntries(RESTS.map(([rest]) => [rest, of(rest)])) as Record<Rest, T>;
}

/** Tree as printed under `joulemark:`. */
export function treeToNested(tree: RegionTree): Nested {
  return {
    processes: tree.processes,
    ...(tree.leftOut > 0 ? { "rows left out": tree.leftOut } : {}),
    rows: tree.rows.map((row) => rowToNested(row, tree.processes)),
    ...Object.fromEntries(
      RESTS.filter(([rest]) => tree[rest].size > 0)
        .map(([rest, key]) => [key, energiesToNested(tree[rest])]),
    ),
  };
}

function rowToNested(row: TreeRow, processes: number): Nested {
  const { visits } = row;
  const lengths = bucketsText(visits.buckets);
  return {
    region: row.region,
    depth: row.depth,
    ...(row.track === "" ? {} : { track: row.track }),
    ...(row.attribute === "" ? {} : { attribute: row.attribute }),
    ...(row.processes === processes ? {} : { processes: row.processes }),
    count: digits(row.count),
    "runtime (s)": digits(row.runtimeS),
    "runtime-self (s)": digits(row.selfS),
    ...energiesToNested(row.energies),
    ...finite(Object.entries(VISIT_KEYS).map(([field, key]) => [key, visits[field as "minS"]])),
    ...(lengths === "" ? {} : { "visit-lengths": lengths }),
  };
}

function energiesToNested(
  energies: ReadonlyMap<EnergyKind, TreeEnergy>,
): { [key: string]: number } {
  const fields: [string, number][] = [];
  for (const [kind, energy] of energies) {
    for (const [field, key] of Object.entries(ENERGY_KEYS)) {
      const value = energy[field as keyof TreeEnergy];
      // An energy that cannot be determined is named; its substitute is left out elsewhere.
      if (field === "joules" && Number.isNaN(value)) fields.push([kind + key, NaN]);
      else if (field !== "exactJ" || Number.isNaN(energy.joules)) {
        if (Number.isFinite(value)) fields.push([kind + key, value]);
      }
    }
  }
  return Object.fromEntries(fields.map(([key, value]) => [key, digits(value)]));
}

/** A tree from a report; `undefined` for what is none. */
export function treeFromNested(nested: Nested | undefined): RegionTree | undefined {
  if (!isMapping(nested) || !Array.isArray(nested.rows)) return undefined;
  const rows: TreeRow[] = [], processes = numberOf(nested.processes, 1);
  let depth = -1;
  for (const row of nested.rows) {
    if (!isMapping(row) || typeof row.depth !== "number") return undefined;
    // A row is a child of the row before it, or of one of that row's ancestors.
    if (!Number.isInteger(row.depth) || row.depth < 0 || row.depth > depth + 1) return undefined;
    depth = row.depth;
    rows.push(rowFromNested(row, processes));
  }
  return {
    processes,
    rows,
    leftOut: numberOf(nested["rows left out"], 0),
    ...restsOf((rest) => {
      const fields = nested[REST_KEYS[rest]];
      return energiesFromNested(isMapping(fields) ? fields : {});
    }),
  };
}

function rowFromNested(row: { [key: string]: Nested }, processes: number): TreeRow {
  const visits = {
    minS: numberOf(row[VISIT_KEYS.minS]),
    p50S: numberOf(row[VISIT_KEYS.p50S]),
    p99S: numberOf(row[VISIT_KEYS.p99S]),
    maxS: numberOf(row[VISIT_KEYS.maxS]),
    deviationS: numberOf(row[VISIT_KEYS.deviationS]),
    buckets: bucketsOf(row["visit-lengths"]),
  };
  return {
    region: regionName(String(row.region ?? "")),
    depth: row.depth as number,
    track: String(row.track ?? ""),
    attribute: String(row.attribute ?? ""),
    processes: numberOf(row.processes, processes),
    count: numberOf(row.count),
    runtimeS: numberOf(row["runtime (s)"]),
    selfS: numberOf(row["runtime-self (s)"]),
    visits,
    energies: energiesFromNested(row),
  };
}

function energiesFromNested(fields: { [key: string]: Nested }): Map<EnergyKind, TreeEnergy> {
  const energies = new Map<EnergyKind, TreeEnergy>();
  for (const [kind, keys] of KIND_KEYS) {
    const joules = numberOf(fields[keys.joules]), exactJ = numberOf(fields[keys.exactJ]);
    if (Number.isNaN(joules) && Number.isNaN(exactJ)) continue;
    energies.set(kind, {
      joules,
      exactJ,
      seJ: numberOf(fields[keys.seJ]),
      powerW: numberOf(fields[keys.powerW]),
      selfJ: numberOf(fields[keys.selfJ]),
      selfSeJ: numberOf(fields[keys.selfSeJ]),
    });
  }
  return energies;
}

function finite(entries: [string, number][]): { [key: string]: number } {
  return Object.fromEntries(
    entries.filter(([, value]) => Number.isFinite(value)).map(([key, v]) => [key, digits(v)]),
  );
}

function digits(value: number): number {
  return rounded(value, DIGITS);
}
