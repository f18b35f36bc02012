/** Laws that hold for every program, whatever its energies. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { PieceLog } from "../../../src/energy/attribution/pieces.ts";
import { OWN } from "../../../src/energy/attribution/pieces.ts";
import { Random } from "../../../src/core/random.ts";
import { cpusTo, play, type Program } from "./_program.ts";

const ONE: Program = {
  seconds: 12,
  lanes: [{ cpus: [0], watts: [25, 90, 150, 60] }],
  visitS: 0.009,
  cpuCount: 1,
};

/** Four programs, one after another, on the same four CPUs. */
const IN_TURN: Program = {
  seconds: 16,
  lanes: [0, 1, 2, 3].map((k) => ({
    cpus: [0, 1, 2, 3],
    beginS: 4 * k,
    endS: 4 * k + 3.8,
    watts: [7, 20, 45],
    weight: 4,
  })),
  visitS: 0.012,
  cpuCount: 4,
};

/** Four threads that may all run on any of four CPUs. */
const UNBOUND: Program = {
  seconds: 14,
  lanes: [0, 1, 2, 3].map(() => ({ cpus: [0, 1, 2, 3], watts: [5, 15, 28] })),
  visitS: 0.01,
  cpuCount: 4,
};

Deno.test("weights of lanes and of the rest add up to the capacity at every moment", () => {
  const random = new Random(7), log = new PieceLog(), events: { t: number; run: () => void }[] = [];
  for (let lane = 0; lane < 5; lane++) {
    const begin = random.uniform(0, 4), end = random.uniform(5, 9);
    events.push({ t: begin, run: () => log.lane(begin, lane, 1.5) });
    for (let t = begin; t < end; t += random.uniform(0.001, 0.3)) {
      const at = t, classId = random.below(4);
      events.push({ t: at, run: () => log.edge(at, lane, classId) });
    }
    const middle = random.uniform(begin, end);
    events.push({ t: middle, run: () => log.lane(middle, lane, 0.5) });
    if (lane > 0) events.push({ t: end, run: () => log.lane(end, lane, 0) });
  }
  for (const { run } of events.sort((a, b) => a.t - b.t)) run();
  log.finish(10, 8);
  for (let k = 0; k < 2000; k++) {
    const t = random.uniform(0, 10);
    let weight = 0;
    for (let i = 0; i < log.count; i++) {
      if (log.startS[i] <= t && t < log.endS[i]) weight += log.weight[i];
    }
    assertAlmostEquals(weight, 8, 1e-9);
  }
});

Deno.test("energies of all classes are the counter's difference, without error", () => {
  for (const program of [ONE, IN_TURN, UNBOUND]) {
    const { energies: { sum } } = play(program, 3);
    const all = sum.total([...sum.indexOf.keys()]);
    assertAlmostEquals(all.energyJ / sum.totalJ, 1, 1e-9);
    assert(all.seJ < 1e-6 * sum.totalJ, `${all.seJ} of ${sum.totalJ}`);
  }
});

Deno.test("regions without energies of their own add up with all others to the counter's difference", () => {
  const watts = Array.from({ length: 150 }, (_, k) => 2 + k % 30);
  const lanes = [{ cpus: cpusTo(4), watts }];
  // A slow counter that tells few of the regions apart: some estimates are below 0.
  const { energies: { sum } } = play(
    { seconds: 30, lanes, visitS: 0.012, cpuCount: 4, updateS: 0.1, unitJ: 1 },
    1,
  );
  const all = sum.ids.concat(Object.values(OWN).filter((id) => id !== OWN.joined));
  assertAlmostEquals(sum.total(all).energyJ, sum.totalJ, 1e-9 * sum.totalJ);
});

Deno.test("a counter in other units has the same energies and errors, in these units", () => {
  for (const program of [ONE, UNBOUND]) {
    const [one, other] = [1, 1024].map((factor) => play({ ...program, factor }, 5).energies.sum);
    for (const id of one.indexOf.keys()) {
      const a = one.total([id]), b = other.total([id]);
      assertAlmostEquals(b.energyJ / 1024 / a.energyJ, 1, 1e-6, `class ${id}`);
      if (a.seJ > 1e-6 * a.energyJ) assertAlmostEquals(b.seJ / 1024 / a.seJ, 1, 1e-5);
    }
  }
});

