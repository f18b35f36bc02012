/**
 * Regions as the summary, tables and pages show them: the tree's rows as the report has it, else GEOPM's
 * sections.
 * @module
 */
import {
  ENERGY_KINDS,
  type EnergyKind,
  regionName,
  type RegionTree,
  reportedJoules,
  type Rest,
  REST_KEYS,
  type TreeEnergy,
  treeFromNested,
  type TreeRow,
} from "./region_tree.ts";
import {
  fieldOf,
  isMapping,
  type Report,
  type ReportFields,
  type ReportHost,
  sampledOf,
} from "./report.ts";
import { balance, type Energies, restAbove } from "./balance.ts";
import { absenceOf, reportTotals } from "./job_totals.ts";

/** Rows, one estimator for all. */
export interface RegionRows {
  /** Energies that there are, the most inclusive first. */
  readonly kinds: readonly EnergyKind[];
  readonly rows: readonly TreeRow[];
  readonly leftOut: number;
  /** Energy that no region has, in the order that it is printed. */
  readonly outside: readonly TreeRow[];
  /** Method of the energies: GEOPM's samples if the report has nothing better. */
  readonly method: "sampled" | "exact" | "fit";
}

/** Names of the rows that are no regions. */
const NAMES: Readonly<Record<Rest, string>> = {
  unmarked: "(outside regions)",
  otherCpus: "(other CPUs)",
  undetermined: "(undetermined)",
};
/** The name of the time outside all regions. */
export const OUTSIDE_REGIONS = NAMES.unmarked;
/** The name of the rest that no row has. */
export const UNDETERMINED = NAMES.undetermined;
const RESTS = Object.keys(REST_KEYS) as Rest[];
const NO_VISITS = {
  minS: NaN,
  p50S: NaN,
  p99S: NaN,
  maxS: NaN,
  deviationS: NaN,
  buckets: new Map<number, number>(),
};

/**
 * Rows of the job's tree, of the only host's, or of its sections. They add up to the total of each component that
 * covers the whole run; what no row has is the last one of {@linkcode RegionRows.outside}.
 *
 * @param options With `ofAll` that row has the counters of the whole run that no region has, too.
 */
export function regionRows(report: Report, { ofAll = false } = {}): RegionRows {
  const found = rowsOf(report), { kinds, leftOut } = found;
  const { components } = reportTotals(report);
  const changeable = (one: TreeRow) => ({ ...one, energies: new Map(one.energies) });
  const rows = found.rows.map(changeable);
  const isRest = ({ region }: TreeRow) => region === UNDETERMINED;
  const outside = found.outside.filter((one) => !isRest(one)).map(changeable);
  const rests: Energies = new Map();
  for (const kind of new Set([...kinds, ...ofAll ? components.keys() : []])) {
    const total = components.get(kind);
    const totalJ = total?.covers === "" ? total.joules : NaN;
    const beside = outside.map(({ energies }) => energies);
    // GEOPM's figures stay as they are.
    const restJ = found.method === "sampled"
      ? restOf(kind, [...rows, ...outside], totalJ)
      : balance(kind, rows, { beside, totalJ, leftOut });
    const known = found.outside.find(isRest)?.energies.get(kind);
    if (total?.covers !== "" && known !== undefined) rests.set(kind, known);
    if (restJ > 0) rests.set(kind, coarseEnergy(restJ));
  }
  const hasMore = leftOut > 0 && kinds.length > 0;
  if (rests.size === 0 && !hasMore) return { ...found, rows, outside };
  // Regions that the report has no rows of have most of it.
  const name = hasMore ? moreRegions(leftOut) : UNDETERMINED;
  return { ...found, rows, outside: [...outside, row(name, NaN, NaN, rests)] };
}

/** Visits of all processes. @param ofRun Processes of the run: a row may not say how many it is a mean of. */
export function allVisits({ count, processes }: TreeRow, ofRun: number): number {
  // A report has twelve digits of the mean.
  return Number((count * Math.max(1, processes || ofRun || 1)).toPrecision(11));
}

/** Name of the row of regions that a report has no rows of. */
export function moreRegions(leftOut: number): string {
  return `(${leftOut} more regions)`;
}

/** Share of an energy below which a difference is rounding. */
const ROUNDING = 1e-6;

