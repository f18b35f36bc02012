import { assert, assertEquals } from "@std/assert";
import { ingest2021 } from "./ingest2021.ts";
import { assembleJob2018 } from "./job2018.ts";
import { readOriginal } from "./read.ts";

const VECTORS = new URL("../../../vectors/rawstats/", import.meta.url);
const FILES = ["rollover-a", "node-amd-epyc-rome-2s", "node-intel-skx-2s"];

function load(name: string) {
  return readOriginal(Deno.readTextFileSync(new URL(`${name}.raw`, VECTORS)));
}

function vector(name: string) {
  return JSON.parse(Deno.readTextFileSync(new URL(`${name}.json`, VECTORS)));
}

function mapValues<A, B>(record: Record<string, A>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function close(actual: number, expected: number, tolerance: number, what: string): void {
  const error = Math.abs(actual - expected);
  assert(
    error <= tolerance * Math.max(1, Math.abs(expected)),
    `${what}: ${actual}, not ${expected}`,
  );
}

Deno.test("assembleJob2018() gives the numbers of the job assembler, mistakes included", () => {
  let numbers = 0;
  for (const name of FILES) {
    const expected = vector(`${name}.job2018`);
    const { times, hosts } = assembleJob2018(new Map([["h", load(name)]]));
    assertEquals(times, expected.times);
    const tables = hosts.get("h")!;
    for (
      const [type, devices] of Object.entries<Record<string, Record<string, number[]>>>(
        expected.stats,
      )
    ) {
      assertEquals(Object.keys(tables[type]).sort(), Object.keys(devices).sort());
      for (const [device, keys] of Object.entries(devices)) {
        for (const [key, column] of Object.entries(keys)) {
          assertEquals(tables[type][device][key].map(Number), column, `${type} ${device} ${key}`);
          numbers += column.length;
        }
      }
    }
  }
  assert(numbers > 5000, String(numbers));
});

Deno.test("assembleJob2018() names counters after their control words, over all hosts", () => {
  const nodes = new Map(["a", "b"].map((host) => [host, load(`controls-${host}`)]));
  const { times, hosts } = assembleJob2018(nodes);
  const expected = vector("controls.job2018");
  assertEquals(times, expected.times);
  for (const host of ["a", "b"]) {
    const numbers = Object.fromEntries(
      Object.entries(hosts.get(host)!).map(([type, devices]) => [
        type,
        mapValues(devices, (columns) => mapValues(columns, (values) => values.map(Number))),
      ]),
    );
    assertEquals(numbers, expected.hosts[host]);
  }
  const ivb = Object.keys(hosts.get("a")!.intel_ivb["0"]);
  assertEquals(ivb.slice(0, 4), ["LOAD_OPS_ALL", "LOAD_OPS_L1_HIT", "ERROR", "LOAD_OPS_LLC_HIT"]);
});

Deno.test("assembleJob2018() leaves devices empty of a type that the first host does not have", () => {
  const text = Deno.readTextFileSync(new URL("controls-a.raw", VECTORS));
  const without = text.split("\n").filter((line) => !/^!?intel_(snb|knl_edc) /.test(line));
  const nodes = new Map([["a", readOriginal(without.join("\n"))], ["b", load("controls-b")]]);
  const { hosts } = assembleJob2018(nodes);
  assertEquals(hosts.get("b")!.intel_snb, { "0": {}, "1": {} });
  assertEquals("CTL0" in hosts.get("b")!.intel_knl_edc["ff/0f.0"], true);
  // the other way round both are named, by the words of the host that has them
  const turned = assembleJob2018(new Map([...nodes].reverse())).hosts.get("b")!;
  assertEquals(Object.keys(turned.intel_snb["0"])[0], "LOAD_OPS_ALL");
  assertEquals("intel_knl_edc" in turned, false);
  assertEquals("intel_knl_edc_uclk" in turned, true);
});

Deno.test("assembleJob2018() takes the kB of proc for plain numbers", () => {
  const text = (seconds: number, mark: string) =>
    `\n${seconds} 1 h\n${mark}proc a/1/0/0 1000 7\nmem 0 7\n`;
  const file = "$tacc_stats 2.3.4\n$hostname h\n!mem MemTotal,U=KB\n!proc Uid VmPeak,U=kB\n" +
    text(100, "%begin 1\n") + text(200, "%end 1\n");
  const tables = assembleJob2018(new Map([["h", readOriginal(file)]])).hosts.get("h")!;
  assertEquals(tables.proc["a/1/0/0"].VmPeak, [7n, 7n]);
  assertEquals(tables.mem["0"].MemTotal, [7168n, 7168n]);
});

Deno.test("ingest2021() gives the numbers of the ingest, mistakes included", () => {
  for (const name of FILES) {
    const expected = vector(`${name}.ingest2021`);
    const actual = ingest2021(load(name));
    assertEquals(actual.times, expected.times);
    assertEquals(Object.keys(actual.series), Object.keys(expected.series).sort());
    // the rates of the two nodes are rounded to 1e-9 in the vectors
    const rateTolerance = name === "rollover-a" ? 1e-12 : 1e-9;
    for (const [type, keys] of Object.entries(actual.series)) {
      assertEquals(Object.keys(keys), Object.keys(expected.series[type]).sort());
      for (const [key, series] of Object.entries(keys)) {
        const wanted = expected.series[type][key];
        assertEquals(series.unit, wanted.unit, `${type} ${key}`);
        for (let i = 0; i < wanted.value.length; i++) {
          close(series.value[i]!, wanted.value[i], 1e-12, `${name} ${type} ${key} value ${i}`);
          close(series.delta[i]!, wanted.delta[i], 1e-12, `${name} ${type} ${key} delta ${i}`);
          close(series.rate[i]!, wanted.rate[i], rateTolerance, `${name} ${type} ${key} rate ${i}`);
        }
      }
    }
    assertEquals(actual.processes, expected.processes ?? []);
  }
});

Deno.test("assembleJob2018() sorts the times and takes the nearest values", () => {
  const record = (second: number, user: number) => `\n${second} 6 h\ncpu 0 ${user}\n`;
  const text = "$hpcperfstats 2.3.5\n$hostname h\n!cpu user,E,U=cs\n" + record(0, 0) +
    record(300, 1000) + record(600, 2000) + record(900, 3000) + record(1200, 4000) +
    record(900, 3000) + record(1500, 5000);
  const { times, hosts } = assembleJob2018(new Map([["h", readOriginal(text)]]));
  assertEquals(times, [0, 300, 600, 900, 901, 1200, 1500]);
  const user = [0n, 1000n, 2000n, 3000n, 3000n, 4000n, 5000n];
  assertEquals(hosts.get("h")!.cpu["0"].user, user);
});

Deno.test("assembleJob2018() keeps the first schema and drops lines that do not fit it", () => {
  const record = (second: number, values: string) => `\n${second} 6 h\nnet eth0 ${values}\n`;
  const text = "$hpcperfstats 2.3.5\n$hostname h\n!net rx,E\n" + record(0, "5") + record(300, "7") +
    "!net collisions,E rx,E\n" + record(600, "3 9");
  const tables = assembleJob2018(new Map([["h", readOriginal(text)]])).hosts.get("h")!;
  assertEquals(tables.net.eth0, { rx: [0n, 2n, 2n] });
});
