import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { timed } from "../_support/time_limit.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;
const CONFIG = new URL("../../airgap/deno.json", import.meta.url).pathname;
const VECTORS = new URL("../vectors/rawstats/", import.meta.url).pathname;
const ROLLOVER = `${VECTORS}rollover-a.raw`;

interface Ran {
  code: number;
  out: string;
  err: string;
}

async function stats(...args: string[]): Promise<Ran> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--config", CONFIG, "--no-lock", "-A", MAIN, "stats", ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

/** A file of one type, one device and one key. */
function oneColumn(key: string, values: readonly (bigint | number)[], type = "t"): string {
  const path = Deno.makeTempFileSync();
  const head = `$hpcperfstats 2.3.5\n$hostname h\n!${type} ${key}\n`;
  const records = values.map((v, i) => `\n${1000 + i * 10}.000000 7 h\n${type} 0 ${v}\n`);
  Deno.writeTextFileSync(path, head + records.join(""));
  return path;
}

timed("stats --json takes wraps, dips and resets apart", async () => {
  const rows: [string, (bigint | number)[], (number | null)[], string[]][] = [
    ["a,E,W=48", [281474976710000, 500], [null, 1156], ["wrap"]],
    ["a,E,W=32", [4294960000, 1200, 1300], [null, 8496, 100], ["wrap"]],
    // the older maximum stays the baseline until it is passed
    ["a,E,W=32", [1000000, 999998, 999999, 1000005], [null, 0, 0, 5], ["dip", "dip"]],
    ["a,E,W=48", [5000000000, 120, 130], [null, 120, 10], ["reset"]],
    ["a,E", [10000, 9997, 10010], [null, 0, 10], ["dip"]],
    ["a,E", [900000000, 17], [null, 17], ["reset"]],
    ["a,E,U=512B", [3000, 3056], [null, 28672], []],
    ["a,E", [18446744073709551610n, 18446744073709551615n], [null, 5], []],
  ];
  for (const [key, values, deltas, kinds] of rows) {
    const path = oneColumn(key, values);
    const { code, out, err } = await stats("--json", path);
    Deno.removeSync(path);
    assertEquals([code, err], [0, ""]);
    const found = JSON.parse(out).series.t["0"].a;
    assertEquals(found.delta, deltas, key);
    assertEquals(found.corrections.map((c: { kind: string }) => c.kind), kinds);
  }
});

timed("stats --json is exact above 2^53, and never differences gauges", async () => {
  const path = oneColumn("a,E", [3, 18446744073709551614n]);
  const gauge = oneColumn("a,U=KB", [9, 5]);
  const wide = (await stats("--json", path)).out;
  assert(wide.includes('"raw":[3,18446744073709551614],"delta":[null,18446744073709551611]'));
  const found = JSON.parse((await stats("--json", gauge)).out).series.t["0"].a;
  assertEquals(found, {
    unit: "B",
    scale: 1024,
    kind: "gauge",
    raw: [9, 5],
    delta: null,
    rate: null,
    corrections: [],
  });
  Deno.removeSync(path);
  Deno.removeSync(gauge);
});

timed("stats --json: InfiniBand counters that show 64 bits are taken as such", async () => {
  const path = oneColumn("a,E,W=32", [4294967290, 4294967300, 4294967200], "ib");
  const found = JSON.parse((await stats("--json", path)).out).series.ib["0"].a;
  Deno.removeSync(path);
  // a dip, where 32 bits would make it a wrap
  assertEquals(found.delta, [null, 10, 0]);
});

timed("stats --json: sums, rates, metrics and jobs of a file", async () => {
  const { code, out } = await stats("--json", ROLLOVER);
  assertEquals(code, 0);
  const all = JSON.parse(out);
  const { times, series, sums, metrics, jobs, mended } = all;
  assertEquals(times.length, 7);
  assertEquals(mended, { wrap: 11, reset: 3, dip: 4 });
  const seconds = times[1] - times[0];
  assertEquals(sums.cpu.user.delta[1], 54907 + 58758 + 58042);
  assertAlmostEquals(sums.cpu.user.rate[1], (54907 + 58758 + 58042) / seconds, 1e-6);
  assertAlmostEquals(series.cpu["0"].user.rate[1], 54907 / seconds, 1e-6);
  const user = [339021, 345235, 346414].reduce((a, b) => a + b);
  const system = [11677, 11784, 11762].reduce((a, b) => a + b);
  const span = times[6] - times[0];
  assertAlmostEquals(metrics.avg_cpuusage, (user + system) / 100 / span, 1e-9);
  assertAlmostEquals(metrics.mem_hwm, 106000 * 1024 / 2 ** 30, 1e-9);
  assertEquals(metrics.avg_mbw, null);
  assertEquals(Object.keys(jobs), ["70001"]);
  assertEquals(jobs["70001"].whole, true);
  assertEquals(jobs["70001"].metrics.avg_cpuusage, metrics.avg_cpuusage);
});

