/** The machines of the third simulation. They judge alone: see `_event_node.ts`. */
import { Chance, type EventModel, REGIONS } from "./_event_node.ts";

type Length = (chance: Chance, region: number) => number;

const between = (low: number, high: number): Length => (chance) => chance.within(low, high);
/** Many short visits and few long ones. */
const skewed = (shortest: number): Length => (chance) =>
  Math.min(20 * shortest, shortest * (1 - chance.unit()) ** -0.7);

/** Any region but the last. */
function* anyOther(chance: Chance, length: Length) {
  for (let region = chance.below(REGIONS);;) {
    yield { region, lengthS: length(chance, region) };
    region = (region + 1 + chance.below(REGIONS - 1)) % REGIONS;
  }
}

/** Always in the same order, each of a length of its own. */
function* fixedLoop(chance: Chance, lengths: readonly number[], spread: number) {
  for (let region = 0;; region = (region + 1) % REGIONS) {
    yield { region, lengthS: lengths[region] * chance.within(1 - spread, 1 + spread) };
  }
}

/** A long region, interrupted by bursts of two short ones in turn. */
function* bursts(chance: Chance) {
  for (;;) {
    const long = chance.below(2);
    yield { region: long, lengthS: chance.within(0.01, 0.04) };
    const pair = 2 + chance.below(2);
    for (let k = 2 + chance.below(6); k > 0; k--) {
      yield { region: pair, lengthS: chance.within(0.001, 0.004) };
      yield { region: pair + 1, lengthS: chance.within(0.001, 0.003) };
    }
  }
}

/** Stretches of some seconds in which one region is rare and another one usual. */
function* alternating(chance: Chance, length: Length) {
  for (let k = 0, t = 0;; t = 0, k++) {
    const usual = k % REGIONS;
    while (t < 3) {
      const region = chance.unit() < 0.5 ? usual : chance.below(REGIONS);
      const lengthS = length(chance, region);
      yield { region, lengthS };
      t += lengthS;
    }
  }
}

/** One outer region that calls three inner ones, with its own time between them. */
function* nested(chance: Chance, length: Length) {
  for (;;) {
    for (let inner = 1; inner < 4; inner++) {
      yield { region: 0, lengthS: length(chance, 0) };
      if (chance.unit() < 0.7) yield { region: inner, lengthS: length(chance, inner) };
    }
    yield { region: 4, lengthS: length(chance, 4) };
  }
}

const any = (length: Length) => (chance: Chance) => anyOther(chance, length);
const together = () => 0;
const TURN = [0.004, 0.009, 0.003, 0.006, 0.002];
const turn = (chance: Chance) => fixedLoop(chance, TURN, 0.2);
const half = (cpu: number) => cpu >> 1;
const others = (region: number, inRegion: Int32Array) => inRegion[region] - 1;

