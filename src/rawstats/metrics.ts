/**
 * The job metrics, their units and their formulas, in one table.
 *
 * A value is the mean over the job's nodes unless the formula differs; dt is the length of
 * the job on the node, sums go over its devices. NaN: the counters that it needs are absent.
 * docs/raw-stats.md is checked against this table.
 * @module
 */
import type { MetricSums } from "./metric_sums.ts";

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** One metric. */
export interface JobMetric {
  readonly name: string;
  readonly unit: string;
  readonly formula: string;
  of(nodes: readonly MetricSums[]): number;
}

/** Mean over nodes. */
function mean(nodes: readonly MetricSums[], of: (node: MetricSums) => number): number {
  return nodes.length === 0 ? NaN : nodes.reduce((sum, node) => sum + of(node), 0) / nodes.length;
}

/** Mean over nodes of a sum per second, in a unit of so many base units. */
function rate(name: string, unit: string, per: number, inputs: readonly string[], formula: string) {
  const of = (nodes: readonly MetricSums[]) =>
    mean(nodes, (node) => node.sum(...inputs) / per / node.seconds);
  return { name, unit, formula, of };
}

/** Greatest over nodes. */
function greatest(nodes: readonly MetricSums[], of: (node: MetricSums) => number): number {
  const values = nodes.map(of).filter((value) => value === value);
  return values.length === 0 ? NaN : Math.max(...values);
}

/** Sum over nodes of one input over that of another. */
function ratio(nodes: readonly MetricSums[], above: string, below: string): number {
  const sum = (input: string) => nodes.reduce((n, node) => n + node.total(input), 0);
  return sum(above) / sum(below);
}

const WIDTHS = [["SCALAR", 1], ["128B_PACKED", 2], ["256B_PACKED", 4], ["512B_PACKED", 8]] as const;

interface Flops {
  /** Operations, those of vectors, instructions. */
  all: number;
  vector: number;
  instructions: number;
}

/** Floating-point operations of a node, of one precision. */
function flopsOf(node: MetricSums, precision: "DOUBLE" | "SINGLE"): Flops {
  const result = { all: NaN, vector: 0, instructions: 0 };
  for (const [name, lanes] of WIDTHS) {
    const count = node.total(`FP_ARITH_INST_RETIRED_${name}_${precision}`);
    if (count !== count) continue;
    const operations = count * (precision === "SINGLE" && lanes > 1 ? 2 * lanes : lanes);
    result.all = (result.all === result.all ? result.all : 0) + operations;
    if (lanes > 1) result.vector += operations;
    result.instructions += count;
  }
  return result;
}

/** Operations of both precisions, or the AMD event that counts them all, of one family or other. */
function allFlops(node: MetricSums): number {
  const amd = node.sum("FLOPS", "SSE_FLOPS");
  if (amd === amd) return amd;
  const parts = [flopsOf(node, "DOUBLE").all, flopsOf(node, "SINGLE").all].filter((v) => v === v);
  return parts.length === 0 ? NaN : parts.reduce((a, b) => a + b);
}

/** Which of the fabric's types a node has: extended counters before plain ones. */
function fabric(
  node: MetricSums,
  what: "bytes" | "packets",
  take: (input: string) => number,
): number {
  for (const type of ["ib_ext", "ib"]) {
    const value = take(`${type}_${what}`);
    if (value > 0) return what === "bytes" ? value / MIB : value;
  }
  if (what === "packets") return node.sum("opa_packets") >= 0 ? take("opa_packets") : NaN;
  const flits = take("opa_flits");
  return flits === flits ? flits / 125000 : take("ib_bytes") / MIB;
}

const AMD_CHANNELS = [0, 1, 2, 3].map((i) => `MBW_CHANNEL_${i}`);

/** Bytes through the memory controllers, by any type that counts them. */
function memoryBytes(node: MetricSums): number {
  const found = [node.sum("CAS_READS", "CAS_WRITES"), 2 * node.sum(...AMD_CHANNELS)];
  return found.find((bytes) => bytes === bytes) ?? node.total("DRAM");
}

/** Bytes through the memory on the package: all of it, or what a cache served. */
function packageMemory(node: MetricSums): number {
  const inserts = node.total("EDC_INSERTS");
  const isCache = node.sum("EDC_HITS", "EDC_MISSES") > 0;
  return isCache ? inserts - node.sum("EDC_MISSES", "CAS_READS") : inserts;
}

/** Sums over nodes of the operations of one precision, over each other. */
function flopRatio(
  precision: "DOUBLE" | "SINGLE",
  of: (sum: (key: keyof Flops) => number) => number,
) {
  return (nodes: readonly MetricSums[]) => {
    const flops = nodes.map((node) => flopsOf(node, precision));
    return of((key) => flops.reduce((n, s) => n + s[key], 0));
  };
}

const share = (sum: (key: keyof Flops) => number) => 100 * sum("vector") / sum("all");
const width = (sum: (key: keyof Flops) => number) => sum("all") / sum("instructions");

