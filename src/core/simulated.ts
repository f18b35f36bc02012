/**
 * Were a report's counters those of a machine?
 * @module
 */
import type { Report } from "./report.ts";

/** Name of the simulation that replaced counters; `undefined`: the report names none. */
export function simulatedBy(
  { joulemark, hosts }: Pick<Report, "joulemark" | "hosts">,
): string | undefined {
  const note = joulemark?.simulated ??
    hosts.find((h) => h.joulemark?.simulated)?.joulemark?.simulated;
  if (note !== undefined) return String(note);
  const isSource = hosts.some(({ joulemark }) => {
    return Object.values(fields(joulemark?.sources)).some((s) => fields(s).quality === "simulated");
  });
  return isSource ? "simulated counters" : undefined;
}

function fields(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
