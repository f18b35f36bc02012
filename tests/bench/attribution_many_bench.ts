/**
 * What attribution costs at 128 CPUs, or so many: two packages and their memories, regions nested in 20 others.
 *
 *   deno run -A tests/bench/attribution_many_bench.ts one|many [PATHS [SECONDS [MEMORY [CPUS [VISITS]]]]]
 *
 * Time is CPU time of all threads, without that of the program that is made up (made once before).
 * `one`: one process on all CPUs, 250 visits a second. `many`: a process a CPU, each by itself. Power has
 * noise of 3 % that remembers for MEMORY seconds (default 0): the fit's filter makes rows longer then.
 * With --v8-flags=--expose-gc the arrays are those in use, and the CPU time is more.
 */
import { Attribution, type CounterSpec } from "../../src/energy/edges/attribution.ts";
import { KindEnergies, workOn } from "../../src/energy/attribution/kind.ts";
import { Random } from "../../src/core/random.ts";
import process from "node:process";

const CPUS = Number(Deno.args[4] ?? 128);
/** Visits of a process, a second. */
const VISITS = Number(Deno.args[5] ?? 50);
const STEP_S = 0.005;
const OUTERMOST = 20;
/** Time for fits after each step, as in a run. */
const WORK_MS = 0.08 * STEP_S * 1000;

/** Processes that go from path to path, each at random by itself. */
class Processes {
  readonly cpus: readonly (readonly number[])[];
  readonly path: Int32Array;
  readonly #next: Float64Array;
  readonly #random = new Random(3);
  readonly #kept: number;
  #noise = 0;

  constructor(readonly isMany: boolean, readonly paths: number, memoryS: number) {
    this.#kept = memoryS > 0 ? Math.exp(-STEP_S / memoryS) : 0;
    const all = Array.from({ length: CPUS }, (_, cpu) => cpu);
    this.cpus = isMany ? all.map((cpu) => [cpu]) : [all];
    this.path = new Int32Array(this.cpus.length);
    this.#next = new Float64Array(this.cpus.length);
  }

