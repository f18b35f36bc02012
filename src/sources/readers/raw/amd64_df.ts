/**
 * Data fabric counters of AMD processors: traffic of four of the eight memory channels of a
 * package, 64 bytes a count; post-processing doubles them.
 *
 * Truth: AMD's Processor Programming Reference, MSRC001_024x. Bits 16 and 17 of the control words do
 * not exist here.
 * @module
 */
import { counterKeys, counting, range, REGISTER_NEEDS } from "./_control.ts";
import { isCountedAmd } from "./amd64_pmc.ts";
import type { RawStatsType } from "./raw_type.ts";

const COUNTERS = 4;
const CONTROL = 0xc0010240;
const COUNT = 0xc0010241;
const EVENTS = [0x403807, 0x403847, 0x403887, 0x4038c7];

/** Raw counters of AMD's data fabric. Device: number of the first CPU of the package. */
export const amd64Df: RawStatsType = {
  name: "amd64_df",
  keys: counterKeys(COUNTERS, "E,W=48"),
  needs: REGISTER_NEEDS,
  open({ machine, processor }) {
    if (!isCountedAmd(processor) || machine.registers(0) === undefined) return undefined;
    const controls = range(CONTROL, COUNTERS, 2);
    const counts = range(COUNT, COUNTERS, 2);
    const words = EVENTS.map((event, i) => [controls[i], event] as const);
    const set = { registers: [...controls, ...counts], counts, words: () => words };
    const cpus = [...processor.leaders.values()];
    return counting(machine, cpus.map((cpu) => ({ ...set, cpu, device: String(cpu) })));
  },
};