export const EVENT_MODELS: readonly EventModel[] = [
  { name: "one CPU, 1-4 ms", additive: true, cpus: 1, visits: any(between(0.001, 0.004)) },
  { name: "fixed loop", additive: true, cpus: 8, processOf: together, visits: turn },
  { name: "bursts", additive: true, cpus: 6, processOf: together, visits: bursts },
  {
    name: "alternating phases, thermal 8 %",
    additive: true,
    cpus: 4,
    processOf: together,
    thermal: [0.08, 5],
    visits: (chance) => alternating(chance, skewed(0.003)),
  },
  {
    name: "nested, 2 processes",
    additive: true,
    cpus: 4,
    processOf: half,
    visits: (chance) => nested(chance, between(0.002, 0.009)),
  },
  { name: "16 processes", additive: true, cpus: 16, visits: any(between(0.01, 0.05)) },
  {
    name: "jitter 0.15 ms, 20 mJ",
    additive: true,
    cpus: 2,
    processOf: together,
    visits: any(skewed(0.003)),
    counter: { jitterS: 1.5e-4, unitJ: 0.02 },
  },
  {
    name: "10 ms counter",
    additive: true,
    cpus: 4,
    processOf: together,
    visits: any(between(0.004, 0.02)),
    counter: { periodS: 0.01, jitterS: 2e-4, lagS: 0.004 },
  },
  {
    name: "10 Hz, whole joules, thermal 5 %",
    additive: true,
    cpus: 8,
    processOf: together,
    thermal: [0.05, 10],
    visits: any(skewed(0.015)),
    counter: { periodS: 0.1, jitterS: 0.001, unitJ: 1, lagS: 0.01 },
  },
  {
    name: "same region -10 % each, 4 CPUs",
    additive: false,
    cpus: 4,
    visits: any(between(0.003, 0.02)),
    crowd: (region, inRegion) => 1 - 0.1 * others(region, inRegion),
  },
  {
    name: "memory-bound -5 % each, 8 CPUs",
    additive: false,
    cpus: 8,
    visits: any(between(0.005, 0.03)),
    crowd: (region, inRegion) =>
      region < 2 ? 1 - 0.05 * Math.max(0, inRegion[0] + inRegion[1] - 1) : 1,
  },
  {
    name: "2 processes beside each other -20 %",
    additive: false,
    cpus: 2,
    visits: any(skewed(0.004)),
    crowd: (region, inRegion) => others(region, inRegion) > 0 ? 0.8 : 1,
  },
  {
    name: "lag 0.1 ms",
    additive: false,
    cpus: 4,
    processOf: together,
    inertiaS: 1e-4,
    visits: any(between(0.001, 0.004)),
  },
  {
    name: "lag 0.2 ms, bursts",
    additive: false,
    cpus: 4,
    processOf: together,
    inertiaS: 2e-4,
    visits: bursts,
  },
  {
    name: "lag 0.3 ms, loop",
    additive: false,
    cpus: 4,
    processOf: together,
    inertiaS: 3e-4,
    visits: turn,
  },
  {
    name: "lag 1 ms, nested",
    additive: false,
    cpus: 4,
    processOf: together,
    inertiaS: 1e-3,
    visits: (chance) => nested(chance, between(0.002, 0.009)),
  },
  {
    name: "lag 2 ms, loop",
    additive: false,
    cpus: 8,
    processOf: together,
    inertiaS: 2e-3,
    visits: turn,
  },
  {
    name: "lag 5 ms, 2 processes",
    additive: false,
    cpus: 4,
    processOf: half,
    inertiaS: 5e-3,
    visits: any(skewed(0.004)),
  },
  {
    name: "first 0.5 ms +60 %, all",
    additive: false,
    cpus: 4,
    processOf: together,
    boostS: 5e-4,
    own: ({ isOld }) => isOld ? 1 : 1.6,
    visits: any(between(0.001, 0.008)),
  },
  {
    name: "first 1 ms +50 %, one region",
    additive: false,
    cpus: 4,
    processOf: together,
    boostS: 1e-3,
    own: ({ isOld, region }) => isOld || region !== 3 ? 1 : 1.5,
    visits: turn,
  },
  {
    name: "first 2 ms -30 %, one region",
    additive: false,
    cpus: 4,
    processOf: together,
    boostS: 2e-3,
    own: ({ isOld, region }) => isOld || region !== 1 ? 1 : 0.7,
    visits: any(skewed(0.002)),
  },
  {
    name: "first 1.5 ms +35 %, two regions",
    additive: false,
    cpus: 4,
    processOf: half,
    boostS: 1.5e-3,
    own: ({ isOld, region }) => isOld || region > 1 ? 1 : 1.35,
    visits: any(between(0.002, 0.015)),
  },
  {
    name: "visits over 6 ms +25 %",
    additive: false,
    cpus: 4,
    processOf: together,
    own: ({ lengthS }) => lengthS > 0.006 ? 1.25 : 1,
    visits: any(skewed(0.002)),
  },
  {
    name: "one region by its length",
    additive: false,
    cpus: 2,
    processOf: together,
    own: ({ lengthS, region }) => region === 2 ? 0.7 + Math.min(0.6, lengthS / 0.012) : 1,
    visits: any(between(0.001, 0.012)),
  },
  {
    name: "after region 0: +20 %",
    additive: false,
    cpus: 4,
    processOf: together,
    own: ({ previous }) => previous === 0 ? 1.2 : 1,
    visits: any(between(0.002, 0.01)),
  },
  {
    name: "1 after 4: -30 %",
    additive: false,
    cpus: 4,
    processOf: together,
    own: ({ previous, region }) => region === 1 && previous === 4 ? 0.7 : 1,
    visits: any(skewed(0.002)),
  },
  {
    name: "by what ran before, 4 processes",
    additive: false,
    cpus: 4,
    own: ({ previous }) => 1 + 0.08 * (previous - 2),
    visits: any(between(0.004, 0.02)),
  },
  {
    name: "cap",
    additive: false,
    cpus: 4,
    capW: 140,
    visits: any(between(0.004, 0.02)),
  },
  {
    name: "frequency by busy CPUs, 3 processes",
    additive: false,
    cpus: 3,
    crowd: (_, inRegion) => 1.2 - 0.08 * (3 - inRegion[4]),
    visits: any(between(0.003, 0.02)),
  },
  {
    name: "10 ms counter, lag 2 ms",
    additive: false,
    cpus: 4,
    processOf: together,
    inertiaS: 2e-3,
    visits: any(between(0.004, 0.02)),
    counter: { periodS: 0.01, jitterS: 2e-4, lagS: 0.004 },
  },
  {
    name: "10 ms counter, first 2 ms +40 %",
    additive: false,
    cpus: 4,
    processOf: together,
    boostS: 2e-3,
    own: ({ isOld }) => isOld ? 1 : 1.4,
    visits: any(between(0.004, 0.02)),
    counter: { periodS: 0.01, jitterS: 2e-4, lagS: 0.004 },
  },
  {
    name: "10 Hz, visits by length",
    additive: false,
    cpus: 4,
    processOf: together,
    own: ({ lengthS }) => lengthS > 0.06 ? 1.25 : 1,
    visits: any(skewed(0.02)),
    counter: { periodS: 0.1, jitterS: 0.001, unitJ: 1, lagS: 0.01 },
  },
];

