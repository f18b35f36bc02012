/** With so many regions that nothing is tested: the error has what a test would look for. */
import { assert, assertEquals } from "@std/assert";
import { Attribution } from "../../../src/energy/edges/attribution.ts";
import { Chance, type EventModel, runEvents } from "./_event_node.ts";
import { loop, PACKAGE, play, type Scene } from "./_scene.ts";
import { testSeed } from "./_seed.ts";

const REGIONS = 40, REGIONS_FEW = 5, SECONDS = 60;

/** Visits at random of regions whose power follows with a time constant. */
function late(chance: Chance, constantS: number) {
  const watts = Array.from({ length: REGIONS }, () => chance.within(60, 300));
  const cpus = [0, 1, 2, 3];
  const edges: { t: number; cpus: readonly number[]; region: number }[] = [];
  const times = [0], joules = [0], drawnJ = new Float64Array(REGIONS);
  let power = watts[0], region = 0;
  edges.push({ t: 0, cpus, region: -1 });
  while (times[times.length - 1] < SECONDS) {
    const t = times[times.length - 1], lengthS = chance.within(0.002, 0.01);
    edges.push({ t, cpus, region });
    for (let part = 0; part < 20; part++) {
      const dt = lengthS / 20, keep = Math.exp(-dt / constantS), target = watts[region];
      const drawn = (target * dt + (power - target) * constantS * (1 - keep)) *
        (1 + 0.02 * chance.normal());
      power = target + (power - target) * keep;
      drawnJ[region] += drawn;
      times.push(times[times.length - 1] + dt);
      joules.push(joules[joules.length - 1] + drawn);
    }
    region = (region + 1 + chance.below(REGIONS - 1)) % REGIONS;
  }
  const lagS = chance.within(0.0001, 0.0005);
  let at = 0;
  const read = (t: number) => {
    const y = Math.floor(t / 0.000987) * 0.000987 - lagS;
    if (y <= 0) return [0];
    while (at + 1 < times.length && times[at + 1] <= y) at++;
    if (at + 1 === times.length) return [joules[at]];
    const part = (y - times[at]) / (times[at + 1] - times[at]);
    return [joules[at] + part * (joules[at + 1] - joules[at])];
  };
  return { edges, read, drawnJ };
}

Deno.test("where nothing is tested the error holds a time constant that looks like a lag", () => {
  const seed = testSeed("untested");
  let told = 0, within = 0;
  for (let k = 0; k < 2; k++) {
    const { edges, read, drawnJ } = late(new Chance(seed + 7919 * k), 0.00025);
    const result = play({ seconds: SECONDS, edges, read }).get("package")!;
    assertEquals(result.counters[0].lack?.tested, false);
    assertEquals(result.counters[0].lack?.why, "too many regions");
    for (let r = 0; r < REGIONS; r++) {
      const { fitJ, seJ } = result.of(r + 1);
      if (Number.isNaN(fitJ)) continue;
      told++;
      if (Math.abs(fitJ - drawnJ[r]) <= 2 * seJ) within++;
    }
  }
  // About half of them, before the error had it.
  assert(told >= 50 && within >= 0.8 * told, `${within} of ${told}`);
});

Deno.test("why nothing is tested is what it is", () => {
  const why = (scene: Omit<Scene, "read">) =>
    play({ ...scene, read: (t) => [100 * t] }).get("package")!.counters[0].lack?.why;
  const lengths = [0.003, 0.0041], unknown = [{ ...PACKAGE, updatePeriodS: undefined }];
  const all = { seconds: 5, edges: loop(5, lengths) };
  assertEquals(why(all), undefined);
  assertEquals(why({ ...all, seconds: 0.3 }), "too few changes of the counter");
  assertEquals(why({ ...all, counters: unknown }), "the counter's update period is not known");
  // Unmarked time only: there is nothing to compare it with.
  assertEquals(why({ ...all, edges: loop(0, [1]) }), "one region alone, with too few visits");
  const fast = loop(5, [0.0001, 0.00011]);
  assertEquals(why({ ...all, edges: fast }), "too many visits a second");
  const many = loop(5, Array.from({ length: 30 }, (_, r) => 0.002 + 0.00013 * r));
  assertEquals(why({ ...all, edges: many }), "too many regions");
});

Deno.test("edges before a counter's first reading do not count against its test", () => {
  const cpus = Array.from({ length: 8 }, (_, cpu) => cpu);
  // Some 1,300 edges a second: below what is too many, but not with those of the five seconds before.
  function* visits(chance: Chance) {
    for (;;) yield { region: chance.below(REGIONS_FEW), lengthS: chance.within(0.002, 0.01) };
  }
  const model: EventModel = { name: "late", additive: true, cpus: 8, visits };
  const { edges, steps } = runEvents(model, testSeed("late counter"), 20);
  for (const fromS of [0, 5]) {
    const attribution = new Attribution({
      cpuCount: 8,
      method: "fit",
      counters: [{ kind: "package", index: 0, cpus, updatePeriodS: 0.001 }],
    });
    let next = 0;
    for (const { t, joules } of steps) {
      for (; next < edges.length && edges[next].t <= t; next++) {
        attribution.edge(edges[next].t, edges[next].cpus, edges[next].region);
      }
      attribution.step(t, t < fromS ? Float64Array.of(NaN) : joules, Float64Array.of(NaN));
    }
    const [{ lack }] = attribution.result(true).get("package")!.counters;
    assertEquals(lack?.tested, true, `from ${fromS} s`);
  }
});
