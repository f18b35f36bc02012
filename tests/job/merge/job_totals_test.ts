/** Totals and tree of a job: equal to a sum made by itself, whatever the order of hosts. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { bucketOf, PathStats } from "../../../src/core/path_stats.ts";
import { hostTotals, totalsFromNested, totalsToNested } from "../../../src/core/job_totals.ts";
import {
  processSpread,
  spreadsFromNested,
  spreadsToNested,
} from "../../../src/core/process_spread.ts";
import { regionRows } from "../../../src/core/region_rows.ts";
import { type RegionTree, treeFromNested, treeToNested } from "../../../src/core/region_tree.ts";
import type { Report } from "../../../src/core/report.ts";
import { parseReport, stringifyReport } from "../../../src/formats/report.ts";
import { ReportMerger } from "../../../src/job/merge/merge.ts";
import { readReport } from "../../../src/job/merge/read_report.ts";
import { summary } from "../../../src/show/analysis/summary.ts";
import { summaryFacts } from "../../../src/show/analysis/summary_facts.ts";
import { Random } from "../../../src/core/random.ts";

const HOSTS = 7;
const random = new Random(20241024);

/** One host's visits to solve and to exchange inside it, and energies. */
interface Made {
  readonly lengths: readonly number[];
  readonly joules: readonly number[];
  readonly se: readonly number[];
  readonly report: string;
}

function make(k: number): Made {
  const processes = 2 + k % 3;
  const lengths = Array.from({ length: 20 + k }, () => random.uniform(0.001, 0.05));
  const joules = [random.uniform(50, 100), random.uniform(10, 20)];
  const se = [random.uniform(0.1, 1), random.uniform(0.1, 1)];
  const buckets = new Map<number, number>();
  for (const s of lengths) {
    buckets.set(bucketOf(s * 1e9), (buckets.get(bucketOf(s * 1e9)) ?? 0) + 1);
  }
  const sum = lengths.reduce((a, b) => a + b);
  const mean = sum / lengths.length;
  const squares = lengths.reduce((a, s) => a + (s - mean) ** 2, 0);
  const visits = {
    minS: Math.min(...lengths),
    maxS: Math.max(...lengths),
    p50S: mean,
    p99S: mean,
    buckets,
    deviationS: Math.sqrt(squares / (lengths.length - 1)),
  };
  const energy = (i: number, isTold: boolean) => ({
    joules: isTold ? joules[i] : NaN,
    seJ: isTold ? se[i] : NaN,
    exactJ: joules[i],
    selfJ: joules[i] / 2,
    selfSeJ: se[i],
    powerW: 100,
  });
  const row = { track: "", attribute: "", count: lengths.length / processes, visits };
  const tree: RegionTree = {
    processes,
    leftOut: 0,
    otherCpus: new Map(),
    undetermined: new Map([["package", energy(2, true)]]),
    rows: [
      {
        ...row,
        region: "solve",
        depth: 0,
        processes,
        runtimeS: sum / processes,
        selfS: 0.1,
        energies: new Map([["package", energy(0, true)]]),
      },
      {
        ...row,
        region: "exchange",
        depth: 1,
        processes,
        runtimeS: 0.5 * sum / processes,
        selfS: 0.2,
        // The third host cannot tell.
        energies: new Map([["package", energy(1, k !== 3)]]),
      },
    ],
    unmarked: new Map([["package", energy(1, true)]]),
  };
  const report: Report = {
    version: "3.1.0+joulemark.0.1.0",
    startTime: "2024-10-24T08:00:00.000000000-0700",
    profile: "job",
    agent: "monitor",
    policy: "{}",
    header: {},
    hosts: [{
      host: `n${k}`,
      agent: {},
      application: {
        "runtime (s)": 10 + k,
        "sync-runtime (s)": 10,
        "package-energy (J)": joules[0] + joules[1],
        "joulemark-package-energy-exact (J)": joules[0] + joules[1],
      },
      joulemark: { tree: treeToNested(tree) },
    }],
  };
  return { lengths, joules, se, report: stringifyReport(report) };
}

