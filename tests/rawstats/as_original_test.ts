import { assert, assertEquals } from "@std/assert";
import { parseRawStats } from "../../src/formats/rawstats.ts";
import { ingest2021 } from "../../src/rawstats/ingest2021.ts";
import { assembleJob2018 } from "../../src/rawstats/job2018.ts";

const VECTORS = new URL("../vectors/rawstats/", import.meta.url);
const FILES = ["rollover-a", "node-amd-epyc-rome-2s", "node-intel-skx-2s"];

function load(name: string) {
  return parseRawStats(Deno.readTextFileSync(new URL(`${name}.raw`, VECTORS)), name);
}

function vector(name: string) {
  return JSON.parse(Deno.readTextFileSync(new URL(`${name}.json`, VECTORS)));
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
          close(series.value[i], wanted.value[i], 1e-12, `${name} ${type} ${key} value ${i}`);
          close(series.delta[i], wanted.delta[i], 1e-12, `${name} ${type} ${key} delta ${i}`);
          close(series.rate[i], wanted.rate[i], rateTolerance, `${name} ${type} ${key} rate ${i}`);
        }
      }
    }
    assertEquals(actual.processes, expected.processes ?? []);
  }
});
