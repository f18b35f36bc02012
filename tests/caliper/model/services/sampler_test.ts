import { assertEquals } from "@std/assert";
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
