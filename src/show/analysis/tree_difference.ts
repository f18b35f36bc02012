/**
 * Trees of two sets of runs as one: each path with its mean energies.
 * @module
 */
import { regionRows } from "../../core/region_rows.ts";
import { type EnergyKind, reportedJoules } from "../../core/region_tree.ts";
import type { NamedReport } from "./comparable.ts";
import { summarize } from "./statistics.ts";

/** One path. NaN: a set does not have it, or it cannot be determined. */
export interface PathDifference {
  readonly name: string;
  readonly depth: number;
  readonly aJ: number;
  readonly bJ: number;
  /** Time in the second set, s. */
  readonly timeS: number;
}

/** Paths of all runs, each behind the one around it. */
export interface TreeDifference {
  /** Kind of all energies; `undefined`: runs have none in common. */
  readonly kind: EnergyKind | undefined;
  readonly paths: readonly PathDifference[];
}

interface Path {
  readonly name: string;
  readonly depth: number;
  readonly a: number[];
  readonly b: number[];
  readonly timesS: number[];
  readonly inside: Map<string, Path>;
}

/** By the most inclusive energy that the rows of all runs have. */
export function treeDifference(
  a: readonly NamedReport[],
  b: readonly NamedReport[],
): TreeDifference {
  const sets = [a, b].map((runs) => runs.map(({ report }) => regionRows(report)));
  const all = sets.flat();
  const kind = all[0]?.kinds.find((one) => all.every(({ kinds }) => kinds.includes(one)));
  const root = path("", -1);
  sets.forEach((runs, set) => {
    for (const { rows, outside } of runs) {
      const around = [root];
      for (const row of [...rows, ...outside]) {
        const { inside } = around[row.depth];
        const own = inside.getOrInsertComputed(row.region, () => path(row.region, row.depth));
        around[row.depth + 1] = own;
        const joules = kind === undefined ? NaN : reportedJoules(row.energies.get(kind));
        if (Number.isFinite(joules)) (set === 0 ? own.a : own.b).push(joules);
        if (set === 1) own.timesS.push(row.runtimeS);
      }
    }
  });
  const paths: PathDifference[] = [];
  const add = ({ name, depth, a, b, timesS, inside }: Path) => {
    const mean = (values: readonly number[]) => summarize(values).mean;
    if (depth >= 0) paths.push({ name, depth, aJ: mean(a), bJ: mean(b), timeS: mean(timesS) });
    inside.forEach(add);
  };
  add(root);
  return { kind, paths };
}

function path(name: string, depth: number): Path {
  return { name, depth, a: [], b: [], timesS: [], inside: new Map() };
}
