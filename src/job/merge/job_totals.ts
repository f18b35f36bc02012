/**
 * Totals and tree of a job out of those of its hosts. They go with the other statistics over hosts,
 * as sections of their own, so that results depend neither on the order of hosts nor on who added
 * them up.
 * @module
 */
import { compareTexts } from "../../core/names.ts";
import { rounded } from "../../core/number_format.ts";
import {
  type ComponentTotal,
  edpOf,
  type JobTotals,
  mostOf,
  ownTotals,
  totalsToNested,
} from "../../core/job_totals.ts";
import { bucketFloorNs, HISTOGRAM_BUCKETS, PathStats } from "../../core/path_stats.ts";
import {
  ENERGY_KINDS,
  type EnergyKind,
  type RegionTree,
  restsOf,
  type TreeEnergy,
  treeFromNested,
  type TreeRow,
} from "../../core/region_tree.ts";
import { isMapping, type Nested, numberOf, type ReportHost } from "../../core/report.ts";
import type { FieldSums, SectionSums } from "./field_sums.ts";

const TOTALS = "Job totals";
const TREE = "Job tree ";
/** Costs of the monitor. */
const COSTS = ["sampling (% of a core)", "simulated counters (% of a core)"] as const;
const RESTS = "Job rest ";
/** Maximum number of listed sources of a component. */
const MAX_SOURCES = 3;
/** Rows kept; the others have less time. */
const MAX_ROWS = 1000;

/** Keys of a path's energies, and of its histogram: made once, since hosts and paths are many. */
const KEYS = {
  node: keysOf("node"),
  package: keysOf("package"),
  dram: keysOf("dram"),
  gpu: keysOf("gpu"),
} as const satisfies Readonly<Record<EnergyKind, unknown>>;
const BUCKET_KEYS = Array.from({ length: HISTOGRAM_BUCKETS }, (_, k) => `bucket ${k}`);

function keysOf(kind: EnergyKind) {
  return {
    reported: `${kind} reported`,
    variance: `${kind} variance`,
    best: `${kind} best`,
    self: `${kind} self`,
    selfVariance: `${kind} self variance`,
    watts: `${kind} watts`,
  };
}

type Fields = { [key: string]: number };

/** Sections of a job. */
export interface Statistics {
  readonly hosts: readonly string[];
  readonly sections: ReadonlyMap<string, SectionSums>;
  section(title: string): SectionSums;
}

/** Adds what one host's own mapping has. */
export function addJobTotals(statistics: Statistics, host: ReportHost, number: number): void {
  const { joulemark } = host;
  const totals = ownTotals(host);
  const tree = treeFromNested(joulemark?.tree);
  const fields: Fields = { seconds: totals.seconds, processes: tree?.processes ?? NaN };
  for (const [kind, total] of totals.components) {
    fields[energyKey(kind)] = total.joules;
    fields[`${kind} watts`] = total.meanW;
    fields[`${kind} reading variance`] = total.errorJ ** 2;
    fields[`${kind} peak`] = mostOf(total);
    fields[`${kind} idle`] = total.idleJ;
    fields[`${kind} net`] = total.netJ;
    fields[`${kind} covered`] = total.coverage;
    if (total.source !== "") fields[sourceKey(kind) + total.source] = 1;
  }
  const cost = joulemark?.overhead;
  if (isMapping(cost)) {
    for (const key of COSTS) fields[key] = numberOf(cost[key]);
  }
  statistics.section(TOTALS).add(fields, host.host, number);
  if (tree === undefined) return;
  const line: string[][] = [];
  for (const row of tree.rows) {
    line.length = row.depth;
    line.push([row.region, row.track, row.attribute]);
    const section = statistics.section(TREE + JSON.stringify(line));
    section.add(rowFields(row, tree.processes), host.host, number, { hasSpread: false });
  }
  const { rows, unmarked } = tree;
  const hasEnergy = unmarked.size > 0 || rows.some(({ energies }) => energies.size > 0);
  restsOf((rest) => {
    // A host without any energy counts: then that of the others is a part.
    if (tree[rest].size === 0 && hasEnergy) return;
    const fields: Fields = {};
    addEnergies(fields, tree[rest]);
    statistics.section(RESTS + rest).add(fields, host.host, number, { hasSpread: false });
  });
}

/** Key of a component's energy: `WATCHED` has them, so that outlying hosts are found. */
function energyKey(kind: EnergyKind): string {
  return `${kind} energy (J)`;
}

/** Key prefix of a component's source: a host counts under the text that follows. */
function sourceKey(kind: EnergyKind): string {
  return `${kind} from `;
}

function rowFields(row: TreeRow, all: number): Fields {
  const { processes } = row, isPart = processes < all;
  const visits = row.count * processes;
  const seconds = row.runtimeS * processes, lengths = endedS(row, visits, seconds);
  const { deviationS, minS, maxS, buckets } = row.visits;
  const spread = visits > 1 && Number.isFinite(deviationS) ? (visits - 1) * deviationS ** 2 : 0;
  const fields: Fields = {
    processes,
    parts: isPart ? 1 : 0,
    visits,
    seconds,
    lengths,
    self: row.selfS * processes,
    squares: visits > 0 ? spread + lengths * lengths / visits : 0,
    least: minS,
    most: maxS,
  };
  addEnergies(fields, row.energies);
  for (const [bucket, n] of buckets) fields[BUCKET_KEYS[bucket] ?? `bucket ${bucket}`] = n;
  return fields;
}