const MADE = Array.from({ length: HOSTS }, (_, k) => make(k));

function merged(order: readonly number[]): string {
  const merger = new ReportMerger();
  for (const k of order) merger.add(readReport(MADE[k].report, `n${k}.report`));
  return merger.head();
}

Deno.test("the totals of a job are the sums of its hosts', in any order of them", () => {
  const text = merged([0, 1, 2, 3, 4, 5, 6]);
  const tail = (head: string) => head.slice(head.indexOf("totals:"));
  assertEquals(tail(merged([6, 2, 4, 0, 1, 5, 3])), tail(text));
  const { joulemark } = parseReport(text + "\n");
  const totals = totalsFromNested(joulemark!.totals)!;
  const joules = MADE.reduce((sum, made) => sum + made.joules[0] + made.joules[1], 0);
  const total = totals.components.get("package")!;
  assertAlmostEquals(total.joules / joules, 1, 1e-11);
  assertEquals(totals.seconds, 16);
  assertAlmostEquals(totals.edp / (joules * 16), 1, 1e-11);
  assertAlmostEquals(total.meanW / (joules / 16), 1, 1e-9, "energy ÷ time of the job");
  const powers = MADE.map(({ joules: [a, b] }, k) => (a + b) / (10 + k));
  const hostsW = powers.reduce((sum, watts) => sum + watts, 0);
  assertAlmostEquals(total.hostsW / hostsW, 1, 1e-9, "sum of the hosts, each in its time");
  const fields = (joulemark!.totals as Record<string, Record<string, number | string>>).package;
  const all = MADE.map((made) => made.joules[0] + made.joules[1]);
  assertAlmostEquals(Number(fields["host most (J)"]), Math.max(...all), 1e-9);
  assertEquals(fields["host most"], `n${all.indexOf(Math.max(...all))}`);
  assertAlmostEquals(Number(fields["energy (kWh)"]) * 3.6e6 / joules, 1, 1e-9);
});

Deno.test("energies of a job are coarse where a host has none: of regions and outside of them", () => {
  const without = parseReport(MADE[1].report, "n1.report"), [host] = without.hosts;
  const tree = treeFromNested(host.joulemark!.tree)!;
  const none = { unmarked: new Map(), otherCpus: new Map(), undetermined: new Map() };
  const rows = tree.rows.map((row) => ({ ...row, energies: new Map() }));
  host.joulemark!.tree = treeToNested({ ...tree, rows, ...none });
  for (const name of Object.keys(host.application)) {
    if (name.includes("energy")) delete host.application[name];
  }
  const merger = new ReportMerger();
  merger.add(readReport(MADE[0].report, "n0.report"));
  merger.add(readReport(stringifyReport(without), "n1.report"));
  const job = treeFromNested(parseReport(merger.head() + "\n").joulemark!.tree)!;
  const outside = [job.rows[0].energies, job.unmarked].map((energies) => energies.get("package")!);
  assertEquals(outside.map(({ joules, seJ }) => [joules, seJ]), [[NaN, NaN], [NaN, NaN]]);
  outside.forEach(({ exactJ }, i) => assertAlmostEquals(exactJ, MADE[0].joules[i], 1e-9));
});

Deno.test("the totals of a job say where the hosts read them, and which part of the time is known", () => {
  const host = (k: number, own: { source: string; known?: number }): string => {
    const [first] = parseReport(MADE[k].report).hosts;
    const { known } = own;
    const application = known === undefined ? first.application : {
      "runtime (s)": 10,
      "package-energy (J)": NaN,
      "joulemark-package-energy-known (J)": known,
      "joulemark-package-power-known (W)": known / 5,
      "joulemark-package-energy-coverage (%)": 50,
    };
    const sources = { CPU_ENERGY: { quality: "measured", source: own.source } };
    const report = parseReport(MADE[k].report);
    return stringifyReport({
      ...report,
      hosts: [{ ...first, application, joulemark: { ...first.joulemark, sources } }],
    });
  };
  const totalsOf = (texts: readonly string[]) => {
    const merger = new ReportMerger();
    texts.forEach((text, k) => merger.add(readReport(text, `${k}.report`)));
    const { joulemark } = parseReport(merger.head() + "\n");
    return totalsFromNested(joulemark!.totals)!.components.get("package")!;
  };
  const alike = totalsOf([host(0, { source: "rapl" }), host(1, { source: "rapl" })]);
  assertEquals([alike.source, alike.covers], ["measured, rapl", ""]);
  const other = totalsOf([
    ...[host(0, { source: "rapl" }), host(1, { source: "msr" })],
    host(2, { source: "rapl", known: 40 }),
  ]);
  assertEquals(other.source, "measured, rapl (2 hosts); measured, msr (1 host)");
  assertEquals(other.covers, "83.3 % of the time");
  assertAlmostEquals(other.coverage, 2.5 / 3, 1e-9);
});

