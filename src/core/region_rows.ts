/**
 * Regions as the card, tables and pages show them: the tree's rows as the report has it, else GEOPM's
 * sections.
 * @module
 */
import {
  ENERGY_KINDS,
  type EnergyKind,
  type RegionTree,
  type TreeEnergy,
  treeFromNested,
  type TreeRow,
} from "./region_tree.ts";
import { fieldOf, type Report, type ReportFields, type ReportHost } from "./report.ts";
import { absenceOf } from "./job_totals.ts";

/** Rows, one estimator for all. */
export interface RegionRows {
  /** Energies that there are, the most inclusive first. */
  readonly kinds: readonly EnergyKind[];
  readonly rows: readonly TreeRow[];
  readonly leftOut: number;
  readonly unmarked: TreeRow | undefined;
  /** What energies are by: GEOPM's samples, where nothing better is in the report. */
  readonly method: "sampled" | "exact" | "fit";
}

const UNMARKED = "(unmarked)";
const NO_VISITS = {
  ...{ minS: NaN, p50S: NaN, p99S: NaN, maxS: NaN, deviationS: NaN },
  buckets: new Map<number, number>(),
};

/** Rows of the job's tree, of the only host's, or of its sections. */
export function regionRows(report: Report): RegionRows {
  const [host] = report.hosts;
  const tree = treeFromNested(report.joulemark?.tree) ??
    (report.hosts.length === 1 ? treeFromNested(host.joulemark?.tree) : undefined);
  const kinds = tree === undefined ? [] : kindsOf(tree);
  if (tree !== undefined && kinds.length > 0) return ofTree(report, tree, kinds);
  const sampled = ofSections(report);
  if (tree === undefined || sampled.kinds.length > 0) return sampled;
  return { ...ofTree(report, tree, []), unmarked: sampled.unmarked };
}

/** The best known energy of a row: by the fit, else by exact edges. */
export function reportedJoules(energy: TreeEnergy | undefined): number {
  if (energy === undefined) return NaN;
  return Number.isNaN(energy.joules) ? energy.exactJ : energy.joules;
}

/** The most inclusive first; but before it one for which a result exists. */
function kindsOf(tree: RegionTree): EnergyKind[] {
  const kinds = ENERGY_KINDS.filter((kind) =>
    tree.rows.some(({ energies }) => energies.has(kind)) || tree.unmarked.has(kind)
  );
  const hasResult = (kind: EnergyKind) =>
    tree.rows.some(({ energies }) => Number.isFinite(energies.get(kind)?.joules));
  return [...kinds.filter(hasResult), ...kinds.filter((kind) => !hasResult(kind))];
}

function ofTree(report: Report, tree: RegionTree, kinds: readonly EnergyKind[]): RegionRows {
  const { unmarked } = report.hosts.length === 1 ? report.hosts[0] : {};
  const runtimeS = fieldOf(unmarked ?? {}, "runtime (s)");
  // Without a request for a fit, all results are by exact edges.
  const isFit = report.hosts.every(({ joulemark }) => methodOf(joulemark) !== "exact");
  const method = isFit ? "fit" : "exact";
  const rest = unmarked === undefined && tree.unmarked.size === 0
    ? undefined
    : row(UNMARKED, NaN, runtimeS, tree.unmarked);
  return { kinds, rows: tree.rows, leftOut: tree.leftOut, unmarked: rest, method };
}

function methodOf(own: ReportHost["joulemark"]): unknown {
  const facts = own?.attribution;
  return typeof facts === "object" && facts !== null && !Array.isArray(facts) ? facts.method : "";
}

/** GEOPM's regions: energies are sums over hosts, times and counts means. */
function ofSections({ hosts }: Report): RegionRows {
  const kinds = ENERGY_KINDS.filter((kind) =>
    hosts.length > 0 && hosts.every((host) => {
      return absenceOf(host, kind) === undefined &&
        Number.isFinite(fieldOf(host.application, `${kind}-energy (J)`));
    })
  );
  const of = (name: string, list: readonly ReportFields[], isCounted = true) => {
    const sum = (key: string) => list.reduce((all, fields) => all + fieldOf(fields, key), 0);
    const mean = (key: string) => sum(key) / list.length;
    const energies = new Map<EnergyKind, TreeEnergy>(kinds.map((kind) => {
      const joules = sum(`${kind}-energy (J)`);
      const powerW = joules / mean("sync-runtime (s)");
      return [kind, { joules, seJ: NaN, exactJ: NaN, selfJ: NaN, selfSeJ: NaN, powerW }];
    }));
    return row(name, isCounted ? mean("count") : NaN, mean("runtime (s)"), energies);
  };
  const regions = Map.groupBy(hosts.flatMap((host) => host.regions ?? []), ({ region }) => region);
  const unmarked = hosts.map((host) => host.unmarked).filter((fields) => fields !== undefined);
  return {
    ...{ kinds, leftOut: 0, method: "sampled" },
    rows: [...regions].map(([name, list]) => of(name, list.map(({ fields }) => fields))),
    unmarked: unmarked.length === 0 ? undefined : of(UNMARKED, unmarked, false),
  };
}

function row(
  region: string,
  count: number,
  givenS: number,
  energies: ReadonlyMap<EnergyKind, TreeEnergy>,
): TreeRow {
  // What is unmarked of a process whose threads' regions add up to more than its time is not known.
  const runtimeS = givenS < 0 ? NaN : givenS;
  return {
    ...{ region, depth: 0, track: "", attribute: "", count, runtimeS, selfS: runtimeS },
    ...{ visits: NO_VISITS, energies },
  };
}
