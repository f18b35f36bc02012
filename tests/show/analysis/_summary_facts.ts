/** Facts of a run for tests: a few regions of one host, with what a test changes. */
import type { EnergyKind, TreeEnergy, TreeRow } from "../../../src/core/region_tree.ts";
import type { ComponentTotal } from "../../../src/core/job_totals.ts";
import type { RegionFacts, SummaryFacts } from "../../../src/show/analysis/summary_facts.ts";

/** A component's total. */
export function totalJ(joules: number, seconds = 10, own: Partial<ComponentTotal> = {}) {
  return {
    joules,
    errorJ: joules * 1e-3,
    meanW: joules / seconds,
    hostsW: joules / seconds,
    peakW: 1.1 * joules / seconds,
    peakAtMostW: NaN,
    idleJ: NaN,
    netJ: NaN,
    coverage: 1,
    covers: "",
    source: "",
    ...own,
  };
}

/** Energy with an error; NaN: coarse. */
export function energyOf(joules: number, seJ: number): TreeEnergy {
  const isKnown = Number.isFinite(seJ);
  return {
    joules: isKnown ? joules : NaN,
    seJ,
    exactJ: joules,
    selfJ: isKnown ? joules : NaN,
    selfSeJ: seJ,
    powerW: 100,
  };
}

/** A row of the tree. */
export function treeRow(region: string, own: Partial<TreeRow> = {}): TreeRow {
  return {
    region,
    depth: 0,
    track: "",
    attribute: "",
    processes: NaN,
    count: 10,
    runtimeS: 1,
    selfS: 1,
    visits: {
      minS: 0.1,
      p50S: 0.1,
      p99S: 0.1,
      maxS: 0.1,
      deviationS: 0,
      buckets: new Map(),
    },
    energies: new Map<EnergyKind, TreeEnergy>([["node", energyOf(100, 1)]]),
    ...own,
  };
}

/** A region with node energy and its error. */
export function region(
  name: string,
  joules: number,
  seJ: number,
  own: Partial<RegionFacts> = {},
): RegionFacts {
  return {
    ...treeRow(name, { energies: new Map([["node", energyOf(joules, seJ)]]) }),
    path: name,
    parent: -1,
    partialJ: NaN,
    gpuBusy: NaN,
    ...own,
  };
}

/** A run of 10 s and 1000 J on one host. */
export function factsOf(own: Partial<SummaryFacts> = {}): SummaryFacts {
  return {
    name: "flow",
    outcome: { kind: "done" },
    partial: "",
    simulated: undefined,
    totals: { seconds: 10, components: new Map([["node", totalJ(1000)]]), edp: 1e4 },
    main: "node",
    absence: "",
    method: "fit",
    nodeAbsence: undefined,
    hostCount: 1,
    hosts: [{ name: "node01", timeS: 10, energyJ: 1000, meanW: 100 }],
    spread: undefined,
    processes: 1,
    regions: [region("solve", 700, 5), region("output", 200, 3)],
    leftOut: 0,
    rests: [treeRow("(outside regions)", {
      energies: new Map([["node", energyOf(100, 1)]]),
    })],
    column: "node",
    isPartial: false,
    periodsS: new Map([["node", 0.1]]),
    spreads: [],
    busy: NaN,
    throttled: NaN,
    gpus: NaN,
    gpuBusy: NaN,
    curve: undefined,
    open: [],
    spans: [],
    functions: undefined,
    steps: "",
    stepCount: NaN,
    notes: [],
    minor: [],
    monitor: { percent: 0.5, simulatedPercent: NaN },
    ...own,
  };
}