/**
 * Energy of each row without the rows inside it, J; NaN: none. They add up to the total: those that a report has no
 * row of are part of the last one.
 *
 * @param totalJ `undefined`: not known.
 */
export function ownEnergies(
  { rows, outside, leftOut }: Pick<RegionRows, "rows" | "outside" | "leftOut">,
  kind: EnergyKind,
  totalJ: number | undefined,
): number[] {
  const all = [...rows, ...outside];
  const joules = all.map(({ energies }) => reportedJoules(energies.get(kind)));
  const inside = all.map(() => 0);
  // By depth: rows that the one around them, which comes before them, has not yet taken.
  const open: number[] = [];
  for (let i = rows.length - 1; i >= 0; i--) {
    const { depth } = rows[i];
    inside[i] = open[depth + 1] ?? 0;
    open[depth + 1] = 0;
    // What is inside a row without an energy is inside the row around it.
    open[depth] = (open[depth] ?? 0) + (Number.isNaN(joules[i]) ? inside[i] : joules[i]);
  }
  const own = joules.map((value, i) => {
    const selfJ = all[i].energies.get(kind)?.selfJ ?? NaN;
    const restJ = Math.max(0, value - inside[i]);
    // No more than rounding is left, and nothing else is known of it.
    if (inside[i] > 0 && restJ <= ROUNDING * value && Number.isNaN(selfJ)) return NaN;
    // Regions without a row may be inside this one.
    return leftOut > 0 && Number.isFinite(selfJ) ? Math.min(selfJ, restJ) : restJ;
  });
  if (totalJ === undefined) return own;
  if (leftOut > 0) own[own.length - 1] = NaN;
  const sum = own.reduce((all, value) => all + (value || 0), 0);
  if (leftOut > 0 && sum < totalJ) own[own.length - 1] = totalJ - sum;
  return sum > totalJ * (1 + ROUNDING) ? own.map((value) => value * totalJ / sum) : own;
}

function restOf(kind: EnergyKind, rows: readonly TreeRow[], totalJ: number): number {
  const joules = rows.map(({ energies }) => reportedJoules(energies.get(kind)) || 0);
  return restAbove(totalJ - joules.reduce((sum, value) => sum + value, 0), totalJ);
}

function coarseEnergy(exactJ: number): TreeEnergy {
  return { joules: NaN, seJ: NaN, exactJ, selfJ: NaN, selfSeJ: NaN, powerW: NaN };
}

function rowsOf(report: Report): RegionRows {
  const [host] = report.hosts;
  const tree = treeFromNested(report.joulemark?.tree) ??
    (report.hosts.length === 1 ? treeFromNested(host.joulemark?.tree) : undefined);
  const kinds = tree === undefined ? [] : kindsOf(tree);
  if (tree !== undefined && kinds.length > 0) return ofTree(report, tree, kinds);
  const sampled = ofSections(report, tree !== undefined);
  if (tree === undefined || sampled.kinds.length > 0) return sampled;
  const own = ofTree(report, tree, []);
  const known = own.outside.find(({ region }) => region === OUTSIDE_REGIONS);
  const outside = report.hosts.length > 1 || known === undefined
    ? sampled.outside
    : sampled.outside.map((row) => ({ ...row, runtimeS: known.runtimeS, selfS: known.selfS }));
  return { ...own, outside };
}

/** Times are sums of differences of clocks. */
const ROUNDING_S = 1e-3;

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
  const [host] = report.hosts.length === 1 ? report.hosts : [];
  const unmarked = host?.unmarked;
  const runtimeS = host === undefined ? NaN : outsideS(host, tree);
  // Without a request for a fit, all results are by exact edges.
  const isFit = report.hosts.every(({ joulemark }) => methodOf(joulemark) !== "exact");
  const method = isFit ? "fit" : "exact";
  const outside = RESTS.flatMap((rest) => {
    const isEmpty = tree[rest].size === 0 && (rest !== "unmarked" || unmarked === undefined);
    if (isEmpty) return [];
    return [row(NAMES[rest], NaN, rest === "unmarked" ? runtimeS : NaN, tree[rest])];
  });
  return { kinds, rows: tree.rows, leftOut: tree.leftOut, outside, method };
}

