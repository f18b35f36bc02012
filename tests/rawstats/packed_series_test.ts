/** Series that do not fit memory lie in a temporary file: the output is the same. */
import { assert, assertEquals } from "@std/assert";
import { lookAtRawFiles } from "../../src/rawstats/files.ts";
import { JsonSeriesWriter, MetricsSeriesWriter } from "../../src/rawstats/packed_series.ts";
import type { Grain } from "../../src/rawstats/shares.ts";
import { analyseRawFiles } from "../../src/rawstats/stats.ts";
import { FINE, inTurns, WHOLE_NODES } from "./_turns.ts";

const VECTORS = new URL("../vectors/rawstats/", import.meta.url).pathname;

/** Files of two nodes: wraps, dips, wide values, missing lines, schemas and kinds that change. */
function files(dir: string): string[] {
  const records = (host: string, from: number, schema: string, lines: string[][]) =>
    `$hpcperfstats 2.3.5\n$hostname ${host}\n${schema}\n` +
    lines.map((rows, i) =>
      `\n${from + 10 * i}.250000 7 ${host}\n` + rows.map((row) => row + "\n").join("")
    ).join("");
  const parts = [
    records("a", 1000, "!t u,E,W=32 v,E,U=KB w x,C\n!z k", [
      ["t 0 4294967290 18446744073709551610 5 1", "z - 4"],
      ["t 0 4 18446744073709551615 3 1", "t b 9007199254740990 1 9 2", "z - 400"],
      ["t b 9007199254740995 3 9007199254740993 2"],
      ["t 0 3 7 18446744073709551615 1", "t b 9007199254740999 9 0 2", "z - 1"],
    ]),
    // another schema: v is a gauge now, w a counter, y is new
    records("a", 2000, "!t u,E,W=32 v w,E y,E", [
      ["t 0 10 5 100 7", 't x"y\\z,1 1 2 3 4'],
      ["t 0 20 4 300 9", 't x"y\\z,1 3 1 5 9'],
    ]),
    records("b", 1500, "!t u,E,W=32 w", [["t 0 1 2"], ["t 0 5 1"], []]),
  ];
  return parts.map((text, i) => {
    Deno.writeTextFileSync(`${dir}/${i}`, text);
    return `${dir}/${i}`;
  });
}

async function written(
  Writer: typeof JsonSeriesWriter | typeof MetricsSeriesWriter,
  paths: string[],
  most: number,
): Promise<string> {
  return (await inParts(Writer, paths, most, 1, FINE)).text;
}

async function inParts(
  Writer: typeof JsonSeriesWriter | typeof MetricsSeriesWriter,
  paths: string[],
  most: number,
  count: number,
  grain: Grain,
): Promise<{ text: string; bytes: number[] }> {
  const found = await lookAtRawFiles(paths);
  return await inTurns(count, found, grain, async (turns, shares) => {
    const writer = new Writer({ job: undefined, wants: () => true, turns, shares, most });
    await analyseRawFiles({
      files: found,
      listen: (node) => writer.listen(node),
      finish: (node) => writer.finish(node),
      error() {},
    });
    writer.end();
  });
}

Deno.test("series out of a file are the series out of memory, byte for byte", async () => {
  const dir = Deno.makeTempDirSync();
  const own = files(dir);
  const vectors = ["node-intel-skx-2s.raw", "rollover-a.raw"].map((name) => VECTORS + name);
  for (const paths of [own, own.slice(0, 2), own.slice(2), vectors]) {
    for (const Writer of [JsonSeriesWriter, MetricsSeriesWriter]) {
      const whole = await written(Writer, paths, Infinity);
      assert(whole.length > 200);
      const parts = paths === vectors ? [100_000] : [1, 600, 3000];
      for (const most of parts) assertEquals(await written(Writer, paths, most), whole);
    }
  }
  const json = JSON.parse(await written(JsonSeriesWriter, own, 1) + "}");
  const { times, series, sums, mended } = json.hosts.a;
  assertEquals(times.length, 6);
  assertEquals(series.t["0"].u.delta, [null, 10, null, 0, null, 10]);
  assertEquals(series.t["0"].v, {
    unit: "",
    scale: 1,
    kind: "gauge",
    raw: [18446744073709551610, 18446744073709551615, null, 7, 5, 4],
    delta: null,
    rate: null,
    corrections: [],
  });
  assertEquals(series.t.b.u.delta, [null, null, 5, 4, null, null]);
  assertEquals(sums.t.w.delta, [null, null, null, null, null, 202]);
  assertEquals(Object.keys(sums), ["t", "z"]);
  assertEquals(mended, { wrap: 1, reset: 1, dip: 1 });
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("series written in turns are those of one process, and all have a part", async () => {
  const dir = Deno.makeTempDirSync();
  const own = files(dir);
  const vectors = ["node-intel-skx-2s.raw", "rollover-a.raw"].map((name) => VECTORS + name);
  for (const paths of [own, own.slice(0, 2), own.slice(2), vectors]) {
    for (const Writer of [JsonSeriesWriter, MetricsSeriesWriter]) {
      const whole = await written(Writer, paths, Infinity);
      for (const count of [2, 3]) {
        for (const grain of [FINE, WHOLE_NODES]) {
          const { text, bytes } = await inParts(Writer, paths, 3000, count, grain);
          assertEquals(text === whole, true, `${Writer.name} ${count}`);
          if (grain === FINE && paths === vectors) assert(bytes.every((n) => n > 5000), `${bytes}`);
        }
      }
    }
  }
  Deno.removeSync(dir, { recursive: true });
});