/** The metrics in the order in which they print. */
export const JOB_METRICS: readonly JobMetric[] = [
  rate(
    "avg_cpuusage",
    "cores",
    100,
    ["cpu.user", "cpu.system", "cpu.nice"],
    "(user + system + nice) / (100 dt)",
  ),
  {
    name: "avg_freq",
    unit: "GHz",
    formula: "nominal frequency × core cycles / reference cycles",
    of: (nodes) => mean(nodes, (node) => node.nominalHz) / 1e9 * ratio(nodes, "APERF", "MPERF"),
  },
  {
    name: "avg_cpi",
    unit: "",
    formula: "core cycles / instructions",
    of: (nodes) => ratio(nodes, "APERF", "INST_RETIRED"),
  },
  {
    name: "avg_flops",
    unit: "GFLOP/s",
    formula: "(events × operations per instruction) / (1e9 dt); AMD: FLOPS or SSE_FLOPS",
    of: (nodes) => mean(nodes, (node) => allFlops(node) / 1e9 / node.seconds),
  },
  {
    name: "avg_flops_64b",
    unit: "GFLOP/s",
    formula: "double precision: scalar 1, 128 bit 2, 256 bit 4, 512 bit 8",
    of: (nodes) => mean(nodes, (node) => flopsOf(node, "DOUBLE").all / 1e9 / node.seconds),
  },
  {
    name: "avg_flops_32b",
    unit: "GFLOP/s",
    formula: "single precision: scalar 1, 128 bit 4, 256 bit 8, 512 bit 16",
    of: (nodes) => mean(nodes, (node) => flopsOf(node, "SINGLE").all / 1e9 / node.seconds),
  },
  {
    name: "vecpercent_64b",
    unit: "%",
    formula: "100 × vector operations / all, double precision",
    of: flopRatio("DOUBLE", share),
  },
  {
    name: "vecpercent_32b",
    unit: "%",
    formula: "100 × vector operations / all, single precision",
    of: flopRatio("SINGLE", share),
  },
  {
    name: "avg_vector_width_64b",
    unit: "",
    formula: "operations / instructions, double precision",
    of: flopRatio("DOUBLE", width),
  },
  {
    name: "avg_vector_width_32b",
    unit: "",
    formula: "operations / instructions, single precision",
    of: flopRatio("SINGLE", width),
  },
  {
    name: "avg_mbw",
    unit: "GiB/s",
    formula:
      "64 (CAS reads + writes) / (2^30 dt); AMD: 2 × 64 (channels 0 to 3), family 10h 64 DRAM",
    of: (nodes) => mean(nodes, (node) => memoryBytes(node) / GIB / node.seconds),
  },
  rate("avg_htbw", "GiB/s", GIB, ["HYPERTRANSPORT"], "4 (HT0 + HT1 + HT2) / (2^30 dt)"),
  {
    name: "avg_mcdrambw",
    unit: "GiB/s",
    formula: "64 (inserts − misses − DDR reads) / (2^30 dt); 64 inserts where it is no cache",
    of: (nodes) => mean(nodes, (node) => packageMemory(node) / GIB / node.seconds),
  },
  rate("avg_blockbw", "MiB/s", MIB, ["block_bytes"], "512 (sectors read + written) / (2^20 dt)"),
  rate(
    "avg_ethbw",
    "MiB/s",
    MIB,
    ["ethernet_bytes"],
    "(rx + tx bytes) / (2^20 dt), without lo, ib*",
  ),
  rate("avg_lnetbw", "MiB/s", MIB, ["lnet_bytes"], "(rx + tx bytes) / (2^20 dt)"),
  rate("avg_lustrebw", "MiB/s", MIB, ["lustre_bytes"], "(read + write bytes) / (2^20 dt)"),
  {
    name: "avg_fabricbw",
    unit: "MiB/s",
    formula: "4 (words received + sent) / (2^20 dt); OPA: flits / (125000 dt)",
    of: (nodes) =>
      mean(nodes, (node) => fabric(node, "bytes", (input) => node.total(input)) / node.seconds),
  },
  {
    name: "avg_packetsize",
    unit: "MiB",
    formula: "fabric data / fabric packets",
    of: (nodes) =>
      mean(nodes, (node) => {
        const take = (input: string) => node.total(input);
        return fabric(node, "bytes", take) / fabric(node, "packets", take);
      }),
  },
  {
    name: "max_fabricbw",
    unit: "MiB/s",
    formula: "greatest rate of one interval and node",
    of: (nodes) => greatest(nodes, (node) => fabric(node, "bytes", (input) => node.peak(input))),
  },
  {
    name: "max_packetrate",
    unit: "1/s",
    formula: "greatest packet rate of one interval and node",
    of: (nodes) => greatest(nodes, (node) => fabric(node, "packets", (input) => node.peak(input))),
  },
  {
    name: "max_lnetbw",
    unit: "MiB/s",
    formula: "greatest rate of one interval and node",
    of: (nodes) => greatest(nodes, (node) => node.peak("lnet_bytes") / MIB),
  },
  rate("avg_lustreiops", "1/s", 1, ["metadata"], "metadata operations of llite / dt"),
  {
    name: "max_mds",
    unit: "1/s",
    formula: "greatest rate of metadata operations of one interval and node",
    of: (nodes) => greatest(nodes, (node) => node.peak("metadata")),
  },
  rate("avg_openclose", "1/s", 1, ["open_close"], "(open + close) / dt"),
  rate("avg_mdcreqs", "1/s", 1, ["mdc.reqs"], "requests / dt"),
  rate("avg_oscreqs", "1/s", 1, ["osc.reqs"], "requests / dt"),
  {
    name: "avg_mdcwait",
    unit: "us",
    formula: "wait / requests",
    of: (nodes) => ratio(nodes, "mdc.wait", "mdc.reqs"),
  },
  {
    name: "avg_oscwait",
    unit: "us",
    formula: "wait / requests",
    of: (nodes) => ratio(nodes, "osc.wait", "osc.reqs"),
  },
  rate("avg_loads", "1/s", 1, ["LOADS"], "load events / dt"),
  rate("avg_l1loadhits", "1/s", 1, ["L1_LOAD_HITS"], "load events / dt"),
  rate("avg_l2loadhits", "1/s", 1, ["L2_LOAD_HITS"], "load events / dt"),
  rate("avg_llcloadhits", "1/s", 1, ["LLC_LOAD_HITS"], "load events / dt"),
  {
    name: "mem_hwm",
    unit: "GiB",
    formula: "greatest MemUsed − FilePages − Slab over samples and nodes / 2^30",
    of: (nodes) => greatest(nodes, (node) => node.memoryBytes / GIB),
  },
  {
    name: "node_imbalance",
    unit: "",
    formula: "greatest over nodes of mean((max − rate) / max), user time, max over nodes",
    of: nodeImbalance,
  },
  {
    name: "time_imbalance",
    unit: "",
    formula: "least over inner times of mean user rate after / before, by trapezoids",
    of: (nodes) => {
      const values = nodes.map(timeImbalance).filter((value) => value === value);
      return values.length === 0 ? NaN : Math.min(...values);
    },
  },
  {
    name: "avg_gpuutil",
    unit: "%",
    formula: "mean utilization without the first and last sample",
    of: (nodes) => mean(nodes, (node) => inner(node.gpuUtilization)),
  },
  {
    name: "avg_gpupower",
    unit: "W",
    formula: "mean over samples of the sum over GPUs",
    of: (nodes) => mean(nodes, (node) => inner(node.gpuWatts)),
  },
  rate("avg_pkgpower", "W", 1, ["joules.pkg"], "joules of the packages / dt"),
  rate("avg_dram_power", "W", 1, ["joules.dram"], "joules of the memory / dt"),
  {
    name: "pkg_energy",
    unit: "J",
    formula: "counts × joules of a count, packages, sum over nodes",
    of: (nodes) => nodes.reduce((sum, node) => sum + node.total("joules.pkg"), 0),
  },
  {
    name: "dram_energy",
    unit: "J",
    formula: "counts × joules of a count, memory, sum over nodes",
    of: (nodes) => nodes.reduce((sum, node) => sum + node.total("joules.dram"), 0),
  },
  rate(
    "package_power",
    "W",
    1,
    ["joules.pkg"],
    "joules of the packages / dt: not the node's power",
  ),
  rate(
    "node_power",
    "W",
    1,
    ["joules.node"],
    "joules of the node's own meter / dt, where recorded",
  ),
];

