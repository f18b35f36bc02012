/**
 * The table of errors of docs/how-sure.md: programs with known power on the simulated node, seen
 * through counters of both kinds, attributed in every way.
 */
import { Attribution } from "../../../src/energy/edges/attribution.ts";
import { makeProgram, type ProgramName, type SimProgram } from "../../_support/sim_programs.ts";
import { runProgram } from "../../_support/sim_recording.ts";
import type { DomainTruth } from "../../../src/sources/sim/truth.ts";

/** A way to read a counter. */
export interface Way {
  readonly name: string;
  readonly kind: "package" | "node";
  readonly periodS: number;
  readonly stamped?: boolean;
}

export const WAYS: readonly Way[] = [
  { name: "RAPL, 5 ms steps", kind: "package", periodS: 0.005 },
  { name: "RAPL, 1 ms steps", kind: "package", periodS: 0.001 },
  { name: "pm_counters", kind: "node", periodS: 0.005 },
  { name: "pm_counters, stamps", kind: "node", periodS: 0.005, stamped: true },
];

/**
 * RAPL's registers are brought up to date by a clock of their own: about every 1/1024 s, never in
 * step with programs or monitors.
 */
const RAPL_PERIOD_S = 0.000977;

/** One run of one program, seen one way. */
export interface Outcome {
  /** Relative errors by region. */
  readonly sampled: number[];
  readonly exact: number[];
  /** NaN where nothing is told. */
  readonly fit: number[];
  /** Standard errors over true energies; NaN where nothing is told. */
  readonly se: number[];
  readonly lagErrorS: number;
  /** Regions and unmarked against the counter, relative. */
  readonly sumError: number;
  readonly why: (string | undefined)[];
  /** Of `unmarked`: what was drawn, what is told, and its standard error, J. */
  readonly unmarked: { readonly joules: number; readonly fitJ: number; readonly seJ: number };
}

/** Runs a program and attributes its energy in each way. */
export function measure(
  name: ProgramName,
  { seed, seconds, dither = 0.25 }: { seed: number; seconds: number; dither?: number },
  ways: readonly Way[],
): Outcome[] {
  return measureProgram(makeProgram(name, { seed, seconds }), ways, dither);
}

/** The same with any program. @param raplPeriodS Between two updates of RAPL's registers. */
export function measureProgram(
  made: SimProgram,
  ways: readonly Way[],
  dither = 0.25,
  raplPeriodS = RAPL_PERIOD_S,
): Outcome[] {
  const program = { ...made, spec: { ...made.spec, raplPeriodS } };
  const outcomes = new Map<Way, Outcome>();
  for (const periodS of new Set(ways.map((way) => way.periodS))) {
    const own = ways.filter((way) => way.periodS === periodS);
    run(program, { periodS, dither }, own).forEach((o, k) => outcomes.set(own[k], o));
  }
  return ways.map((way) => outcomes.get(way)!);
}

function run(
  program: SimProgram,
  options: { periodS: number; dither: number },
  ways: readonly Way[],
): Outcome[] {
  const cpus = program.processes.flatMap((p) => [...p.cpus]);
  const attributions = ways.map(({ kind, stamped }) =>
    new Attribution({
      cpuCount: program.spec.coresPerPackage,
      method: "fit",
      counters: [{
        kind,
        index: 0,
        cpus,
        updatePeriodS: kind === "package" ? 0.001 : 0.1,
        stamped: stamped ?? false,
      }],
    })
  );
  const edges = edgesOf(program);
  let next = 0;
  const value = new Float64Array(1);
  const stamp = new Float64Array(1);
  const sim = runProgram(program, options, (step) => {
    for (; next < edges.length && edges[next].ns * 1e-9 <= step.timeS; next++) {
      const { ns, cpus, region } = edges[next];
      for (const attribution of attributions) attribution.edge(ns * 1e-9, cpus, region);
    }
    attributions.forEach((attribution, k) => {
      value[0] = ways[k].kind === "package" ? step.packageJ : step.nodeJ;
      stamp[0] = ways[k].stamped === true ? step.nodeStampS : NaN;
      attribution.step(step.timeS, value, stamp);
    });
  });
  const truth = sim.truth();
  return ways.map(({ kind, stamped }, k) => {
    const domain = kind === "package" ? truth.package[0] : truth.node;
    const lagS = kind === "package" ? sim.raplLagS : stamped ? NaN : sim.pmLagS;
    return outcome(program, domain, attributions[k], kind, lagS);
  });
}