/**
 * Time of a row's ended visits: its own time has the visits that are open still too, but the ended
 * ones are no longer than their histogram says.
 */
function endedS({ visits: { maxS, buckets } }: TreeRow, visits: number, seconds: number): number {
  if (Number.isNaN(maxS)) return seconds;
  let mostS = 0, others = visits;
  for (const [bucket, n] of buckets) {
    // The last bucket has no end.
    const endS = bucket === HISTOGRAM_BUCKETS - 1 ? maxS : bucketFloorNs(bucket + 1) * 1e-9;
    mostS += n * Math.min(endS, maxS);
    others -= n;
  }
  return Math.min(seconds, mostS + Math.max(0, others) * maxS);
}

function addEnergies(fields: Fields, energies: ReadonlyMap<EnergyKind, TreeEnergy>): void {
  for (const [kind, energy] of energies) {
    const { joules, seJ, exactJ, selfJ, selfSeJ, powerW } = energy;
    const keys = KEYS[kind];
    fields[keys.reported] = joules;
    fields[keys.variance] = seJ * seJ;
    fields[keys.best] = Number.isNaN(joules) ? exactJ : joules;
    fields[keys.self] = selfJ;
    fields[keys.selfVariance] = selfSeJ * selfSeJ;
    fields[keys.watts] = powerW;
  }
}

/** `totals:` of the job. */
export function jobTotals(statistics: Statistics): Nested {
  const section = statistics.section(TOTALS);
  const hosts = statistics.hosts.length;
  const seconds = section.field("seconds").max;
  const components = new Map<EnergyKind, ComponentTotal>();
  const whole = new Map<EnergyKind, ComponentTotal>();
  const spreads: { [key: string]: { [key: string]: Nested } } = {};
  for (const kind of ENERGY_KINDS) {
    const energy = section.field(energyKey(kind));
    if (energy.count === 0) continue;
    const ofAll = (name: string) => sumOfAll(section.field(`${kind} ${name}`), hosts);
    const joules = sum(energy);
    const isAll = energy.count === hosts;
    const coverage = sum(section.field(`${kind} covered`)) / hosts;
    const covers = isAll ? partOfTime(coverage) : `${energy.count} of ${hosts} hosts`;
    const hostsW = sum(section.field(`${kind} watts`));
    const total = {
      joules,
      errorJ: Math.sqrt(ofAll("reading variance")),
      meanW: covers === "" ? joules / seconds : hostsW,
      hostsW: hosts === 1 ? NaN : hostsW,
      peakW: hosts === 1 ? ofAll("peak") : NaN,
      peakAtMostW: hosts === 1 ? NaN : ofAll("peak"),
      idleJ: ofAll("idle"),
      netJ: ofAll("net"),
      coverage,
      covers,
      source: sourcesOf(section, kind),
    };
    components.set(kind, total);
    if (isAll) whole.set(kind, total);
    const { deviation, min, minHost, max, maxHost } = energy.result();
    spreads[kind] = {
      hosts: energy.count,
      "host mean (J)": digits(joules / energy.count),
      ...Number.isNaN(deviation) ? {} : { "host deviation (J)": digits(deviation) },
      "host least (J)": digits(min),
      "host least": minHost,
      "host most (J)": digits(max),
      "host most": maxHost,
    };
  }
  const totals: JobTotals = {
    seconds: Number.isFinite(seconds) ? seconds : NaN,
    components,
    // Of some hosts alone it is no figure of the job.
    edp: edpOf(whole, seconds),
  };
  const nested = totalsToNested(totals);
  for (const [kind, spread] of Object.entries(spreads)) Object.assign(nested[kind]!, spread);
  return nested;
}