/**
 * Time outside of all regions, s. GEOPM's has that of regions that were open at the end, too; such regions have rows.
 */
function outsideS({ application, unmarked, joulemark }: ReportHost, tree: RegionTree): number {
  const givenS = fieldOf(unmarked ?? {}, "runtime (s)"), processes = joulemark?.processes;
  const open = isMapping(processes) ? processes["ended inside a region"] : undefined;
  if (!Array.isArray(open) || open.length === 0) return givenS;
  const insideS = tree.rows.reduce((sum, { depth, runtimeS }) => {
    return depth === 0 ? sum + runtimeS : sum;
  }, 0);
  const leftS = fieldOf(application, "runtime (s)") - insideS;
  // Processes with regions of their own add up to more than the time of the run.
  return leftS < -ROUNDING_S ? NaN : Math.min(givenS, Math.max(0, leftS));
}

function methodOf(own: ReportHost["joulemark"]): unknown {
  const facts = own?.attribution;
  return typeof facts === "object" && facts !== null && !Array.isArray(facts) ? facts.method : "";
}

/**
 * GEOPM's regions: energies are sums over the hosts that have the counter, times and counts means. A
 * counter of all hosts comes before one of some. Beside a tree, regions without energies have no rows here.
 */
function ofSections({ hosts }: Report, hasTree: boolean): RegionRows {
  const all = hosts.map((host) => ({
    host,
    kinds: new Set(ENERGY_KINDS.filter((kind) =>
      absenceOf(host, kind) === undefined &&
      Number.isFinite(fieldOf(host.application, `${kind}-energy (J)`))
    )),
  }));
  const countOf = (kind: EnergyKind) => all.filter(({ kinds }) => kinds.has(kind)).length;
  const isWhole = (kind: EnergyKind) => countOf(kind) === hosts.length;
  const some = ENERGY_KINDS.filter((kind) => countOf(kind) > 0);
  const kinds = [...some.filter(isWhole), ...some.filter((kind) => !isWhole(kind))];
  interface Part {
    readonly fields: ReportFields;
    readonly kinds: ReadonlySet<EnergyKind>;
  }
  const of = (name: string, list: readonly Part[], isCounted = true) => {
    const mean = (key: string) => {
      return list.reduce((sum, { fields }) => sum + sampledOf(fields, key), 0) / list.length;
    };
    const energies = kinds.flatMap((kind): [EnergyKind, TreeEnergy][] => {
      const parts = list.filter((part) => part.kinds.has(kind));
      if (parts.length === 0) return [];
      const joules = parts.reduce((sum, part) => {
        return sum + fieldOf(part.fields, `${kind}-energy (J)`);
      }, 0);
      const seconds = parts.reduce((sum, { fields }) => {
        return sum + (sampledOf(fields, "sync-runtime (s)") || 0);
      }, 0);
      // Hosts on which the region did not run draw as much as the others, if it ran on all.
      const powerW = seconds > 0 ? joules / seconds * countOf(kind) : NaN;
      return [[kind, { joules, seJ: NaN, exactJ: NaN, selfJ: NaN, selfSeJ: NaN, powerW }]];
    });
    const count = isCounted ? mean("count") : NaN;
    return row(name, count, mean("runtime (s)"), new Map(energies));
  };
  const regions = Map.groupBy(
    hasTree && kinds.length === 0
      ? []
      : all.flatMap(({ host, kinds }) => (host.regions ?? []).map((one) => ({ one, kinds }))),
    ({ one }) => regionName(one.region),
  );
  const unmarked = all.flatMap(({ host: { unmarked: fields }, kinds }) => {
    return fields === undefined ? [] : [{ fields, kinds }];
  });
  return {
    kinds,
    leftOut: 0,
    method: "sampled",
    // Fields of very many regions are made when they are asked for.
    rows: [...regions].map(([name, list]) => {
      return of(name, list.map(({ one: { fields }, kinds }) => ({ fields, kinds })));
    }),
    outside: unmarked.length === 0 ? [] : [of(OUTSIDE_REGIONS, unmarked, false)],
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
    region,
    depth: 0,
    track: "",
    attribute: "",
    processes: NaN,
    count,
    runtimeS,
    selfS: runtimeS,
    visits: NO_VISITS,
    energies,
  };
}
