/**
 * The registers that the MSR reader reads, in the format of msr-safe's allow list.
 *
 * Truth: msr-safe's README: one line `ADDRESS WRITEMASK # "NAME"`, hexadecimal; a register that
 * is listed twice makes the module refuse the whole list. Mask 0: not writable.
 * @module
 */
import { MSR_REGISTERS } from "./msr_fields.ts";

/** Read for the base frequency alone, by the CPUINFO reader: AMD's P-state 0. */
const PSTATE_0 = { offset: 0xc0010064, name: "PSTATE_DEF_0" };

/** One register of the list. */
export interface AllowedRegister {
  readonly offset: number;
  readonly name: string;
}

/** Ascending, each register once. */
export function allowedRegisters(): AllowedRegister[] {
  const names = new Map<number, string>();
  for (const { offset, name } of [...MSR_REGISTERS, PSTATE_0]) {
    if (!names.has(offset)) names.set(offset, name);
  }
  return [...names].sort(([a], [b]) => a - b).map(([offset, name]) => ({ offset, name }));
}

/** The whole list. */
export function msrAllowList(): string {
  return allowedRegisters().map(({ offset, name }) =>
    `0x${offset.toString(16).padStart(8, "0")} 0x0000000000000000 # "${name}"\n`
  ).join("");
}
