/** The time that a delta is of: after a dip or a missing value it is longer than one interval. */
import { assertEquals } from "@std/assert";
import { rawDeltas } from "../../../src/rawstats/analysis/deltas.ts";
import { header, json, printed, record } from "./_files.ts";

const SCHEMAS = ["!cpu user,E,U=cs", "!ib_ext port_xmit_data,E,U=4B port_xmit_pkts,E"];
/** One record a minute; `words` of the fabric, `undefined` without its line. */
function fabric(words: readonly (number | undefined)[]): string {
  return header(SCHEMAS) + words.map((count, i) =>
    record(
      1760000000 + 60 * i,
      "-",
      `cpu 0 ${6000 * i}`,
      ...count === undefined ? [] : [`ib_ext hca ${count} ${count / 1024}`],
    )
  ).join("");
}
const STEP = 60 * 2 ** 18, START = 2 ** 40;
const steady = Array.from({ length: 8 }, (_, i) => START + STEP * i);

Deno.test("the rate after a dip is of the time since the value before it", async () => {
  const { series, metrics } = await json({ file: fabric(steady.with(4, START - 5 * STEP)) });
  const rate = 2 ** 20;
  const { port_xmit_data } = series.ib_ext.hca;
  assertEquals(port_xmit_data.rate, [null, rate, rate, rate, 0, rate, rate, rate]);
  assertEquals(port_xmit_data.delta?.[5], 8 * STEP);
  assertEquals([metrics.max_fabricbw, metrics.avg_fabricbw], [1, 1]);
});

Deno.test("a device that missed a record does not double the highest rate", async () => {
  const { series, metrics } = await json({
    file: fabric(steady.with(4, NaN).map((n) => n || undefined)),
  });
  assertEquals(series.ib_ext.hca.port_xmit_data.rate[5], 2 ** 20);
  assertEquals([metrics.max_fabricbw, metrics.avg_fabricbw], [1, 1]);
});

Deno.test("the rate of a key that only some records have is of the time between these", async () => {
  const lines = [0, 1, 2, 3, 4, 5, 6].map((i) =>
    record(1760000000 + 10 * i, "-", `x 0 ${100 * i}${i % 3 === 0 ? ` ${1000 * i}` : ""}`)
  );
  const { series } = await json({ file: header(["!x a,E b,E,R=S"]) + lines.join("") });
  assertEquals(series.x["0"].b.rate, [null, null, null, 100, null, null, 100]);
});

/** Job 7 at 0 to 2, job 8 at 3 and 4, job 7 again at 5 to 7; a counter wraps while job 8 runs. */
function requeued(): string {
  return header(["!cpu user,E,U=cs", "!net rx_bytes,E,U=B,W=32"]) +
    [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
      record(
        1760000000 + 60 * i,
        i === 3 || i === 4 ? "8" : "7",
        `cpu 0 ${i < 3 ? 3000 * i : 6000 * i}`,
        `net eth0 ${i < 4 ? 4294967000 : 100 * i}`,
      )
    ).join("");
}

Deno.test("a job that goes on after another one has only the time and the counts between its own records", async () => {
  const seven = await json({ file: requeued() }, "--job", "7");
  assertEquals(seven.series.cpu["0"].user.delta, [null, 3000, 3000, null, 6000, 6000]);
  // 18,000 hundredths in 240 s
  assertEquals(seven.metrics.avg_cpuusage, 0.75);
  assertEquals((await json({ file: requeued() })).jobs["7"].metrics.avg_cpuusage, 0.75);
  const table = (await printed({ file: requeued() }, "--job", "7")).stdout;
  assertEquals(/: (.*), job 7/.exec(table)?.[1], "6 samples in 240 s");
});

Deno.test("stats --job has the corrections of the job alone", async () => {
  const seven = await json({ file: requeued() }, "--job", "7");
  assertEquals(seven.series.net.eth0.rx_bytes.corrections, []);
  assertEquals(seven.mended, { wrap: 0, reset: 0, dip: 0 });
  const table = (await printed({ file: requeued() }, "--job", "7")).stdout;
  assertEquals(table.includes("0 wraps corrected"), true);
  const eight = await json({ file: requeued() }, "--job", "8");
  assertEquals(eight.mended, { wrap: 1, reset: 0, dip: 0 });
  assertEquals(rawDeltas(requeued(), { job: "7" }).corrections, []);
});

Deno.test("stats: a host with one record makes metrics unknown, not their counters absent", async () => {
  const of = (host: string, records: number) =>
    header(["!cpu user,E,U=cs"], 1000, host) +
    Array.from({ length: records }, (_, i) =>
      record(1760000000 + 60 * i, "7", `cpu 0 ${6000 * i}`).replace(" n1", ` ${host}`)).join("");
  const { stdout } = await printed({ a: of("n1", 3), b: of("n2", 1) });
  assertEquals(/known on some hosts only: (.*)/.exec(stdout)?.[1], "avg_cpuusage node_imbalance");
  assertEquals(/without counters here: .*avg_cpuusage/.test(stdout), false);
  const one = (await printed({ a: of("n1", 1) })).stdout;
  assertEquals(/not known from one record: avg_cpuusage /.test(one), true);
});

Deno.test("a clock that is set back does not shorten the time of a job", async () => {
  const file = header(["!cpu user,E,U=cs"]) +
    [0, 1, 2, 3, 4, 5].map((i) =>
      record(1760000000 + 60 * i - (i > 2 ? 200 : 0), "7", `cpu 0 ${6000 * i}`)
    ).join("");
  // Four intervals of 60 s: nothing is known of the one in between.
  for (const args of [[], ["--job", "7"]]) {
    assertEquals((await json({ file }, ...args)).metrics.avg_cpuusage, 1);
    assertEquals(
      (await printed({ file }, ...args)).stdout.split(/[:,\n]/)[1],
      " 6 samples in 240 s",
    );
  }
});
