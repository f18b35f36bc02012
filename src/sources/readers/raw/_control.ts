/**
 * Programming and reading counters that have control registers.
 *
 * Control words are event | unit mask << 8 | flags: bit 16 user, 17 kernel, 20 interrupt, 22 enable,
 * 24 threshold 1 (Intel SDM vol. 3B, "Performance monitoring"; uncore performance monitoring
 * guides). Registers are written only with `--program-counters`.
 * @module
 */
import type { CpuRegisters, RawMachine } from "../../../os/raw_machine.ts";
import type { RawProcessor } from "./processor.ts";
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

/** Keys `NAME0,OPTIONS NAME1,OPTIONS …`. */
export function numbered(name: string, count: number, options: string): string {
  return range(0, count).map((i) => `${name}${i},${options}`).join(" ");
}

/** Keys of controls and of what they control. */
export function counterKeys(count: number, options: string): string {
  return `${numbered("CTL", count, "C")} ${numbered("CTR", count, options)}`;
}

/** Reads registers into the keys, in order. */
export function putRegisters(
  row: RawRow,
  registers: CpuRegisters | undefined,
  numbers: readonly number[],
): void {
  if (registers === undefined) return;
  for (let i = 0; i < numbers.length; i++) {
    if (registers.read(numbers[i])) row.put(i, registers.low, registers.high);
  }
}

/** Consecutive register numbers. */
export function range(first: number, count: number, stride = 1): number[] {
  return Array.from({ length: count }, (_, i) => first + i * stride);
}

/** Registers and what is written to them, in order. */
type Words = readonly (readonly [register: number, value: bigint | number])[];

/** Writes registers; what failed first, in words. */
function writeAll(registers: CpuRegisters, words: Words): string | undefined {
  for (const [register, value] of words) {
    const failed = registers.write(register, BigInt(value));
    if (failed !== 0) return `register ${register.toString(16)}h: error ${failed}`;
  }
}

/** Counters of one device, which are reached on one CPU. */
export interface CounterSet {
  readonly cpu: number;
  readonly device: string;
  /** Registers to read, in the order of the keys. */
  readonly registers: readonly number[];
  /** Registers that a program starts. */
  readonly counts: readonly number[];
  /** Words that start these registers. */
  readonly words: (registers: CpuRegisters) => Words;
}

/** Sets of the same counters on every CPU. */
export function onEachCpu(
  { places }: RawProcessor,
  set: Omit<CounterSet, "cpu" | "device">,
): CounterSet[] {
  return places.map(({ cpu }) => ({ ...set, cpu, device: String(cpu) }));
}

/** Sets of the same counters on every package. */
export function onEachPackage(
  { leaders }: RawProcessor,
  set: Omit<CounterSet, "cpu" | "device">,
): CounterSet[] {
  return Array.from(leaders, ([number, cpu]) => ({ ...set, cpu, device: String(number) }));
}

/** Programs and reads sets of counters; what failed, in one line. */
export function counting(machine: RawMachine, sets: readonly CounterSet[]) {
  const start = ({ cpu, counts, words }: CounterSet) => {
    const registers = machine.registers(cpu);
    if (registers === undefined) return `no registers of cpu ${cpu}`;
    for (const register of counts) registers.started(register);
    return writeAll(registers, words(registers));
  };
  return {
    program(): string | undefined {
      const failures = sets.map(start).filter((failed) => failed !== undefined);
      return failures.length === 0 ? undefined : `${failures[0]} (${failures.length} times)`;
    },
    collect(row: RawRow): void {
      for (const { cpu, device, registers } of sets) {
        putRegisters(row, machine.registers(cpu), registers);
        row.emit(device);
      }
    },
  };
}

/** Needs of types that read registers. */
export const REGISTER_NEEDS = {
  files: ["/dev/cpu/"],
  libraries: [],
  capabilities: ["CAP_SYS_RAWIO"],
} as const;
