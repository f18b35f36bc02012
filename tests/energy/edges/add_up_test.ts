/** Energies over several counters add up to theirs, also where a part lies below 0. */
import { assert, assertAlmostEquals } from "@std/assert";
import { addUp } from "../../../src/energy/edges/add_up.ts";
import type { CounterResult } from "../../../src/energy/edges/counter_attribution.ts";
import type { ClassFit } from "../../../src/energy/edges/fit_outcome.ts";

const SE_J = 0.1;

/** A counter of three classes, each with 10 CPU-seconds, and energies by fit, J. */
function counter(joules: readonly number[]): CounterResult {
  const classes = joules.map((energyJ): ClassFit =>
    energyJ > 0
      ? { energyJ, seJ: SE_J }
      : { energyJ, seJ: SE_J, untold: "its power would be negative" }
  );
  const totalJ = joules.reduce((sum, j) => sum + j, 0);
  return {
    totalJ,
    exactJ: Float64Array.from(joules, Math.abs),
    seconds: new Float64Array(joules.length).fill(10),
    cpus: 2,
    changes: 1000,
    breaks: 1,
    updatePeriodS: 0.001,
    seen: true,
    foldedIn: () => -1,
    leadS: 0,
    fitOf: (c) => c,
    fit: {
      classes,
      lagS: 0,
      lagSeS: 0,
      condition: 1,
      intervals: 1000,
      filter: 0,
      lack: { causes: [], tested: true, constantS: 0 },
      beyondJ: new Float64Array(joules.length),
      jointSeJ: SE_J,
      blocked: undefined,
      seOf: (some) => SE_J * Math.sqrt(some.length),
    },
  };
}

Deno.test("addUp() keeps what a region has below 0 in one of two packages", () => {
  const parts = [counter([20, 50, 60]), counter([10, 80, -0.02])];
  const result = addUp(
    parts.map((result, index) => ({ index, result, sampledJ: new Float64Array(3) })),
    "fit",
    0,
  );
  const each = [0, 1, 2].map((c) => result.of(c).fitJ);
  assert(each.every(Number.isFinite), String(each));
  assertAlmostEquals(each[2], 59.98, 1e-9);
  const sum = each.reduce((all, j) => all + j, 0);
  assertAlmostEquals(sum / result.totalJ, 1, 1e-12);
  assertAlmostEquals(result.sum([0, 1, 2]).fitJ, sum, 1e-9);
  // Told and untold of each counter are all of it.
  assertAlmostEquals(result.counters[1].jointJ, -0.02, 1e-9);
});

Deno.test("addUp() has no power of a package without CPUs of the application in that of unmarked time", () => {
  const [own, other] = [counter([20, 50, 60]), { ...counter([0, 0, 0]), totalJ: 500, cpus: 0 }];
  const parts = [own, other].map((result, index) => {
    return { index, result, sampledJ: new Float64Array(3) };
  });
  const { of } = addUp(parts, "fit", 0);
  assertAlmostEquals(of(0).fitJ, 520, 1e-9);
  // Two CPUs, 10 CPU-seconds: 5 s of both, in which their package drew 20 J.
  assertAlmostEquals(of(0).powerW, 4, 1e-9);
  assertAlmostEquals(of(1).powerW, 10, 1e-9);
});

Deno.test("addUp() says of one class what it says of it beside one without time", () => {
  for (let seed = 1; seed <= 200; seed++) {
    let state = seed * 2654435761 >>> 0;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    const classes = 8;
    // Several classes may have one number in the fit, or none; some came folded; the last has no time.
    const fitOf = Array.from({ length: classes }, () => Math.floor(random() * 5) - 1);
    const foldedIn = Array.from({ length: classes }, () => random() < 0.3 ? 0 : -1);
    const fits = Array.from({ length: 4 }, (): ClassFit => ({
      energyJ: 100 * random() - 5,
      seJ: 3 * random(),
      ...(random() < 0.3 ? { untold: "uncertain by more than 10 %" as const } : {}),
    }));
    const whole = counter(new Array(classes).fill(1));
    const result: CounterResult = {
      ...whole,
      cpus: random() < 0.1 ? 0 : 2,
      exactJ: Float64Array.from({ length: classes }, () => 50 * random()),
      seconds: Float64Array.from({ length: classes }, (_, c) => c === classes - 1 ? 0 : random()),
      fitOf: (c) => fitOf[c] ?? -1,
      foldedIn: (c) => foldedIn[c] ?? -1,
      fit: random() < 0.2 ? undefined : {
        ...whole.fit!,
        classes: fits,
        beyondJ: Float64Array.from({ length: 4 }, random),
        blocked: random() < 0.2 ? "too few changes of the counter" : undefined,
      },
    };
    result.exactJ[classes - 1] = 0;
    const { sum } = addUp([{ index: 0, result, sampledJ: new Float64Array(classes) }], "fit", 0);
    for (let c = 0; c < classes; c++) {
      // -0 and 0 are the same here.
      const [one, beside] = [sum([c]), sum([c, classes - 1])];
      for (const key of ["exactJ", "fitJ", "seJ", "powerW", "causedJ"] as const) {
        const text = `seed ${seed}, class ${c}, ${key}: ${one[key]}, ${beside[key]}`;
        assert(Object.is(one[key] + 0, beside[key] + 0), text);
      }
      assert(one.why === beside.why, `seed ${seed}, class ${c}: ${one.why}, ${beside.why}`);
    }
  }
});
