/**
 * Samples of functions where the kernel refuses them: the command's threads sample themselves, by a timer in the
 * preload library.
 * @module
 */
import { listOf } from "../../core/names.ts";
import type { OptionValues } from "../../core/option.ts";
import { PerfSampling } from "../../os/devices/perf_sampling.ts";
import { ticksPerSecond } from "../../os/devices/timer_rate.ts";
import { affinityOf } from "../../os/host.ts";
import { ERRNO } from "../../os/libc.ts";
import { OWN_MACHINE } from "../../profile/machine.ts";
import { samplingAttribute } from "../../profile/records.ts";
import { type FunctionOptions, functionOptions, SAMPLED_BY, TIMER } from "./function_options.ts";

/** A record's size has 16 bits: so much of it is left for the stack. */
const STACK_MOST = 65456 - 8 * OWN_MACHINE.sampled.length;

/** A timer that is to sample. */
export interface ChosenTimer {
  /** Settings of the library, for the command's environment. */
  readonly variable: string;
  /** Options of the outputs. @param samples The library was built. */
  options(values: OptionValues, samples: boolean): OptionValues;
}

/**
 * The timer; `undefined`: the kernel samples.
 *
 * @param pid The command, which waits to be started.
 */
export function chosenTimer(values: OptionValues, pid: number): ChosenTimer | undefined {
  const isAsked = listOf(values.get("preload")?.text).includes(TIMER);
  if (!isAsked && !isRefused(pid)) return undefined;
  const { hz, stackBytes } = timerOptions(functionOptions(values));
  return {
    variable: `${Math.round(1e9 / hz)} ${stackBytes}`,
    options(values, samples) {
      if (!samples) return values;
      return new Map(values).set(SAMPLED_BY, { text: TIMER, origin: "flag", name: "--preload" });
    },
  };
}

/** Does the kernel refuse to sample a process, or has the user no memory for the rings of all CPUs? */
function isRefused(pid: number): boolean {
  const attribute = samplingAttribute(PLAIN, OWN_MACHINE);
  const refused = PerfSampling.refusal(pid, affinityOf(pid), attribute);
  const numbers: readonly number[] = [ERRNO.EACCES, ERRNO.EPERM, ERRNO.ENOSYS];
  return refused !== undefined && numbers.includes(refused.errno);
}

/** Samples that any user may take if the kernel allows some. */
const PLAIN = {
  periodNs: 1e9,
  stackBytes: 4096,
  withKernel: false,
  withBuildIds: false,
  offCpu: false,
  event: "cpu-clock",
} as const;

/** The options as far as a timer can do them. @param log Gets a line for the others. */
export function timerOptions(
  options: FunctionOptions,
  log: (line: string) => void = () => {},
): FunctionOptions {
  const hz = Math.min(options.hz, ticksPerSecond() ?? options.hz);
  const stackBytes = Math.min(options.stackBytes, STACK_MOST);
  if (hz < options.hz) {
    log(`functions are sampled at ${hz} Hz: this is the rate of the kernel's timer interrupt`);
  }
  if (options.offCpu) {
    log(
      "--off-cpu has no effect: only sampling by the kernel records the time in which threads wait",
    );
  }
  return Object.assign({}, options, { hz, stackBytes, offCpu: false });
}