Deno.test("the tree of a job has the visits of all hosts, and errors that add up as squares", () => {
  const { joulemark } = parseReport(merged([3, 1, 0, 2, 6, 5, 4]) + "\n");
  const tree = treeFromNested(joulemark!.tree)!;
  assertEquals(tree.rows.map(({ region, depth }) => `${depth} ${region}`), [
    "0 solve",
    "1 exchange",
  ]);
  const processes = MADE.reduce((sum, _, k) => sum + 2 + k % 3, 0);
  assertEquals(tree.processes, processes);
  const [solve, exchange] = tree.rows;
  const lengths = MADE.flatMap((made) => made.lengths).sort((a, b) => a - b);
  const sum = lengths.reduce((a, b) => a + b);
  assertAlmostEquals(solve.count * processes, lengths.length, 1e-6);
  assertAlmostEquals(solve.runtimeS * processes, sum, 1e-9);
  const { visits } = solve;
  assertAlmostEquals(visits.minS, lengths[0], 1e-9);
  assertAlmostEquals(visits.maxS, lengths.at(-1)!, 1e-9);
  const mean = sum / lengths.length;
  const squares = lengths.reduce((a, s) => a + (s - mean) ** 2, 0);
  assertAlmostEquals(visits.deviationS / Math.sqrt(squares / (lengths.length - 1)), 1, 1e-6);
  // A bucket is a quarter of an octave wide at most.
  assertAlmostEquals(visits.p50S / lengths[lengths.length >> 1], 1, 0.2);
  assertEquals([...visits.buckets.values()].reduce((a, b) => a + b), lengths.length);
  const energy = solve.energies.get("package")!;
  assertAlmostEquals(energy.joules, MADE.reduce((s, { joules }) => s + joules[0], 0), 1e-8);
  assertAlmostEquals(energy.seJ, Math.hypot(...MADE.map(({ se }) => se[0])), 1e-8);
  assertEquals(energy.powerW, 100 * HOSTS);
  const other = exchange.energies.get("package")!;
  assert(Number.isNaN(other.joules));
  assertAlmostEquals(other.exactJ, MADE.reduce((s, { joules }) => s + joules[1], 0), 1e-8);
});

Deno.test("a job's peak is at most the sum of its hosts' peaks, that of one host is unchanged", () => {
  const reports = [100, 250].map((peakW, k) => {
    const report = parseReport(MADE[k].report);
    const [host] = report.hosts;
    host.joulemark!.totals = totalsToNested(hostTotals(host, new Map([["package", peakW]])));
    return stringifyReport(report);
  });
  const totalsOf = (texts: readonly string[]) => {
    const merger = new ReportMerger();
    texts.forEach((text, k) => merger.add(readReport(text, `n${k}.report`)));
    const report = parseReport(merger.head() + "\n");
    const { peakW, peakAtMostW } = totalsFromNested(report.joulemark!.totals)!.components
      .get("package")!;
    return { peakW, peakAtMostW, text: summaryOf(report) };
  };
  const both = totalsOf(reports);
  assertEquals([both.peakW, both.peakAtMostW], [NaN, 350]);
  assert(/peak at most 350 W/.test(both.text), both.text);
  const one = totalsOf(reports.slice(0, 1));
  assertEquals([one.peakW, one.peakAtMostW], [100, NaN]);
});

