/**
 * Damaged raw stats: whatever is hit, cut, doubled or mixed, everything is read to the end, nothing
 * throws, and what comes out is well formed. `RAW_FUZZ_SECONDS` makes it longer, `RAW_FUZZ_SEED`
 * another one; a failure names the seed of its input.
 */
import { assert, assertEquals } from "@std/assert";
import { parseRawStats, stringifyRawStats } from "../../../src/rawstats/format/rawstats.ts";
import { rawDeltas } from "../../../src/rawstats/analysis/deltas.ts";
import { printRawTable } from "../../../src/rawstats/analysis/print/print_table.ts";
import { printOpenMetrics } from "../../../src/rawstats/analysis/print/print_openmetrics.ts";
import {
  type SeriesFormat,
  writeSeries,
} from "../../../src/rawstats/analysis/print/print_series.ts";
import { metricValues } from "../../../src/rawstats/analysis/print/tables.ts";
import { readRawTables } from "../../../src/rawstats/analysis/workers.ts";
import { lookAtRawFiles } from "../../../src/rawstats/analysis/files.ts";

const VECTORS = new URL("../../vectors/rawstats/", import.meta.url);
const FAMILY10H = `$tacc_stats 1.0.4
!amd64_pmc CTL0,C CTL1,C CTL2,C CTL3,C CTR0,E,W=48 CTR1,E,W=48 CTR2,E,W=48 CTR3,E,W=48

1307509201 1981063
%begin 1981063
amd64_pmc 0 4392928 4259958 4391234 4423427 11 281474976710655 9007199254740993 7

1307509801 1981063
amd64_pmc 0 4392928 4259958 4391234 4423427 12 3 5 18446744073709551615
`;
const SEEDS = [
  ...[
    "rollover-a",
    "real-host",
    "node-vm-no-energy",
    "node-intel-skx-2s",
    "node-cray-ex-trento-4gpu",
  ]
    .map((name) => Deno.readTextFileSync(new URL(`${name}.raw`, VECTORS)).slice(0, 30000)),
  FAMILY10H,
];
const WORDS = [
  "0",
  "-1",
  "4294967296",
  "9007199254740993",
  "18446744073709551615",
  "18446744073709551616",
  "99999999999999999999999",
  "1e3",
  "cpu",
  "%begin",
  "$hostname",
  "!cpu",
  "E,W=32",
  "W=0",
  "W=99999",
  "U=0B",
  "U=999999999999999999999B",
  "__proto__",
  "constructor",
  "\t",
  "\r",
  "\u00e9",
  "a/b c",
];

/** A generator that repeats itself (mulberry32). */
function generator(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor(((t ^ (t >>> 14)) >>> 0) / 4294967296 * below);
  };
}

/** One damaged file. */
function damaged(random: (below: number) => number): Uint8Array<ArrayBuffer> {
  let lines = SEEDS[random(SEEDS.length)].split("\n");
  const some = () => random(lines.length);
  for (let n = 1 + random(12); n > 0; n--) {
    const at = some();
    switch (random(12)) {
      case 0: // two writers
        lines.splice(at, 0, ...SEEDS[random(SEEDS.length)].split("\n").slice(0, random(200)));
        break;
      case 1:
        lines.splice(at, random(30));
        break;
      case 2: // time goes on, stands still or steps back
        lines.splice(at, 0, "", `${1000000000 + random(3) * 1e6}.${random(1e6)} ${random(9)},- h`);
        break;
      case 3:
        lines.push(...lines.slice(some(), some()));
        break;
      case 4: { // a word for another
        const words = lines[at].split(" ");
        words[random(words.length)] = WORDS[random(WORDS.length)];
        lines[at] = words.join(" ");
        break;
      }
      case 5:
        lines[at] = lines[at].replace(/[EC],|W=\d+|U=\w+/, WORDS[random(WORDS.length)]);
        break;
      case 6:
        lines[at] += " " + WORDS[random(WORDS.length)];
        break;
      case 7:
        [lines[at], lines[some()]] = [lines[some()], lines[at]];
        break;
      case 8: // counters that fall, or rise beyond their width
        lines = lines.map((line) =>
          random(20) > 0 ? line : line.replace(/\d+$/, (v) => String(BigInt(v) * BigInt(random(5))))
        );
        break;
      case 9:
        lines[at] = lines[at].repeat(1 + random(200));
        break;
      case 10:
        lines.splice(at, 0, `%${WORDS[random(WORDS.length)]} ${random(3)}`, "no mark");
        break;
      case 11:
        lines.splice(at, 0, "");
        break;
    }
    if (lines.length === 0) lines = [""];
    if (lines.length > 3000) lines.length = 3000;
  }
  let bytes = new TextEncoder().encode(lines.join("\n"));
  for (let n = random(8) - 3; n > 0; n--) bytes[random(bytes.length)] = random(256);
  if (random(4) === 0) bytes = bytes.slice(0, random(bytes.length + 1));
  return bytes;
}

