/** How right the energies of simulated functions are. */
import { SAMPLED_CAUSES, SampledPowers } from "../../src/energy/attribution/sampled.ts";
import { type SampledEnergy, SampledSum } from "../../src/energy/attribution/sampled_sum.ts";
import { sampledProgram, type SampledSettings } from "./sampled_program.ts";

/** What some programs show together. Functions count from 1 % of the energy, the worst from 3 %. */
export interface Shown {
  /** Part of the functions that is determined, and the part of those within two standard errors. */
  readonly told: number;
  readonly inside: number;
  /** Mean over programs of the worst relative error: of all, of those determined, and by time alone. */
  readonly worst: number;
  readonly worstTold: number;
  readonly worstByTime: number;
  /** Groups of neighbours, likewise. */
  readonly groupsTold: number;
  readonly groupsInside: number;
}

const GROUP = 10;

/** Energy of some functions of one domain, without regions. */
export function energyOf(powers: SampledPowers, of: readonly number[], why: string): SampledEnergy {
  const whole = Float64Array.from({ length: powers.size }, (_, r) => powers.seconds(r));
  const none = new Float64Array(0);
  const sum = new SampledSum([powers], [whole], powers.totalJ, {
    energyJ: none,
    covarianceJ2: none,
  });
  return sum.energy(new Map([[0, whole.map((s, r) => of.includes(r) ? s : 0)]]), why);
}

/** Energy of one function. */
export function own(powers: SampledPowers, r: number): SampledEnergy {
  return energyOf(powers, [r], powers.cause(r));
}

/** Judges programs of one kind. */
export function shown(settings: Omit<SampledSettings, "seed">, seeds: readonly number[]): Shown {
  let all = 0, told = 0, inside = 0, groups = 0, groupsTold = 0, groupsInside = 0;
  const worst: number[] = [], worstTold: number[] = [], byTime: number[] = [];
  for (const seed of seeds) {
    const { domain, truthJ } = sampledProgram({ ...settings, seed });
    const powers = new SampledPowers(domain), busyJ = truthJ.reduce((sum, j) => sum + j, 0);
    const timeS = domain.timeS.reduce((sum, s) => sum + s, 0);
    let most = 0, mostTold = 0, mostByTime = 0;
    truthJ.forEach((joules, r) => {
      if (joules < 0.01 * busyJ) return;
      const { energyJ, seJ, why } = own(powers, r);
      const error = Math.abs(energyJ / joules - 1), isLarge = joules >= 0.03 * busyJ;
      all++;
      if (isLarge) most = Math.max(most, error);
      if (isLarge) {
        mostByTime = Math.max(mostByTime, Math.abs(busyJ * domain.timeS[r] / timeS / joules - 1));
      }
      if (why !== undefined) return;
      told++;
      if (Math.abs(energyJ - joules) <= 2 * seJ) inside++;
      if (isLarge) mostTold = Math.max(mostTold, error);
    });
    for (let from = 0; from < settings.functions; from += GROUP) {
      const of = Array.from({ length: GROUP }, (_, i) => from + i);
      const { energyJ, seJ, why } = energyOf(powers, of, SAMPLED_CAUSES.alike);
      groups++;
      if (why !== undefined) continue;
      groupsTold++;
      if (Math.abs(energyJ - of.reduce((sum, r) => sum + truthJ[r], 0)) <= 2 * seJ) groupsInside++;
    }
    worst.push(most);
    worstTold.push(mostTold);
    byTime.push(mostByTime);
  }
  const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
  return {
    told: told / all,
    inside: told === 0 ? 1 : inside / told,
    worst: mean(worst),
    worstTold: mean(worstTold),
    worstByTime: mean(byTime),
    groupsTold: groupsTold / groups,
    groupsInside: groupsTold === 0 ? 1 : groupsInside / groupsTold,
  };
}