timed("stats: flops and bandwidths of the nodes come from the programmed events", async () => {
  const metrics = async (name: string) =>
    JSON.parse((await stats("--json", `${VECTORS}node-${name}.raw`)).out).metrics;
  const ingest = JSON.parse(Deno.readTextFileSync(`${VECTORS}node-intel-skx-2s.ingest2021.json`));
  // the ingest's deltas of floating-point events are operations already
  let operations = 0;
  for (const [event, { delta }] of Object.entries<{ delta: number[] }>(ingest.series.intel_8pmc3)) {
    if (event.startsWith("FP_ARITH")) operations += delta.reduce((a, b) => a + b);
  }
  const skx = await metrics("intel-skx-2s");
  assertAlmostEquals(skx.avg_flops, operations / 1500 / 1e9, 1e-9);
  const rome = await metrics("amd-epyc-rome-2s");
  const amd = JSON.parse(Deno.readTextFileSync(`${VECTORS}node-amd-epyc-rome-2s.ingest2021.json`));
  let bytes = 0;
  for (let i = 0; i < 4; i++) {
    for (const d of amd.series.amd64_df[`MBW_CHANNEL_${i}`].delta) bytes += d;
  }
  assertAlmostEquals(rome.avg_mbw, 2 * bytes / 300 / 2 ** 30, 1e-9);
});

timed("stats: a job alone, its first sample as the baseline", async () => {
  const path = Deno.makeTempFileSync();
  const record = (t: number, jobs: string, marks: string, v: number) =>
    `\n${t}.000000 ${jobs} h\n${marks}t 0 ${v}\n`;
  Deno.writeTextFileSync(
    path,
    "$hpcperfstats 2.3.5\n!t a,E\n" + record(10, "-", "", 5) + record(20, "7", "%begin 7\n", 105) +
      record(30, "7,8", "%begin 8\n", 115) + record(40, "7", "%end 7\n", 130) +
      record(50, "8", "", 230),
  );
  const json = async (...args: string[]) => JSON.parse((await stats("--json", ...args, path)).out);
  assertEquals((await json()).series.t["0"].a.delta, [null, 100, 10, 15, 100]);
  const seven = await json("--job", "7");
  assertEquals([seven.times, seven.series.t["0"].a.delta], [[20, 30, 40], [null, 10, 15]]);
  const eight = await stats("--job", "8", "--json", path);
  // between its marks, and by its label
  assertEquals(JSON.parse(eight.out).series.t["0"].a.delta, [null, 15, 100]);
  assert(eight.err.includes("begin or end mark missing on h"));
  const none = await stats("--job", "9", path);
  assertEquals([none.code, none.out], [2, ""]);
  Deno.removeSync(path);
});

timed("stats: gzip, many hosts, one file under two names", async () => {
  const dir = Deno.makeTempDirSync();
  const bytes = Deno.readFileSync(ROLLOVER);
  const zipped = new Response(
    new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip")),
  );
  Deno.writeFileSync(`${dir}/a.gz`, new Uint8Array(await zipped.arrayBuffer()));
  assertEquals((await stats("--json", `${dir}/a.gz`)).out, (await stats("--json", ROLLOVER)).out);
  const other = new TextDecoder().decode(bytes).replaceAll("c101-001.hpc.test", "c101-002");
  Deno.mkdirSync(`${dir}/c101-002`);
  Deno.writeTextFileSync(`${dir}/c101-002/current`, other);
  Deno.linkSync(`${dir}/c101-002/current`, `${dir}/c101-002/1680000000`);
  const { out, err } = await stats("--json", dir);
  // the vector has counts of energy registers and no word about their unit
  assert(/^joulemark: intel_rapl: no energy in joules, [^\n]*\n$/.test(err), err);
  const { hosts, metrics, jobs } = JSON.parse(out);
  assertEquals(Object.keys(hosts).sort(), ["c101-001.hpc.test", "c101-002"]);
  assertEquals(jobs["70001"].hosts.length, 2);
  assertEquals(metrics.node_imbalance, 0);
  Deno.removeSync(dir, { recursive: true });
});

