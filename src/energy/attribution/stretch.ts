/**
 * A stretch of a run: what lanes did, as it came, and the readings of a kind's counters. From it, the domains.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { type Boundaries, findBoundaries } from "./clock.ts";
import { Domain } from "./domain.ts";
import { type Group, Groups } from "../../core/machine/lane_groups.ts";
import { PieceLog } from "./pieces.ts";

/** A counter. */
export interface Counter {
  readonly index: number;
  readonly cpus: readonly number[];
  /** Seconds between two updates. @default found from the readings */
  readonly updatePeriodS?: number;
  /** Readings come with a time of their own. @default false */
  readonly stamped?: boolean;
}

/** Time of a class without begin and end, within that of another one. */
interface Fold {
  readonly step: number;
  readonly lane: number;
  readonly classId: number;
  readonly seconds: number;
  readonly around: number;
}

/** Time that a lane ran outside of all regions, until a time. */
interface Ran {
  readonly timeS: number;
  readonly lane: number;
  readonly seconds: number;
}

/** Events between two pauses. */
const SLICE = 4096;

/**
 * More lanes in regions than this times their CPUs cannot all be running: one that waits for the others on four CPUs
 * or more still counts. Part of the time from which that matters: as much of the exposures would be wrong.
 */
const CROWDED = 1.25, MAX_CROWDED = 0.05;

/** Groups of lanes from an event on. */
export interface Life {
  readonly event: number;
  readonly groups: readonly Group[];
}

/** Codes of lane events: its end, other CPUs (masks count down from here), else a class. */
const LANE_END = -1, MASK = -2;
const NO_BOUNDARIES: Boundaries = {
  count: 0,
  yS: new Float64Array(0),
  aS: new Float64Array(0),
  valueJ: new Float64Array(0),
  isWhole: new Uint8Array(0),
  periodS: NaN,
  isClocked: false,
  lineVariance: undefined,
  jitterS: NaN,
};

/** A greater power is none, W: the counter began again, or a reading is wrong. A second of slack: readings come late. */
const MAX_POWER_W = 1e5, SLACK_S = 1;

/** Growth of a counter without its falls and leaps, J; NaN: it has no value. */
function growth(timeS: Float64Array, valuesJ: Float64Array): number {
  let sum = NaN, last = NaN, lastS = NaN;
  for (let i = 0; i < timeS.length; i++) {
    const value = valuesJ[i];
    if (!Number.isFinite(value)) continue;
    const grownJ = value - last,
      isSane = grownJ >= 0 && grownJ <= MAX_POWER_W * (timeS[i] - lastS + SLACK_S);
    sum = (sum || 0) + (isSane ? grownJ : 0);
    last = value;
    lastS = timeS[i];
  }
  return sum;
}

/** Events and readings of a stretch. */
export class Stretch {
  events = 0;
  readings = 0;
  #timeS = new Float64Array(1024);
  #lane = new Int32Array(1024);
  #what = new Int32Array(1024);
  #folds: Fold[] = [];
  #ran: Ran[] = [];
  #readS = new Float64Array(1024);
  #values: Float64Array[];
  #stamps: Float64Array[];

  /** @param masks CPUs of lanes, by number; shared by all stretches. */
  constructor(
    readonly counters: readonly Counter[],
    readonly cpuCount: number,
    readonly masks: readonly Int32Array[],
  ) {
    this.#values = counters.map(() => new Float64Array(1024));
    this.#stamps = counters.map(() => new Float64Array(1024));
  }

  /** A lane lives, or has other CPUs. */
  mask(timeS: number, lane: number, mask: number): void {
    this.#push(timeS, lane, MASK - mask);
  }

  /** A lane lives no longer. */
  end(timeS: number, lane: number): void {
    this.#push(timeS, lane, LANE_END);
  }

  /** A lane is in a class. */
  edge(timeS: number, lane: number, classId: number): void {
    this.#push(timeS, lane, classId);
  }

  /** A lane ran outside of all regions for some time, although its group has more lanes than CPUs. */
  ranOutside(timeS: number, lane: number, seconds: number): void {
    this.#ran.push({ timeS, lane, seconds });
  }

  /** A class had a part of a lane's time in another one since the last reading. */
  fold(lane: number, classId: number, seconds: number, around: number): void {
    this.#folds.push({ step: this.readings, lane, classId, seconds, around });
  }

