/**
 * Bench of `joulemark doctor --energy`: this node's counters, or those of the simulated node.
 * @module
 */
import { type CounterSpec, KINDS } from "../../energy/edges/attribution.ts";
import { unusable } from "../../core/errors.ts";
import { ENERGY_SIGNALS } from "../../core/job_totals.ts";
import { rawSeconds } from "../../os/clock.ts";
import { affinityOf, type MachineHost, stayOn } from "../../os/host.ts";
import { USUAL_S } from "../../run/outputs/energy_counters.ts";
import { Batch } from "../../sources/signals/batch.ts";
import type { Catalogue } from "../../sources/signals/catalogue.ts";
import { SimulatedNode } from "../../sources/sim/simulated_node.ts";
import { ENERGY_UNIT_J } from "../../sources/sim/registers.ts";
import { presetSpec, type SimSpec } from "../../sources/sim/spec.ts";
import { NO_TREE } from "../../sources/sim/tree_writer.ts";
import type { EnergyBench } from "./doctor_energy.ts";

/** Instructions of a portion, and numbers that one reads from memory: tens of microseconds. */
const PORTION = 20_000, READ = 16_384;
/** Numbers of a memory that no cache holds: 64 MiB. */
const MEMORY = 8 * 2 ** 20;
/** Unit of pm_counters, J. */
const NODE_UNIT_J = 1;
const NAMES = ["kernel-a", "kernel-b"] as const;

/** The node's own counters. @returns `undefined` where it has none for energy. */
export function realBench(
  { host, catalogue }: { host: MachineHost; catalogue: Catalogue },
): EnergyBench | undefined {
  const [cpu = 0] = affinityOf(0);
  const { topology } = host;
  const batch = new Batch(topology, catalogue);
  const counters: (CounterSpec & { handle: number; resolutionJ: number })[] = KINDS.flatMap(
    (kind) => {
      const name = ENERGY_SIGNALS[kind];
      const found = catalogue.resolve(name);
      if (found.kind !== "offered" || found.signal.row.behavior !== "monotone") return [];
      const { domain } = found.signal.row;
      return Array.from({ length: topology.count(domain) }, (_, index) => ({
        kind,
        index,
        cpus: topology.cpus(domain, index),
        updatePeriodS: found.signal.updatePeriodS ?? USUAL_S[kind],
        handle: batch.pushSignal(name, domain, index),
        resolutionJ: found.signal.resolution ?? NaN,
      })).filter(({ cpus }) => cpus.includes(cpu));
    },
  );
  if (counters.length === 0) return undefined;
  stayOn(cpu);
  const memory = new Float64Array(MEMORY).fill(1);
  return {
    counters,
    resolutionsJ: counters.map(({ resolutionJ }) => resolutionJ),
    cpu,
    cpuCount: topology.count("cpu"),
    work: (region) => (PORTIONS[region](memory), rawSeconds()),
    enter() {},
    read(timeS, into) {
      batch.read(timeS);
      batch.settle();
      counters.forEach(({ handle }, k) => into[k] = batch.sample(handle));
    },
  };
}

/** The simulated node, in a time of its own: as fast as it goes. */
export function simulatedBench(preset: string): EnergyBench {
  if (preset !== "" && preset !== "rapl" && preset !== "cray" && preset !== "both") {
    throw unusable(`--simulate=${preset}`, "rapl, cray or both", preset);
  }
  const known = preset === "" ? "both" : preset;
  const spec: SimSpec = { ...presetSpec(known, 4), packages: 1, coresPerPackage: 4 };
  const node = new SimulatedNode(spec, NO_TREE);
  const cpus = Array.from({ length: node.cpus }, (_, cpu) => cpu);
  const counters: CounterSpec[] = [
    ...(known === "cray"
      ? []
      : [{ kind: "package" as const, index: 0, cpus, updatePeriodS: 0.001 }]),
    ...(known === "rapl" ? [] : [{ kind: "node" as const, index: 0, cpus }]),
  ];
  let t = 0;
  return {
    counters,
    resolutionsJ: counters.map(({ kind }) => kind === "package" ? ENERGY_UNIT_J[0] : NODE_UNIT_J),
    cpu: 0,
    cpuCount: cpus.length,
    work: () => t += 0.00005,
    enter: (timeS, region) => node.edge(timeS * 1e9, 0, NAMES[region]),
    read(timeS, into) {
      node.publish(timeS * 1e9);
      const { packageJ, nodeJ } = node.shown();
      counters.forEach(({ kind }, k) => into[k] = kind === "package" ? packageJ[0] : nodeJ);
    },
  };
}

let state = 1, place = 0;

/**
 * Portions of each region's work. Their powers differ, else nothing would show the counter's lag: the first
 * calculates in one dependent chain, the second reads memory.
 */
const PORTIONS = [
  (): void => {
    let x = state;
    for (let i = 0; i < PORTION; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
    state = x;
  },
  (memory: Float64Array): void => {
    let sum = 0;
    for (let i = 0; i < READ; i++) sum += memory[place + i];
    place = (place + READ) % MEMORY;
    state = (state + sum) | 0;
  },
] as const;
