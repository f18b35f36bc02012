/**
 * Plan of a study: every combination of the settings, repeated and interleaved: all settings once,
 * then all once more, so that a machine that warms up or slows down does not favour the first one.
 * @module
 */
import { unusable, UsageError } from "../../core/errors.ts";

/** One setting and its values. */
export interface Varied {
  readonly name: string;
  readonly values: readonly string[];
}

/** One run. */
export interface PlannedRun {
  /** In the order of the study, from 1 on. */
  readonly number: number;
  /** From 1 on. */
  readonly repeat: number;
  /** `OMP_NUM_THREADS=3`, several settings between blanks. */
  readonly label: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Base name of its files: `OMP_NUM_THREADS=3-2`. */
  readonly file: string;
}

/** The setting of `--placement`. */
export const PLACEMENT = "placement";

const MAX_RUNS = 10_000;

/** `NAME=A,B,…`. @throws {UsageError} If it is not. */
export function parseVaried(text: string): Varied {
  const found = /^([A-Za-z_][A-Za-z0-9_]*)=(.+)$/.exec(text);
  const values = found?.[2].split(",").map((value) => value.trim()) ?? [];
  if (found === null || values.includes("") || new Set(values).size !== values.length) {
    throw unusable(`--vary ${text}`, "NAME=A,B,... with each value only once", text);
  }
  return { name: found[1], values };
}

/** @throws {UsageError} If there are too many, or a setting comes twice. */
export function planStudy(varied: readonly Varied[], repeats: number): PlannedRun[] {
  const names = varied.map(({ name }) => name);
  if (new Set(names).size !== names.length) {
    const found = names.join(", ");
    throw new UsageError({ action: "vary", expected: "each setting once", found });
  }
  let points: Record<string, string>[] = [{}];
  for (const { name, values } of varied) {
    if (points.length * values.length * repeats > MAX_RUNS) {
      throw new UsageError({
        action: "plan a study",
        expected: `at most ${MAX_RUNS} runs`,
        found: `${points.length * values.length * repeats} or more`,
      });
    }
    points = points.flatMap((point) => values.map((value) => ({ ...point, [name]: value })));
  }
  return Array.from({ length: repeats }, (_, r) =>
    points.map((settings, i): PlannedRun => {
      const label = Object.entries(settings).map(([name, value]) => `${name}=${value}`).join(" ");
      return {
        number: r * points.length + i + 1,
        repeat: r + 1,
        label,
        settings,
        file: `${label.replace(/[^A-Za-z0-9=._-]/g, "_")}-${r + 1}`,
      };
    })).flat();
}
