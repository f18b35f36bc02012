/**
 * Recordings of programs and meters whose joules are known: 14 kinds, each from a seed.
 *
 * Power of a region is its own, with 2 % a visit and 3 % of noise that remembers for 50 ms. Energies are
 * added up on a grid of 0.1 ms; edges, updates and samples lie anywhere. Samples are 5 ms apart, dithered.
 * @module
 */
import { csvField, EVENTS_HEADER } from "../../src/formats/recording.ts";
import { Random } from "../../src/core/random.ts";

const GRID_S = 1e-4, STEP_S = 0.005, NOISE = 0.03, NOISE_S = 0.05, VISIT_NOISE = 0.02;

/** One visit of a lane; the empty name is time outside regions. */
interface Piece {
  readonly startS: number;
  readonly name: string;
}

/** A thread: its CPUs, how many of them work for it, and its visits. */
class Lane {
  nowS: number;
  readonly visits: { readonly startS: number; readonly endS: number; readonly name: string }[] = [];

  constructor(
    readonly pid: number,
    readonly mask: string,
    readonly beginS: number,
    readonly endS: number,
    readonly more: { thread?: string; weight?: number; ends?: boolean } = {},
  ) {
    this.nowS = beginS;
  }

  get weight(): number {
    return this.more.weight ?? 1;
  }

  visit(name: string, lengthS: number): void {
    this.visits.push({ startS: this.nowS, endS: this.nowS + lengthS, name });
    this.nowS += lengthS;
  }

  /** Visits and the time between them, in order, without empty ones. */
  pieces(): Piece[] {
    const all: Piece[] = [{ startS: this.beginS, name: "" }];
    for (const { startS, endS, name } of this.visits) {
      all.push({ startS, name }, { startS: endS, name: "" });
    }
    return all.filter(({ startS }, i) => (all[i + 1]?.startS ?? this.endS) > startS + 1e-12);
  }
}

/** A counter: an update each period shows the energy of `lagS` ago, averaged over `meanS` or sampled in a window. */
interface Meter {
  readonly head: string;
  readonly part: string;
  readonly periodS: number;
  readonly quantumJ: number;
  readonly lagS: number;
  readonly jitter: number;
  readonly meanS?: number;
  readonly windowS?: number;
}

/** W by the name of the region, of one CPU; idle: of a CPU that no lane uses; base: spread over all CPUs. */
interface Scene {
  readonly seconds: number;
  readonly lanes: readonly Lane[];
  readonly meters: readonly Meter[];
  readonly watts: ReadonlyMap<string, number>;
  readonly cpus: number;
  readonly baseW?: number;
  readonly packages?: number;
  readonly threadsPerCore?: number;
  /** Factor of a CPU's power while its sibling is busy. */
  readonly pair?: number;
  /** W of single stays outside of regions, by their start. */
  readonly ownW?: ReadonlyMap<number, number>;
}

const IDLE_W = 4, BASE_W = 30;

function packageMeter(index = 0): Meter {
  const head = `CPU_ENERGY@package-${index}`;
  return { head, part: "package", periodS: 1e-3, quantumJ: 2 ** -14, lagS: 3e-4, jitter: 0.01 };
}

function nodeMeter(more: Partial<Meter> = {}): Meter {
  const plain = { periodS: 0.1, quantumJ: 1, lagS: 0.005, jitter: 0.002 };
  const { periodS, quantumJ, lagS, jitter, meanS } = { ...plain, ...more };
  return { head: "BOARD_ENERGY@board-0", part: "node", periodS, quantumJ, lagS, jitter, meanS };
}

const GPU_METER: Meter = {
  head: "GPU_ENERGY@gpu-0",
  part: "gpu",
  periodS: 0.1,
  quantumJ: 1e-3,
  lagS: 0.01,
  jitter: 0.002,
  windowS: 0.025,
};

/** Mean 1, standard deviation 1/√shape. */
function gamma(random: Random, shape: number): number {
  let sum = 0;
  for (let i = 0; i < shape; i++) sum -= Math.log(1 - random.uniform());
  return sum / shape;
}