/** The summary of a job's report. */
function summaryOf(report: Report): string {
  const look = { width: 80, ascii: false, color: false };
  return summary(summaryFacts(report), { look, reportPath: "job.report" });
}

Deno.test("summary() of a job has its totals and its tree", () => {
  const text = summaryOf(parseReport(merged([0, 1, 2, 3, 4, 5, 6]) + "\n"));
  assert(/^job: 16\.00 s, .* \(package counters of 7 hosts\)/.test(text), text);
  assert(/^a host: [\d.]+ k?J \(n\d\) to [\d.]+ k?J \(n\d\), mean [\d.]+ k?J$/m.test(text), text);
  assert(/^solve .* ± .* 100$/m.test(text), text);
  assert(/^└ exchange .* ~/m.test(text), text);
  assert(text.split("\n").every((line) => line.length <= 80), text);
});

Deno.test("times over the processes of a job are those of all processes together, in any order of hosts", () => {
  const times = Array.from({ length: 4 }, (_, host) =>
    Array.from({ length: 3 + host }, (_, k) => ({
      pid: 100 * host + k,
      timeNs: 1e9 * random.uniform(1, 3),
    })));
  const reports = times.map((own, host) => {
    const spread = processSpread("solve", own, (pid) => `process ${pid}`);
    const report = parseReport(MADE[host].report);
    report.hosts[0].joulemark!["across processes"] = spreadsToNested([spread]);
    return stringifyReport(report);
  });
  const whole = processSpread("solve", times.flat(), (pid) => `host${Math.floor(pid / 100)}`);
  for (const order of [[0, 1, 2, 3], [3, 1, 0, 2]]) {
    const merger = new ReportMerger();
    for (const k of order) merger.add(readReport(reports[k], `n${k}.report`));
    const [spread] = spreadsFromNested(
      parseReport(merger.head() + "\n").joulemark!["across processes"],
    );
    assertEquals([spread.region, spread.processes], ["solve", whole.processes]);
    assertAlmostEquals(spread.meanS, whole.meanS, 1e-5);
    assertAlmostEquals(spread.deviationS, whole.deviationS, 1e-5);
    assertEquals([...spread.buckets], [...whole.buckets].sort(([a], [b]) => a - b));
  }
});

/** Two hosts with visits to `step`, merged. @param openS Of the second host's visit that did not end. */
function mergedVisits(lengthsS: readonly (readonly number[])[], openS: number) {
  const merger = new ReportMerger();
  for (const [k, lengths] of lengthsS.entries()) {
    const stats = new PathStats(), buckets = new Map<number, number>();
    for (const s of lengths) stats.add(1, s * 1e9);
    stats.forBuckets(1, (bucket, n) => buckets.set(bucket, n));
    const { inclusiveS, count, ...figures } = stats.figures(1);
    const runtimeS = inclusiveS + k * openS, visits = { ...figures, buckets };
    const names = { region: "step", depth: 0, track: "", attribute: "", processes: 1, count };
    const rests = { unmarked: new Map(), otherCpus: new Map(), undetermined: new Map() };
    const rows = [{ ...names, runtimeS, selfS: runtimeS, visits, energies: new Map() }];
    const tree = treeToNested({ processes: 1, rows, leftOut: 0, ...rests });
    const report = parseReport(MADE[0].report);
    const [{ joulemark: _, ...own }] = report.hosts;
    const host = { ...own, host: `n${k}`, joulemark: { tree } };
    merger.add(readReport(stringifyReport({ ...report, hosts: [host] }), `n${k}.report`));
  }
  return treeFromNested(parseReport(merger.head() + "\n").joulemark!.tree)!.rows[0];
}

Deno.test("a visit that did not end on one host has no part in the deviation of the job's visits", () => {
  const steps = Array.from({ length: 99 }, (_, i) => 0.1 + 0.001 * (i % 3 - 1));
  // It hangs in the 100th visit on the second host.
  const { runtimeS, visits } = mergedVisits([steps, steps], 600);
  assertAlmostEquals(runtimeS, 9.9 + 300, 1e-6);
  assertAlmostEquals(visits.deviationS, 0.00082, 1e-3);
  // Longer than the end of the histogram.
  assertAlmostEquals(mergedVisits([[80_000], [80_002]], 0).visits.deviationS, Math.SQRT2, 1e-3);
});

