/**
 * Power that follows the load with a time constant: none, or one on the line from constant to constant
 * of `visit_terms.ts`. Between two of them the response is a mixture of both.
 * @module
 */
import type { Columns } from "./columns.ts";
import type { Between, Solution } from "./nnls.ts";
import { CONSTANTS } from "../visit_terms.ts";

/** The stretch at a place on the line: 0 is at once, k the k-th constant. */
export function stretchAt({ carried }: Columns, slowness: number): Between | undefined {
  if (!(slowness > 0)) return undefined;
  const m = Math.min(carried.length, Math.ceil(slowness)) - 1;
  return { low: m === 0 ? -1 : carried[m - 1], high: carried[m], part: slowness - m };
}

/** The time constant at a place on the line, s. */
export function constantAt(slowness: number): number {
  if (!(slowness > 0)) return 0;
  const m = Math.min(CONSTANTS.length, Math.ceil(slowness)) - 1;
  const low = m === 0 ? 0 : CONSTANTS[m - 1];
  return low + (slowness - m) * (CONSTANTS[m] - low);
}

/**
 * The solutions without a time constant, then the best of each stretch between two of them.
 *
 * A value beyond a stretch is moved to its end.
 */
export function slownesses(
  { carried }: Columns,
  solve: (between?: Between) => Solution,
): Solution[] {
  return [
    solve(),
    ...carried.map((high, m) => {
      const low = m === 0 ? -1 : carried[m - 1];
      const free = solve({ low, high });
      const part = free.between!.part;
      return part >= 0 && part <= 1 ? free : solve({ low, high, part: part > 1 ? 1 : 0 });
    }),
  ];
}
