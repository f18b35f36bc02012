/** Reports with trees, and their timelines, generated: the same seed gives the same page. */
import type { Nested, Report } from "../../../src/core/report.ts";
import { PAGE_FORMAT, type PageFunctions, type TimelineFile } from "../../../src/show/page/data.ts";
import { Random } from "../../../src/core/random.ts";

/** What a page is generated from. */
export interface GeneratedPage {
  readonly regions: number;
  readonly hosts?: number;
  readonly seed?: number;
  /** Names of the first regions. */
  readonly names?: readonly string[];
  /** Functions of one host: of which nothing was marked, or with its regions. */
  readonly functions?: "alone" | "with regions";
  /** The page compares runs: the regions of the second command need so much more energy, as a part. */
  readonly growth?: number;
}

const KINDS = ["node", "package", "dram"] as const;
const SHARES = { node: 1, package: 0.7, dram: 0.1 };
const MEAN_W = 300;
const RUN_S = 25;
const START = "2026-11-27T05:17:00.000000000+0000";
const WORDS = [
  "assemble",
  "flux<double, 3>",
  "apply_boundary_conditions",
  "gather",
  "MPI_Sendrecv",
];
const MAX_DEPTH = 9;

/** A report of one host with so many regions, nested ones among them. */
export function ownReport(page: GeneratedPage): Report {
  const report = emptyReport("flow");
  report.hosts.push(hostOf("node01", page.regions === 0 ? undefined : treeOf(page, RUN_S), 1));
  return report;
}

/** Three runs of each of two commands; with `growth` all regions of the second one need so much more energy. */
export function comparedRuns(page: GeneratedPage, growth = 0): {
  a: { name: string; report: Report }[];
  b: { name: string; report: Report }[];
} {
  const runOf = (set: string, k: number, more: number) => {
    const factor = (1 + 0.01 * k) * (1 + more);
    const report = emptyReport("flow");
    report.startTime = START.replace("17:00.0", `17:${k}0.${set === "A" ? 0 : 5}`);
    report.hosts.push(hostOf("node01", treeOf(page, RUN_S * factor), factor));
    return { name: `${set}${k + 1}.report`, report };
  };
  return {
    a: [0, 1, 2].map((k) => runOf("A", k, 0)),
    b: [0, 1, 2].map((k) => runOf("B", k, growth)),
  };
}

/** A job, with the timelines of its hosts. */
export function largeJob(page: GeneratedPage & { readonly hosts: number }): {
  report: Report;
  files: TimelineFile[];
} {
  const random = new Random(page.seed ?? 3);
  const report = emptyReport("flow");
  const tree = treeOf(page, RUN_S * page.hosts);
  const names = rowsOf(tree).filter(({ depth }) => depth === 0).map(({ region }) => region);
  const few = outermost(tree, 8, page.hosts);
  const files: TimelineFile[] = [];
  for (let i = 0; i < page.hosts; i++) {
    const host = page.hosts === 1 ? "node01" : `n${String(i + 1).padStart(4, "0")}`;
    const factor = 1 + 0.01 * random.normal() + (i % 401 === 77 ? 0.1 : 0);
    report.hosts.push(hostOf(host, page.hosts === 1 ? tree : few, factor));
    files.push(timelineOf(host, names.slice(0, 12), random));
  }
  if (page.hosts > 1) {
    const energy = MEAN_W * RUN_S * page.hosts;
    report.joulemark = {
      hosts: page.hosts,
      tree,
      totals: {
        "time (s)": RUN_S,
        "EDP (J s)": energy * RUN_S,
        ...Object.fromEntries(KINDS.map((kind) => [kind, {
          "energy (J)": energy * SHARES[kind],
          "power (W)": MEAN_W * page.hosts * SHARES[kind],
          "power-peak-at-most (W)": 1.2 * MEAN_W * page.hosts * SHARES[kind],
          "coverage (%)": 100,
          source: "measured, /sys/cray/pm_counters/energy",
        }])),
      },
      "across processes": names.slice(0, 12).map((region, k) => ({
        region,
        processes: 2 * page.hosts,
        "mean (s)": 2,
        "deviation (s)": 0.1,
        "least (s)": 1.5,
        "least in": "rank 1",
        "most (s)": 2 + 0.2 * k,
        "most in": `rank ${k}`,
        times: "1000:10 1001:20",
      })),
    };
  }
  if (page.functions !== undefined) {
    files[0] = { ...files[0], functions: functionsOf(rowsOf(tree)) };
  }
  if (page.functions === "alone") {
    for (const host of report.hosts) {
      host.regions = [];
      delete host.joulemark!.tree;
    }
  }
  return { report, files };
}