timed("stats: CSV has a row per time, device and key; OpenMetrics ends as it must", async () => {
  const csv = (await stats("--format", "csv", ROLLOVER)).out.trimEnd().split("\n");
  assertEquals(csv[0], "time,host,job,type,device,key,unit,kind,raw,delta,rate");
  // 7 samples; 11 + 3·7 + 10 + 2·19 + 2·3 + 4 + 3 + 6 values each
  assertEquals(csv.length, 1 + 7 * 99);
  const text = (await stats("--format", "openmetrics", "--types", "cpu,mem", ROLLOVER)).out;
  assert(text.endsWith("# EOF\n"));
  assert(text.includes("# TYPE rawstats_cpu_user_seconds counter\n"));
  assert(
    text.includes(
      'rawstats_cpu_user_seconds_total{host="c101-001.hpc.test",device="0"} 3390.21 1680003600.011602',
    ),
  );
  assert(text.includes("# TYPE rawstats_mem_MemFree_bytes gauge\n"));
});

timed("stats --as-original is refused in one line", async () => {
  const { code, out, err } = await stats("--as-original", "2018", ROLLOVER);
  assertEquals([code, out], [2, ""]);
  assert(/^joulemark stats: [^\n]*--as-original[^\n]*Leave the option out\n$/.test(err), err);
});

timed("stats tells what is wrong by file and line, and reads the rest", async () => {
  const path = Deno.makeTempFileSync();
  const text = Deno.readTextFileSync(ROLLOVER);
  Deno.writeTextFileSync(path, text.replace("\ncpu 1 1058758 ", "\ncpu 1 ") + "cpu 0 12");
  const { code, out, err } = await stats("--json", path);
  assertEquals(code, 0);
  const lines = err.trimEnd().split("\n");
  assertEquals(lines.length, 3, err);
  assert(lines[0].includes(`${path}:32`) && lines[0].includes("6 values of cpu"), lines[0]);
  assert(lines[1].includes("a truncated last line"), lines[1]);
  assertEquals(JSON.parse(out).series.cpu["1"].user.raw[1], null);
  assertEquals((await stats("-q", path)).err, "");
  for (
    const wrong of [["/nonexistent"], [], ["--format", "xml", path], ["--as-original", "1", path]]
  ) {
    const ran = await stats(...wrong);
    assertEquals([ran.code, ran.out, ran.err.trimEnd().split("\n").length], [2, "", 1]);
  }
  Deno.removeSync(path);
});

timed(
  "stats has a line for a type that no file has, and status 2 if it is the only one",
  async () => {
    const path = oneColumn("a,E", [3, 5]);
    for (const format of ["table", "csv", "json", "openmetrics"]) {
      const wrong = await stats("--types", "u", "--format", format, path);
      assertEquals([wrong.code, wrong.err], [
        2,
        'joulemark stats: unknown type "u". Did you mean t?\n',
      ]);
      const some = await stats("--types", "t,u", "--format", format, path);
      assertEquals([some.code, some.err], [0, "joulemark: the files do not have the type u\n"]);
    }
    Deno.removeSync(path);
  },
);

timed("stats names a directory without a file", async () => {
  const path = Deno.makeTempDirSync();
  const { code, err } = await stats(path);
  Deno.removeSync(path);
  assertEquals(
    [code, err],
    [2, `joulemark stats: cannot find records in "${path}": expected raw stats, found no record\n`],
  );
});

timed("stats names the first of many files without a record", async () => {
  const path = Deno.makeTempDirSync();
  const { err } = await stats(path, ...Array.from({ length: 200 }, () => path));
  Deno.removeSync(path);
  assertEquals(
    err,
    `joulemark stats: cannot find records in "${path} and 200 other files": expected raw stats, ` +
      "found no record\n",
  );
});
