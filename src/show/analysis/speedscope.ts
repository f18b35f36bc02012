/**
 * Stacks as a file of speedscope: one profile for time, one for each energy, one for time off the CPU, over the same
 * frames.
 * speedscope's file-format-schema.json, version 0.0.1.
 * @module
 */
import { jsonText } from "../../core/printable.ts";
import { COMPONENT_NAMES } from "./report_view.ts";
import type { Stack } from "./stacks.ts";

const SCHEMA = "https://www.speedscope.app/file-format-schema.json";

/** Time in which threads did not run. */
type Wait = Pick<Stack, "path" | "timeS">;

/** The file. A stack whose value is not known is in no profile of it. */
export function speedscopeJson(
  name: string,
  exporter: string,
  stacks: readonly Stack[],
  waits: readonly Wait[] = [],
): string {
  const frames: { name: string }[] = [];
  const numbers = new Map<string, number>();
  const frameOf = (name: string) =>
    numbers.getOrInsertComputed(name, () => frames.push({ name }) - 1);
  const profile = <S extends Wait>(
    name: string,
    unit: string,
    of: readonly S[],
    valueOf: (stack: S) => number,
  ) => {
    // Widths cannot be negative, which the difference of two estimates can.
    const known = of.map((stack) => ({ stack, value: Math.max(0, valueOf(stack)) }))
      .filter(({ value }) => value > 0);
    const weights = known.map(({ value }) => value);
    return {
      type: "sampled",
      name,
      unit,
      startValue: 0,
      endValue: weights.reduce((sum, weight) => sum + weight, 0),
      samples: known.map(({ stack }) => stack.path.map(frameOf)),
      weights,
    };
  };
  const kinds = [...stacks[0]?.energiesJ.keys() ?? []];
  const profiles = [
    ...kinds.map((kind) => {
      const title = `${COMPONENT_NAMES[kind]} energy, J`;
      return profile(title, "none", stacks, ({ energiesJ }) => energiesJ.get(kind)!);
    }),
    profile("time", "seconds", stacks, ({ timeS }) => timeS),
    profile("off CPU", "seconds", waits, ({ timeS }) => timeS),
  ].filter(({ samples }) => samples.length > 0);
  const file = { $schema: SCHEMA, shared: { frames }, profiles, name, exporter };
  return jsonText({ ...file, activeProfileIndex: 0 }) + "\n";
}