/** `overhead:` of the job: the highest cost of a host; `undefined`: none is known. */
export function jobOverhead(statistics: Statistics): Nested | undefined {
  const section = statistics.section(TOTALS);
  const known = COSTS.map((key) => [key, section.field(key)] as const)
    .filter(([, { count }]) => count > 0).map(([key, { max }]) => [key, rounded(max)]);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** In words, "" if it is all of it. */
function partOfTime(share: number): string {
  return share < 1 - 1e-9 ? `${Math.min(99.9, Math.floor(share * 1000) / 10)} % of the time` : "";
}

/** Source of a component; if hosts have several sources, the number of hosts of each. */
function sourcesOf({ fields }: SectionSums, kind: EnergyKind): string {
  const key = sourceKey(kind);
  const found = fields.filter((field) => field.key.startsWith(key))
    .map((field) => ({ source: field.key.slice(key.length), hosts: field.count }))
    .sort((a, b) => b.hosts - a.hosts || compareTexts(a.source, b.source));
  if (found.length === 1) return found[0].source;
  const some = found.slice(0, MAX_SOURCES).map(({ source, hosts }) =>
    `${source} (${hosts} ${hosts === 1 ? "host" : "hosts"})`
  );
  const more = found.length - some.length;
  return [...some, ...(more > 0 ? [`${more} more`] : [])].join("; ");
}

/** The job's tree; `undefined`: no host has one. */
export function jobTree(statistics: Statistics): RegionTree | undefined {
  const processes = sum(statistics.section(TOTALS).field("processes"));
  const nodes = new Map<string, Node>();
  const top: Node = { line: [], section: undefined, children: [] };
  const sections = [...statistics.sections].filter(([name]) => name.startsWith(TREE));
  if (sections.length === 0 || !(processes > 0)) return undefined;
  const nodeOf = (line: string[][]): Node => {
    if (line.length === 0) return top;
    return nodes.getOrInsertComputed(JSON.stringify(line), () => {
      const made: Node = { line, section: undefined, children: [] };
      nodeOf(line.slice(0, -1)).children.push(made);
      return made;
    });
  };
  for (const [name, section] of sections) {
    nodeOf(JSON.parse(name.slice(TREE.length))).section = section;
  }
  const totals = statistics.section(TOTALS);
  const energies = (section: SectionSums) => {
    return energiesOf(section, (kind) => totals.field(energyKey(kind)).count);
  };
  const rows: TreeRow[] = [];
  const add = (node: Node): void => {
    if (rows.length >= MAX_ROWS) return;
    if (node.section !== undefined) {
      rows.push({ ...rowOf(node.line, node.section, processes), energies: energies(node.section) });
    }
    for (const child of node.children.sort(byTime)) add(child);
  };
  add(top);
  return {
    processes,
    rows,
    leftOut: sections.length - rows.length,
    ...restsOf((rest) => {
      const section = statistics.sections.get(RESTS + rest);
      return section === undefined ? new Map<EnergyKind, TreeEnergy>() : energies(section);
    }),
  };
}

interface Node {
  readonly line: string[][];
  section: SectionSums | undefined;
  readonly children: Node[];
}

function byTime(a: Node, b: Node): number {
  const seconds = ({ section }: Node) => section === undefined ? 0 : sum(section.field("seconds"));
  return seconds(b) - seconds(a) || (JSON.stringify(a.line) < JSON.stringify(b.line) ? -1 : 1);
}

function rowOf(
  line: string[][],
  section: SectionSums,
  all: number,
): Omit<TreeRow, "energies"> {
  const [region, track, attribute] = line[line.length - 1];
  // On each host of all its processes: hosts without the region count too, as processes without it do.
  const processes = sum(section.field("parts")) > 0 ? sum(section.field("processes")) : all;
  const visits = sum(section.field("visits"));
  const seconds = sum(section.field("seconds"));
  const stats = new PathStats();
  stats.addFolded(0, {
    count: visits,
    sumNs: sum(section.field("lengths")) * 1e9,
    sumSquareNs2: sum(section.field("squares")) * 1e18,
    minNs: section.field("least").min * 1e9,
    maxNs: section.field("most").max * 1e9,
    selfNs: 0,
  });
  const buckets = new Map<number, number>();
  const counts = section.fields.filter(({ key }) => key.startsWith("bucket "))
    .map((field) => [Number(field.key.slice(7)), sum(field)] as const)
    .sort((a, b) => a[0] - b[0]);
  for (const [bucket, n] of counts) {
    buckets.set(bucket, n);
    stats.addBucket(0, bucket, n);
  }
  const { minS, p50S, p99S, maxS, deviationS } = stats.figures(0);
  return {
    region,
    depth: line.length - 1,
    track,
    attribute,
    processes,
    count: visits / processes,
    runtimeS: seconds / processes,
    selfS: sum(section.field("self")) / processes,
    visits: { minS, p50S, p99S, maxS, deviationS, buckets },
  };
}

/** @param hostsOf Hosts with the counter: where the region did not run, it would draw as much as on the others. */
function energiesOf(
  section: SectionSums,
  hostsOf: (kind: EnergyKind) => number,
): Map<EnergyKind, TreeEnergy> {
  const energies = new Map<EnergyKind, TreeEnergy>();
  for (const kind of ENERGY_KINDS) {
    const best = section.field(`${kind} best`);
    const watts = section.field(`${kind} watts`);
    if (best.count === 0) continue;
    const whole = (name: string) => sumOfAll(section.field(`${kind} ${name}`), section.hosts);
    energies.set(kind, {
      joules: whole("reported"),
      seJ: Math.sqrt(whole("variance")),
      exactJ: sum(best),
      selfJ: whole("self"),
      selfSeJ: Math.sqrt(whole("self variance")),
      powerW: watts.count === 0 ? NaN : sum(watts) * (hostsOf(kind) / watts.count),
    });
  }
  return energies;
}

function sum(field: FieldSums): number {
  return field.count === 0 ? 0 : field.sum.value;
}

/** One host without the figure is enough for the job to have none. */
function sumOfAll(field: FieldSums, hosts: number): number {
  return field.count === hosts ? sum(field) : NaN;
}

function digits(value: number): number {
  return rounded(value, 12);
}
