/** What power draws late for all classes together, against the same by class. */
import { assert } from "@std/assert";
import { EdgeLog } from "../../../../src/energy/edges/intervals/edge_log.ts";
import { Exposure } from "../../../../src/energy/edges/intervals/exposure.ts";
import { Random } from "../../../../src/sources/sim/random.ts";
import { testSeed } from "../_seed.ts";

const CONSTANTS = [0.0002, 0.001, 0.03];
const LAGS = [-0.0005, 0, 0.00025, 0.001];
const CLASSES = 7;

/** J of the last interval beyond what power at once would draw, at a lag and a time constant. */
function beyondJ(
  { tau, classes, count, width }: Exposure,
  watts: Float64Array,
  m: number,
  l: number,
) {
  let joules = 0;
  for (let i = 0; i < count; i++) {
    const at = i * width;
    joules += (watts[classes[i]] ?? 0) * (tau[at + (m + 1) * LAGS.length + l] - tau[at + l]);
  }
  return joules;
}

Deno.test("what power draws late is the same for all classes together as by class, whatever powers come", () => {
  const random = new Random(testSeed("late power"));
  const log = new EdgeLog();
  const make = () => new Exposure(log, Float64Array.from(LAGS), undefined, CONSTANTS);
  const [byClass, together] = [make(), make()];
  for (const one of [byClass, together]) one.wanted[0] = 0;
  log.move(0, -1, 0, 4);
  const of = new Int32Array(4);
  let watts = Float64Array.from({ length: CLASSES }, () => random.uniform(5, 90));
  let s = 0, most = 0, compared = 0;
  for (let k = 1; k <= 600; k++) {
    const t = 0.005 * k, windowS = k % 7 === 0 ? 0 : k % 5 === 0 ? 0.004 : 0.001;
    while (s < t + 0.001) {
      s += random.uniform(0, 0.004);
      const cpu = random.below(4), to = random.below(CLASSES);
      // Two CPUs may move at once.
      for (const one of [cpu, (cpu + 1) % (1 + random.below(4))]) {
        if (of[one] !== to) log.move(s, of[one], to, 1);
        of[one] = to;
      }
    }
    for (const one of [byClass, together]) {
      one.fold(t - windowS - 0.001);
      one.boundary(t, windowS);
    }
    const { lateJ } = together;
    for (let m = 0; m < CONSTANTS.length; m++) {
      for (let l = 1; l < LAGS.length; l++) {
        const wanted = beyondJ(byClass, watts, m, l);
        const got = lateJ?.[m * LAGS.length + l] ?? beyondJ(together, watts, m, l);
        most = Math.max(most, Math.abs(wanted));
        // By class, what is left of 0.2 % of a CPU is forgotten.
        assert(Math.abs(got - wanted) < 0.002 * 90 * CONSTANTS[m], `${k} ${m} ${l}`);
        if (lateJ !== undefined) compared++;
      }
    }
    // At once by class, then together with changing powers, and by class again.
    if (k >= 100 && k < 400 && k % 25 === 0) {
      watts = watts.map(() => random.uniform(5, 90));
      together.weigh(watts);
    }
    if (k === 400) together.respond();
  }
  assert(compared === 300 * 9 && together.lateJ === undefined && most > 0.1, `${compared} ${most}`);
});
