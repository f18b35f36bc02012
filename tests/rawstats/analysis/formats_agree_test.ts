/** One file through every format: the same sums, whatever stepped back, came twice or was cut. */
import { assert, assertEquals } from "@std/assert";
import { header, printed, record } from "./_files.ts";

const VECTORS = new URL("../../vectors/rawstats/", import.meta.url);
const BASE: Readonly<Record<string, number>> = { cs: 0.01, ms: 0.001, us: 1e-6 };

/** Counters that step back, a job that is followed, a record that comes again, a boot. */
const HARD = header(["!cpu user,E,U=cs", "!net rx,E,U=B", "!ib x,E,U=4B,W=32"], 9000) +
  record(1760000000, "7", "%begin 7", "cpu 0 70000", "net a 900000000", "ib p 4294967000") +
  record(1760000300, "7", "cpu 0 75000", "net a 300000000", "ib p 700") +
  record(1760000600, "8", "%begin 8", "cpu 0 80000", "net a 900001000", "ib p 900") +
  record(1760000300, "7", "cpu 0 75000", "net a 300000000", "ib p 700") +
  header(["!cpu user,E,U=cs", "!net rx,E,U=B", "!ib x,E,U=4B,W=32"], 100) +
  record(1760000900, "8", "cpu 0 900", "net a 5000", "ib p 60") +
  record(1760001200, "8", "%end 8", "cpu 0 1900", "net a 9000", "ib p 90");

function inputs(): Record<string, string> {
  const vectors = ["rollover-a", "node-intel-skx-2s", "node-amd-epyc-rome-2s"].map((name) => [
    name,
    Deno.readTextFileSync(new URL(`${name}.raw`, VECTORS)),
  ]);
  return { hard: HARD, ...Object.fromEntries(vectors) };
}

/** Sums by type, device and key. */
type Sums = Map<string, number>;

function ofRows(rows: { [column: string]: unknown }[]): Sums {
  const sums: Sums = new Map();
  for (const { type, device, key, kind, delta } of rows) {
    const name = `${type} ${device} ${key}`;
    if (kind === "event") sums.set(name, (sums.get(name) ?? 0) + Number(delta ?? 0));
  }
  return sums;
}

for (const [name, text] of Object.entries(inputs())) {
  Deno.test(`all formats of stats have the same sums: ${name}`, async () => {
    const print = async (...args: string[]) =>
      (await printed({ a: text }, "-q", "--energy-unit", "2^-16", ...args)).stdout;
    const [head, ...lines] = (await print("--format", "csv")).trimEnd().split("\n")
      .map((line) => line.split(","));
    const csv = ofRows(lines.map((line) => Object.fromEntries(head.map((c, i) => [c, line[i]]))));
    const objects = (await print("--format", "jsonl")).trimEnd().split("\n");
    const jsonl = ofRows(objects.map((line) => JSON.parse(line)));
    assertEquals(jsonl, csv);
    const { series } = JSON.parse(await print("--json"));
    const json: Sums = new Map();
    for (const [type, devices] of Object.entries<Record<string, never>>(series)) {
      for (const [device, keys] of Object.entries<Record<string, { delta: number[] }>>(devices)) {
        for (const [key, { delta }] of Object.entries(keys)) {
          const sum = delta?.reduce((a: number, b: number | null) => a + (b ?? 0), 0);
          if (sum !== undefined) json.set(`${type} ${device} ${key}`, sum);
        }
      }
    }
    assertEquals(new Map([...json].sort()), new Map([...csv].sort()));
    const table: Sums = new Map();
    for (const line of (await print("--devices")).split("\n")) {
      const row = /^(\w+) +(\S+) +(\S+) +\S+ +≥?(\d+)\*? +≥?[\d.e+-]+\*?$/.exec(line.trimEnd());
      if (row !== null) table.set(row.slice(1, 4).join(" "), Number(row[4]));
    }
    assertEquals(new Map([...table].sort()), new Map([...csv].sort()));
    const metrics = await print("--format", "openmetrics");
    let compared = 0;
    for (const line of metrics.split("\n")) {
      const row = /^rawstats_(\w+)_total\{host="[^"]*",device="([^"]*)"\} (\S+) /.exec(line);
      if (row === null) continue;
      const of = [...csv].filter(([key]) => {
        const [type, device, name] = key.split(" ");
        const family = `${type}_${name}`.replace(/[^A-Za-z0-9_]/g, "_");
        return device === row[2] && (row[1] === family || row[1].startsWith(`${family}_`));
      });
      const scales = [1, ...Object.values(BASE)];
      const isEqual = of.some(([, sum]) =>
        scales.some((scale) => Math.abs(sum * scale - Number(row[3])) <= 1e-9 * Math.abs(sum))
      );
      assert(isEqual, line);
      compared++;
    }
    assertEquals(compared, csv.size);
  });
}

Deno.test("gauges of OpenMetrics add up to those of the table: what has gone does not count", async () => {
  const text = header(["!mem MemUsed,U=KB", "!cpu user,E,U=cs"]) +
    record(1760000000, "1", "mem 0 100", "mem 1 60", "cpu 0 5", "cpu 1 5") +
    record(1760000060, "1", "mem 0 7", "cpu 0 9");
  const { stdout } = await printed({ a: text }, "-q", "--format", "openmetrics");
  const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assertEquals(lines.map((line) => line.replace(/\{.*device="(\d)"\}/, " $1")), [
    "rawstats_cpu_user_seconds_total 0 0.04 1760000060",
    "rawstats_cpu_user_seconds_total 1 0 1760000060",
    "rawstats_mem_MemUsed_bytes 0 7168 1760000060",
  ]);
});
