/**
 * The energies of a node's classes from lanes and readings: which counters count as one, what each lane weighs in
 * each domain, and one estimate for each.
 *
 * A lane is a thread that marks, or the main thread of a process that marks.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { findBoundaries } from "./clock.ts";
import { Domain } from "./domain.ts";
import { type Estimate, estimate } from "./estimate.ts";
import { type Group, Groups } from "./groups.ts";
import { PieceLog } from "./pieces.ts";

/** A counter of the node. */
export interface NodeCounter {
  readonly kind: string;
  readonly index: number;
  readonly cpus: readonly number[];
  /** Seconds between two updates. @default found from the readings */
  readonly updatePeriodS?: number;
  /** Readings come with a time of their own. @default false */
  readonly stamped?: boolean;
}

/** Energies of one counter, or of several that one group of lanes spans. */
export interface DomainResult extends Estimate {
  readonly kind: string;
  readonly counters: readonly number[];
  readonly totalJ: number;
  readonly capacity: number;
  /** By class: the caller's number, or one of `OWN`. */
  readonly ids: readonly number[];
  /** Place of an id. */
  readonly indexOf: ReadonlyMap<number, number>;
  readonly seconds: Float64Array;
  /** Seconds of the members of the joined class. */
  readonly joinedS: ReadonlyMap<number, number>;
  readonly periodS: number;
  readonly jitterS: number;
}

/** Time without begin and end. */
interface Fold {
  readonly step: number;
  readonly lane: number;
  readonly classId: number;
  readonly seconds: number;
  readonly around: number;
}

/** What happens to lanes. Edges are numbers of classes, from 0 on. */
const LANE_END = -1, MASK = -2;

/** Records lanes and readings, and estimates at the end. */
export class NodeEnergies {
  readonly #counters: readonly NodeCounter[];
  readonly #cpuCount: number;
  /** Events: when, of which lane, what. */
  #events = 0;
  #timeS = new Float64Array(1024);
  #lane = new Int32Array(1024);
  #what = new Int32Array(1024);
  readonly #masks: Int32Array[] = [];
  readonly #maskOf = new Map<string, number>();
  /** Time of lanes that came without begin and end, by the reading before. */
  #folds: Fold[] = [];
  /** Readings: when, and by counter. */
  #readings = 0;
  #readS = new Float64Array(1024);
  #values: Float64Array[];
  #stamps: Float64Array[];

  constructor(cpuCount: number, counters: readonly NodeCounter[]) {
    this.#cpuCount = cpuCount;
    this.#counters = counters;
    this.#values = counters.map(() => new Float64Array(1024));
    this.#stamps = counters.map(() => new Float64Array(1024));
  }

  /** Forgets all: another process took the command's place. */
  restart(): void {
    this.#events = this.#readings = 0;
    this.#folds = [];
  }

  /** A lane lives from a time on, or has other CPUs. */
  lane(timeS: number, lane: number, cpus: Int32Array): void {
    const key = cpus.join();
    const mask = this.#maskOf.getOrInsertComputed(key, () => this.#masks.push(cpus.slice()) - 1);
    this.#push(timeS, lane, MASK - mask);
  }

  /** A lane lives no longer. */
  end(timeS: number, lane: number): void {
    this.#push(timeS, lane, LANE_END);
  }

  /** A lane is in a class from a time on. */
  edge(timeS: number, lane: number, classId: number): void {
    this.#push(timeS, lane, classId);
  }

  /** A class had a part of a lane's time in another one since the last reading. */
  fold(lane: number, classId: number, seconds: number, around: number): void {
    if (classId !== around) {
      this.#folds.push({ step: this.#readings, lane, classId, seconds, around });
    }
  }

