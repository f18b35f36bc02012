/**
 * A third simulated node for tests of the fit, which shares no code with the others: it goes from event to
 * event, with exact integrals between them, on 1 to 16 CPUs. Its machines judge alone: nothing of the fit was
 * chosen on them.
 */

/** What is known of a CPU at an event. */
export interface CpuNow {
  readonly region: number;
  /** Region before it; −1: none. */
  readonly previous: number;
  readonly lengthS: number;
  /** The visit is older than the model's `boostS`. */
  readonly isOld: boolean;
}

/** What a node and its program are like. Times in s, powers in W. */
export interface EventModel {
  readonly name: string;
  readonly additive: boolean;
  readonly cpus: number;
  /** Process of a CPU, from 0. @default each CPU has its own */
  readonly processOf?: (cpu: number) => number;
  /** The visits of a process, without end. */
  readonly visits: (chance: Chance) => Generator<{ region: number; lengthS: number }>;
  /** Factor of a CPU's power by its visit. */
  readonly own?: (cpu: CpuNow) => number;
  /** The same by all regions of the package: CPUs in each of them. */
  readonly crowd?: (region: number, inRegion: Int32Array) => number;
  /** Age at which visits become old. @default never */
  readonly boostS?: number;
  /** Time constant with which power follows. @default 0 */
  readonly inertiaS?: number;
  /** Package power is cut down to this, at once. */
  readonly capW?: number;
  /** Factor of the package's power that moves slowly: standard deviation and memory. */
  readonly thermal?: readonly [part: number, memoryS: number];
  readonly counter?: Partial<EventCounter>;
  readonly stepS?: number;
  /** What is true is counted from and until these times. @default all of the run */
  readonly span?: readonly [fromS: number, untilS: number];
  /** CPUs of the package whose counter is read; the others' is not. @default all */
  readonly counted?: (cpu: number) => boolean;
}

interface EventCounter {
  readonly periodS: number;
  readonly jitterS: number;
  readonly unitJ: number;
  /** Greatest lag. */
  readonly lagS: number;
}

export const REGIONS = 5;
const RAPL: EventCounter = { periodS: 0.000991, jitterS: 3e-5, unitJ: 6.1e-5, lagS: 5e-4 };
const IDLE_W = 3;
const NOISE_S = 0.002;

/** Numbers by a seed: "splitmix32". */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ Math.imul(Math.floor(seed / 65536) + 77, 0x2545f491)) | 0;
  }

  /** From 0 to below 1. */
  unit(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let z = this.#state ^ (this.#state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 4294967296;
  }

  within(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  /** About normal: twelve of them. */
  normal(): number {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += this.unit();
    return sum;
  }
}

/** A run as the fit sees it, and what is true of it. */
export interface EventRun {
  readonly cpus: readonly (readonly number[])[];
  readonly edges: readonly { readonly t: number; cpus: readonly number[]; region: number }[];
  readonly steps: readonly { readonly t: number; readonly joules: Float64Array }[];
  readonly drawnJ: Float64Array;
  readonly causedJ: Float64Array;
  readonly regions: number;
}

const EDGE = 0, OLD = 1, NOISE = 2, UPDATE = 3, BOUND = 4;