  /** Readings of all counters, J; NaN: none. */
  step(timeS: number, valuesJ: ArrayLike<number>, stampsS: ArrayLike<number>): void {
    // A clock that steps back is waited for.
    if (this.readings > 0 && !(timeS > this.#readS[this.readings - 1])) return;
    const at = this.readings++;
    if (at === this.#readS.length) {
      this.#readS = grown(this.#readS);
      this.#values = this.#values.map((all) => grown(all));
      this.#stamps = this.#stamps.map((all) => grown(all));
    }
    this.#readS[at] = timeS;
    for (let k = 0; k < this.#values.length; k++) {
      this.#values[k][at] = valuesJ[k];
      this.#stamps[k][at] = stampsS[k];
    }
  }

  /**
   * Moves everything after a reading to another stretch, which begins with that reading and with
   * the lanes then.
   */
  cut(reading: number): Stretch {
    const next = new Stretch(this.counters, this.cpuCount, this.masks), atS = this.#readS[reading];
    const masks = new Map<number, number>(), classes = new Map<number, number>();
    let kept = 0;
    for (; kept < this.events && this.#timeS[kept] <= atS; kept++) {
      const lane = this.#lane[kept], what = this.#what[kept];
      if (what >= 0) classes.set(lane, what);
      else if (what === LANE_END) {
        masks.delete(lane);
        classes.delete(lane);
      } else masks.set(lane, what);
    }
    for (const [lane, mask] of masks) next.#push(atS, lane, mask);
    for (const [lane, classId] of classes) if (classId > 0) next.#push(atS, lane, classId);
    for (let i = kept; i < this.events; i++) {
      next.#push(this.#timeS[i], this.#lane[i], this.#what[i]);
    }
    for (const fold of this.#folds) {
      if (fold.step > reading) next.#folds.push({ ...fold, step: fold.step - reading });
    }
    next.#ran = this.#ran.filter(({ timeS }) => timeS > atS);
    this.#ran = this.#ran.filter(({ timeS }) => timeS <= atS);
    for (let i = reading; i < this.readings; i++) {
      const of = (all: readonly Float64Array[]) => all.map((values) => values[i]);
      next.step(this.#readS[i], of(this.#values), of(this.#stamps));
    }
    this.events = kept;
    this.readings = reading + 1;
    this.#folds = this.#folds.filter(({ step }) => step <= reading);
    return next;
  }

  /** Counters that one group of lanes spans count as one. */
  sets(): { lives: readonly Life[]; sets: readonly (readonly number[])[] } {
    const lives = this.#lives();
    return { lives, sets: this.#joined(lives) };
  }

  #push(timeS: number, lane: number, what: number): void {
    const at = this.events++;
    if (at === this.#timeS.length) {
      this.#timeS = grown(this.#timeS);
      this.#lane = grown(this.#lane);
      this.#what = grown(this.#what);
    }
    this.#timeS[at] = at > 0 && timeS < this.#timeS[at - 1] ? this.#timeS[at - 1] : timeS;
    this.#lane[at] = lane;
    this.#what[at] = what;
  }

  /** Groups from each event on at which lanes begin, end or move. */
  #lives(): Life[] {
    const groups = new Groups(this.cpuCount), out: Life[] = [];
    for (let i = 0; i < this.events; i++) {
      const what = this.#what[i], lane = this.#lane[i];
      if (what >= 0) continue;
      if (what === LANE_END) groups.delete(lane);
      else groups.set(lane, this.masks[MASK - what]);
      // What happens at one time happens at once.
      let next = i + 1;
      while (next < this.events && this.#what[next] >= 0) next++;
      if (next < this.events && this.#timeS[next] === this.#timeS[i]) continue;
      out.push({ event: i, groups: groups.list() });
    }
    return out;
  }

  #joined(lives: readonly Life[]): number[][] {
    const root = this.counters.map((_, k) => k);
    const find = (k: number): number => root[k] === k ? k : root[k] = find(root[k]);
    const at = new Map<number, number>();
    this.counters.forEach(({ cpus }, k) => cpus.forEach((cpu) => at.set(cpu, k)));
    for (const { groups } of lives) {
      for (const { cpus } of groups) {
        let first = -1;
        for (const cpu of cpus) {
          const k = at.get(cpu);
          if (k === undefined) continue;
          if (first < 0) first = find(k);
          else root[find(k)] = first;
        }
      }
    }
    const sets = new Map<number, number[]>();
    this.counters.forEach((_, k) => sets.getOrInsertComputed(find(k), () => []).push(k));
    return [...sets.values()];
  }

  /**
   * The domain of some counters; `undefined`: they have no value.
   *
   * isWhole: stays are not cut at ages.
   */
  *domain(
    counters: readonly number[],
    lives: readonly Life[],
    { isDevice, isWhole }: { isDevice: boolean; isWhole: boolean },
  ): Generator<void, Domain | undefined> {
    const n = this.readings, first = counters[0], { updatePeriodS, stamped } = this.counters[first];
    const sums = new Float64Array(n);
    let totalJ = 0, isSeen = false;
    for (const k of counters) {
      const values = this.#values[k];
      for (let i = 0; i < n; i++) sums[i] += values[i];
      const grownJ = growth(this.#readS.subarray(0, n), values);
      isSeen ||= grownJ === grownJ;
      totalJ += grownJ || 0;
    }
    if (!isSeen) return undefined;
    yield;
    const originS = this.#readS[0], endS = this.#readS[n - 1] - originS;
    const t = this.#readS.slice(0, n).map((s) => s - originS);
    const stampS = stamped === true ? this.#stamps[first].slice(0, n) : undefined;
    const boundaries = findBoundaries(t, sums, updatePeriodS ?? 0, stampS) ?? NO_BOUNDARIES;
    const { log, capacity, alive, crowd } = yield* this.#pieces(counters, lives, {
      originS,
      endS,
      isWhole,
    });
    yield;
    const isLost = boundaries.isWhole.includes(0) && sums.some((v) => v !== v);
    const facts = { endS, capacity, totalJ, isLost, alive, isDevice, crowd };
    const domain = new Domain(log, boundaries, facts);
    yield* domain.number();
    return domain;
  }

  /** Pieces of the lanes in some counters' domain; its capacity; the part of its ends at which a lane lives. */
  *#pieces(
    counters: readonly number[],
    lives: readonly Life[],
    { originS, endS, isWhole }: { originS: number; endS: number; isWhole: boolean },
  ) {
    const members = new Uint8Array(this.cpuCount), used = new Uint8Array(this.cpuCount);
    for (const k of counters) for (const cpu of this.counters[k].cpus) members[cpu] = 1;
    for (const mask of this.masks) for (const cpu of mask) if (members[cpu] === 1) used[cpu] = 1;
    const count = (cpus: Uint8Array) => cpus.reduce((s, is) => s + is, 0);
    const isUsed = count(used) > 0, capacity = count(used) || count(members) || 1;
    const log = new PieceLog(isWhole, this.events + 64), weights = new Map<number, number>();
    const classes = new Map<number, number>(), crowds = new Crowds();
    /** By lane: its group, if this has more lanes than CPUs. */
    const crowded = new Map<number, CrowdedGroup>();
    const isOpen = (lane: number) => (classes.get(lane) ?? 0) > 0;
    let next = 0, atBegin = 0, folded = 0;
    const fold = (untilS: number) => {
      while (folded < this.#folds.length) {
        const { step, lane } = this.#folds[folded];
        if (step >= this.readings || this.#readS[step] > untilS) return;
        const first = folded;
        let all = 0;
        for (; this.#folds[folded]?.step === step && this.#folds[folded].lane === lane; folded++) {
          all += this.#folds[folded].seconds;
        }
        // A report of more than a step's time has that of steps before, too.
        const toS = this.#readS[step] - originS,
          stepS = this.#readS[Math.max(0, step - 1)] - originS;
        const fromS = Math.max(0, Math.min(stepS, toS - all));
        const weight = log.weightOf(lane) / Math.max(all, toS - fromS);
        for (let k = first; k < folded && weight > 0; k++) {
          const { around: from, classId: to, seconds } = this.#folds[k];
          if (from !== to) log.divide(fromS, toS, { from, to, part: weight * seconds });
        }
      }
    };
    const set = (timeS: number, now: Iterable<readonly [number, number]>) => {
      for (const [lane, weight] of now) {
        const isNew = !weights.has(lane);
        log.lane(timeS, lane, weight);
        if (weight === 0) weights.delete(lane);
        else weights.set(lane, weight);
        if (isNew && weight > 0) log.edge(timeS, lane, classes.get(lane) ?? 0);
      }
    };
    for (let i = 0; i < this.events; i++) {
      if (i % SLICE === 0) yield;
      fold(this.#timeS[i]);
      const timeS = Math.min(endS, Math.max(0, this.#timeS[i] - originS)), what = this.#what[i];
      if (what >= 0) {
        const lane = this.#lane[i];
        const isSame = crowded.size === 0 || isOpen(lane) === what > 0;
        log.edge(timeS, lane, what);
        classes.set(lane, what);
        crowds.edge(timeS, lane, what > 0);
        const group = isSame ? undefined : crowded.get(lane);
        if (group !== undefined) set(timeS, group.edge(lane, isOpen));
      } else if (what === LANE_END) classes.delete(this.#lane[i]);
      if (next === lives.length || lives[next].event !== i) continue;
      const now = new Map<number, number>();
      crowds.begin(timeS);
      crowded.clear();
      for (const group of lives[next++].groups) {
        const { cpus, lanes } = group;
        let inside = 0;
        for (const cpu of cpus) inside += members[cpu];
        if (inside === 0) continue;
        crowds.add(cpus.length, lanes, isOpen);
        if (lanes.length <= cpus.length) {
          for (const lane of lanes) now.set(lane, inside / lanes.length);
          continue;
        }
        const sharing = new CrowdedGroup(group, inside);
        for (const [lane, weight] of sharing.begin(isOpen, (lane) => weights.has(lane))) {
          now.set(lane, weight);
        }
        for (const lane of lanes) crowded.set(lane, sharing);
      }
      for (const lane of weights.keys()) if (!now.has(lane)) now.set(lane, 0);
      set(timeS, now);
      if (timeS === 0) atBegin = weights.size;
    }
    fold(Infinity);
    for (const { lane, seconds } of this.#ran) crowds.ran(lane, seconds);
    const alive = isUsed ? ((atBegin > 0 ? 1 : 0) + (weights.size > 0 ? 1 : 0)) / 2 : 1;
    log.finish(endS, capacity);
    return { log, capacity, alive, crowd: crowds.most(endS) };
  }
}

/**
 * A group with more lanes than CPUs: some lanes wait. Lanes in regions run, on equal parts of the CPUs if they are
 * too many. CPUs that are left are those of the lanes that were in regions last.
 */
class CrowdedGroup {
  readonly #own: number;
  #open = 0;
  /** Lanes outside of regions that have a CPU, those that have it for longest first. */
  readonly #outside: number[] = [];

  /** @param inside CPUs of the group that are the domain's. */
  constructor(readonly group: Group, inside: number) {
    this.#own = inside / group.cpus.length;
  }

  /** Weights of all lanes. @param ran Did a lane run before? */
  *begin(
    isOpen: (lane: number) => boolean,
    ran: (lane: number) => boolean,
  ): Generator<readonly [number, number]> {
    const { lanes, cpus } = this.group, others = lanes.filter((lane) => !isOpen(lane));
    this.#open = lanes.length - others.length;
    const order = [...others.filter(ran), ...others.filter((lane) => !ran(lane))];
    this.#outside.push(...order.slice(0, Math.max(0, cpus.length - this.#open)).reverse());
    for (const lane of others) yield [lane, this.#outside.includes(lane) ? this.#own : 0];
    yield* this.#ofOpen(isOpen);
  }

  /** A lane enters its first region, or leaves its last one. @returns Weights that change. */
  *edge(lane: number, isOpen: (lane: number) => boolean): Generator<readonly [number, number]> {
    const { length: cpus } = this.group.cpus;
    const isNow = isOpen(lane), wereTooMany = this.#open > cpus;
    this.#open += isNow ? 1 : -1;
    if (isNow) {
      const at = this.#outside.indexOf(lane);
      const [waiting] = this.#outside.splice(Math.max(at, 0), 1);
      if (waiting !== undefined && waiting !== lane) yield [waiting, 0];
    } else {
      if (this.#open < cpus) this.#outside.push(lane);
      yield [lane, this.#open < cpus ? this.#own : 0];
    }
    if (wereTooMany || this.#open > cpus) yield* this.#ofOpen(isOpen);
    else if (isNow) yield [lane, this.#own];
  }

  *#ofOpen(isOpen: (lane: number) => boolean): Generator<readonly [number, number]> {
    const { lanes, cpus } = this.group;
    const weight = this.#own * Math.min(1, cpus.length / this.#open);
    for (const lane of lanes) if (isOpen(lane)) yield [lane, weight];
  }
}

/** Lanes in regions, beside the CPUs that they share. */
interface Crowd {
  readonly cpus: number;
  readonly lanes: number;
  open: number;
}

/** Has a group more lanes than CPUs? */
function isShared({ lanes, cpus }: Crowd): boolean {
  return lanes > cpus;
}

/** CPUs that lanes in regions leave. */
function free({ cpus, open }: Crowd): number {
  return Math.max(0, cpus - open);
}

/**
 * Time in which more lanes were in regions than there are CPUs for them, or in which lanes outside of regions ran on
 * their CPUs: some of those in regions were not running.
 */
class Crowds {
  readonly #of = new Map<number, Crowd>();
  readonly #open = new Set<number>();
  /** Groups with more lanes than CPUs: their lanes so far, the largest of them; CPUs, and CPUs left by regions. */
  readonly #sharing = new Set<number>();
  #largest: Crowd | undefined;
  #cpus = 0;
  #free = 0;
  #cpuS = 0;
  #freeS = 0;
  /** Time that their lanes ran outside of regions, s. */
  #ranS = 0;
  #over = 0;
  #sinceS = 0;
  #overS = 0;
  #most: Crowd | undefined;

  /** Groups change. */
  begin(timeS: number): void {
    this.#until(timeS);
    this.#of.clear();
    this.#open.clear();
    this.#over = this.#cpus = this.#free = 0;
  }

  add(cpus: number, lanes: readonly number[], isOpen: (lane: number) => boolean): void {
    const crowd = { cpus, lanes: lanes.length, open: 0 };
    if (isShared(crowd)) {
      this.#cpus += cpus;
      this.#free += cpus;
      for (const lane of lanes) this.#sharing.add(lane);
      if (this.#largest === undefined || crowd.lanes > this.#largest.lanes) this.#largest = crowd;
    }
    for (const lane of lanes) {
      this.#of.set(lane, crowd);
      if (isOpen(lane)) this.#move(lane, crowd, 1);
    }
  }

  edge(timeS: number, lane: number, isOpen: boolean): void {
    const crowd = this.#of.get(lane);
    if (crowd === undefined || this.#open.has(lane) === isOpen) return;
    this.#until(timeS);
    this.#move(lane, crowd, isOpen ? 1 : -1);
  }

  /** A lane ran outside of regions. */
  ran(lane: number, seconds: number): void {
    if (this.#sharing.has(lane)) this.#ranS += seconds;
  }

  /** More threads than CPUs for a part of the time that matters. */
  most(endS: number): { threads: number; cpus: number } | undefined {
    this.#until(endS);
    if (this.#largest !== undefined && this.#ranS - this.#freeS > MAX_CROWDED * this.#cpuS) {
      return { threads: this.#largest.lanes, cpus: this.#largest.cpus };
    }
    if (this.#most === undefined || !(this.#overS > MAX_CROWDED * endS)) return undefined;
    return { threads: this.#most.open, cpus: this.#most.cpus };
  }

  #move(lane: number, crowd: Crowd, by: number): void {
    const was = crowd.open > CROWDED * crowd.cpus;
    if (isShared(crowd)) this.#free -= free(crowd);
    crowd.open += by;
    if (isShared(crowd)) this.#free += free(crowd);
    if (by > 0) this.#open.add(lane);
    else this.#open.delete(lane);
    const is = crowd.open > CROWDED * crowd.cpus;
    if (is !== was) this.#over += is ? 1 : -1;
    const most = this.#most;
    if (is && (most === undefined || crowd.open / crowd.cpus > most.open / most.cpus)) {
      this.#most = { ...crowd };
    }
  }

  #until(timeS: number): void {
    if (this.#over > 0) this.#overS += timeS - this.#sinceS;
    this.#cpuS += this.#cpus * (timeS - this.#sinceS);
    this.#freeS += this.#free * (timeS - this.#sinceS);
    this.#sinceS = timeS;
  }
}
