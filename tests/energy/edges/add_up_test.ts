/** Energies over several counters add up to theirs. */
import { assertAlmostEquals } from "@std/assert";
import { addUp } from "../../../src/energy/edges/add_up.ts";
import type { CounterResult } from "../../../src/energy/edges/counter_attribution.ts";

/** A counter of three classes, each with 10 CPU-seconds, and energies at the edges, J. */
function counter(joules: readonly number[]): CounterResult {
  return {
    totalJ: joules.reduce((sum, j) => sum + j, 0),
    exactJ: Float64Array.from(joules),
    seconds: new Float64Array(joules.length).fill(10),
    leadS: 0,
    cpus: 2,
    changes: 1000,
    breaks: 1,
    updatePeriodS: 0.001,
    seen: true,
  };
}

Deno.test("addUp() adds up packages, and one without the application is other CPUs", () => {
  const [own, other] = [counter([20, 50, 60]), { ...counter([0, 0, 0]), totalJ: 500, cpus: 0 }];
  const parts = [own, other].map((result, index) => ({
    index,
    result,
  }));
  const UNUSED = 3;
  const { of, sum, totalJ, otherCpus } = addUp(parts, UNUSED);
  assertAlmostEquals(totalJ, 630, 1e-9);
  assertAlmostEquals(of(0).exactJ, 20, 1e-9);
  assertAlmostEquals(otherCpus.exactJ, 500, 1e-9);
  assertAlmostEquals(sum([0, 1, 2, UNUSED]).exactJ, totalJ, 1e-9);
  // Two CPUs, 10 CPU-seconds: 5 s of both, in which their package drew 20 J.
  assertAlmostEquals(of(0).powerW, 4, 1e-9);
  assertAlmostEquals(of(1).powerW, 10, 1e-9);
});