/** The rows of a tree as functions, with what was not running as the last one. */
function functionsOf(rows: readonly Row[]): PageFunctions {
  const around: number[] = [];
  const parent = rows.map(({ depth }, i) => {
    around[depth] = i;
    return depth === 0 ? -1 : around[depth - 1];
  });
  const column = (key: string) => [...rows.map((row) => Number(row[key]) || 0), null];
  const joules = column("package-energy (J)"), seconds = column("runtime (s)");
  return {
    components: ["package"],
    name: [...rows.map(({ region }) => region), "[not running]"],
    parent: [...parent, -1],
    rest: rows.length,
    time_s: seconds,
    own_time_s: column("runtime-self (s)"),
    energy_j: [joules],
    se_j: [joules.map((value) => value === null ? null : 0.01 * value)],
    own_energy_j: [column("package-energy-self (J)")],
  };
}

function emptyReport(profile: string): Report {
  return {
    version: "3.1.0+joulemark.0.1.0",
    startTime: START,
    profile,
    agent: "monitor",
    policy: "{}",
    header: {},
    hosts: [],
  };
}

interface Row {
  region: string;
  depth: number;
  [key: string]: Nested;
}

function rowsOf(tree: Nested): Row[] {
  return (tree as unknown as { rows: Row[] }).rows;
}

/** Some outermost regions, with one host's part of their energies. */
function outermost(tree: Nested, count: number, hosts: number): Nested {
  const rows = (tree as { rows: { [key: string]: Nested }[] }).rows
    .filter(({ depth }) => depth === 0)
    .sort((a, b) => Number(b["runtime (s)"]) - Number(a["runtime (s)"])).slice(0, count);
  const part = ([key, value]: [string, Nested]): [string, Nested] => {
    return [key, / \(J\)$/.test(key) ? Number(value) / hosts : value];
  };
  return {
    processes: 2,
    rows: rows.map((row) => Object.fromEntries(Object.entries(row).map(part))),
  };
}

/** Regions with most of a run's energy, each with a fit, one of five without. */
function treeOf({ regions, seed = 1, names = [] }: GeneratedPage, seconds: number): Nested {
  const random = new Random(seed);
  interface Node {
    name: string;
    joules: number;
    children: Node[];
    depth: number;
  }
  const tops: Node[] = [], all: Node[] = [];
  for (let i = 0; i < regions; i++) {
    const around = i < 6 || i % 3 === 0
      ? undefined
      : all[Math.floor(random.uniform() ** 2 * all.length)];
    const parent = around === undefined || around.depth >= MAX_DEPTH ? undefined : around;
    const base = names[i] ?? WORDS[i % WORDS.length];
    const node: Node = {
      name: i < names.length ? base : `${base}_${i}`,
      joules: 0,
      children: [],
      depth: (parent?.depth ?? -1) + 1,
    };
    (parent?.children ?? tops).push(node);
    all.push(node);
  }
  const share = (nodes: readonly Node[], joules: number) => {
    const weights = nodes.map(() => Math.exp(2 * random.normal()));
    const sum = weights.reduce((a, b) => a + b, 0);
    nodes.forEach((node, i) => {
      node.joules = joules * weights[i] / sum;
      share(node.children, 0.7 * node.joules);
    });
  };
  share(tops, 0.95 * MEAN_W * seconds);
  const rows: { [key: string]: Nested }[] = [];
  const add = (node: Node) => {
    const k = rows.length, time = node.joules / MEAN_W * RUN_S / seconds;
    const isFit = k % 5 !== 4;
    const own = node.joules - node.children.reduce((sum, child) => sum + child.joules, 0);
    const count = 1 + Math.floor(random.uniform() * 1e4);
    rows.push({
      region: node.name,
      depth: node.depth,
      count,
      "runtime (s)": time,
      "runtime-self (s)": time * own / node.joules,
      ...Object.fromEntries(KINDS.flatMap((kind) => {
        const joules = node.joules * SHARES[kind];
        return isFit
          ? [
            [`${kind}-energy (J)`, joules],
            [`${kind}-energy-se (J)`, joules * 0.01 * (1 + random.uniform())],
            [`${kind}-energy-self (J)`, own * SHARES[kind]],
            [`${kind}-power (W)`, MEAN_W * SHARES[kind] * (0.7 + 0.6 * random.uniform())],
          ]
          : [[`${kind}-energy (J)`, NaN], [`${kind}-energy-exact (J)`, joules]];
      })),
      "visit-p50 (s)": time / count,
      "visit-p99 (s)": 3 * time / count,
      "visit-lengths": histogram(random, time / count),
    });
    for (const child of node.children) add(child);
  };
  for (const top of tops) add(top);
  const rest = 0.05 * MEAN_W * seconds;
  return {
    processes: 2,
    rows,
    unmarked: Object.fromEntries(KINDS.map((kind) => [`${kind}-energy (J)`, rest * SHARES[kind]])),
  };
}