/** Mean lengths of regions, s. */
function lengths(random: Random, count: number, fromS: number, toS: number, name = "r") {
  const made = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    made.set(`${name}${i}`, Math.exp(random.uniform(Math.log(fromS), Math.log(toS))));
  }
  return made;
}

/** Visits in random order about each region's own length, some time outside between them. */
function fill(
  random: Random,
  lane: Lane,
  untilS: number,
  of: ReadonlyMap<string, number>,
  gap = { share: 0.2, restS: 1e-3 },
): void {
  const names = [...of.keys()];
  for (let r = 0; lane.nowS < untilS;) {
    r = random.uniform() < 0.5 ? (r + 1) % names.length : random.below(names.length);
    const lengthS = of.get(names[r])! * gamma(random, 3);
    if (lane.nowS + lengthS > untilS) return;
    lane.visit(names[r], lengthS);
    if (random.uniform() < gap.share) lane.nowS += gap.restS * gamma(random, 2);
  }
}

function wattsOf(random: Random, names: Iterable<string>, low = 40, high = 200, outside = 25) {
  const watts = new Map([["", outside]]);
  for (const name of names) if (!watts.has(name)) watts.set(name, random.uniform(low, high));
  return watts;
}

/** One thread on one CPU. */
function single(
  random: Random,
  seconds: number,
  meter: Meter,
  more: { count?: number; fromS?: number; toS?: number; beginS?: number; endS?: number } = {},
): Scene & { readonly lanes: [Lane] } {
  const of = lengths(random, more.count ?? 5, more.fromS ?? 2e-3, more.toS ?? 25e-3);
  const ends = more.endS !== undefined;
  const lane = new Lane(100, "0", more.beginS ?? 0, more.endS ?? seconds, { ends });
  lane.nowS += 0.1;
  fill(random, lane, lane.endS - 0.1, of);
  return { seconds, lanes: [lane], meters: [meter], watts: wattsOf(random, of.keys()), cpus: 1 };
}

/** Several threads on four CPUs, or on as many as there are threads. */
function several(
  random: Random,
  seconds: number,
  lanes: readonly Lane[],
  of: readonly ReadonlyMap<string, number>[],
  [low, high, outside]: readonly [number, number, number],
  more: { cpus?: number; gap?: { share: number; restS: number } } = {},
): Scene {
  lanes.forEach((lane, i) => {
    lane.nowS += 0.05;
    fill(random, lane, lane.endS - 0.05, of[i], more.gap);
  });
  const watts = wattsOf(random, of.flatMap((map) => [...map.keys()]), low, high, outside);
  return { seconds, lanes, meters: [packageMeter()], watts, cpus: more.cpus ?? 4 };
}

/** Threads of one process; each second one has the same regions. */
function team(random: Random, masks: readonly string[]): Scene {
  const lanes = masks.map((mask, i) => new Lane(100, mask, 0, 30, i > 0 ? { thread: `${i}` } : {}));
  const of = masks.map((_, i) => lengths(random, 3, 2e-3, 25e-3, "ab"[i % 2]));
  return several(random, 30, lanes, of, [6, 28, 3], { cpus: masks.length });
}

/** Unmarked time of three kinds: 0.6 ms of 25 W, 4 ms of 150 W, 40 ms of 70 W. */
function kinds(random: Random): Scene {
  const scene = single(random, 40, packageMeter(), { count: 4 }), [{ pid, mask }] = scene.lanes;
  const lane = new Lane(pid, mask, 0, 40), ownW = new Map<number, number>();
  const names = [...scene.watts.keys()].filter((name) => name !== "");
  lane.nowS = 0.1;
  while (lane.nowS < 39.5) {
    lane.visit(names[random.below(names.length)], 0.008 * gamma(random, 3));
    const u = random.uniform();
    const [restS, watts] = u < 0.5 ? [6e-4, 25] : u < 0.85 ? [4e-3, 150] : [4e-2, 70];
    ownW.set(lane.nowS, watts);
    lane.nowS += restS * gamma(random, 3);
  }
  return { ...scene, lanes: [lane], ownW };
}