/** Runs a model. */
export function runEvents(model: EventModel, seed: number, seconds: number): EventRun {
  const chance = new Chance(seed);
  const watts = [9, 20, 31, 44, 58].map((w) => w * chance.within(0.9, 1.1));
  for (let r = REGIONS - 1; r > 0; r--) {
    const other = chance.below(r + 1);
    [watts[r], watts[other]] = [watts[other], watts[r]];
  }
  const counter = { ...RAPL, ...model.counter };
  const lagS = chance.within(0, counter.lagS);
  const { events, edges, visitOf } = schedule(model, { chance, seconds, counter, lagS });
  const cpus = Array.from({ length: model.cpus }, (_, cpu) => cpu);
  const states = cpus.map(() => ({ region: 0, previous: -1, lengthS: 0, isOld: false }));
  const inRegion = new Int32Array(REGIONS);
  const target = new Float64Array(model.cpus), power = new Float64Array(model.cpus);
  const drawnJ = new Float64Array(REGIONS), causedJ = new Float64Array(REGIONS);
  const shown: number[] = [];
  const [part, memoryS] = model.thermal ?? [0, 1];
  const constantS = model.inertiaS ?? 0;
  const [fromS, untilS] = model.span ?? [0, Infinity];
  const isCounted = cpus.map((cpu) => model.counted?.(cpu) ?? true);
  let now = 0, joules = 0, noise = 1, fast = 0, slow = part * chance.normal(), capped = 1;
  for (const { t, kind, id } of events) {
    const dt = t - now;
    if (dt > 0) {
      const keep = constantS > 0 ? Math.exp(-dt / constantS) : 0;
      const scale = noise * capped;
      for (const cpu of cpus) {
        const above = constantS > 0 ? power[cpu] - target[cpu] : 0;
        const drawn = (target[cpu] * dt + above * constantS * (1 - keep)) * scale + IDLE_W * dt;
        power[cpu] = target[cpu] + above * keep;
        if (!isCounted[cpu]) continue;
        joules += drawn;
        if (t <= fromS || t > untilS) continue;
        drawnJ[states[cpu].region] += drawn;
        causedJ[states[cpu].region] += (target[cpu] * scale + IDLE_W) * dt;
      }
      now = t;
    }
    if (kind === UPDATE) {
      shown.push(Math.floor(joules / counter.unitJ) * counter.unitJ);
      continue;
    }
    if (kind === BOUND) continue;
    if (kind === NOISE) {
      fast = 0.9 * fast + 0.03 * Math.sqrt(1 - 0.81) * chance.normal();
      const kept = Math.exp(-NOISE_S / memoryS);
      slow = kept * slow + part * Math.sqrt(1 - kept * kept) * chance.normal();
      noise = 1 + fast + slow;
      continue;
    }
    const visit = visitOf[id];
    for (const cpu of visit.cpus) {
      if (kind === OLD) states[cpu].isOld = true;
      else {
        const { region, lengthS, previous } = visit;
        if (t > 0) inRegion[states[cpu].region]--;
        inRegion[region]++;
        states[cpu] = { region, previous, lengthS, isOld: false };
      }
    }
    let sum = 0;
    for (const cpu of cpus) {
      const state = states[cpu];
      const factor = (model.own?.(state) ?? 1) * (model.crowd?.(state.region, inRegion) ?? 1);
      target[cpu] = watts[state.region] * factor;
      if (t === 0) power[cpu] = target[cpu];
      sum += target[cpu];
    }
    capped = model.capW === undefined ? 1 : Math.min(1, model.capW / sum);
  }
  const steps = look(model, { chance, seconds, shown, updates: events, lagS });
  return {
    cpus: [cpus.filter((cpu) => isCounted[cpu])],
    edges,
    steps,
    drawnJ,
    causedJ,
    regions: REGIONS,
  };
}

interface Visited {
  readonly cpus: readonly number[];
  readonly region: number;
  readonly previous: number;
  readonly lengthS: number;
}

/** All that happens, in its order. */
function schedule(
  model: EventModel,
  { chance, seconds, counter, lagS }: {
    chance: Chance;
    seconds: number;
    counter: EventCounter;
    lagS: number;
  },
) {
  const processOf = model.processOf ?? ((cpu: number) => cpu);
  const groups = new Map<number, number[]>();
  for (let cpu = 0; cpu < model.cpus; cpu++) {
    const list = groups.get(processOf(cpu)) ?? [];
    list.push(cpu);
    groups.set(processOf(cpu), list);
  }
  const events: { t: number; kind: number; id: number }[] = [];
  const edges: { t: number; cpus: readonly number[]; region: number }[] = [];
  const visitOf: Visited[] = [];
  for (const cpus of groups.values()) {
    edges.push({ t: 0, cpus, region: -1 });
    let t = 0, previous = -1;
    for (const { region, lengthS } of model.visits(chance)) {
      edges.push({ t, cpus, region });
      events.push({ t, kind: EDGE, id: visitOf.length });
      if (model.boostS !== undefined && lengthS > model.boostS) {
        events.push({ t: t + model.boostS, kind: OLD, id: visitOf.length });
      }
      visitOf.push({ cpus, region, previous, lengthS });
      previous = region;
      t += lengthS;
      if (t >= seconds) break;
    }
  }
  for (const t of model.span ?? []) events.push({ t, kind: BOUND, id: 0 });
  for (let t = 0; t < seconds; t += NOISE_S) events.push({ t, kind: NOISE, id: 0 });
  const begin = -counter.periodS * chance.unit();
  for (let k = 0; begin + k * counter.periodS < seconds; k++) {
    const moved = counter.jitterS * (2 * chance.unit() - 1);
    const t = begin + k * counter.periodS + moved - lagS;
    events.push({ t: Math.max(0, t), kind: UPDATE, id: 0 });
  }
  events.sort((a, b) => a.t - b.t || a.kind - b.kind);
  edges.sort((a, b) => a.t - b.t);
  return { events: events.filter(({ t }) => t < seconds), edges, visitOf };
}

/** What steps of the monitor read. */
function look(
  model: EventModel,
  { chance, seconds, shown, updates, lagS }: {
    chance: Chance;
    seconds: number;
    shown: readonly number[];
    updates: readonly { t: number; kind: number }[];
    lagS: number;
  },
) {
  const stepS = model.stepS ?? 0.005;
  const times = updates.filter(({ kind }) => kind === UPDATE).map(({ t }) => t + lagS);
  const steps: { t: number; joules: Float64Array }[] = [];
  let at = 0;
  for (let k = 0; k * stepS <= seconds; k++) {
    const t = k === 0 ? 0 : (k + 0.5 * (chance.unit() - 0.5)) * stepS;
    while (at < times.length && times[at] <= t) at++;
    steps.push({ t, joules: Float64Array.of(at > 0 ? shown[at - 1] : 0) });
  }
  return steps;
}
