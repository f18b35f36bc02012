/**
 * What attribution costs: a step, an edge, and an hour of 200 regions with its end.
 *
 *   deno bench -A tests/bench/attribution_bench.ts
 *   deno run -A --v8-flags=--expose-gc tests/bench/attribution_bench.ts    (the hour)
 */
import { Attribution, type CounterSpec } from "../../src/energy/edges/attribution.ts";
import { Random } from "../../src/sources/sim/random.ts";

const CPUS = 64;
const STEP_S = 0.005;

/** A node with two packages, their memory, and a counter of the whole. */
function node(method: "exact" | "fit", kinds: readonly ("package" | "dram" | "node")[]) {
  const half = (index: number) => Array.from({ length: CPUS / 2 }, (_, i) => index * CPUS / 2 + i);
  const counters = kinds.flatMap((kind): CounterSpec[] =>
    kind === "node"
      ? [{ kind, index: 0, cpus: [...half(0), ...half(1)], updatePeriodS: 0.1 }]
      : [0, 1].map((index) => ({ kind, index, cpus: half(index), updatePeriodS: 0.001 }))
  );
  return {
    attribution: new Attribution({ cpuCount: CPUS, counters, method }),
    values: new Float64Array(counters.length),
    stamps: new Float64Array(counters.length).fill(NaN),
    isNode: counters.map(({ kind }) => kind === "node"),
  };
}

/** Regions at random on all CPUs, a step every 5 ms; power by region, counters with noise. */
class Workload {
  readonly node;
  timeS = 0;
  readonly #random = new Random(1);
  readonly #cpus = Int32Array.from({ length: CPUS }, (_, cpu) => cpu);
  readonly #regions: number;
  readonly #visitS: number;
  #nextS = 0;
  #region = 0;
  #joules = 0;
  #visits = 0;

  constructor(
    method: "exact" | "fit",
    regions: number,
    visitS: number,
    kinds: readonly ("package" | "dram" | "node")[],
  ) {
    this.node = node(method, kinds);
    this.#regions = regions;
    this.#visitS = visitS;
  }

  get visits(): number {
    return this.#visits;
  }

  step(): void {
    this.timeS += STEP_S;
    this.edges(this.timeS);
    const { attribution, values, stamps, isNode } = this.node;
    for (let k = 0; k < values.length; k++) {
      if (!isNode[k]) values[k] = this.#joules + k;
      else if (Math.floor(this.timeS / 0.1) > Math.floor((this.timeS - STEP_S) / 0.1)) {
        values[k] = Math.floor(2 * this.#joules);
      }
    }
    attribution.step(this.timeS, values, stamps);
  }

  edges(untilS: number): void {
    while (this.#nextS < untilS) {
      const length = this.#visitS * this.#random.uniform(0.5, 1.5);
      this.#region = this.#random.below(this.#regions);
      this.#visits++;
      this.node.attribution.edge(this.#nextS, this.#cpus, this.#region);
      const watts = 90 + this.#region % 21 * 10;
      this.#joules += length * watts * (1 + 0.03 * this.#random.normal());
      this.#nextS += length;
    }
  }
}

const KINDS = ["package", "dram", "node"] as const;
for (const [regions, visitS] of [[5, 0.01], [200, 0.0036]] as const) {
  for (const method of ["exact", "fit"] as const) {
    const workload = new Workload(method, regions, visitS, KINDS);
    for (let k = 0; k < 16_000; k++) workload.step();
    Deno.bench(`a step of five counters, ${regions} regions of ${visitS * 1e3} ms: ${method}`, {
      group: `step, ${regions} regions`,
      baseline: method === "exact",
    }, () => workload.step());
  }
}

if (import.meta.main) {
  const workload = new Workload("fit", 200, 0.0036, KINDS);
  const begin = performance.now();
  const steps = Number(Deno.args[0] ?? 3600) / STEP_S;
  let most = 0;
  for (let k = 0; k < steps; k++) {
    workload.step();
    if (k % 20_000 === 0) most = Math.max(most, Deno.memoryUsage().heapUsed);
  }
  const spent = (performance.now() - begin) / 1e3;
  const endAt = performance.now();
  const result = workload.node.attribution.result(true);
  const end = performance.now() - endAt;
  const memory = Deno.memoryUsage();
  const told = Array.from({ length: 200 }, (_, r) => result.get("package")!.of(r + 1))
    .filter(({ fitJ }) => Number.isFinite(fitJ)).length;
  console.log(
    `${workload.visits} visits, ${steps} steps, 5 counters: ${spent.toFixed(1)} s, ` +
      `${(100 * spent / 3600).toFixed(2)} % of a core; end ${end.toFixed(0)} ms; ` +
      `resident ${(memory.rss / 1048576).toFixed(0)} MiB, heap ` +
      `${(most / 1048576).toFixed(0)} MiB at most, array buffers ` +
      `${((memory.external) / 1048576).toFixed(0)} MiB; ` +
      `${told} of 200 told`,
  );
}