function loop(random: Random): Scene {
  const lane = new Lane(100, "0", 0, 90);
  lane.nowS = 0.13;
  while (lane.nowS < 89.7) {
    lane.visit("left", 0.04 * (1 + 0.01 * random.normal()));
    lane.visit("right", 0.061 * (1 + 0.01 * random.normal()));
  }
  const watts = wattsOf(random, ["left", "right"]);
  return { seconds: 90, lanes: [lane], meters: [nodeMeter()], watts, cpus: 1 };
}

function inTurn(random: Random): Scene {
  const of = lengths(random, 4, 2e-3, 25e-3);
  const lanes = Array.from({ length: 6 }, (_, i) => {
    return new Lane(100 + i, "0-3", 6 * i, 6 * i + 5.8, { weight: 4, ends: true });
  });
  return several(random, 36, lanes, lanes.map(() => of), [12, 50, 7]);
}

function ranks(random: Random): Scene {
  const of = lengths(random, 4, 2e-3, 25e-3);
  const lanes = [0, 1, 2, 3].map((i) => {
    return new Lane(100 + i, `${i}`, i === 3 ? 15 : 0, i === 0 ? 22 : 36, { ends: i === 0 });
  });
  return several(random, 36, lanes, lanes.map(() => of), [12, 50, 7]);
}

function siblings(random: Random): Scene {
  const lanes = [0, 1, 2, 3].map((i) => new Lane(100 + i, `${i}`, 0, 36));
  const of = lanes.map((_, i) => lengths(random, 3, 2e-3, 25e-3, "abcd"[i]));
  const gap = { share: 0.5, restS: 8e-3 };
  const scene = several(random, 36, lanes, of, [15, 55, 4], { gap });
  return { ...scene, threadsPerCore: 2, pair: 0.7 };
}

function unused(random: Random): Scene {
  const scene = single(random, 30, packageMeter());
  return { ...scene, packages: 2, meters: [packageMeter(0), packageMeter(1)] };
}

/** The kinds by name: what is peculiar to each. */
export const SCENES: Readonly<Record<string, readonly [about: string, (r: Random) => Scene]>> = {
  plain: [
    "one thread, and a counter with an update every 1 ms",
    (r) => single(r, 30, packageMeter()),
  ],
  node: [
    "a meter with an update every 100 ms, in whole joules",
    (r) => single(r, 90, nodeMeter(), { fromS: 0.01, toS: 0.2 }),
  ],
  lag: [
    "a meter as in the row `node`, but its values are 170 ms late",
    (r) => single(r, 90, nodeMeter({ lagS: 0.17 }), { fromS: 0.01, toS: 0.3 }),
  ],
  mean400: [
    "a meter as in the row `node`, but its updates show the mean power of the last 400 ms",
    (r) => single(r, 90, nodeMeter({ meanS: 0.4, lagS: 0.02 }), { fromS: 0.02, toS: 0.5 }),
  ],
  unbound: ["eight threads that are not bound to CPUs", (r) => team(r, Array(8).fill("0-7"))],
  workers: [
    "seven threads that are bound to CPUs, and a main thread that is not bound",
    (r) => team(r, ["0-7", "1", "2", "3", "4", "5", "6", "7"]),
  ],
  kinds: ["a program with three powers outside of regions, at different times", kinds],
  inturn: ["six programs one after another", inTurn],
  latecomer: [
    "the program begins late and ends early",
    (r) => single(r, 35, packageMeter(), { beginS: 4, endS: 32 }),
  ],
  ranks: ["four processes: one begins late, and one ends early", ranks],
  unused: ["a node with two packages, and the program uses only one", unused],
  loop: ["a loop whose passes take about 101 ms, and a meter of 100 ms", loop],
  siblings: ["four processes on two cores", siblings],
  parttime: [
    "an accelerator's meter that shows 25 ms of each 100 ms",
    (r) => ({ ...single(r, 60, GPU_METER, { fromS: 0.004, toS: 0.12 }), baseW: 60 }),
  ],
};

