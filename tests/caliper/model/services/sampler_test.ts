import { assertAlmostEquals, assertEquals } from "@std/assert";
import type { SampledCode } from "../../../../src/caliper/model/service.ts";
import { query } from "../../../../mod.ts";
import { Scripted } from "../_scripted.ts";

const sampled = (frequency?: string) =>
  new Scripted(
    "sampler,timer,trace,recorder",
    frequency === undefined ? {} : { CALI_SAMPLER_FREQUENCY: frequency },
  );

/** Ticks at these milliseconds, and those of the snapshots that came of them. */
function taken(one: Scripted, ticks: readonly number[]): number[] {
  for (const ms of ticks) one.at(ms * 1e6, (channel) => channel.tick());
  return one.column("time.offset.ns").map((ns) => Number(ns) / 1e6);
}

Deno.test("sampler takes a snapshot when one is due, 50 times a second by itself", () => {
  const ticks = Array.from({ length: 100 }, (_, i) => i);
  assertEquals(taken(sampled(), ticks), [20, 40, 60, 80]);
  assertEquals(taken(sampled("100"), ticks), [10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

Deno.test("sampler keeps to its schedule when ticks come late, and does not make up what it missed", () => {
  // Due at 10, 20, …; the moments 30 to 90 pass unseen.
  assertEquals(taken(sampled("100"), [5, 13, 14, 22, 95, 99, 100, 101]), [13, 22, 95, 100]);
});

Deno.test("sampler counts from the start of each thread", () => {
  const one = sampled("100"), { channel } = one;
  one.ns = 7e6;
  const late = channel.addThread(0);
  for (let ms = 8; ms < 30; ms++) {
    for (const thread of [0, late]) {
      channel.turnTo(thread);
      one.at(ms * 1e6, () => channel.tick());
    }
  }
  assertEquals(one.column("time.offset.ns"), [10e6, 17e6, 20e6, 27e6]);
  // Each has its own durations.
  assertEquals(one.column("time.duration.ns"), [10e6, 10e6, 10e6, 10e6]);
});

Deno.test("sampler's snapshots hold the context and no event, and events take none of them", () => {
  const one = new Scripted("event,sampler,trace,recorder", { CALI_SAMPLER_FREQUENCY: "1000" });
  one.at(0, (channel) => channel.beginRegion("main")).at(5e6, (channel) => channel.tick());
  assertEquals(one.records()[1], { "sample.frequency": 1000, region: ["main"] });
});

Deno.test("the frequency is a global", () => {
  assertEquals(sampled("20").content().globals["sample.frequency"], 20);
});

Deno.test("a frequency that is none is reported, and the usual one taken", () => {
  for (const text of ["fast", "0", "-3", "20000", "NaN"]) {
    const one = sampled(text);
    assertEquals(one.channel.log, [
      `== CALIPER: sampler: CALI_SAMPLER_FREQUENCY is "${text}", not in 1 to 10000; 50 taken`,
    ]);
    assertEquals(one.content().globals["sample.frequency"], 50);
  }
});

/** Samples of one process in a stack of three functions. */
const CODE: SampledCode = {
  hz: 400,
  process: 7,
  stack: () => [0x401000, 0x7f0000001234, 0xffffffff81000010n],
  placeOf(process, address) {
    if (process !== 7 || address === 0x401000) return undefined;
    const isKernel = address === 0xffffffff81000010n;
    return isKernel
      ? { name: "tick_[k]", file: "UNKNOWN", line: 0, module: "[kernel.kallsyms]" }
      : { name: "step", file: "/src/a;b.c", line: 12, module: "/lib/liba.so" };
  },
};

Deno.test("samples of functions are thinned to the frequency, in each thread", () => {
  const one = sampled("150"), { channel } = one, other = channel.addThread(0);
  for (let i = 1; i <= 400; i++) {
    for (const thread of i % 2 === 0 ? [0, other] : [0]) {
      channel.turnTo(thread);
      one.at(i * 2.5e6, () => channel.sampled(CODE));
    }
  }
  // 150 of 400, and 75 of 200.
  assertEquals(one.records().length, 225);
  const apart = one.column("time.offset.ns").map(Number);
  assertAlmostEquals(apart[100] - apart[0], 100 / 225 * 1e9, 2e7);
});

Deno.test("a sample has its address and its stack, and at the end their places", () => {
  const config = {
    CALI_SAMPLER_FREQUENCY: "1000",
    CALI_SYMBOLLOOKUP_LOOKUP_FILE: "true",
    CALI_SYMBOLLOOKUP_LOOKUP_LINE: "1",
  };
  const one = new Scripted("sampler,callpath,symbollookup,trace,recorder", config);
  one.channel.beginRegion("solve");
  one.channel.sampled(CODE);
  // A stream that is written twice has each place once.
  assertEquals(one.channel.flush(), one.channel.flush());
  const rows = JSON.parse(query("format json", [one.channel.flush()]));
  assertEquals(rows.length, 1);
  const of = (
    name: string,
  ) => [rows[0][`${name}#cali.sampler.pc`], rows[0][`${name}#callpath.address`]];
  assertEquals([rows[0].path, rows[0]["cali.sampler.pc"]], ["solve", "ffffffff81000010"]);
  assertEquals(rows[0]["callpath.address"], "401000/7f0000001234/ffffffff81000010");
  assertEquals(of("source.function"), ["tick_[k]", "UNKNOWN/step/tick_[k]"]);
  assertEquals(of("source.file"), ["UNKNOWN", "UNKNOWN//src/a;b.c/UNKNOWN"]);
  assertEquals(of("source.line"), ["0", "0/12/0"]);
  assertEquals(of("sourceloc"), ["UNKNOWN:0", "UNKNOWN:0//src/a;b.c:12/UNKNOWN:0"]);
  assertEquals(of("module"), ["[kernel.kallsyms]", "UNKNOWN//lib/liba.so/[kernel.kallsyms]"]);
});

Deno.test("USE_ADDRESS, USE_NAME and SKIP_FRAMES of callpath hold for samples too", () => {
  const pathOf = (config: Record<string, string>) => {
    const one = new Scripted("sampler,callpath,trace,recorder", config);
    for (let i = 0; i < 8; i++) one.channel.sampled(CODE);
    assertEquals(one.channel.log, []);
    const [row] = JSON.parse(query("format json", [one.channel.flush()]));
    return [row["callpath.address"], row["callpath.regname"]];
  };
  const names = "UNKNOWN/step/tick_[k]", addresses = "401000/7f0000001234/ffffffff81000010";
  assertEquals(pathOf({}), [addresses, undefined]);
  assertEquals(pathOf({ CALI_CALLPATH_USE_ADDRESS: "false" }), [undefined, undefined]);
  assertEquals(pathOf({ CALI_CALLPATH_USE_NAME: "true" }), [addresses, names]);
  assertEquals(
    pathOf({ CALI_CALLPATH_USE_NAME: "true", CALI_CALLPATH_USE_ADDRESS: "false" }),
    [undefined, names],
  );
  assertEquals(pathOf({ CALI_CALLPATH_SKIP_FRAMES: "2" }), ["401000", undefined]);
});

Deno.test("one line says that addresses at annotations are not looked up", () => {
  const one = new Scripted("event,callpath,symbollookup,trace,recorder", {
    CALI_CALLPATH_USE_ADDRESS: "true",
  });
  const { channel } = one, asValue = "asvalue:thread_scope:skip_events";
  const addresses = channel.attribute("callpath.addresses", "string", asValue);
  channel.begin(addresses, "401000\x1f401010");
  channel.beginRegion("a");
  channel.endRegion("a");
  channel.end(addresses);
  const [row] = JSON.parse(query("format json", [channel.flush()]));
  assertEquals(row["source.function#callpath.address"], "UNKNOWN/UNKNOWN");
  assertEquals(channel.log.filter((line) => line.includes("symbollookup")).length, 1);
});

Deno.test("symbollookup adds to the attributes that are named, and names one that is missing", () => {
  const rowOf = (attributes: string) => {
    const config = { CALI_SYMBOLLOOKUP_ATTRIBUTES: attributes, CALI_SAMPLER_FREQUENCY: "400" };
    const one = new Scripted("sampler,callpath,symbollookup,trace,recorder", config);
    one.channel.sampled(CODE);
    const [row] = one.records();
    const found = Object.keys(row).filter((name) => name.startsWith("source.function#"));
    return [found, one.channel.log];
  };
  assertEquals(rowOf("cali.sampler.pc"), [["source.function#cali.sampler.pc"], []]);
  assertEquals(rowOf("cali.sampler.pc:no"), [["source.function#cali.sampler.pc"], [
    '== CALIPER: Symbollookup: Address attribute "no" not found!',
  ]]);
});
