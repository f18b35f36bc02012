/**
 * Energy against runtime over the values of a setting, and its sweet spot: M. Bareford (2015),
 * section 4.2, Table 3 and Figure 4.
 * @module
 */
import { FormatError } from "../../core/errors.ts";
import type { RunGroup } from "./compare_runs.ts";
import { summarize } from "./statistics.ts";

/** One value of the setting. */
export interface SweepPoint {
  /** Label as the user wrote it. */
  readonly label: string;
  /** Number of the label, for the order; NaN if it has none. */
  readonly value: number;
  readonly energyJ: number;
  readonly energyDeviationJ: number;
  readonly runtimeS: number;
  readonly runtimeDeviationS: number;
  readonly runs: number;
}

/** A sweep, and where it is best. */
export interface Sweep {
  readonly points: readonly SweepPoint[];
  /** Point of minimum energy: the sweet spot; `undefined` if no energy is known. */
  readonly leastEnergy: SweepPoint | undefined;
  /** Points with less than two standard errors more energy than the sweet spot: only more runs decide. */
  readonly alike: readonly SweepPoint[];
  readonly leastTime: SweepPoint | undefined;
  /** Point of the minimum energy-delay product. */
  readonly leastProduct: SweepPoint | undefined;
  /** Points of known energy that no other point beats in both energy and time. */
  readonly front: readonly SweepPoint[];
}

/** @throws {RangeError} If there is no point. */
export function sweepOf(points: readonly SweepPoint[]): Sweep {
  if (points.length === 0) throw new RangeError("A sweep needs a point");
  const sorted = [...points].sort((a, b) => {
    return Number.isNaN(a.value - b.value) ? 0 : a.value - b.value;
  });
  const least = (of: (point: SweepPoint) => number) => {
    const known = sorted.filter((point) => !Number.isNaN(of(point)));
    return known.reduce<SweepPoint | undefined>(
      (best, point) => best === undefined || of(point) < of(best) ? point : best,
      undefined,
    );
  };
  const leastEnergy = least((p) => p.energyJ);
  return {
    points: sorted,
    leastEnergy,
    alike: leastEnergy === undefined ? [] : sorted.filter((p) => isAlike(p, leastEnergy)),
    leastTime: least((p) => p.runtimeS),
    leastProduct: least((p) => p.energyJ * p.runtimeS),
    front: sorted.filter((p) =>
      !Number.isNaN(p.energyJ) &&
      !sorted.some((q) => q !== p && q.energyJ <= p.energyJ && q.runtimeS <= p.runtimeS)
    ),
  };
}

function isAlike(point: SweepPoint, best: SweepPoint): boolean {
  if (point === best || point.runs < 2 || best.runs < 2) return false;
  const errorOf = ({ energyDeviationJ, runs }: SweepPoint) => energyDeviationJ / Math.sqrt(runs);
  return point.energyJ - best.energyJ < 2 * Math.hypot(errorOf(point), errorOf(best));
}

/** Groups of runs as points; a group's name holds the value of the setting. */
export function sweepPoints(groups: readonly RunGroup[]): SweepPoint[] {
  return groups.map(({ name, runs }) => sweepPoint(name, lastNumber(name), runs));
}

/** Runs of one value as a point. */
export function sweepPoint(
  label: string,
  value: number,
  runs: readonly { readonly energyJ: number | null; readonly runtimeS: number }[],
): SweepPoint {
  const energy = summarize(runs.map((run) => run.energyJ ?? NaN));
  const runtime = summarize(runs.map((run) => run.runtimeS));
  return {
    label,
    value,
    energyJ: energy.mean,
    energyDeviationJ: energy.deviation,
    runtimeS: runtime.mean,
    runtimeDeviationS: runtime.deviation,
    runs: runs.length,
  };
}

const UNITS: Record<string, number> = {
  J: 1,
  kJ: 1e3,
  MJ: 1e6,
  GJ: 1e9,
  Wh: 3600,
  kWh: 3.6e6,
  s: 1,
  min: 60,
  h: 3600,
  hr: 3600,
};

/**
 * A table as it is printed: columns between tabs or commas, with units in brackets.
 *
 * ```
 * aprun options	Cumulative Energy [MJ]	Run Time [hr]
 * -n 64 -N 8 -S 4 -d 3	45.052	5.27
 * ```
 * The first column names the setting; the last number in it is the value. An empty field is not known.
 *
 * @throws {FormatError} With path and line.
 */
export function parseSweepTable(text: string, path: string): SweepPoint[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const separator = lines[0]?.includes("\t") ? "\t" : ",";
  const titles = (lines[0] ?? "").split(separator).map((title) => title.trim());
  const column = (word: RegExp, isDeviation = false) => {
    const at = titles.findIndex((title, i) => {
      return i > 0 && word.test(title) && title.startsWith("±") === isDeviation;
    });
    const unit = /[[(]([A-Za-z]+)[\])]/.exec(titles[at] ?? "")?.[1] ?? "";
    return { at, scale: UNITS[unit] };
  };
  const [energy, time] = [column(/energy/i), column(/time/i)];
  if (energy.at < 0 || time.at < 0 || energy.scale === undefined || time.scale === undefined) {
    throw new FormatError(path, 1, {
      action: "read",
      expected: 'a table with columns such as "Energy [MJ]" and "Run Time [hr]"',
      found: JSON.stringify((lines[0] ?? "").slice(0, 80)),
    });
  }
  // Tables of this program have these too.
  const deviations = [column(/energy/i, true), column(/time/i, true)];
  const runsAt = titles.indexOf("runs");
  return lines.slice(1).map((line, i) => {
    const cells = line.split(separator).map((cell) => cell.trim());
    const numbers = [energy, time, ...deviations].map(({ at, scale }) => {
      return at >= 0 && cells[at] === "" ? NaN : Number(cells[at]) * scale;
    });
    const runs = runsAt < 0 ? 1 : Number(cells[runsAt]);
    const [energyJ, runtimeS, energyDeviationJ, runtimeDeviationS] = numbers;
    const isSound = [energy, time].every(({ at }, k) => cells[at] === "" || numbers[k] >= 0);
    if (!isSound || !(runs >= 0)) {
      throw new FormatError(path, i + 2, { action: "read", expected: "numbers", found: line });
    }
    const label = cells[0];
    const deviation = { energyDeviationJ, runtimeDeviationS };
    return { label, value: lastNumber(label), energyJ, runtimeS, ...deviation, runs };
  });
}

function lastNumber(text: string): number {
  return Number(/(-?[0-9]+(?:\.[0-9]+)?)[^0-9]*$/.exec(text)?.[1].replace(/^-/, "") ?? NaN);
}
