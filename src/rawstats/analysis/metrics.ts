/**
 * The job metrics, their units and their formulas, in one table.
 *
 * A value is the mean over the job's nodes unless the formula differs; dt is the length of
 * the job on the node, sums go over its devices. NaN: the counters that it needs are absent.
 * docs/reference/job-metrics.md is checked against this table.
 * @module
 */
import type { MetricSums } from "./metric_sums.ts";

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Value over all nodes of a job; NaN: the counters that it needs are absent. */
type Figure = (nodes: readonly MetricSums[]) => number;
type OfNode = (node: MetricSums) => number;

/** One metric. */
export interface JobMetric {
  readonly name: string;
  readonly unit: string;
  readonly formula: string;
  readonly of: Figure;
}

/** Mean over nodes. */
function mean(of: OfNode): Figure {
  return (nodes) => {
    return nodes.length === 0 ? NaN : nodes.reduce((sum, node) => sum + of(node), 0) / nodes.length;
  };
}

/** Mean over nodes, per second. */
function perSecond(of: OfNode): Figure {
  return mean((node) => of(node) / node.seconds);
}

/** Rate of a sum, in a unit of `per` base units. */
function rate(per: number, ...inputs: string[]): Figure {
  return perSecond((node) => node.sum(...inputs) / per);
}

/** Maximum over nodes. */
function greatest(of: OfNode): Figure {
  return (nodes) => {
    const values = nodes.map(of).filter((value) => value === value);
    return values.length === 0 ? NaN : Math.max(...values);
  };
}

/** Sum over nodes of one input. */
function total(input: string): Figure {
  return (nodes) => nodes.reduce((sum, node) => sum + node.total(input), 0);
}

/** Ratio of two inputs' totals. */
function ratio(above: string, below: string): Figure {
  return (nodes) => total(above)(nodes) / total(below)(nodes);
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

/** Value from the node's fabric type: extended counters before plain ones. */
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
): Figure {
  return (nodes) => {
    const flops = nodes.map((node) => flopsOf(node, precision));
    return of((key) => flops.reduce((n, s) => n + s[key], 0));
  };
}

const share = (sum: (key: keyof Flops) => number) => 100 * sum("vector") / sum("all");
const width = (sum: (key: keyof Flops) => number) => sum("all") / sum("instructions");
const nominal = mean((node) => node.nominalHz);
const clocks = ratio("APERF", "MPERF");