/** Files of a recording, and the joules that its first meter's part spent by region; "" is outside. */
export interface KnownRecording {
  readonly files: Readonly<Record<string, string>>;
  readonly part: string;
  readonly joules: ReadonlyMap<string, number>;
}

/** Makes the recording of a kind from a seed. */
export function knownRecording(name: string, seed: number): KnownRecording {
  const random = new Random(
    1 + seed * 1009 + [...name].reduce((s, c) => s * 31 + c.charCodeAt(0), 7),
  );
  const scene = SCENES[name][1](random);
  const { joules, energyJ } = spent(scene, random);
  return {
    files: {
      "recording.yaml": yamlOf(name, scene),
      "events.csv": eventsOf(scene),
      "samples.csv": samplesOf(scene, energyJ, random),
    },
    part: scene.meters[0].part,
    joules,
  };
}

/** Joules by region, and all joules since the start at each point of the grid. */
function spent(scene: Scene, random: Random) {
  const { lanes, watts, cpus, baseW = BASE_W, pair = 1 } = scene;
  const count = Math.round(scene.seconds / GRID_S), total = new Float64Array(count);
  const noise = noiseOf(count, random), joules = new Map<string, number>();
  const pieces = lanes.map((lane) => lane.pieces());
  const busy = lanes.map((lane, i) => {
    const shares = new Float64Array(count);
    if (pair < 1) {
      each(lane, pieces[i], ({ name }, k, s) => shares[k] += name === "" ? 0 : s / GRID_S);
    }
    return shares;
  });
  for (let k = 0; k < count; k++) {
    const t = k * GRID_S;
    const living = lanes.reduce((s, l) => s + (t >= l.beginS && t < l.endS ? l.weight : 0), 0);
    total[k] = (IDLE_W + baseW / cpus) * (cpus - living) * GRID_S * noise[k];
  }
  lanes.forEach((lane, i) => {
    const visitW = new Map<Piece, number>(), share = baseW * lane.weight / cpus;
    const beside = busy[(i + 2) % lanes.length];
    for (const piece of pieces[i]) {
      const own = scene.ownW?.get(piece.startS) ?? watts.get(piece.name)!;
      const factor = piece.name === "" ? 1 : 1 + VISIT_NOISE * random.normal();
      visitW.set(piece, own * lane.weight * factor);
    }
    each(lane, pieces[i], (piece, k, seconds) => {
      const own = visitW.get(piece)! * (1 - (1 - pair) * (pair < 1 ? beside[k] : 0));
      const joule = seconds * noise[k] * (own + share);
      total[k] += joule;
      joules.set(piece.name, (joules.get(piece.name) ?? 0) + joule);
    });
  });
  const sums = new Float64Array(count + 1);
  for (let k = 0; k < count; k++) sums[k + 1] = sums[k] + total[k];
  return { joules, energyJ: sums };
}

/** Calls back with the seconds of each piece in each cell of the grid. */
function each(
  lane: Lane,
  pieces: readonly Piece[],
  take: (p: Piece, k: number, s: number) => void,
) {
  pieces.forEach((piece, i) => {
    const endS = pieces[i + 1]?.startS ?? lane.endS;
    for (let k = Math.floor(piece.startS / GRID_S); k * GRID_S < endS; k++) {
      const s = Math.min(endS, (k + 1) * GRID_S) - Math.max(piece.startS, k * GRID_S);
      if (s > 0) take(piece, k, s);
    }
  });
}

function noiseOf(count: number, random: Random): Float64Array {
  const kept = Math.exp(-GRID_S / NOISE_S), fresh = Math.sqrt(1 - kept * kept);
  const out = new Float64Array(count);
  for (let k = 0, x = 0; k < count; k++) {
    x = kept * x + fresh * random.normal();
    out[k] = 1 + NOISE * x;
  }
  return out;
}

/** Value between the points of a grid; it goes on at the same pace before and after. */
function at(of: Float64Array, t: number): number {
  const last = of.length - 1, k = Math.max(0, Math.min(last - 1, Math.floor(t / GRID_S)));
  return of[k] + (of[k + 1] - of[k]) * (t / GRID_S - k);
}

