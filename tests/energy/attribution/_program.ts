/** Small programs whose joules are known: lanes with regions, and a counter of their power. */
import { KindEnergies } from "../../../src/energy/attribution/kind.ts";
import type { Counter } from "../../../src/energy/attribution/stretch.ts";
import { Random } from "../../../src/core/random.ts";

/** A lane: when it lives, on which CPUs, and what power its regions have, W; class 0 is unmarked. */
export interface ProgramLane {
  readonly cpus: readonly number[];
  readonly beginS?: number;
  readonly endS?: number;
  readonly watts: readonly number[];
  /** CPUs that it has by itself. @default those that it may use, shared with lanes that may use them too */
  readonly weight?: number;
}

/** A program and its counter. */
export interface Program {
  readonly seconds: number;
  readonly lanes: readonly ProgramLane[];
  /** Mean length of a visit, s. */
  readonly visitS: number;
  readonly cpuCount: number;
  readonly counters?: readonly Counter[];
  readonly stepS?: number;
  readonly updateS?: number;
  readonly lagS?: number;
  readonly unitJ?: number;
  /** W of a CPU without a lane. */
  readonly idleW?: number;
  readonly factor?: number;
}

/** What came of it: energies as drawn, by class. */
export interface Played {
  readonly energies: KindEnergies;
  readonly drawnJ: ReadonlyMap<number, number>;
}

/** CPUs 0 up to a number. */
export function cpusTo(count: number): number[] {
  return Array.from({ length: count }, (_, cpu) => cpu);
}

/** Plays a program: each lane goes from class to class at random, power has noise of 2 % a visit. */
export function play(program: Program, seed: number): Played {
  const { seconds, lanes, visitS, cpuCount, stepS = 0.005, updateS = 0.001 } = program;
  const { lagS = 0.0003, unitJ = 2 ** -14, idleW = 4, factor = 1 } = program;
  const random = new Random(seed);
  const counters = program.counters ??
    [{ index: 0, cpus: cpusTo(cpuCount), updatePeriodS: updateS }];
  const energies = new KindEnergies(counters, cpuCount, false);
  const events: { t: number; run: () => void }[] = [];
  const changes: { t: number; watts: number }[] = [{ t: -1, watts: cpuCount * idleW }];
  const drawnJ = new Map<number, number>();
  lanes.forEach(({ cpus, beginS = 0, endS = seconds, watts, weight: own }, lane) => {
    events.push({ t: beginS, run: () => energies.live(beginS, lane, Int32Array.from(cpus)) });
    // Lanes of one set of CPUs share them.
    const sharing = lanes.filter((other) => other.cpus.some((cpu) => cpus.includes(cpu))).length;
    const union = new Set(
      lanes.flatMap((other) => other.cpus.some((cpu) => cpus.includes(cpu)) ? other.cpus : []),
    );
    const weight = own ?? union.size / sharing;
    let t = beginS, c = 0, before = idleW;
    while (t < endS) {
      const length = c === 0 && t === beginS ? 0.05 : visitS * random.uniform(0.4, 1.6);
      const until = Math.min(endS, t + length), now = watts[c] * (1 + 0.02 * random.normal());
      changes.push({ t, watts: weight * (now - before) });
      drawnJ.set(c, (drawnJ.get(c) ?? 0) + weight * now * (until - t));
      before = now;
      t = until;
      if (t >= endS) break;
      c = random.below(watts.length);
      const at = t, to = c;
      events.push({ t: at, run: () => energies.edge(at, lane, to) });
    }
    changes.push({ t: endS, watts: weight * (idleW - before) });
    if (endS < seconds) events.push({ t: endS, run: () => energies.end(endS, lane) });
  });
  const sorted = events.sort((a, b) => a.t - b.t);
  const joules = integral(changes.sort((a, b) => a.t - b.t));
  const value = (t: number) => {
    const updated = Math.floor((t + 5) / updateS) * updateS - 5 - lagS;
    return factor * Math.floor((joules(updated) + 1000) / unitJ) * unitJ;
  };
  let next = 0;
  for (let k = 0; k * stepS <= seconds; k++) {
    const t = k === 0 ? 0 : stepS * (k + random.uniform(-0.25, 0.25));
    for (; next < sorted.length && sorted[next].t <= t; next++) sorted[next].run();
    // Several counters of one domain each: the first has all of the energy.
    energies.step(t, counters.map((_, i) => i === 0 ? value(t) : 1000), counters.map(() => NaN));
    energies.work();
  }
  for (; next < sorted.length; next++) sorted[next].run();
  energies.finish();
  return { energies, drawnJ };
}

function integral(changes: readonly { t: number; watts: number }[]): (t: number) => number {
  let at = 0, sum = 0, watts = 0, since = changes[0].t;
  // Times that are asked for only grow, but for a little.
  const saved: { at: number; sum: number; watts: number; since: number }[] = [];
  return (t) => {
    while (since > t && saved.length > 0) ({ at, sum, watts, since } = saved.pop()!);
    while (at < changes.length && changes[at].t <= t) {
      saved.push({ at, sum, watts, since });
      if (saved.length > 4096) saved.splice(0, 2048);
      sum += watts * (changes[at].t - since);
      since = changes[at].t;
      watts += changes[at++].watts;
    }
    return sum + watts * (t - since);
  };
}
