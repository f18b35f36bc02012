/**
 * Query rows per second, over the generated event trace (a tenth of the 47.5 MB one by default).
 *
 *     deno bench -A tests/bench/query_bench.ts
 *     JOULEMARK_BENCH_ITERATIONS=60000 deno bench -A tests/bench/query_bench.ts
 *
 * With JOULEMARK_TEST_CALI_QUERY=/path/to/cali-query it prints a side-by-side of wall time, best of
 * five, each run a process of its own: start-up counts for both.
 */

import { CaliScanner } from "../../src/caliper/stream/cali.ts";
import { caliSource } from "../../src/caliper/query/sources/cali.ts";
import { parseQuery } from "../../src/caliper/query/parser.ts";
import { QueryRun } from "../../src/caliper/query/run.ts";

const HERE = new URL(".", import.meta.url);
const pathOf = (url: URL) => decodeURIComponent(url.pathname);
const CONFIG = pathOf(new URL("../../airgap/deno.json", HERE));
const ITERATIONS = Deno.env.get("JOULEMARK_BENCH_ITERATIONS") ?? "6000";

const BY_PATH = "select path,count(),sum(time.duration.ns),inclusive_sum(energy.uj),min(power.w)," +
  "avg(power.w),max(power.w) group by path format tree order by sum#time.duration.ns desc";
const BY_BLOCK =
  "let block=truncate(iteration,2000),j=scale(energy.uj,1e-6) select block,count()," +
  "sum(j),ratio(energy.uj,time.duration.ns,1000) group by block format table order by block";

const trace = Deno.makeTempFileSync({ suffix: ".cali" });
globalThis.addEventListener("unload", () => Deno.removeSync(trace));
Deno.writeFileSync(
  trace,
  new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-lock",
      "-A",
      pathOf(new URL("../vectors/caliper/gen_large_trace.mjs", HERE)),
      ITERATIONS,
    ],
  }).outputSync().stdout,
);

function withFile(use: (read: (into: Uint8Array) => number | null) => void): void {
  using file = Deno.openSync(trace);
  use((into) => file.readSync(into));
}

function runOver(query: string): void {
  withFile((read) => {
    const run = new QueryRun(parseQuery(query), { output: () => {} });
    run.read(caliSource(read));
    run.finish();
  });
}

Deno.bench("scan: bytes to records", { group: "stream", baseline: true }, () => {
  let records = 0;
  withFile((read) => {
    new CaliScanner({
      node() {},
      globals() {},
      problem() {},
      context: () => void records++,
    }).readFrom(read);
  });
  if (records !== Number(ITERATIONS) * 9) throw new Error(`${records} records`);
});
Deno.bench("aggregate: group by path", { group: "stream" }, () => runOver(BY_PATH));
Deno.bench("aggregate: let, group by value", { group: "stream" }, () => runOver(BY_BLOCK));
Deno.bench("print: expand", { group: "stream" }, () => runOver("format expand"));
Deno.bench("print: cali", { group: "stream" }, () => runOver("format cali"));
Deno.bench("print: json-split", { group: "stream" }, () => runOver("format json-split"));
Deno.bench("print: json", { group: "stream" }, () => runOver("format json"));

const reference = Deno.env.get("JOULEMARK_TEST_CALI_QUERY");
if (reference !== undefined) compare(reference);

/** Best wall time of five of both programs, in seconds. */
function compare(program: string): void {
  const verb = pathOf(new URL("../caliper/query/_support/verb.ts", HERE));
  const ours = Deno.env.get("JOULEMARK_BIN") !== undefined
    ? [Deno.env.get("JOULEMARK_BIN")!, "query"]
    : [Deno.execPath(), "run", "--no-lock", "--no-check", "--config", CONFIG, "-A", verb];
  for (const args of [["-q", BY_PATH], ["-q", BY_BLOCK], ["-G", "-j"], ["-e"], ["-j"], ["-t"]]) {
    const a = best([program, ...args, trace]), b = best([...ours, ...args, trace]);
    const name = args.join(" ").slice(0, 40);
    console.log(`${name.padEnd(42)} ${a.toFixed(3)} s  ${b.toFixed(3)} s  ${(a / b).toFixed(2)}x`);
  }
}

function best([program, ...args]: string[]): number {
  let least = Infinity;
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    const { code } = new Deno.Command(program, { args, stdout: "null", stderr: "null" })
      .outputSync();
    if (code !== 0) throw new Error(`${program} ended with ${code}`);
    least = Math.min(least, performance.now() - start);
  }
  return least / 1000;
}
