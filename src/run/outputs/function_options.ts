/**
 * Options of `--functions`, as numbers.
 * @module
 */
import { unusable, UsageError } from "../../core/errors.ts";
import { listOf } from "../../core/names.ts";
import type { OptionValues } from "../../core/option.ts";
import { probeDocument } from "../../os/files/whole_file.ts";
import type { SamplingEvent } from "../../profile/records.ts";
import { isDirectory } from "../../os/user_file.ts";

/** Samples a second and CPU. */
export const DEFAULT_HZ = 199;
export const HZ_MOST = 4999;
/** Bytes of each stack. */
export const DEFAULT_STACK_BYTES = 16384;
const STACK_LEAST = 4096;
export const STACK_MOST = 65528;

/** Sampling settings, and files to write. */
export interface FunctionOptions {
  readonly hz: number;
  readonly stackBytes: number;
  readonly debugDirectories: readonly string[];
  /** True to take time off the CPU, too. */
  readonly offCpu: boolean;
  /** Threads sample themselves, by the preload library. */
  readonly event: SamplingEvent;
}

/** The word of `--preload` for the library that samples. */
export const TIMER = "timer";
/** Name of a value that no user gives: who samples. */
export const SAMPLED_BY = "functions by";

/** Options whose files need functions. */
export const FUNCTION_FILES = ["folded", "pprof", "speedscope", "perf-script"] as const;

/** Are functions asked for? */
export function asksFunctions(values: OptionValues): boolean {
  return values.has("functions") || values.has("off-cpu") ||
    FUNCTION_FILES.some((name) => values.has(name));
}

/** @throws {UsageError} On a number that cannot be, or a place that is missing or cannot be written. */
export function checkFunctions(values: OptionValues): void {
  for (const directory of functionOptions(values).debugDirectories) {
    if (isDirectory(directory)) continue;
    throw unusable(`--debuginfo=${directory}`, "a directory with debug files", "none");
  }
  for (const name of FUNCTION_FILES) {
    const path = values.get(name)?.text, refused = path && probeDocument(path);
    if (refused) throw new UsageError({ found: refused.message, cause: refused });
  }
}

/** @throws {UsageError} On a number that cannot be. */
export function functionOptions(values: OptionValues): FunctionOptions {
  return {
    hz: numberOf(values, "functions", DEFAULT_HZ, { least: 1, most: HZ_MOST, step: 1 }),
    stackBytes: numberOf(values, "stack-bytes", DEFAULT_STACK_BYTES, {
      least: STACK_LEAST,
      most: STACK_MOST,
      step: 8,
    }),
    debugDirectories: listOf(values.get("debuginfo")?.text),
    offCpu: values.has("off-cpu"),
    event: values.get(SAMPLED_BY)?.text === TIMER ? "timer" : "cpu-clock",
  };
}

function numberOf(
  values: OptionValues,
  option: string,
  otherwise: number,
  { least, most, step }: { least: number; most: number; step: number },
): number {
  const value = values.get(option);
  if (value === undefined || value.text === "") return otherwise;
  const number = /^\d+$/.test(value.text) ? Number(value.text) : NaN;
  if (number >= least && number <= most && number % step === 0) return number;
  const expected = `a whole number from ${least} to ${most}` +
    (step > 1 ? `, a multiple of ${step}` : "");
  throw unusable(`${value.name}=${value.text}`, expected, value.text);
}
