/** `joulemark doctor --energy` on counters that are right: fixed seeds, and one fresh seed, which is printed. */
import { assert, assertEquals } from "@std/assert";
import { Random } from "../../src/core/random.ts";
import { simulatedBench } from "../../src/cli/doctor/doctor_bench.ts";
import { type EnergyVerdict, LENGTHS_S, tryCounters } from "../../src/cli/doctor/doctor_energy.ts";

/** Verdicts on the simulated node's counters; the kernel's random numbers are those of a seed. */
function tried(seed: number): EnergyVerdict[] {
  const random = new Random(seed), own = Math.random;
  Math.random = () => random.uniform();
  try {
    return tryCounters(simulatedBench("rapl"), 30);
  } finally {
    Math.random = own;
  }
}

Deno.test("doctor --energy trusts counters with one result in both orders", () => {
  const verdicts = tried(1);
  assertEquals(verdicts.map((one) => one["visits (s)"]), [...LENGTHS_S]);
  // Visits of 1 ms: the test below.
  for (const one of verdicts.slice(1)) assert(one.trusted, `${one["visits (s)"]}: ${one.why}`);
  assert(Math.abs(verdicts[1]["update period (s)"]! - 0.001) < 2e-4);
});

Deno.test("doctor --energy does not find fault with a good counter by chance", () => {
  const fresh = Math.floor(Math.random() * 2 ** 31);
  console.log(`fresh seed: ${fresh}`);
  const verdicts = Array.from({ length: 12 }, (_, i) => tried(i < 11 ? i + 1 : fresh)).flat();
  // Of 180, none contradicted itself and one was not told; with chance of 1 in 20, four of 36 are rare.
  const apart = verdicts.filter(({ contradicts }) => contradicts);
  assert(apart.length <= 3, apart.map(({ why }) => why).join());
  const trusted = verdicts.filter(({ trusted }) => trusted);
  assert(trusted.length >= 32, `${trusted.length} of ${verdicts.length}`);
});
