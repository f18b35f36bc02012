import { assertEquals } from "@std/assert";
import { rawDeltas } from "../../../src/rawstats/analysis/deltas.ts";
import { assembleJob2018 } from "./original/job2018.ts";
import { readOriginal } from "./original/read.ts";
import { NodeInputs } from "../../../src/rawstats/analysis/metric_inputs.ts";
import { JOB_METRICS } from "../../../src/rawstats/analysis/metrics.ts";
import { JobFilter, RawNode } from "../../../src/rawstats/analysis/node.ts";
import { RawScanner } from "../../../src/rawstats/format/scanner.ts";

const HEAD =
  "$tacc_stats 1.0.4\n$hostname i101\n!amd64_pmc CTL0,C CTL1,C CTL2,C CTL3,C CTR0,E,W=48 CTR1,E,W=48 CTR2,E,W=48 CTR3,E,W=48\n";
/** Control words of the cores of a socket, and which counter has which event. */
const WORDS = [
  "4392928 4259958 4391234 4423427",
  "4259958 4405238 4391234 4423427",
  "4259958 4391234 4405239 4423427",
  "4259958 4391234 4423427 4405240",
];
const EVENTS = [
  ["DRAM", "USER", "DCSF", "SSE_FLOPS"],
  ["USER", "HT0", "DCSF", "SSE_FLOPS"],
  ["USER", "DCSF", "HT1", "SSE_FLOPS"],
  ["USER", "DCSF", "SSE_FLOPS", "HT2"],
];
const TOP = 2 ** 48;

/** Counts of an event of a CPU at a sample; CPU 5's cycles wrap at the second. */
function count(event: string, cpu: number, sample: number): number {
  const k = ["USER", "DCSF", "SSE_FLOPS", "DRAM", "HT0", "HT1", "HT2"].indexOf(event) + 1;
  const base = event === "USER" && cpu === 5 ? TOP - 50 : 1000 * k;
  return (base + sample * (100 * k + cpu)) % TOP;
}

function file(cpus: number, words = WORDS): string {
  let text = HEAD;
  for (const sample of [0, 1, 2]) {
    text += `\n${1307509200 + 600 * sample} 77\n` + ["%begin 77\n", "", "%end 77\n"][sample];
    for (let cpu = 0; cpu < cpus; cpu++) {
      const values = EVENTS[cpu % 4].map((event) => count(event, cpu, sample));
      text += `amd64_pmc ${cpu} ${words[cpu % 4]} ${values.join(" ")}\n`;
    }
  }
  return text;
}

Deno.test("family 10h: each core's columns become events of the core and of its socket", () => {
  const { series, errors } = rawDeltas(file(8));
  assertEquals(errors, []);
  assertEquals(Object.keys(series), ["amd64_core", "amd64_pmc", "amd64_sock"]);
  assertEquals(Object.keys(series.amd64_core), ["0", "1", "2", "3", "4", "5", "6", "7"]);
  assertEquals(Object.keys(series.amd64_sock), ["0", "1"]);
  for (let cpu = 0; cpu < 8; cpu++) {
    const core = series.amd64_core[cpu];
    assertEquals(core.USER.delta, [undefined, 100 + cpu, 100 + cpu], `user ${cpu}`);
    assertEquals(core.DCSF.delta, [undefined, 64 * (200 + cpu), 64 * (200 + cpu)]);
    assertEquals(core.SSE_FLOPS.delta, [undefined, 300 + cpu, 300 + cpu]);
    assertEquals([core.DCSF.unit, core.DCSF.scale], ["B", 64]);
  }
  // each by the one core of the socket that counts it
  assertEquals(series.amd64_sock["1"].DRAM.delta, [undefined, 64 * 404, 64 * 404]);
  assertEquals(series.amd64_sock["1"].HT0.delta, [undefined, 4 * 505, 4 * 505]);
  assertEquals(series.amd64_sock["1"].HT1.delta, [undefined, 4 * 606, 4 * 606]);
  assertEquals(series.amd64_sock["0"].HT2.delta, [undefined, 4 * 703, 4 * 703]);
});

Deno.test("family 10h: what no core counts is missing, and other forms stay as they are", () => {
  const three = rawDeltas(file(3)).series.amd64_sock["0"];
  assertEquals(three.DRAM.delta, [undefined, 64 * 400, 64 * 400]);
  assertEquals(three.HT2.delta, [undefined, undefined, undefined]);
  const other = file(4, ["1 2 3 4", "1 2 3 4", "1 2 3 4", "1 2 3 4"]);
  assertEquals(Object.keys(rawDeltas(other).series), ["amd64_pmc"]);
  const newer = file(4).replace("!amd64_pmc CTL0,C", "!amd64_pmc CTLX,C");
  assertEquals(Object.keys(rawDeltas(newer).series), ["amd64_pmc"]);
});

Deno.test("family 10h: job metrics use the derived types", () => {
  const listeners: JobFilter[] = [];
  const node = new RawNode("i101", listeners);
  const inputs = new NodeInputs(node);
  listeners.push(new JobFilter("77", inputs));
  const scanner = new RawScanner(
    "f",
    node.startFile((error) => {
      throw error;
    }),
  );
  scanner.push(new TextEncoder().encode(file(8)));
  scanner.end();
  node.endSample();
  const metric = (name: string) => JOB_METRICS.find((m) => m.name === name)!.of([inputs.finish()]);
  const flops = [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, cpu) => sum + 2 * (300 + cpu), 0);
  assertEquals(metric("avg_flops"), flops / 1e9 / 1200);
  assertEquals(metric("avg_mbw"), 2 * 64 * (400 + 404) / 2 ** 30 / 1200);
  const links = 501 + 505 + 602 + 606 + 703 + 707;
  assertEquals(metric("avg_htbw"), 2 * 4 * links / 2 ** 30 / 1200);
});

Deno.test("family 10h: the job assembler has sixteen cores and four sockets in place of the type", () => {
  const { hosts } = assembleJob2018(new Map([["i101", readOriginal(file(8))]]));
  const tables = hosts.get("i101")!;
  assertEquals(Object.keys(tables), ["amd64_core", "amd64_sock"]);
  assertEquals(Object.keys(tables.amd64_core).length, 16);
  assertEquals(tables.amd64_core["5"], {
    USER: [0n, 105n, 210n],
    DCSF: [0n, 64n * 205n, 64n * 410n],
    SSE_FLOPS: [0n, 305n, 610n],
  });
  assertEquals(tables.amd64_core["15"].USER, [0n, 0n, 0n]);
  assertEquals(tables.amd64_sock["1"], {
    DRAM: [0n, 64n * 404n, 64n * 808n],
    HT0: [0n, 4n * 505n, 4n * 1010n],
    HT1: [0n, 4n * 606n, 4n * 1212n],
    HT2: [0n, 4n * 707n, 4n * 1414n],
  });
  assertEquals(Object.keys(tables.amd64_sock), ["0", "1", "2", "3"]);
  // one more core than the original knows, or a word that it does not: left as it is
  for (const text of [file(17), file(8, [...WORDS.slice(0, 3), "1 2 3 4"])]) {
    const left = assembleJob2018(new Map([["i101", readOriginal(text)]])).hosts.get("i101")!;
    assertEquals(Object.keys(left), ["amd64_pmc"]);
  }
});
