/** Threads that may run on any of some CPUs and change them at random: each CPU draws the power of what runs there. */
import { KindEnergies } from "../../../src/energy/attribution/kind.ts";
import { Random } from "../../../src/core/random.ts";
import { cpusTo } from "./_program.ts";

const GRID_S = 0.00025, UPDATE_S = 0.1 / 102, STEP_S = 0.005, LAG_S = 0.0003, UNIT_J = 2 ** -14;
const IDLE_W = 20, OUTSIDE_W = 5, NOISE = 0.03, NOISE_S = 0.05, VISIT_NOISE = 0.02;

/** A program of threads. */
export interface Threads {
  readonly seconds: number;
  readonly cpus: number;
  /** By thread: W of its regions; without any it waits all the time. */
  readonly watts: readonly (readonly number[])[];
  /** Threads without regions compute; if not, they have no CPU while others need it. */
  readonly computes?: boolean;
  /** CPUs of each counter. @default one CPU each */
  readonly counterCpus?: number;
}

/** What came of it. */
export interface ThreadsPlayed {
  readonly energies: KindEnergies;
  /** J by class, 0: outside of all regions. */
  readonly drawnJ: ReadonlyMap<number, number>;
}

interface Thread {
  readonly watts: readonly number[];
  readonly first: number;
  classId: number;
  nowW: number;
  untilS: number;
  ranOutsideS: number;
}

/** Plays threads. Class 1 is the first region of the first thread, and so on. */
export function playThreads(program: Threads, seed: number): ThreadsPlayed {
  const { seconds, cpus, watts, computes = false, counterCpus = 1 } = program;
  const random = new Random(seed), counters = cpus / counterCpus;
  const energies = new KindEnergies(
    Array.from({ length: counters }, (_, index) => ({
      index,
      cpus: cpusTo(counterCpus).map((k) => index * counterCpus + k),
      updatePeriodS: 0.001,
    })),
    cpus,
    false,
  );
  let first = 1;
  const threads = watts.map((of): Thread => {
    const thread = {
      watts: of,
      first,
      classId: 0,
      nowW: OUTSIDE_W,
      untilS: of.length > 0 ? 0.05 : Infinity,
      ranOutsideS: 0,
    };
    first += of.length;
    return thread;
  });
  threads.forEach((_, lane) => energies.live(0, lane, Int32Array.from(cpusTo(cpus))));
  const joules = new Float64Array(counters), drawnJ = new Map<number, number>();
  const history: Float64Array[] = [];
  const places = cpusTo(cpus), kept = Math.exp(-GRID_S / NOISE_S);
  let noise = 0, nextStepS = 0, nextLookS = 0;
  const spread = Math.ceil((LAG_S + 0.001) / GRID_S) + 1;
  for (let k = 0; k * GRID_S <= seconds; k++) {
    const t = k * GRID_S;
    for (const [lane, thread] of threads.entries()) {
      if (t < thread.untilS) continue;
      const isGap = thread.classId > 0 && random.uniform() < 0.3;
      thread.classId = isGap ? 0 : thread.first + random.below(thread.watts.length);
      const meanW = isGap ? OUTSIDE_W : thread.watts[thread.classId - thread.first];
      thread.nowW = meanW * (1 + VISIT_NOISE * random.normal());
      thread.untilS = t + (isGap ? 0.004 : 0.005 + 0.055 * random.uniform());
      energies.edge(t, lane, thread.classId);
    }
    history.push(joules.slice());
    if (history.length > spread + 8) history.shift();
    // Two threads change places, about every 10 ms.
    if (random.uniform() < GRID_S / 0.01) {
      const a = random.below(cpus), b = random.below(cpus);
      [places[a], places[b]] = [places[b], places[a]];
    }
    noise = kept * noise + Math.sqrt(1 - kept * kept) * NOISE * random.normal();
    const waits = (thread: Thread) => thread.watts.length === 0 && !computes;
    const running = threads.length > cpus ? threads.filter((one) => !waits(one)) : threads;
    // More of them than CPUs have their turns, 1 ms each.
    const turn = running.length > cpus ? Math.floor(t / 0.001) : 0;
    for (let i = 0; i < Math.min(running.length, cpus); i++) {
      const thread = running[(i + turn) % running.length];
      const j = (IDLE_W + thread.nowW) * (1 + noise) * GRID_S;
      if (thread.classId === 0) thread.ranOutsideS += GRID_S;
      joules[Math.floor(places[i] / counterCpus)] += j;
      drawnJ.set(thread.classId, (drawnJ.get(thread.classId) ?? 0) + j);
    }
    if (t < nextStepS) continue;
    if (computes && running.length > cpus && t > nextLookS) {
      nextLookS = t + 0.1;
      for (const [lane, { ranOutsideS }] of threads.entries()) {
        if (ranOutsideS > 0.01) energies.ranOutside(t, lane, ranOutsideS);
        threads[lane].ranOutsideS = 0;
      }
    }
    nextStepS += STEP_S * random.uniform(0.8, 1.2);
    // The last update shows what was drawn until LAG_S before.
    const back = (t - Math.floor(t / UPDATE_S) * UPDATE_S + LAG_S) / GRID_S;
    const at = Math.max(0, history.length - 1 - back), before = history[Math.floor(at)];
    const after = history[Math.min(history.length - 1, Math.floor(at) + 1)], part = at % 1;
    const shown = Array.from(before, (j, i) => j + part * (after[i] - j));
    energies.step(
      t,
      shown.map((j) => 1000 + Math.floor(j / UNIT_J) * UNIT_J),
      shown.map(() => NaN),
    );
    energies.work();
  }
  energies.finish();
  return { energies, drawnJ };
}