  /** Readings of all counters, J; NaN: none. */
  step(timeS: number, valuesJ: Float64Array, stampsS: Float64Array): void {
    const at = this.#readings++;
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

  /** The energies so far. */
  *results(): Generator<void, DomainResult[]> {
    const out: DomainResult[] = [];
    const lives = this.#lives();
    for (const kind of new Set(this.#counters.map(({ kind }) => kind))) {
      for (const counters of this.#joined(kind, lives)) {
        const result = yield* this.#result(kind, counters, lives);
        if (result !== undefined) out.push(result);
      }
    }
    return out;
  }

  #push(timeS: number, lane: number, what: number): void {
    const at = this.#events++;
    if (at === this.#timeS.length) {
      this.#timeS = grown(this.#timeS);
      this.#lane = grown(this.#lane);
      this.#what = grown(this.#what);
    }
    this.#timeS[at] = timeS;
    this.#lane[at] = lane;
    this.#what[at] = what;
  }

  /** Groups from each event on at which lanes begin, end or move. */
  #lives(): { event: number; groups: readonly Group[] }[] {
    const groups = new Groups(this.#cpuCount),
      out: { event: number; groups: readonly Group[] }[] = [];
    for (let i = 0; i < this.#events; i++) {
      const what = this.#what[i], lane = this.#lane[i];
      if (what >= 0) continue;
      if (what === LANE_END) groups.delete(lane);
      else groups.set(lane, this.#masks[MASK - what]);
      // What happens at one time happens at once.
      let next = i + 1;
      while (next < this.#events && this.#what[next] >= 0) next++;
      if (next < this.#events && this.#timeS[next] === this.#timeS[i]) continue;
      out.push({ event: i, groups: groups.list() });
    }
    return out;
  }

  /** Counters that one group of lanes spans count as one. */
  #joined(kind: string, lives: readonly { groups: readonly Group[] }[]): number[][] {
    const own = this.#counters.flatMap((counter, k) => counter.kind === kind ? [k] : []);
    const root = new Map(own.map((k) => [k, k]));
    const find = (k: number): number => root.get(k) === k ? k : find(root.get(k)!);
    const at = new Map<number, number[]>();
    for (const k of own) {
      for (const cpu of this.#counters[k].cpus) at.getOrInsertComputed(cpu, () => []).push(k);
    }
    for (const { groups } of lives) {
      for (const { cpus } of groups) {
        let first = -1;
        for (const cpu of cpus) {
          for (const k of at.get(cpu) ?? []) {
            if (first < 0) first = find(k);
            // Counters of one set of CPUs are apart; a group joins those of different sets.
            else if (find(k) !== first) root.set(find(k), first);
          }
        }
      }
    }
    const sets = new Map<number, number[]>();
    for (const k of own) sets.getOrInsertComputed(find(k), () => []).push(k);
    return [...sets.values()];
  }

  *#result(
    kind: string,
    counters: readonly number[],
    lives: readonly { event: number; groups: readonly Group[] }[],
  ): Generator<void, DomainResult | undefined> {
    const n = this.#readings,
      first = counters[0],
      { updatePeriodS, stamped } = this.#counters[first];
    const sums = new Float64Array(n);
    for (const k of counters) for (let i = 0; i < n; i++) sums[i] += this.#values[k][i];
    const from = sums.findIndex((v) => v === v);
    if (from < 0) return undefined;
    const last = sums.findLastIndex((v) => v === v), originS = this.#readS[0];
    const totalJ = sums[last] - sums[from], endS = this.#readS[n - 1] - originS;
    const t = this.#readS.slice(0, n).map((s) => s - originS);
    const stampS = stamped === true ? this.#stamps[first].slice(0, n) : undefined;
    const boundaries = findBoundaries(t, sums, updatePeriodS ?? 0, stampS);
    const { log, capacity, alive } = this.#pieces(counters, lives, originS, endS);
    const none = { count: 0, yS: t.slice(0, 0), aS: t.slice(0, 0), valueJ: t.slice(0, 0) };
    const nothing = { ...none, isWhole: new Uint8Array(0), periodS: NaN, isClocked: false };
    const known = boundaries ?? { ...nothing, lineVariance: undefined, jitterS: NaN };
    const isLost = known.isWhole.includes(0) && sums.some((v) => v !== v);
    const isDevice = kind === "gpu";
    const domain = new Domain(log, known, { endS, capacity, totalJ, isLost, alive, isDevice });
    const estimated = yield* estimate(domain);
    const { ids, seconds, joinedS } = domain, { periodS, jitterS } = known;
    const indexOf = new Map(ids.map((id, c) => [id, c]));
    const what = { kind, counters, totalJ, capacity, ids, indexOf, seconds, joinedS };
    return { ...estimated, ...what, periodS, jitterS };
  }

  /** Pieces of the lanes in some counters' domain; its capacity; the part of its ends at which a lane lives. */
  #pieces(
    counters: readonly number[],
    lives: readonly { event: number; groups: readonly Group[] }[],
    originS: number,
    endS: number,
  ) {
    const members = new Uint8Array(this.#cpuCount), used = new Uint8Array(this.#cpuCount);
    for (const k of counters) for (const cpu of this.#counters[k].cpus) members[cpu] = 1;
    for (const mask of this.#masks) for (const cpu of mask) used[cpu] |= members[cpu];
    const count = (cpus: Uint8Array) => cpus.reduce((s, is) => s + is, 0);
    const isUsed = count(used) > 0, capacity = count(used) || count(members) || 1;
    const log = new PieceLog(), weights = new Map<number, number>();
    let next = 0, atBegin = 0, folded = 0;
    const fold = (untilS: number) => {
      for (; folded < this.#folds.length; folded++) {
        const { step, lane, classId, seconds, around } = this.#folds[folded];
        if (step >= this.#readings || this.#readS[step] > untilS) return;
        const fromS = this.#readS[Math.max(0, step - 1)] - originS,
          toS = this.#readS[step] - originS;
        const part = log.weightOf(lane) * Math.min(1, seconds / (toS - fromS));
        if (step > 0 && part > 0) log.divide(fromS, toS, { from: around, to: classId, part });
      }
    };
    for (let i = 0; i < this.#events; i++) {
      fold(this.#timeS[i]);
      const timeS = Math.min(endS, Math.max(0, this.#timeS[i] - originS)), what = this.#what[i];
      if (what >= 0) log.edge(timeS, this.#lane[i], what);
      if (next === lives.length || lives[next].event !== i) continue;
      const now = new Map<number, number>();
      for (const { cpus, lanes } of lives[next++].groups) {
        let inside = 0;
        for (const cpu of cpus) inside += members[cpu];
        for (const lane of lanes) if (inside > 0) now.set(lane, inside / lanes.length);
      }
      for (const lane of weights.keys()) if (!now.has(lane)) log.lane(timeS, lane, 0);
      for (const [lane, weight] of now) {
        const isNew = !weights.has(lane);
        log.lane(timeS, lane, weight);
        if (isNew) log.edge(timeS, lane, 0);
      }
      weights.clear();
      for (const [lane, weight] of now) weights.set(lane, weight);
      if (timeS === 0) atBegin = now.size;
    }
    fold(Infinity);
    const alive = isUsed ? ((atBegin > 0 ? 1 : 0) + (weights.size > 0 ? 1 : 0)) / 2 : 1;
    log.finish(endS, capacity);
    return { log, capacity, alive };
  }
}