Deno.test("covariances are those of a sum: no combination of classes has a variance below 0", () => {
  const { energies: { sum } } = play(UNBOUND, 11), ids = [...sum.indexOf.keys()];
  const random = new Random(1);
  for (let k = 0; k < 200; k++) {
    const some = ids.filter(() => random.uniform() < 0.5);
    const { seJ } = sum.total(some), others = sum.total(ids.filter((id) => !some.includes(id)));
    // The sum of both has no error: their errors are opposite.
    assertAlmostEquals(seJ, others.seJ, 1e-5 * Math.max(1, seJ));
  }
});

Deno.test("energies lie within their errors: one thread, programs in turn, threads without binding", () => {
  for (const [program, least] of [[ONE, 3], [IN_TURN, 2], [UNBOUND, 2]] as const) {
    let inside = 0, determined = 0;
    for (const seed of [1, 2]) {
      const { energies: { sum }, drawnJ } = play(program, seed);
      for (const [c, joules] of drawnJ) {
        const { fitJ, seJ } = sum.sum([c]);
        if (Number.isNaN(fitJ)) continue;
        determined++;
        const off = Math.abs(fitJ - joules) / seJ;
        assert(off < 6, `class ${c}: ${fitJ} ± ${seJ} J, drawn ${joules} J`);
        if (off <= 2) inside++;
      }
    }
    assert(determined >= 2 * least, `${determined} determined`);
    assert(inside >= 0.75 * determined, `${inside} of ${determined} inside`);
  }
});

Deno.test("a run of several stretches has the counter's energy, and energies within their errors", () => {
  const { energies: { sum }, drawnJ } = play({ ...ONE, seconds: 130 }, 2);
  const all = sum.total([...sum.indexOf.keys()]);
  assertAlmostEquals(all.energyJ / sum.totalJ, 1, 1e-9);
  assert(all.seJ < 1e-6 * sum.totalJ);
  for (const [c, joules] of drawnJ) {
    const { fitJ, seJ } = sum.sum([c]);
    if (Number.isFinite(fitJ)) {
      assert(Math.abs(fitJ - joules) < 4 * seJ, `${c}: ${fitJ} ± ${seJ}, ${joules}`);
    }
  }
});

Deno.test("the same events and readings give the same digits", () => {
  const [a, b] = [play(ONE, 9), play(ONE, 9)].map(({ energies }) => energies.sum);
  for (const id of a.indexOf.keys()) assertEquals(a.total([id]), b.total([id]));
});

Deno.test("CPUs that no lane may use at a time have the rest, and count for no region", () => {
  const late: Program = {
    seconds: 14,
    lanes: [{ cpus: [0], watts: [20, 80, 130] }, {
      cpus: [1],
      beginS: 5,
      endS: 11,
      watts: [20, 60, 110],
    }],
    visitS: 0.01,
    cpuCount: 2,
  };
  const { energies: { sum } } = play(late, 4);
  const other = sum.total([OWN.other]);
  assertAlmostEquals(other.cpuS, 8, 0.02);
  assert(Math.abs(other.energyJ - 8 * 4) < 4 * other.seJ + 3, `${other.energyJ} ± ${other.seJ}`);
});

Deno.test("a group of threads over two packages has the energy of both counters together", () => {
  const counters = [0, 1].map((index) => ({
    index,
    cpus: [2 * index, 2 * index + 1],
    updatePeriodS: 0.001,
  }));
  const { energies } = play({ ...UNBOUND, counters }, 6);
  assertEquals([...energies.facts.values()].map((facts) => facts.counters), [[0, 1]]);
  assertEquals(cpusTo(4).length, 4);
});

Deno.test("more threads in regions than CPUs are refused by name; one that waits beside four is not", () => {
  const lanes = (count: number) =>
    Array.from({ length: count }, () => ({ cpus: cpusTo(4), watts: [5, 15, 28] }));
  const crowded = play({ ...UNBOUND, seconds: 6, lanes: lanes(12) }, 1).energies.sum;
  assertEquals(/^\d+ threads share 4 CPUs$/.test(crowded.sum([1]).why!), true);
  const waiting = play({ ...UNBOUND, seconds: 6, lanes: lanes(5) }, 1).energies.facts.get(0)!;
  assertEquals(waiting.refusal, undefined);
});