function outcome(
  program: SimProgram,
  truth: DomainTruth,
  attribution: Attribution,
  kind: "package" | "node",
  lagS: number,
): Outcome {
  const result = attribution.result(true).get(kind)!;
  const result0: Outcome = {
    sampled: [],
    exact: [],
    fit: [],
    se: [],
    lagErrorS: result.counters[0].lagS - lagS,
    sumError: 0,
    why: [],
    unmarked: {
      // What comes between the program's end and the last step is in the counter as well.
      joules: truth.unmarked.joules + truth.unowned.joules,
      fitJ: result.of(0).fitJ,
      seJ: result.of(0).seJ,
    },
  };
  let sum = result.of(0).exactJ;
  program.regions.forEach((region, r) => {
    const { exactJ, fitJ, seJ, why } = result.of(r + 1);
    const joules = truth.regions.get(region)?.joules ?? 0;
    result0.sampled.push(Math.abs(result.sampledJ(r + 1) / joules - 1));
    result0.exact.push(Math.abs(exactJ / joules - 1));
    result0.fit.push(Math.abs(fitJ / joules - 1));
    result0.se.push(Number.isNaN(fitJ) ? NaN : seJ / joules);
    result0.why.push(why);
    sum += exactJ;
  });
  return { ...result0, sumError: Math.abs(sum / result.totalJ - 1) };
}

/** Edges of a program in order: exits before the enters of the same moment. */
export function edgesOf(program: SimProgram) {
  const edges: { ns: number; order: number; cpus: readonly number[]; region: number }[] = [];
  for (const { cpus } of program.processes) edges.push({ ns: 0, order: 0, cpus, region: -1 });
  for (const { process, region, startNs, endNs } of program.visits) {
    const { cpus } = program.processes[process];
    edges.push({ ns: startNs, order: 2, cpus, region });
    edges.push({ ns: endNs, order: 1, cpus, region: -1 });
  }
  return edges.sort((a, b) => a.ns - b.ns || a.order - b.order);
}

/** What a row of the table says. */
export interface Summary {
  /** Mean over seeds of the worst region's error. */
  readonly sampled: number;
  readonly exact: number;
  readonly fit: number;
  /** Standard error of that mean. */
  readonly fitError: number;
  /** Share of regions told, and of those within two standard errors. */
  readonly told: number;
  readonly covered: number;
  readonly toldCount: number;
  readonly coveredCount: number;
  /** Root mean square of error over standard error. */
  readonly spread: number;
  readonly sumError: number;
}

/** Puts outcomes of several seeds together. */
export function summarise(outcomes: readonly Outcome[]): Summary {
  const mean = (list: number[]) => list.reduce((a, b) => a + b, 0) / list.length;
  const worst = (list: number[]) => Math.max(...list.filter((e) => !Number.isNaN(e)));
  let told = 0;
  let covered = 0;
  let all = 0;
  let squares = 0;
  for (const { fit, se } of outcomes) {
    fit.forEach((error, r) => {
      all++;
      if (Number.isNaN(error)) return;
      told++;
      if (error <= 2 * se[r]) covered++;
      squares += (error / se[r]) ** 2;
    });
  }
  const some = outcomes.filter(({ fit }) => fit.some((e) => !Number.isNaN(e)));
  const fits = some.map((o) => worst(o.fit));
  const fit = mean(fits);
  const scatter = fits.reduce((sum, e) => sum + (e - fit) ** 2, 0) / (fits.length - 1);
  return {
    sampled: mean(outcomes.map((o) => worst(o.sampled))),
    exact: mean(outcomes.map((o) => worst(o.exact))),
    fit,
    fitError: Math.sqrt(scatter / fits.length),
    told: told / all,
    covered: covered / told,
    toldCount: told,
    coveredCount: covered,
    spread: Math.sqrt(squares / told),
    sumError: Math.max(...outcomes.map((o) => o.sumError)),
  };
}