/** Mean without the first and last value. */
function inner(values: readonly number[]): number {
  const kept = values.length > 2 ? values.slice(1, -1) : values;
  return kept.length === 0 ? NaN : kept.reduce((a, b) => a + b) / kept.length;
}

/** Greatest over nodes of mean((max − rate) / max) of user time: 0 for even nodes; NaN without any. */
function nodeImbalance(nodes: readonly MetricSums[]): number {
  const length = Math.min(...nodes.map((node) => node.userRates.length));
  if (nodes.length === 0 || length === 0) return NaN;
  const sums = new Float64Array(nodes.length);
  for (let i = 0; i < length; i++) {
    const max = Math.max(...nodes.map((node) => node.userRates[i]));
    nodes.forEach((node, n) => sums[n] += max > 0 ? (max - node.userRates[i]) / max : 0);
  }
  return Math.max(...sums) / length;
}

/** How far the work falls off: 1 for an even job, towards 0 for one that stops early. */
function timeImbalance(node: MetricSums): number {
  const { userTimes: t, userRates: r } = node;
  const area = new Float64Array(t.length);
  for (let i = 1; i < t.length; i++) {
    area[i] = area[i - 1] + (r[i] + r[i - 1]) / 2 * (t[i] - t[i - 1]);
  }
  const end = t.length - 1;
  let least = NaN;
  for (let i = 2; i <= end - 2; i++) {
    const before = area[i] / (t[i] - t[0]);
    const after = (area[end] - area[i]) / (t[end] - t[i]);
    if (before > 0 && !(after / before >= least)) least = after / before;
  }
  return least;
}