/** The metrics by name, in the order in which they print. */
const METRICS: Readonly<Record<string, readonly [unit: string, formula: string, of: Figure]>> = {
  avg_cpuusage: [
    "cores",
    "CPU time (user + system + nice, in 1/100 s) / (100 dt)",
    rate(100, "cpu.user", "cpu.system", "cpu.nice"),
  ],
  avg_freq: [
    "GHz",
    "base frequency × core cycles / reference cycles",
    (nodes) => nominal(nodes) / 1e9 * clocks(nodes),
  ],
  avg_cpi: ["", "core cycles / instructions", ratio("APERF", "INST_RETIRED")],
  avg_flops: [
    "GFLOP/s",
    "floating-point operations / (10^9 dt), single and double precision together. AMD: counts of " +
    "the event FLOPS or SSE_FLOPS / (10^9 dt)",
    perSecond((node) => allFlops(node) / 1e9),
  ],
  avg_flops_64b: [
    "GFLOP/s",
    "operations in double precision / (10^9 dt). An instruction has 1 operation (scalar), " +
    "2 (128 bits), 4 (256 bits) or 8 (512 bits)",
    perSecond((node) => flopsOf(node, "DOUBLE").all / 1e9),
  ],
  avg_flops_32b: [
    "GFLOP/s",
    "operations in single precision / (10^9 dt). An instruction has 1 operation (scalar), " +
    "4 (128 bits), 8 (256 bits) or 16 (512 bits)",
    perSecond((node) => flopsOf(node, "SINGLE").all / 1e9),
  ],
  vecpercent_64b: [
    "%",
    "100 × operations of vector instructions / all operations, in double precision",
    flopRatio("DOUBLE", share),
  ],
  vecpercent_32b: [
    "%",
    "100 × operations of vector instructions / all operations, in single precision",
    flopRatio("SINGLE", share),
  ],
  avg_vector_width_64b: [
    "",
    "floating-point operations / floating-point instructions, in double precision",
    flopRatio("DOUBLE", width),
  ],
  avg_vector_width_32b: [
    "",
    "floating-point operations / floating-point instructions, in single precision",
    flopRatio("SINGLE", width),
  ],
  avg_mbw: [
    "GiB/s",
    "64 (CAS reads + CAS writes) / (2^30 dt). AMD: 2 × 64 (sum of channels 0 to 3) / " +
    "(2^30 dt). AMD family 10h: 64 DRAM / (2^30 dt)",
    perSecond((node) => memoryBytes(node) / GIB),
  ],
  avg_htbw: ["GiB/s", "4 (HT0 + HT1 + HT2) / (2^30 dt)", rate(GIB, "HYPERTRANSPORT")],
  avg_mcdrambw: [
    "GiB/s",
    "64 (inserts − misses − DDR reads) / (2^30 dt). If MCDRAM is not a cache: 64 inserts " +
    "/ (2^30 dt)",
    perSecond((node) => packageMemory(node) / GIB),
  ],
  avg_blockbw: ["MiB/s", "512 (sectors read + written) / (2^20 dt)", rate(MIB, "block_bytes")],
  avg_ethbw: [
    "MiB/s",
    "(rx + tx bytes) / (2^20 dt), without the devices lo and ib*",
    rate(MIB, "ethernet_bytes"),
  ],
  avg_lnetbw: ["MiB/s", "(rx + tx bytes) / (2^20 dt)", rate(MIB, "lnet_bytes")],
  avg_lustrebw: ["MiB/s", "(read + write bytes) / (2^20 dt)", rate(MIB, "lustre_bytes")],
  avg_fabricbw: [
    "MiB/s",
    "4 (words received + words sent) / (2^20 dt). OPA: flits / (125000 dt)",
    perSecond((node) => fabric(node, "bytes", (input) => node.total(input))),
  ],
  avg_packetsize: [
    "MiB",
    "bytes of the fabric / packets of the fabric / 2^20",
    mean((node) => {
      const take = (input: string) => node.total(input);
      return fabric(node, "bytes", take) / fabric(node, "packets", take);
    }),
  ],
  max_fabricbw: [
    "MiB/s",
    "maximum of the rate of `avg_fabricbw` over all intervals and nodes",
    greatest((node) => fabric(node, "bytes", (input) => node.peak(input))),
  ],
  max_packetrate: [
    "1/s",
    "maximum of the number of packets per second in the fabric, over all intervals and nodes",
    greatest((node) => fabric(node, "packets", (input) => node.peak(input))),
  ],
  max_lnetbw: [
    "MiB/s",
    "maximum of the rate of `avg_lnetbw` over all intervals and nodes",
    greatest((node) => node.peak("lnet_bytes") / MIB),
  ],
  avg_lustreiops: ["1/s", "metadata operations of llite / dt", rate(1, "metadata")],
  max_mds: [
    "1/s",
    "maximum of the number of metadata operations of llite per second, over all intervals and nodes",
    greatest((node) => node.peak("metadata")),
  ],
  avg_openclose: ["1/s", "(open + close operations) / dt", rate(1, "open_close")],
  avg_mdcreqs: ["1/s", "requests to metadata servers / dt", rate(1, "mdc.reqs")],
  avg_oscreqs: ["1/s", "requests to storage servers / dt", rate(1, "osc.reqs")],
  avg_mdcwait: [
    "us",
    "waiting time of requests to metadata servers / number of these requests",
    ratio("mdc.wait", "mdc.reqs"),
  ],
  avg_oscwait: [
    "us",
    "waiting time of requests to storage servers / number of these requests",
    ratio("osc.wait", "osc.reqs"),
  ],
  avg_loads: ["1/s", "load instructions / dt", rate(1, "LOADS")],
  avg_l1loadhits: ["1/s", "loads that hit the L1 cache / dt", rate(1, "L1_LOAD_HITS")],
  avg_l2loadhits: ["1/s", "loads that hit the L2 cache / dt", rate(1, "L2_LOAD_HITS")],
  avg_llcloadhits: ["1/s", "loads that hit the last cache / dt", rate(1, "LLC_LOAD_HITS")],
  mem_hwm: [
    "GiB",
    "maximum of (MemUsed − FilePages − Slab) over samples and nodes / 2^30",
    greatest((node) => node.memoryBytes / GIB),
  ],
  node_imbalance: [
    "",
    "for each node: mean over intervals of (max − rate) / max, where rate is the user time " +
    "per second of this node, and max the highest rate of all nodes. The metric is the maximum " +
    "over nodes",
    nodeImbalance,
  ],
  time_imbalance: [
    "",
    "for each end t of an interval, without the first two and the last two: mean rate of user " +
    "time after t / mean rate of user time before t. The means come from the trapezoidal rule. " +
    "The metric is the minimum over all t and over nodes",
    (nodes) => {
      const values = nodes.map(timeImbalance).filter((value) => value === value);
      return values.length === 0 ? NaN : Math.min(...values);
    },
  ],
  avg_gpuutil: [
    "%",
    "mean utilization of the GPUs over samples, without the first and the last sample",
    mean((node) => inner(node.gpuUtilization)),
  ],
  avg_gpupower: [
    "W",
    "mean over samples of the power of all GPUs, without the first and the last sample",
    mean((node) => inner(node.gpuWatts)),
  ],
  avg_pkgpower: ["W", "joules of the packages / dt", rate(1, "joules.pkg")],
  avg_dram_power: ["W", "joules of the memory / dt", rate(1, "joules.dram")],
  pkg_energy: [
    "J",
    "counts × joules per count of the packages, summed over nodes",
    total("joules.pkg"),
  ],
  dram_energy: [
    "J",
    "counts × joules per count of the memory, summed over nodes",
    total("joules.dram"),
  ],
  package_power: [
    "W",
    "joules of the packages / dt. This is not the power of the whole node",
    rate(1, "joules.pkg"),
  ],
  node_power: [
    "W",
    "joules of the node's own meter / dt, if the records have this meter",
    rate(1, "joules.node"),
  ],
};