  /** Changes up to a time, in their order. */
  until(timeS: number): { timeS: number; process: number; path: number }[] {
    const list: { timeS: number; process: number; path: number }[] = [];
    const meanS = this.isMany ? 1 / VISITS : 0.004;
    for (let process = 0; process < this.cpus.length; process++) {
      while (this.#next[process] < timeS) {
        const path = 1 + this.#random.below(this.paths);
        list.push({ timeS: this.#next[process], process, path });
        this.#next[process] += meanS * this.#random.uniform(0.5, 1.5);
      }
    }
    return list.sort((a, b) => a.timeS - b.timeS);
  }

  /** Mean power of what runs, with noise, W. */
  watts(): number {
    const sum = this.path.reduce((all, path) => all + 90 + path, 0);
    const kept = this.#kept, fresh = 0.03 * Math.sqrt(1 - kept * kept);
    this.#noise = kept * this.#noise + fresh * this.#random.normal();
    return 2 * sum / this.path.length * (1 + this.#noise);
  }
}

interface Spent {
  readonly seconds: number;
  readonly endMs: number;
  readonly mostBytes: number;
  readonly edges: number;
  readonly told: number;
}

/** Values by exact edges, and by fit: as a run has them. */
class Both {
  readonly #exact: Attribution;
  readonly #fits: { at: number[]; energies: KindEnergies; values: Float64Array }[];
  readonly #stamps: Float64Array;

  constructor(counters: readonly CounterSpec[], parentOf: (c: number) => number) {
    this.#exact = new Attribution({ cpuCount: CPUS, counters, parentOf });
    this.#stamps = new Float64Array(counters.length).fill(NaN);
    this.#fits = ["package", "dram"].map((kind) => {
      const at = [...counters.keys()].filter((k) => counters[k].kind === kind);
      const energies = new KindEnergies(at.map((k) => counters[k]), CPUS, false);
      return { at, energies, values: new Float64Array(at.length) };
    });
  }

  begin(process: number, cpus: readonly number[]): void {
    this.#exact.edge(0, cpus, -1);
    for (const { energies } of this.#fits) energies.live(0, process, Int32Array.from(cpus));
  }

  edge(timeS: number, process: number, cpus: readonly number[], path: number): void {
    this.#exact.edge(timeS, cpus, path - 1);
    for (const { energies } of this.#fits) energies.edge(timeS, process, path);
  }

  step(timeS: number, valuesJ: Float64Array): void {
    this.#exact.step(timeS, valuesJ, this.#stamps);
    for (const { at, energies, values } of this.#fits) {
      at.forEach((k, i) => values[i] = valuesJ[k]);
      energies.step(timeS, values, this.#stamps);
    }
    const begin = performance.now();
    workOn(
      this.#fits.map(({ energies }) => energies),
      () => performance.now() - begin < WORK_MS,
    );
    longestMs = Math.max(longestMs, performance.now() - begin);
  }

  determined(paths: number): number {
    this.#exact.result(true);
    for (const { energies } of this.#fits) energies.finish();
    const { sum } = this.#fits[0].energies;
    return Array.from({ length: paths }, (_, c) => sum.sum([c + 1]).fitJ).filter(Number.isFinite)
      .length;
  }
}

let longestMs = 0;
const { gc: collect } = globalThis as { gc?: () => void };

/** CPU time so far, s. */
function spentS(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Goes through a run. @param attribution `undefined`: the program alone. */
function run(
  { mode, paths, seconds, memoryS }: {
    mode: string;
    paths: number;
    seconds: number;
    memoryS: number;
  },
  counters: readonly CounterSpec[],
  attribution: Both | undefined,
): Spent {
  const processes = new Processes(mode === "many", paths, memoryS);
  processes.cpus.forEach((cpus, process) => attribution?.begin(process, cpus));
  const values = new Float64Array(counters.length);
  let edges = 0, joules = 0, mostBytes = 0;
  const begin = spentS();
  for (let k = 1; k * STEP_S <= seconds; k++) {
    const changes = processes.until(k * STEP_S);
    for (const { timeS, process, path } of changes) {
      attribution?.edge(timeS, process, processes.cpus[process], path);
      processes.path[process] = path;
    }
    edges += changes.length;
    joules += processes.watts() * STEP_S;
    values.forEach((_, i) => values[i] = joules * (i < 2 ? 1 : 0.2) + i);
    attribution?.step(k * STEP_S, values);
    if (k % 200 !== 0) continue;
    collect?.();
    mostBytes = Math.max(mostBytes, Deno.memoryUsage().external);
  }
  const spent = spentS() - begin;
  const endAtS = spentS();
  const told = attribution?.determined(paths) ?? 0;
  return { seconds: spent, endMs: 1000 * (spentS() - endAtS), mostBytes, edges, told };
}

if (import.meta.main) {
  const mode = Deno.args[0] ?? "one";
  const paths = Number(Deno.args[1] ?? 100);
  const seconds = Number(Deno.args[2] ?? 3600);
  const memoryS = Number(Deno.args[3] ?? 0);
  const half = (index: number) => Array.from({ length: CPUS / 2 }, (_, i) => index * CPUS / 2 + i);
  const counters = (["package", "dram"] as const).flatMap((kind) =>
    [0, 1].map((index): CounterSpec => ({ kind, index, cpus: half(index), updatePeriodS: 0.001 }))
  );
  const parentOf = (c: number) => c > OUTERMOST ? 1 + c % OUTERMOST : 0;
  const asked = { mode, paths, seconds, memoryS };
  const alone = run(asked, counters, undefined);
  collect?.();
  const bytes = Deno.memoryUsage().external;
  const attribution = new Both(counters, parentOf);
  const spent = run(asked, counters, attribution);
  const part = 100 * (spent.seconds - alone.seconds) / seconds;
  console.log(
    `${mode}: ${spent.edges} visits, ${part.toFixed(2)} % of a core, end ` +
      `${spent.endMs.toFixed(0)} ms, arrays ${((spent.mostBytes - bytes) / 1048576).toFixed(0)} ` +
      `MiB at most; longest pause ${longestMs.toFixed(0)} ms; ${spent.told} of ${paths} determined`,
  );
}
