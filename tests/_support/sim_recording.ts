/**
 * A program on the simulated node as a recording, with the truth beside it: what `replay` reads,
 * made without clock, process or hardware. Files: docs/reference/formats/recording.md.
 * @module
 */
import { csvField, EVENTS_HEADER, FORMAT_NAME } from "../../src/formats/recording.ts";
import type { SimProgram } from "./sim_programs.ts";
import { Random } from "../../src/core/random.ts";
import { SimulatedNode } from "../../src/sources/sim/simulated_node.ts";
import { NO_TREE } from "../../src/sources/sim/tree_writer.ts";
import type { SimTruth } from "../../src/sources/sim/truth.ts";

/** How the counters are read. */
export interface RecordingOptions {
  /** Step of the sampling loop, seconds. @default 0.005 */
  readonly periodS?: number;
  /** Each step is moved by up to this share of the period, either way. @default 0 */
  readonly dither?: number;
}

/** Texts of the three files, and what really happened. */
export interface SimRecording {
  readonly yaml: string;
  readonly events: string;
  readonly samples: string;
  readonly truth: SimTruth;
  /** Age of what the counters showed, seconds. */
  readonly raplLagS: number;
  readonly pmLagS: number;
}

/** One step: its time, and what the counters showed. */
export interface SimStep {
  readonly timeS: number;
  readonly packageJ: number;
  readonly dramJ: number;
  readonly nodeJ: number;
  /** When the node's counter was sampled, s since 1970. */
  readonly nodeStampS: number;
}

/**
 * Runs a program on its node, step by step.
 *
 * @param step Called for each step of the sampling loop, from the start to one step after the end.
 * @returns The node after the last step.
 */
export function runProgram(
  program: SimProgram,
  { periodS = 0.005, dither = 0 }: RecordingOptions,
  step: (step: SimStep) => void,
): SimulatedNode {
  const sim = new SimulatedNode(program.spec, NO_TREE);
  const random = new Random(program.spec.seed + 5);
  const endNs = program.seconds * 1e9;
  let next = 0;
  const edges = edgesOf(program);
  for (let k = 0;; k++) {
    const offset = k === 0 ? 0 : random.uniform(-dither, dither);
    const ns = Math.round((k + offset) * periodS * 1e9);
    for (; next < edges.length && edges[next].ns <= ns; next++) {
      const { process, region, ns } = edges[next];
      for (const cpu of program.processes[process].cpus) sim.edge(ns, cpu, region);
    }
    const ended = ns >= endNs;
    if (ended) {
      for (const { cpus } of program.processes) cpus.forEach((c) => sim.leave(endNs, c));
    }
    sim.publish(ns);
    const { packageJ, dramJ, nodeJ, nodeStampS } = sim.shown();
    step({ timeS: ns * 1e-9, packageJ: packageJ[0], dramJ: dramJ[0], nodeJ, nodeStampS });
    if (ended) return sim;
  }
}

/** What the processes do, in order of time; between visits they are outside all regions. */
function edgesOf(
  { processes, visits, regions, seconds }: SimProgram,
): { ns: number; process: number; region: string | undefined }[] {
  const edges: { ns: number; process: number; region: string | undefined }[] = [];
  const untilNs = new Float64Array(processes.length);
  for (const { process, region, startNs, endNs } of visits) {
    const ns = untilNs[process];
    if (startNs > ns) edges.push({ ns, process, region: undefined });
    edges.push({ ns: startNs, process, region: regions[region] });
    untilNs[process] = endNs;
  }
  untilNs.forEach((ns, process) => {
    if (ns < seconds * 1e9) edges.push({ ns, process, region: undefined });
  });
  return edges.sort((a, b) => a.ns - b.ns);
}

/** Runs a program and writes all of it down. */
export function recordProgram(program: SimProgram, options: RecordingOptions = {}): SimRecording {
  const { preset, stamps } = program.spec;
  const columns: (readonly [title: string, value: (step: SimStep) => string])[] = [];
  const signals: string[] = [];
  const add = (name: string, domain: string, unit: string, value: (step: SimStep) => string) => {
    const aggregation = unit === "J" ? "sum" : "max";
    signals.push(
      `- {name: "${name}", domain: ${domain}, unit: ${unit}, aggregation: ${aggregation}, ` +
        `behavior: monotone, quality: simulated}`,
    );
    columns.push([`${name}@${domain}-0`, value]);
  };
  if (preset !== "cray") {
    add("CPU_ENERGY", "package", "J", (s) => String(s.packageJ));
    add("DRAM_ENERGY", "package", "J", (s) => String(s.dramJ));
  }
  if (preset !== "rapl") {
    add("CNL::BOARD_ENERGY", "board", "J", (s) => String(s.nodeJ));
    if (stamps) add("CNL::SAMPLE_STAMP", "board", "s", (s) => s.nodeStampS.toFixed(6));
  }
  const samples = [["time", ...columns.map(([title]) => title)].join()];
  const sim = runProgram(program, options, (step) => {
    samples.push([step.timeS.toFixed(9), ...columns.map(([, value]) => value(step))].join());
  });
  const { packages, coresPerPackage, threadsPerCore, hostname } = program.spec;
  return {
    yaml: `format: ${FORMAT_NAME}
host: ${hostname}
profile: "${program.name}"
agent: monitor
start: 2024-01-01T00:00:00.000000000+0000
topology: {packages: ${packages}, cores_per_package: ${coresPerPackage}, threads_per_core: ${threadsPerCore}}
signals:
${signals.join("\n")}
`,
    events: eventRows(program),
    samples: samples.join("\n") + "\n",
    truth: sim.truth(),
    raplLagS: sim.raplLagS,
    pmLagS: sim.pmLagS,
  };
}

/** `events.csv`: exits before the enters of the same moment. */
function eventRows(program: SimProgram): string {
  const rows: { ns: number; order: number; text: string }[] = [];
  const add = (ns: number, order: number, process: number, rest: string) => {
    const { pid } = program.processes[process];
    rows.push({ ns, order, text: `${(ns * 1e-9).toFixed(9)},${pid},${rest}` });
  };
  program.processes.forEach(({ cpus }, process) => {
    const list = cpus.join(",");
    add(0, 0, process, `start,,${csvField(list)},`);
    for (const region of program.regions) add(0, 1, process, `region,${region},UNKNOWN,`);
    add(program.seconds * 1e9, 4, process, "shutdown,,,");
  });
  for (const { process, region, startNs, endNs } of program.visits) {
    add(startNs, 3, process, `enter,${program.regions[region]},,`);
    add(endNs, 2, process, `exit,${program.regions[region]},,`);
  }
  rows.sort((a, b) => a.ns - b.ns || a.order - b.order);
  return [EVENTS_HEADER, ...rows.map((row) => row.text)].join("\n") + "\n";
}