/** The metrics in the order in which they print. */
export const JOB_METRICS: readonly JobMetric[] = Object.entries(METRICS).map(
  ([name, [unit, formula, of]]) => ({ name, unit, formula, of }),
);

/** Mean without the first and last value. */
function inner(values: readonly number[]): number {
  const kept = values.length > 2 ? values.slice(1, -1) : values;
  return kept.length === 0 ? NaN : kept.reduce((a, b) => a + b) / kept.length;
}

/** User time of each interval, in cores. */
function userRates(node: MetricSums): readonly number[] {
  node.total("cpu.user");
  return node.userRates;
}

/**
 * Maximum over nodes of mean((max − rate) / max) of user time: 0 for even nodes; NaN without any.
 */
function nodeImbalance(nodes: readonly MetricSums[]): number {
  const rates = nodes.map(userRates);
  const length = Math.min(...rates.map((own) => own.length));
  if (nodes.length === 0 || length === 0) return NaN;
  const sums = new Float64Array(nodes.length);
  for (let i = 0; i < length; i++) {
    const max = Math.max(...rates.map((own) => own[i]));
    rates.forEach((own, n) => sums[n] += max > 0 ? (max - own[i]) / max : 0);
  }
  return Math.max(...sums) / length;
}

/** Decline of the work over time: 1 for an even job, towards 0 for one that stops early. */
function timeImbalance(node: MetricSums): number {
  const t = node.userTimes, r = userRates(node);
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
