/** Steps drawn after M. Bareford (2015), section 4.1, with fixed seeds. */
import type { PmcLog, PmcRecord } from "../../../src/formats/pmc/pmc.ts";
import { Random } from "../../run/session/_random.ts";

/** One compiler's six runs. */
export interface Drawn {
  energyMJ: number;
  deviationMJ: number;
  runtimeS: number;
  deviationS: number;
  /** Of the steps that write restart files, and how much one differs from another. */
  factor: number;
  spread: number;
}

/** Sections 4.1's figures. For Intel, a factor that its "around ninety-five" and 0.18 MJ both allow. */
export const COMPILERS: Record<string, Drawn> = {
  cray: {
    energyMJ: 1.92,
    deviationMJ: 0.02,
    runtimeS: 1748,
    deviationS: 2.6,
    factor: 16,
    spread: 0.1,
  },
  intel: {
    energyMJ: 1.97,
    deviationMJ: 0.01,
    runtimeS: 1770,
    deviationS: 2.7,
    factor: 97,
    spread: 0.25,
  },
  gnu: { energyMJ: 2, deviationMJ: 0.02, runtimeS: 1823, deviationS: 2, factor: 16, spread: 0.1 },
};

export const STEPS = 20_000;
/** Every so many steps the restart files are written. */
export const EVERY = 1000;

/** A normal variate: G. Box and M. Muller (1958). */
export function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

/** A whole run on four nodes, as pm_mpi_lib 2.0 would have logged it. */
export function drawRun(drawn: Drawn, seed: number, steps = STEPS): PmcLog {
  const random = new Random(seed);
  const total = 1e6 * (drawn.energyMJ + drawn.deviationMJ * normal(random));
  const runtime = drawn.runtimeS + drawn.deviationS * normal(random);
  // One main peak and two minor ones below it.
  const weights = Float64Array.from({ length: steps }, (_, i) => {
    if ((i + 1) % EVERY === 0) return drawn.factor * (1 + drawn.spread * normal(random));
    const peak = random.next() < 0.85 ? 1.03 : random.pick([0.8, 0.86]);
    return peak * (1 + 0.03 * normal(random));
  });
  const sum = weights.reduce((a, b) => a + b, 0);
  const records: PmcRecord[] = [];
  let done = 0;
  for (let i = 0; i < steps; i++) {
    done += weights[i] / sum;
    records.push({
      timeS: runtime * done,
      step: i + 1,
      powerW: 275 + 6 * normal(random),
      energyJ: Math.round(total * done),
    });
  }
  const last = records[steps - 1];
  records.push({ ...last, step: steps + 1 });
  return { version: "2.0", form: "text", records };
}

/** Table 3, as printed. */
export const TABLE_3 = `aprun options	Cumulative Energy [MJ]	Run Time [hr]
-n 192 -N 24 -S 12 -d 1	52.263	5.4
-n 96 -N 12 -S 6 -d 2	49.727	5.94
-n 64 -N 8 -S 4 -d 3	45.052	5.27
-n 48 -N 6 -S 3 -d 4	48.819	6.26
-n 32 -N 4 -S 2 -d 6	54.284	7.47
-n 24 -N 3 -d 8	71.54	11.57
-n 16 -N 2 -S 1 -d 12	91.342	16.72
`;
