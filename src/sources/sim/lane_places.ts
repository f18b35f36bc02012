/**
 * Places of an application's threads on the CPUs of a simulated node: a CPU draws the power of the region
 * whose thread runs on it.
 *
 * A thread that shares its CPUs with no other one has all of them: threads without annotations are assumed to work
 * for it there. Threads that share CPUs are where they were seen last. CPUs without a thread are divided evenly, in
 * turns.
 * @module
 */
import { type Group, Groups } from "../../core/machine/lane_groups.ts";

/** A region that a CPU enters; no name: outside of all regions. */
export interface RegionNow {
  readonly name?: string;
  readonly hint?: number;
}

/** Gets the changes of CPUs. */
export type CpuListener = (timeNs: number, cpu: number, region: RegionNow) => void;

/** A thread, and the CPU on which it was seen last. */
interface Lane {
  cpus: Int32Array;
  /** −1: it was not seen. */
  cpu: number;
  region: RegionNow;
  /** Order in which lanes were seen running. */
  seen: number;
  /** Run time when it was seen last, ns. */
  ranNs: number;
}

const OUTSIDE: RegionNow = {};

/** Lanes on CPUs. */
export class LanePlaces {
  readonly #lanes = new Map<number, Lane>();
  readonly #groups: Groups;
  #list: readonly Group[] = [];
  readonly #groupOf = new Map<number, Group>();
  /** By CPU: its lane, 0 for none, and the region that it shows. */
  readonly #owner: Int32Array;
  readonly #shown: RegionNow[];
  readonly #claims: Int32Array;
  #order = 0;
  /** Turns of CPUs that no lane is on. */
  #turn = 0;

  constructor(cpuCount: number, readonly listener: CpuListener) {
    this.#groups = new Groups(cpuCount);
    this.#owner = new Int32Array(cpuCount);
    this.#claims = new Int32Array(cpuCount);
    this.#shown = new Array(cpuCount).fill(OUTSIDE);
  }

  /** A lane lives, or may use other CPUs. */
  live(timeNs: number, lane: number, cpus: Int32Array): void {
    const known = this.#lanes.get(lane);
    if (known !== undefined) known.cpus = cpus;
    else {
      const fresh = { cpus, cpu: -1, region: OUTSIDE, seen: ++this.#order, ranNs: NaN };
      this.#lanes.set(lane, fresh);
    }
    this.#groups.set(lane, cpus);
    this.#regroup(timeNs);
  }

  /** A lane lives no longer. */
  end(timeNs: number, lane: number): void {
    this.#lanes.delete(lane);
    this.#groups.delete(lane);
    this.#regroup(timeNs);
  }

  /** A lane enters a region. @param cpu Where it does so; below 0: not known. */
  move(timeNs: number, lane: number, region: RegionNow, cpu: number): void {
    const one = this.#lanes.get(lane);
    if (one === undefined) return;
    one.region = region;
    one.seen = ++this.#order;
    if (cpu >= 0) one.cpu = cpu;
    // A lane whose CPUs are not known is in no group.
    const group = this.#groupOf.get(lane);
    if (group !== undefined) this.#place(timeNs, group);
  }

  /** Lanes that share CPUs: where they are cannot be known from their begin and end calls alone. */
  shared(): number[] {
    return this.#list.flatMap(({ lanes }) => lanes.length < 2 ? [] : lanes);
  }

  /**
   * Lanes were looked at.
   *
   * @param all By lane: its CPU, and its run time so far, ns.
   */
  look(timeNs: number, all: ReadonlyMap<number, { cpu: number; ranNs: number }>): void {
    const ran: { one: Lane; ns: number }[] = [];
    for (const [lane, { cpu, ranNs }] of all) {
      const one = this.#lanes.get(lane);
      if (one === undefined) continue;
      const ns = ranNs - one.ranNs;
      one.ranNs = ranNs;
      if (!(ns > 0)) continue;
      one.cpu = cpu;
      ran.push({ one, ns });
    }
    // Those that ran longest since the last look are most likely to run now.
    for (const { one } of ran.sort((a, b) => a.ns - b.ns)) one.seen = ++this.#order;
    this.#turn++;
    for (const group of this.#list) if (group.lanes.length > 1) this.#place(timeNs, group);
  }

  #regroup(timeNs: number): void {
    this.#list = this.#groups.list();
    this.#groupOf.clear();
    const isUsed = this.#claims.fill(0);
    for (const group of this.#list) {
      for (const lane of group.lanes) this.#groupOf.set(lane, group);
      for (const cpu of group.cpus) isUsed[cpu] = 1;
    }
    for (let cpu = 0; cpu < isUsed.length; cpu++) if (isUsed[cpu] === 0) this.#own(timeNs, cpu, 0);
    for (const group of this.#list) this.#place(timeNs, group);
  }

  /** Gives the CPUs of a group to its lanes. */
  #place(timeNs: number, { cpus, lanes }: Group): void {
    if (lanes.length === 1) {
      for (const cpu of cpus) this.#own(timeNs, cpu, lanes[0]);
      return;
    }
    const claims = this.#claims;
    for (const cpu of cpus) claims[cpu] = 0;
    const isCrowded = lanes.length > cpus.length;
    // Only if there are too many lanes do some wait: those that were not seen for longest.
    const order = lanes.map((lane) => ({ lane, one: this.#lanes.get(lane)! }))
      .sort((a, b) => b.one.seen - a.one.seen);
    const running = isCrowded ? order.slice(0, cpus.length) : order;
    const placed: typeof order = [], displaced: typeof order = [];
    for (const each of running) {
      const { lane, one } = each, isFree = one.cpus.includes(one.cpu) && claims[one.cpu] === 0;
      if (isFree) claims[one.cpu] = lane;
      (isFree ? placed : displaced).push(each);
    }
    // The kernel leaves no CPU idle while a thread waits for another CPU.
    for (const each of displaced) {
      const cpu = each.one.cpus.find((cpu) => claims[cpu] === 0);
      if (cpu === undefined) continue;
      claims[cpu] = each.lane;
      placed.push(each);
    }
    let turn = this.#turn;
    for (const cpu of cpus) {
      if (claims[cpu] !== 0) continue;
      const able = placed.filter(({ one }) => one.cpus.includes(cpu));
      if (able.length > 0) claims[cpu] = able[turn++ % able.length].lane;
    }
    for (const cpu of cpus) this.#own(timeNs, cpu, claims[cpu]);
  }

  #own(timeNs: number, cpu: number, lane: number): void {
    const region = this.#lanes.get(lane)?.region ?? OUTSIDE;
    // A lane that goes to another CPU goes on there with its visit.
    if (this.#owner[cpu] === lane && this.#shown[cpu] === region) return;
    const isNew = this.#owner[cpu] === 0 && lane !== 0;
    this.#owner[cpu] = lane;
    if (this.#shown[cpu] === region && !isNew) return;
    this.#shown[cpu] = region;
    this.listener(timeNs, cpu, region);
  }
}