Deno.test("a phase of one host's script counts once in the job, beside the ranks of all hosts", () => {
  const visits = { minS: 1, maxS: 1, p50S: 1, p99S: 1, buckets: new Map(), deviationS: 0 };
  const row = (region: string, processes: number, count: number) => {
    const times = { processes, count, runtimeS: count, selfS: count };
    return { region, depth: 0, track: "", attribute: "", ...times, visits, energies: new Map() };
  };
  const host = (k: number): string => {
    // The script and its ranks on the first host, ranks alone on the others.
    const rows = k === 0 ? [row("phase", 1, 1), row("step", 4, 10)] : [row("step", 4, 10)];
    const rest = { unmarked: new Map(), otherCpus: new Map(), undetermined: new Map() };
    const tree = treeToNested({ processes: k === 0 ? 5 : 4, rows, leftOut: 0, ...rest });
    const read = treeFromNested(tree)!.rows.map(({ processes }) => processes);
    assertEquals(read, k === 0 ? [1, 4] : [4]);
    const report = parseReport(MADE[0].report);
    const [{ joulemark: _, ...own }] = report.hosts;
    return stringifyReport({ ...report, hosts: [{ ...own, host: `n${k}`, joulemark: { tree } }] });
  };
  const merger = new ReportMerger();
  for (const k of [0, 1, 2]) merger.add(readReport(host(k), `n${k}.report`));
  const tree = treeFromNested(parseReport(merger.head() + "\n").joulemark!.tree)!;
  assertEquals(
    tree.rows.map(({ region, processes, count }) => [region, processes, count]),
    [["step", 12, 10], ["phase", 1, 1]],
  );
  assertEquals(tree.processes, 13);
});

Deno.test("a region that ran on some hosts has the power of these, with a tree and without", () => {
  const merger = new ReportMerger();
  for (const k of [0, 1, 2]) {
    const report = parseReport(MADE[k].report), [host] = report.hosts;
    const tree = treeFromNested(host.joulemark!.tree)!;
    if (k === 0) host.joulemark!.tree = treeToNested({ ...tree, rows: tree.rows.slice(1, 1) });
    merger.add(readReport(stringifyReport(report), `n${k}.report`));
  }
  const job = treeFromNested(parseReport(merger.head() + "\n").joulemark!.tree)!;
  assertEquals(job.rows[0].energies.get("package")?.powerW, 300);

  const region = (joules: number, seconds: number) => ({
    region: "solve",
    hash: 1,
    fields: {
      "runtime (s)": seconds,
      "sync-runtime (s)": seconds,
      count: 1,
      "package-energy (J)": joules,
    },
  });
  const report = parseReport(MADE[0].report), [host] = report.hosts;
  const hosts = [[], [region(400, 2)], [region(800, 4)]].map((regions, k) => ({
    ...host,
    host: `n${k}`,
    regions,
    joulemark: undefined,
  }));
  const { rows } = regionRows({ ...report, hosts });
  assertEquals(rows[0].energies.get("package")?.powerW, 600);
});

Deno.test("the energy-delay product of a job is not that of memory, if packages are known on some hosts", () => {
  const merger = new ReportMerger();
  for (const k of [0, 1]) {
    const report = parseReport(MADE[k].report), { application } = report.hosts[0];
    application["dram-energy (J)"] = 10;
    if (k === 1) {
      for (const key of Object.keys(application)) {
        if (key.includes("package-energy")) delete application[key];
      }
    }
    merger.add(readReport(stringifyReport(report), `n${k}.report`));
  }
  const totals = totalsFromNested(parseReport(merger.head() + "\n").joulemark!.totals)!;
  assertEquals([...totals.components.keys()], ["package", "dram"]);
  assertEquals(totals.edp, NaN);
});