function samplesOf(
  { seconds, meters, packages = 1 }: Scene,
  energyJ: Float64Array,
  random: Random,
) {
  const times = [0];
  for (let t = STEP_S; t < seconds - 0.004; t += STEP_S) {
    times.push(t + random.uniform(-STEP_S / 4, STEP_S / 4));
  }
  times.push(seconds);
  const integral = new Float64Array(energyJ.length);
  for (let k = 1; k < integral.length; k++) {
    integral[k] = integral[k - 1] + (energyJ[k] + energyJ[k - 1]) / 2 * GRID_S;
  }
  const values = meters.map((meter, index) => {
    const isIdle = packages > 1 && index > 0;
    const energy = (t: number) => isIdle ? t * 2.5 * IDLE_W : at(energyJ, t);
    const { periodS, lagS, jitter, quantumJ, meanS, windowS } = meter;
    const phase = random.uniform(0, periodS);
    let update = -2, windows = 0, shown = 0;
    let nextS = phase + periodS * (update + jitter * random.normal());
    return times.map((t) => {
      while (nextS <= t) {
        const seen = nextS - lagS;
        if (windowS !== undefined) {
          windows += (energy(seen) - energy(seen - windowS)) * periodS / windowS;
          shown = windows;
        } else if (meanS !== undefined) {
          const sum = (u: number) => u < 0 ? u * u / 2 * energyJ[1] / GRID_S : at(integral, u);
          shown = (sum(seen) - sum(seen - meanS)) / meanS;
        } else shown = energy(seen);
        update++;
        nextS = phase + periodS * (update + jitter * random.normal());
      }
      return Math.floor((shown + 5000) / quantumJ) * quantumJ;
    });
  });
  const rows = times.map((t, i) => [t.toFixed(9), ...values.map((v) => `${v[i]}`)].join());
  return [["time", ...meters.map(({ head }) => head)].join(), ...rows, ""].join("\n");
}

function yamlOf(name: string, scene: Scene): string {
  const { packages = 1, threadsPerCore = 1, cpus, meters } = scene;
  const [signal, domain] = meters[0].head.slice(0, -2).split("@");
  return [
    "format: joulemark-recording/1",
    "host: node01",
    `profile: ${name}`,
    "agent: monitor",
    "start: '2024-10-24T08:00:00.000000000-0700'",
    `topology: {packages: ${packages}, cores_per_package: ${cpus / threadsPerCore}, ` +
    `threads_per_core: ${threadsPerCore}}`,
    ...(meters[0].part === "gpu" ? ["gpu: ['0']"] : []),
    "signals:",
    `- {name: ${signal}, domain: ${domain}, unit: J, aggregation: sum, behavior: monotone, ` +
    "format: double}",
    "",
  ].join("\n");
}

function eventsOf({ lanes }: Scene): string {
  const rows: { t: number; order: number; cells: (string | number)[] }[] = [];
  for (const { pid, mask, beginS, endS, visits, more: { thread = "", ends = false } } of lanes) {
    const add = (t: number, order: number, event: string, region: string, value: string) =>
      rows.push({ t, order, cells: [pid, event, region, value, thread] });
    add(beginS, 0, "start", "", mask);
    if (thread === "") {
      for (const name of new Set(visits.map((visit) => visit.name))) {
        add(beginS, 1, "region", name, "UNKNOWN");
      }
    }
    for (const visit of visits) {
      add(visit.startS, 3, "enter", visit.name, "");
      add(visit.endS, 2, "exit", visit.name, "");
    }
    if (ends) rows.push({ t: endS, order: 4, cells: [pid, "shutdown", "", "", ""] });
  }
  rows.sort((a, b) => a.t.toFixed(9) === b.t.toFixed(9) ? a.order - b.order : a.t - b.t);
  const lines = rows.map(({ t, cells }) =>
    [t.toFixed(9), ...cells.map((cell) => csvField(`${cell}`))].join()
  );
  return [EVENTS_HEADER, ...lines, ""].join("\n");
}