/** What a machine that is drawn at random has beside so many watts a region. */
const EFFECTS: Readonly<Record<string, (chance: Chance) => Partial<EventModel>>> = {
  nothing: () => ({}),
  contention: (chance) => {
    const part = chance.within(0.05, 0.25), bound = 1 + chance.below(3);
    return chance.unit() < 0.5
      ? { crowd: (region, inRegion) => others(region, inRegion) > 0 ? 1 - part : 1 }
      : {
        crowd: (region, inRegion) => {
          let near = region < bound ? -1 : 0;
          for (let r = 0; r < bound; r++) near += inRegion[r];
          return 1 - part * Math.min(1, near);
        },
      };
  },
  "time constants": (chance) => ({ inertiaS: 1e-4 * 50 ** chance.unit() }),
  beginnings: (chance) => {
    const part = chance.within(-0.4, 0.6), only = chance.below(2 * REGIONS);
    return {
      boostS: [0.0005, 0.001, 0.002][chance.below(3)],
      own: ({ isOld, region }) => isOld || (only < REGIONS && region !== only) ? 1 : 1 + part,
    };
  },
  lengths: (chance) => {
    const part = chance.within(-0.3, 0.3), fromS = chance.within(0.002, 0.01);
    return chance.unit() < 0.5
      ? { own: ({ lengthS }) => lengthS > fromS ? 1 + part : 1 }
      : { own: ({ lengthS }) => 1 + part * Math.min(1, lengthS / (2 * fromS)) };
  },
  "what ran before": (chance) => {
    const parts = Array.from({ length: REGIONS * REGIONS }, () => chance.within(-0.2, 0.2));
    const isPaired = chance.unit() < 0.5;
    return {
      own: ({ previous, region }) =>
        previous < 0 ? 1 : 1 + parts[isPaired ? REGIONS * region + previous : previous],
    };
  },
  "caps and frequencies": (chance) => {
    const part = chance.within(0.02, 0.08), idle = chance.below(REGIONS);
    return chance.unit() < 0.5
      ? { crowd: (_, inRegion) => 1 + part * inRegion[idle] }
      : { capW: chance.within(25, 45) };
  },
};

/** Kinds of machines that `drawn()` makes. */
export const DRAWN: readonly string[] = Object.keys(EFFECTS);

/** A machine and a program of a kind, both drawn by a seed. */
export function drawn(kind: string, seed: number): EventModel {
  const chance = new Chance(seed + 424243);
  const isShared = kind === "contention" || kind.startsWith("caps");
  const cpus = 2 ** (isShared ? 1 + chance.below(3) : chance.below(5));
  const process = [(cpu: number) => cpu, (cpu: number) => cpu >> 1, together][chance.below(3)];
  const processOf = isShared || cpus > 8 && chance.unit() < 0.5 ? (cpu: number) => cpu : process;
  const shortest = 0.0015 * 4 ** chance.unit();
  const length = chance.unit() < 0.5 ? between(shortest, 5 * shortest) : skewed(shortest);
  const lengths = Array.from({ length: REGIONS }, () => shortest * chance.within(1, 4));
  const visits = [
    any(length),
    any(length),
    (more: Chance) => fixedLoop(more, lengths, 0.2),
    bursts,
    (more: Chance) => alternating(more, length),
    (more: Chance) => nested(more, length),
  ][chance.below(6)];
  const made = EFFECTS[kind](chance);
  return {
    name: kind,
    additive: kind === "nothing",
    cpus,
    processOf,
    visits,
    thermal: [chance.within(0, 0.06), chance.within(0.5, 20)],
    counter: { jitterS: chance.within(0, 1e-4), unitJ: chance.unit() < 0.3 ? 0.015 : 6.1e-5 },
    ...made,
    ...(made.capW === undefined ? {} : { capW: made.capW * cpus }),
  };
}
