/**
 * Values of events in the host's `joulemark:` mapping.
 * @module
 */
import type { Nested } from "../core/report.ts";
import type { ReportedValue } from "../events/reported_values.ts";

/** By name and track; `undefined`: there were none. */
export function valueFacts(values: readonly ReportedValue[]): Nested | undefined {
  if (values.length === 0) return undefined;
  return values.map(({ name, track, count, least, most, sum, squares }) => {
    const mean = sum / count;
    return {
      ...{ event: name, track, count },
      ...{
        sum: rounded(sum),
        mean: rounded(mean),
        minimum: rounded(least),
        maximum: rounded(most),
      },
      // As TAU has it: of all values that there were, not of a sample of them.
      "standard deviation": rounded(Math.sqrt(Math.max(0, squares / count - mean * mean))),
    };
  });
}

/** Whole numbers to the last digit, as of bytes. */
function rounded(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(9));
}
