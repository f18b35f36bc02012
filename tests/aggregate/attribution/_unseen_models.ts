/**
 * Machines of the second simulation that nothing of the fit was chosen on: other time constants, mixtures,
 * contention of more than two CPUs, heat, frequencies, budgets, caps. They judge; a change of the fit
 * that was made for one of them moves it to `_other_models.ts`.
 */
import type { OtherChip, OtherModel, Rng } from "./_other_node.ts";

const even = (low: number, high: number) => (_: number, random: Rng) => random.between(low, high);
const wide = (middle: number) => (_: number, random: Rng) =>
  Math.min(20 * middle, middle * Math.exp(0.7 * random.normal()));
const isBound = (region: number) => region === 0 || region === 2;
const count = (regions: Int32Array, isOne: (region: number) => boolean) => {
  let n = 0;
  for (let k = 0; k < regions.length; k++) if (isOne(regions[k])) n++;
  return n;
};

/** Leakage: heat of the last seconds adds to power. */
function leak(part: number, memoryS: number, usualW: number) {
  return () => {
    let heatW = 0;
    return ({ watts, gridS }: OtherChip) => {
      heatW += (watts - heatW) * gridS / memoryS;
      return 1 + part * (heatW / usualW - 0.5);
    };
  };
}

/** Full frequency as long as a budget above a sustained power lasts. */
function budget(sustainedW: number, mostJ: number, slow: number) {
  return () => {
    let leftJ = mostJ;
    let isFull = true;
    return ({ watts, gridS }: OtherChip) => {
      leftJ = Math.min(mostJ, leftJ + (sustainedW - watts) * gridS);
      if (leftJ <= 0) isFull = false;
      else if (leftJ > mostJ / 4) isFull = true;
      return isFull ? 1 : slow;
    };
  };
}

/** Somebody else's load on the package: on and off at random. */
function stranger(part: number, meanS: number) {
  return (random: Rng) => {
    let left = 0;
    let isOn = false;
    return ({ gridS }: OtherChip) => {
      if (left-- <= 0) {
        isOn = !isOn;
        left = meanS * random.between(0.3, 1.7) / gridS;
      }
      return isOn ? 1 + part : 1;
    };
  };
}

/** By active CPUs, 0 to 4. */
const STEPS = [1, 1.25, 1.15, 1.06, 1];

export const UNSEEN_MODELS: readonly OtherModel[] = [
  { name: "others' load, +15 %", additive: true, length: wide(0.007), chip: stranger(0.15, 0.03) },
  { name: "leakage, 3 s", additive: true, length: even(0.002, 0.02), chip: leak(0.2, 3, 190) },
  { name: "each visit ± 20 %", additive: true, length: even(0.003, 0.012), visitNoise: 0.2 },
  {
    name: "boost budget of 20 J",
    additive: false,
    processes: 2,
    length: even(0.003, 0.02),
    chip: budget(185, 20, 0.85),
  },
  {
    name: "powers change at half-time",
    additive: false,
    length: wide(0.006),
    visit: (_, _length, r, { share }) => share < 0.5 ? 1 : r % 2 === 0 ? 1.15 : 0.87,
  },
  {
    name: "two packages, 7 ms steps, jitter",
    additive: true,
    packages: [3, 3],
    processes: 2,
    length: wide(0.01),
    stepS: 0.007,
    counter: { jitterS: 8e-5, periodS: 0.00107 },
  },
  { name: "inertia 0.15 ms", additive: false, length: even(0.001, 0.003), inertiaS: 1.5e-4 },
  { name: "inertia 0.5 ms, wide", additive: false, length: wide(0.004), inertiaS: 5e-4 },
  { name: "inertia 8 ms", additive: false, length: even(0.002, 0.03), inertiaS: 8e-3 },
  {
    name: "up in 0.2 ms, down in 2 ms",
    additive: false,
    length: even(0.002, 0.015),
    inertiaS: 2e-4,
    fallS: 2e-3,
  },
  {
    name: "a third late by 4 ms",
    additive: false,
    length: even(0.002, 0.015),
    inertiaS: 4e-3,
    lateShare: 0.35,
  },
  {
    name: "inertia 1 ms, first ms +25 %",
    additive: false,
    length: wide(0.005),
    inertiaS: 1e-3,
    visit: (ageS) => ageS < 0.001 ? 1.25 : 1,
  },
  {
    name: "inertia 1.5 ms, same region -15 %",
    additive: false,
    processes: 4,
    length: even(0.003, 0.02),
    inertiaS: 1.5e-3,
    contention: (r, other) => r === other ? 0.85 : 1,
  },
  {
    name: "three or more memory-bound: -25 %",
    additive: false,
    processes: 4,
    length: even(0.003, 0.03),
    crowd: (r, regions) => isBound(r) && count(regions, isBound) >= 3 ? 0.75 : 1,
  },
  {
    name: "memory saturates at two CPUs",
    additive: false,
    processes: 4,
    length: wide(0.01),
    crowd: (r, regions) => isBound(r) ? 0.5 + 0.5 * Math.min(1, 2 / count(regions, isBound)) : 1,
  },
  {
    name: "frequency by active CPUs",
    additive: false,
    processes: 4,
    length: even(0.003, 0.02),
    chip: () => ({ regions }) => STEPS[count(regions, (r) => r !== 4)],
  },
  {
    name: "cap of 200 W",
    additive: false,
    processes: 4,
    length: even(0.003, 0.02),
    chip: () => {
      let factor = 1;
      return ({ watts, gridS }) => {
        factor = Math.min(1, factor * (1 + (200 / Math.max(1, watts) - 1) * gridS / 5e-4));
        return factor;
      };
    },
  },
  {
    name: "after a memory-bound one: -15 %",
    additive: false,
    length: even(0.002, 0.012),
    visit: (_, _length, _region, { previous }) => isBound(previous) ? 0.85 : 1,
  },
  {
    name: "rises over 20 ms",
    additive: false,
    length: even(0.001, 0.03),
    visit: (ageS) => 1 + 0.25 * (1 - Math.exp(-ageS / 0.02)),
  },
  {
    name: "third neighbour's region: -20 %",
    additive: false,
    processes: 4,
    length: wide(0.01),
    neighbour: (cpu) => (cpu + 3) % 4,
    contention: (r, other) => r === 3 && other === 4 ? 0.8 : r < 2 && other === r ? 0.85 : 1,
  },
  {
    name: "10 Hz, inertia 20 ms",
    additive: false,
    length: even(0.02, 0.2),
    inertiaS: 0.02,
    counter: { periodS: 0.1, jitterS: 0.001, stepJ: 1, lagS: 0.006 },
  },
  {
    name: "1 ms steps, boost decays in 2 ms",
    additive: false,
    length: wide(0.006),
    visit: (ageS) => 1 + 0.25 * Math.exp(-ageS / 0.002),
    stepS: 0.001,
  },
];
