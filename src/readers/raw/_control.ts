/**
 * Programming and reading counters that have control registers.
 *
 * Control words are event | unit mask << 8 | flags: bit 16 user, 17 kernel, 20 interrupt, 22 enable,
 * 24 threshold 1 (Intel SDM vol. 3B, "Performance monitoring"; uncore performance monitoring
 * guides). Registers are written only with `--program-counters`.
 * @module
 */
import type { CpuRegisters } from "../../os/raw_machine.ts";
import type { RawRow } from "./raw_type.ts";

const USER_AND_KERNEL = 0x30000;
const ENABLE = 0x400000;
const THRESHOLD = 0x1000000;

/** An event as event | unit mask << 8. */
export type EventCode = number;

/** Control word of a core counter. */
export function coreControl(event: EventCode): number {
  return event | USER_AND_KERNEL | ENABLE;
}

/** Control word of an uncore counter; up to Broadwell with a threshold of 1. */
export function uncoreControl(event: EventCode, threshold: boolean): number {
  return event | ENABLE | (threshold ? THRESHOLD : 0);
}

/** Reads registers into consecutive keys from `first` on. */
export function putRegisters(
  row: RawRow,
  first: number,
  registers: CpuRegisters | undefined,
  numbers: readonly number[],
): void {
  if (registers === undefined) return;
  for (let i = 0; i < numbers.length; i++) {
    if (registers.read(numbers[i])) row.put(first + i, registers.low, registers.high);
  }
}

/** Consecutive register numbers. */
export function range(first: number, count: number, stride = 1): number[] {
  return Array.from({ length: count }, (_, i) => first + i * stride);
}

/** Writes registers in order; what failed first, in words. */
export function writeAll(
  registers: CpuRegisters,
  words: readonly (readonly [register: number, value: bigint | number])[],
): string | undefined {
  for (const [register, value] of words) {
    const failed = registers.write(register, BigInt(value));
    if (failed !== 0) return `register ${register.toString(16)}h: error ${failed}`;
  }
}

/** Programs every CPU of a list; what failed, in one line. */
export function programEach<T>(
  items: Iterable<T>,
  program: (item: T) => string | undefined,
): string | undefined {
  let failures = 0;
  let first: string | undefined;
  for (const item of items) {
    const failed = program(item);
    if (failed === undefined) continue;
    failures++;
    first ??= failed;
  }
  return first === undefined ? undefined : `${first} (${failures} times)`;
}

/** Needs of types that read registers. */
export const REGISTER_NEEDS = {
  files: ["/dev/cpu/"],
  libraries: [],
  capabilities: ["CAP_SYS_RAWIO"],
} as const;
