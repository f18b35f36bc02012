/** Energies of threads that may run on any of some CPUs, and go from one to another at random. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { playThreads, type Threads } from "./_threads.ts";

const FIRST = [20, 60, 110], SECOND = [15, 70, 120];
const KINDS: Record<string, { of: Threads; seeds: number }> = {
  "two threads on two CPUs": { of: { seconds: 8, cpus: 2, watts: [FIRST, SECOND] }, seeds: 20 },
  "two threads on two CPUs, beside a main thread that waits": {
    of: { seconds: 8, cpus: 2, watts: [[], FIRST, SECOND] },
    seeds: 20,
  },
  "four threads on four CPUs of two packages, beside a main thread that waits": {
    of: {
      seconds: 8,
      cpus: 4,
      counterCpus: 2,
      watts: [[], [20, 60], [15, 70], [30, 90], [40, 10]],
    },
    seeds: 6,
  },
};

for (const [name, { of, seeds }] of Object.entries(KINDS)) {
  Deno.test(`energies lie within their errors: ${name}`, () => {
    let determined = 0, inside = 0, all = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const { energies: { sum }, drawnJ } = playThreads(of, seed);
      const total = sum.total([...sum.indexOf.keys()]);
      assertAlmostEquals(total.energyJ / sum.totalJ, 1, 1e-9);
      for (const [c, joules] of drawnJ) {
        const { fitJ, seJ } = sum.sum([c]);
        all++;
        if (Number.isNaN(fitJ)) continue;
        determined++;
        const off = Math.abs(fitJ - joules) / seJ;
        assert(off < 5, `seed ${seed}, class ${c}: ${fitJ} ± ${seJ} J, drawn ${joules} J`);
        if (off <= 2) inside++;
      }
    }
    assert(determined >= 0.8 * all, `${determined} of ${all} determined`);
    assert(inside >= 0.93 * determined, `${inside} of ${determined} inside`);
  });
}

Deno.test("threads beside a main thread that computes outside of regions are refused by name", () => {
  const of = { seconds: 5, cpus: 2, computes: true, watts: [[], FIRST, SECOND] };
  const { energies: { sum } } = playThreads(of, 1);
  for (let c = 1; c <= 6; c++) assertEquals(sum.sum([c]).why, "3 threads share 2 CPUs");
});
