/** `joulemark doctor --energy` on counters that stand still, and that go by the order. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  countersChecked,
  countersCheckedPath,
  keepCountersChecked,
} from "../../../src/os/files/counters_checked.ts";
import { simulatedBench } from "../../../src/cli/doctor/doctor_bench.ts";
import { type EnergyBench, tryCounters } from "../../../src/cli/doctor/doctor_energy.ts";

/** One counter of four CPUs that grows by the region, at once, every 0.977 ms. */
function bench(wattsAt: (timeS: number, region: number) => number): EnergyBench {
  let t = 0;
  let joules = 0;
  let region = 0;
  let shown = 0;
  let updateS = 0;
  return {
    counters: [{ kind: "package", index: 0, cpus: [0, 1, 2, 3], updatePeriodS: 0.001 }],
    resolutionsJ: [NaN],
    cpu: 0,
    cpuCount: 4,
    work() {
      joules += 0.00005 * wattsAt(t, region);
      t += 0.00005;
      if (t >= updateS) {
        shown = joules;
        updateS += 0.000977;
      }
      return t;
    },
    enter: (_, to) => region = to,
    read: (_, into) => into[0] = shown,
  };
}

Deno.test("doctor --energy does not trust a counter that never changes or depends on the order", () => {
  for (const { why, trusted } of tryCounters(bench(() => 0), 6)) {
    assertEquals([trusted, why], [false, "the counter is stalled"]);
  }
  // Each length gets 5 s in turn, then 5 s at random: half as much again in those.
  const byOrder = bench((t, region) =>
    (40 + 20 * region) * (Math.floor(t / 5) % 2 === 0 ? 1 : 1.5)
  );
  for (const { why, trusted, "visits (s)": visitsS } of tryCounters(byOrder, 30)) {
    assert(!trusted, why);
    // Of visits of 1 ms it may be told that they cannot be told.
    if (visitsS > 0.001) assert(why!.startsWith("the powers in the two orders differ"), why);
  }
});

Deno.test("doctor --energy tells a lag only where the regions have different powers", () => {
  const lagOf = (watts: (region: number) => number) =>
    tryCounters(bench((_, region) => watts(region)), 30)[2]["lag (s)"];
  assertEquals(lagOf(() => 50), null);
  const lagS = lagOf((region) => 50 + 20 * region);
  assert(lagS !== null && lagS < 0.002, String(lagS));
});

Deno.test("doctor --energy says of a counter that changes once a second that it changes too seldom", () => {
  const one = bench(() => 50);
  let shownS = -1, shownJ = 0;
  const slow: EnergyBench = {
    ...one,
    read(timeS, into) {
      one.read(timeS, into);
      if (Math.floor(timeS) !== shownS) [shownS, shownJ] = [Math.floor(timeS), into[0]];
      into[0] = shownJ;
    },
  };
  for (const { why } of tryCounters(slow, 15)) {
    assertEquals(why, "cannot be determined (the counter changes too seldom)");
  }
});

Deno.test("what was found is kept, and reports name where each counter is trusted", () => {
  const home = Deno.makeTempDirSync();
  try {
    const path = countersCheckedPath((name) => name === "HOME" ? home : undefined)!;
    assert(path.startsWith(`${home}/.local/state/joulemark/counters-`), path);
    assertEquals(countersChecked(path), undefined);
    const counters = tryCounters(bench(() => 0), 6);
    keepCountersChecked(path, JSON.stringify({ "tried at": "2026-01-02", counters }));
    assertEquals(countersChecked(path), { "tried at": "2026-01-02", "package trusted at (s)": [] });
    keepCountersChecked(path, "{}");
    assertEquals(countersChecked(path), undefined);
    assertEquals(countersCheckedPath(() => undefined), undefined);
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});

Deno.test("doctor --energy refuses a simulated node that it does not know", () => {
  assertThrows(() => simulatedBench("abacus"), Error, "rapl, cray or both");
});