function histogram(random: Random, seconds: number): string {
  const middle = Math.max(4, Math.floor(4 * Math.log2(seconds * 1e9)));
  const buckets = Array.from({ length: 7 }, (_, i) => middle - 3 + i);
  return buckets.map((bucket) => `${bucket}:${1 + Math.floor(random.uniform() * 100)}`).join(" ");
}

function hostOf(host: string, tree: Nested | undefined, factor: number): Report["hosts"][number] {
  const joules = MEAN_W * RUN_S * factor;
  return {
    host,
    agent: {},
    application: {
      "runtime (s)": RUN_S,
      "sync-runtime (s)": RUN_S,
      "package-energy (J)": 0.7 * joules,
      "dram-energy (J)": 0.1 * joules,
      "joulemark-node-energy-exact (J)": joules,
      "joulemark-package-energy-exact (J)": 0.7 * joules,
      "joulemark-dram-energy-exact (J)": 0.1 * joules,
    },
    joulemark: {
      sources: {
        BOARD_ENERGY: { quality: "measured", source: "/sys/cray/pm_counters/energy" },
        CPU_ENERGY: { quality: "measured", source: "/dev/cpu/0/msr, register 0x611" },
        GPU_ENERGY: { absent: "no GPU" },
      },
      overhead: { "cpu (s)": 0.3, "cpu (% of a core)": 1.2 },
      processes: { count: 2 },
      notes: [`${Math.floor(100 * factor)} of 5000 samples missed, 0 late`],
      ...tree === undefined ? {} : { tree },
    },
  };
}

/** A number of 10 to 1000 with four digits. */
function fourDigits(value: number): number {
  const unit = value < 100 ? 100 : 10;
  return Math.round(value * unit) / unit;
}

/** 600 buckets of three components and frequency, strips of three depths, two processes. */
export function timelineOf(host: string, names: readonly string[], random: Random): TimelineFile {
  const bucket_s = RUN_S / 600;
  const at = (i: number) => Math.floor(i / 25) % Math.max(1, names.length);
  const series = (["node", "package", "memory"] as const).map((name, k) => {
    const mean = Array.from({ length: 600 }, (_, i) => {
      const wave = 1 + 0.15 * (at(i) % 3 - 1) + 0.05 * random.normal();
      return fourDigits(MEAN_W * [1, 0.7, 0.1][k] * wave);
    });
    const around = (part: number) => mean.map((value) => fourDigits(value * part));
    return { name, unit: "W", mean, min: around(0.95), max: around(1.06) };
  });
  const strip = names.length === 0
    ? []
    : Array.from({ length: 24 }, (_, k) => [25 * k, 25, at(25 * k)] as const);
  return {
    format: PAGE_FORMAT,
    made_by: "joulemark 0.1.0",
    started: START,
    regions: { name: [...names], parent: names.map(() => -1) },
    timelines: [{
      host,
      start_s: 0,
      bucket_s,
      process: "rank 0",
      strips: strip.length === 0 ? [] : [strip as never],
      series: [
        ...series,
        {
          name: "core frequency",
          unit: "% of base",
          mean: Array.from({ length: 600 }, (_, i) => 100 + 10 * (at(i) % 2)),
        },
      ],
    }],
    ...names.length === 0 ? {} : {
      processes: {
        label: ["rank 0", "rank 1"],
        region: [...names],
        time_s: names.map(() =>
          [2 + 0.2 * random.normal(), 2 + 0.2 * random.normal()].map((time) => {
            return Number(time.toPrecision(4));
          })
        ),
      },
    },
  };
}
