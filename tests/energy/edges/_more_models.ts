/**
 * More machines of the second simulation: other time constants, mixtures, contention of more than two CPUs,
 * heat, frequencies, budgets, caps. `SECOND_MODELS` showed what the fit did not hold, and some of it was
 * chosen on them. `JUDGE_MODELS` came afterwards and judge alone: a change of the fit that is made for one of
 * them moves it to the others.
 */
import type { OtherChip, OtherModel, Rng } from "./_other_node.ts";

const even = (low: number, high: number) => (_: number, random: Rng) => random.between(low, high);
const wide = (middle: number) => (_: number, random: Rng) =>
  Math.min(20 * middle, middle * Math.exp(0.7 * random.normal()));
const inTurn = (region: number) => (region + 1) % 5;
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

/** A boost that fades with the package's power of the last milliseconds. */
function fading(part: number, memoryS: number, usualW: number) {
  return () => {
    let lastW = usualW;
    return ({ watts, gridS }: OtherChip) => {
      lastW += (watts - lastW) * gridS / memoryS;
      return 1 + part * (1 - lastW / usualW);
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

export const SECOND_MODELS: readonly OtherModel[] = [
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
    name: "boost fades in 5 ms",
    additive: false,
    length: wide(0.005),
    chip: fading(0.15, 0.005, 190),
  },
  {
    name: "3 ms after region 2: +30 %",
    additive: false,
    length: even(0.002, 0.012),
    visit: (ageS, _length, _r, { previous }) => previous === 2 && ageS < 0.003 ? 1.3 : 1,
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

/** Power that swings by itself, as a fan or a regulator makes it. */
function swing(part: number, periodS: number) {
  return (random: Rng) => {
    let phase = random.next();
    return ({ gridS }: OtherChip) => {
      phase += gridS / periodS;
      return 1 + part * Math.sin(2 * Math.PI * phase);
    };
  };
}

/** Frequency that follows how many CPUs are busy, late and in steps of 100 ms. */
function governor(slow: number) {
  return () => {
    let factor = 1;
    let left = 0;
    return ({ regions, gridS }: OtherChip) => {
      if (left-- <= 0) {
        left = Math.round(0.1 / gridS);
        factor = count(regions, (r) => r >= 3) >= 2 ? slow : 1;
      }
      return factor;
    };
  };
}

export const JUDGE_MODELS: readonly OtherModel[] = [
  { name: "fan of 0.7 s, 6 %", additive: true, length: even(0.003, 0.02), chip: swing(0.06, 0.7) },
  {
    name: "long and short visits, 2 processes",
    additive: true,
    processes: 2,
    length: (r, random) => r === 0 ? random.between(0.05, 0.2) : random.between(0.001, 0.006),
  },
  {
    name: "loop with a rare region",
    additive: true,
    length: (r, random) => (r === 4 ? 0.03 : 0.008) * random.between(0.7, 1.3),
    next: (r, random) => r === 3 ? (random.next() < 0.1 ? 4 : 0) : inTurn(r),
  },
  {
    name: "4 ms steps, late readings",
    additive: true,
    length: wide(0.005),
    stepS: 0.004,
    counter: { periodS: 0.00103, jitterS: 1.5e-4, lagS: 0.0009 },
  },
  {
    name: "inertia 0.7 ms, 2 ms visits",
    additive: false,
    length: even(0.001, 0.003),
    inertiaS: 7e-4,
  },
  {
    name: "boost fades in 12 ms, 2 processes",
    additive: false,
    processes: 2,
    length: even(0.002, 0.02),
    chip: fading(0.2, 0.012, 190),
  },
  {
    name: "1 ms after two regions: -25 %",
    additive: false,
    length: wide(0.004),
    visit: (ageS, _length, _r, { previous }) =>
      (previous === 0 || previous === 3) && ageS < 0.001 ? 0.75 : 1,
  },
  { name: "inertia 25 ms", additive: false, length: even(0.004, 0.06), inertiaS: 0.025 },
  {
    name: "half late by 1 ms, loop",
    additive: false,
    length: (_, random) => random.between(0.003, 0.009),
    next: inTurn,
    inertiaS: 1e-3,
    lateShare: 0.5,
  },
  {
    name: "up in 3 ms, down at once",
    additive: false,
    length: even(0.002, 0.02),
    inertiaS: 3e-3,
    fallS: 1e-4,
  },
  {
    name: "inertia 2 ms, boost decays in 5 ms",
    additive: false,
    length: wide(0.008),
    inertiaS: 2e-3,
    visit: (ageS) => 1 + 0.2 * Math.exp(-ageS / 0.005),
  },
  {
    name: "first 2 ms of one region: -40 %",
    additive: false,
    length: even(0.002, 0.012),
    visit: (ageS, _length, r) => r === 2 && ageS < 0.002 ? 0.6 : 1,
  },
  {
    name: "short visits draw more, long ones less",
    additive: false,
    length: wide(0.006),
    visit: (_, lengthS) => lengthS < 0.003 ? 1.25 : lengthS > 0.02 ? 0.85 : 1,
  },
  {
    name: "all four CPUs alike: -30 %",
    additive: false,
    processes: 4,
    length: even(0.005, 0.03),
    crowd: (r, regions) => count(regions, (other) => other === r) >= 3 ? 0.7 : 1,
  },
  {
    name: "governor of 100 ms",
    additive: false,
    processes: 4,
    length: even(0.004, 0.03),
    chip: governor(0.85),
  },
  {
    name: "memory-bound slow the others, 2 packages",
    additive: false,
    packages: [4, 4],
    processes: 8,
    length: even(0.004, 0.02),
    crowd: (r, regions) => isBound(r) ? 1 : 1 - 0.06 * count(regions, isBound),
  },
  {
    name: "contention and first ms, 4 processes",
    additive: false,
    processes: 4,
    length: wide(0.008),
    contention: (r, other) => r === other ? 0.85 : 1,
    visit: (ageS) => ageS < 0.001 ? 1.3 : 1,
  },
  {
    name: "10 Hz, half late by 60 ms",
    additive: false,
    length: even(0.03, 0.3),
    inertiaS: 0.06,
    lateShare: 0.5,
    counter: { periodS: 0.1, jitterS: 0.001, stepJ: 1, lagS: 0.006 },
  },
];