/** The text of one format. */
async function printed(path: string, format: SeriesFormat): Promise<string> {
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  const files = await lookAtRawFiles([path]);
  await writeSeries({
    format,
    files,
    job: undefined,
    types: undefined,
    error() {},
    check(analysis) {
      for (const job of analysis.jobs.values()) metricValues(job.inputs);
    },
    write: (bytes) => void pieces.push(decoder.decode(bytes, { stream: true })),
  });
  return pieces.join("");
}

async function check(bytes: Uint8Array<ArrayBuffer>, path: string): Promise<void> {
  const stats = parseRawStats(bytes);
  const again = parseRawStats(stringifyRawStats({ ...stats }));
  const linesOf = (s: typeof stats) => s.records.reduce((n, r) => n + r.lines.length, 0);
  assertEquals(again.records.length, stats.records.length);
  assert(linesOf(again) <= linesOf(stats));
  const { series, times, corrections } = rawDeltas(bytes);
  for (const devices of Object.values(series)) {
    for (const keys of Object.values(devices)) {
      for (const { raw, delta } of Object.values(keys)) {
        assertEquals(raw.length, times.length);
        for (const d of delta ?? []) assert(d === undefined || d >= 0, `a delta of ${d}`);
      }
    }
  }
  for (const { delta } of corrections) assert(delta >= 0n);
  Deno.writeFileSync(path, bytes);
  JSON.parse(await printed(path, "json"));
  const lines = (await printed(path, "jsonl")).split("\n").slice(0, -1);
  const rows = (await printed(path, "csv")).split("\n").slice(1, -1);
  assertEquals(lines.length, rows.length);
  for (const line of lines) JSON.parse(line);
  const request = {
    files: await lookAtRawFiles([path]),
    job: undefined,
    types: undefined,
    devices: true,
  };
  const parts = await readRawTables(request, {
    processes: 1,
    helper: [],
    error() {},
    note() {},
    warn() {},
  });
  const nodes = parts.flatMap(({ table }) => table ?? []);
  const counts = { wrap: 0, reset: 0, dip: 0 };
  const table = { job: undefined, nodes, metrics: [], jobs: [], counts };
  printRawTable(table);
  assert(printOpenMetrics(table).endsWith("# EOF\n"));
}

Deno.test("damaged raw stats are read to the end, and come out well formed", async () => {
  const first = Number(Deno.env.get("RAW_FUZZ_SEED") ?? 1);
  const end = performance.now() + 1000 * Number(Deno.env.get("RAW_FUZZ_SECONDS") ?? 2);
  const path = Deno.makeTempFileSync();
  let seed = first;
  try {
    for (; seed === first || performance.now() < end; seed++) {
      const bytes = damaged(generator(seed));
      try {
        await check(bytes, path);
      } catch (error) {
        throw new Error(`the input of RAW_FUZZ_SEED=${seed}: ${error}`, { cause: error });
      }
    }
  } finally {
    Deno.removeSync(path);
  }
  if (Deno.env.has("RAW_FUZZ_SECONDS")) console.log(`${seed - first} inputs`);
});
