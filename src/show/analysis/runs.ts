/**
 * A PMC log as a run of steps: what each step took, and what all took together.
 *
 * The energy of a step is the difference of two lines; the first line needs the one at open, which
 * 2.0 does not write since it is 0. The last line, at close, ends no step of the application; the
 * last line of a log that is cut does.
 * @module
 */
import { endsStep, type PmcLog } from "../../formats/pmc/log.ts";

/** One step of the application. */
export interface Step {
  readonly step: number;
  readonly substep: number;
  readonly durationS: number;
  /** On all nodes. */
  readonly energyJ: number;
  /** Power of one node, as read at the end of the step, W: mean over nodes. */
  readonly powerW: number;
}

/** A whole run. */
export interface Run {
  readonly name: string;
  readonly steps: readonly Step[];
  /** From open to the last line, on all nodes; NaN: the log has no line after open, or no energy. */
  readonly energyJ: number;
  readonly runtimeS: number;
  /** Energy over time, of all nodes. */
  readonly meanPowerW: number;
}

/** The figures of a step that distributions are made of. */
export const QUANTITIES = {
  energy: { field: "energyJ", unit: "J", title: "Energy per step" },
  duration: { field: "durationS", unit: "s", title: "Duration of a step" },
  power: { field: "powerW", unit: "W", title: "Power of a node at a step" },
} as const;

/** Name of a quantity. */
export type Quantity = keyof typeof QUANTITIES;

/** @param log Of a text version: collated over nodes. */
export function runOf(log: PmcLog, name: string): Run {
  const lines = log.records;
  // Where a node lacks the reading at open, the first line that all nodes have takes its place.
  const opens = lines.length > 0 && (lines[0].step === -1 || log.version !== "2.0");
  const begin = opens ? lines[0] : { timeS: 0, energyJ: 0 };
  const end = lines.at(-1) ?? begin;
  const isKnown = end !== begin;
  // A counter that the nodes do not have is 0 in every line.
  const hasEnergy = isKnown && end.energyJ !== begin.energyJ;
  const steps: Step[] = [];
  let [lastS, lastJ] = [begin.timeS, begin.energyJ];
  for (let i = opens ? 1 : 0; i < lines.length - (log.cut ? 0 : 1); i++) {
    if (!endsStep(lines, i)) continue;
    const { step, substep = 1, timeS, energyJ } = lines[i];
    const stepJ = hasEnergy ? energyJ - lastJ : NaN;
    // No node draws 0 W: there was no reading.
    const powerW = lines[i].powerW === 0 ? NaN : lines[i].powerW;
    steps.push({ step, substep, durationS: timeS - lastS, energyJ: stepJ, powerW });
    [lastS, lastJ] = [timeS, energyJ];
  }
  const energyJ = hasEnergy ? end.energyJ - begin.energyJ : NaN;
  const runtimeS = isKnown ? end.timeS - begin.timeS : NaN;
  return { name, steps, energyJ, runtimeS, meanPowerW: runtimeS > 0 ? energyJ / runtimeS : NaN };
}

/** One figure of every step. */
export function valuesOf(run: Run, quantity: Quantity): Float64Array {
  const { field } = QUANTITIES[quantity];
  return Float64Array.from(run.steps, (step) => step[field]);
}
