/**
 * Core counters of AMD processors of families 17h and 19h: six general ones, instructions, and the
 * two clocks. Opterons of family 10h have four, in the columns of monitors up to 2.3.4.
 *
 * Truth: AMD's Processor Programming Reference, MSRC001_020x, MSRC000_00E7–E9; BKDG for family 10h,
 * MSRC001_0000 to 0007.
 * @module
 */
import type { CpuRegisters, RawMachine } from "../../../os/raw_machine.ts";
import { counterKeys, counting, onEachCpu, range, REGISTER_NEEDS } from "./_control.ts";
import type { RawProcessor } from "./processor.ts";
import type { RawCollector, RawStatsType } from "./raw_type.ts";

const COUNTERS = 6;
const CONTROL = 0xc0010200;
const COUNT = 0xc0010201;
/** Instructions retired, actual and maximum performance clock: 64 bits wide, declared as 48. */
const FIXED = [0xc00000e9, 0xc00000e8, 0xc00000e7];
/**
 * Floating-point operations and the partner that counter 0 is merged with, branches, mispredicted
 * branches, two kinds of dispatch stalls.
 */
const EVENTS = [0x43ff03n, 0xf004000ffn, 0x4300c2n, 0x4300c3n, 0x4308afn, 0x43ffaen];
/** Performance state 0: multiplier in bits 7:0, divisor in bits 13:8, of 200 MHz. */
const STATE_0 = 0xc0010064;
/** Hardware configuration: bit 30 makes the counter of instructions run. */
const HWCR = 0xc0010015;
const INSTRUCTIONS_RUN = 1n << 30n;

const FAMILY_10H = 0x10;
const COUNTERS_10H = 4;
const CONTROL_10H = 0xc0010000;
const COUNT_10H = 0xc0010004;
/**
 * Words of the four cores of a socket: cycles in user mode, cache fills and operations on each, and one
 * event of the northbridge, which one core alone may count: DRAM accesses, three links.
 */
const WORDS_10H = [
  [0x4307e0, 0x410076, 0x430142, 0x437f03],
  [0x410076, 0x4337f6, 0x430142, 0x437f03],
  [0x410076, 0x430142, 0x4337f7, 0x437f03],
  [0x410076, 0x430142, 0x437f03, 0x4337f8],
] as const;

function family10h(machine: RawMachine, { places }: RawProcessor): RawCollector {
  const controls = range(CONTROL_10H, COUNTERS_10H), counts = range(COUNT_10H, COUNTERS_10H);
  const sets = places.map(({ cpu }) => ({
    cpu,
    device: String(cpu),
    registers: [...controls, ...counts],
    counts,
    words: () => WORDS_10H[cpu % WORDS_10H.length].map((word, i) => [controls[i], word] as const),
  }));
  return { keys: counterKeys(COUNTERS_10H, "E,W=48"), ...counting(machine, sets) };
}

/** The processors that AMD types are for. */
export function isCountedAmd({ vendor, family, model }: RawProcessor): boolean {
  if (vendor !== "amd") return false;
  return (family === 0x17 && (model === 0x31 || model === 0x49)) ||
    (family === 0x19 && model === 1);
}

/** Raw core counters of AMD processors. Device: number of the CPU. */
export const amd64Pmc: RawStatsType = {
  name: "amd64_pmc",
  keys: `${counterKeys(COUNTERS, "E,W=48")} INST_RETIRED,E,W=48 APERF,E,W=48 MPERF,E,W=48`,
  needs: REGISTER_NEEDS,
  open({ machine, processor }) {
    const isOpteron = processor.vendor === "amd" && processor.family === FAMILY_10H;
    if (!isOpteron && !isCountedAmd(processor)) return undefined;
    if (machine.registers(0) === undefined) return undefined;
    if (isOpteron) return family10h(machine, processor);
    const controls = range(CONTROL, COUNTERS, 2);
    const counts = range(COUNT, COUNTERS, 2);
    const words = EVENTS.map((event, i) => [controls[i], event] as const);
    const set = {
      registers: [...controls, ...counts, ...FIXED],
      counts,
      words(registers: CpuRegisters) {
        if (!registers.read(HWCR)) return words;
        const now = (BigInt(registers.high) << 32n) | BigInt(registers.low);
        return [...words, [HWCR, now | INSTRUCTIONS_RUN] as const];
      },
    };
    return {
      ...counting(machine, onEachCpu(processor, set)),
      marks() {
        const registers = machine.registers(0);
        if (!registers?.read(STATE_0)) return [];
        const divisor = (registers.low >>> 8) & 0x3f;
        return divisor === 0 ? [] : [`nominal_hz ${(registers.low & 0xff) * 200e6 / divisor}`];
      },
    };
  },
};
