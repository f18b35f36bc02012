/**
 * Uncore counters of Nehalem and Westmere packages, with all registers that control them.
 *
 * Truth: Intel SDM vol. 3B, "Performance monitoring facility in Intel microarchitecture code name
 * Nehalem", uncore: selectors have the event in bits 0 to 7, unit mask in 8 to 15, 22 enable, and
 * neither user nor kernel bits; the global control has a bit per counter and 32 for the clock. The type is in every header, as in hpcperfstats, and has lines on those processors only:
 * on others the registers are something else.
 * @module
 */
import { counting, numbered, onEachPackage, range, REGISTER_NEEDS } from "./_control.ts";
import { uncoreControl } from "./_control.ts";
import { INTEL_MODELS, isIntel } from "./intel_core.ts";
import type { RawStatsType } from "./raw_type.ts";

const COUNTERS = 8;
const GLOBAL_CONTROL = 0x391, FIXED_CONTROL = 0x395;
const CONTROL = 0x3c0, COUNT = 0x3b0;
/** Last-level cache: hits, then misses of reads, writes and probes; lines that came, and went. */
const EVENTS = [0x0108, 0x0208, 0x0408, 0x0109, 0x0209, 0x0409, 0x0f0a, 0x1f0b];
/** Raw uncore counters of Nehalem and Westmere. Device: number of the package. */
export const intelUncore: RawStatsType = {
  name: "intel_uncore",
  keys: "PERF_GLOBAL_CTRL,C PERF_GLOBAL_STATUS,C PERF_GLOBAL_OVF_CTRL,C FIXED_CTR0,E,W=48 " +
    "FIXED_CTR_CTRL,C ADDR_OPCODE_MATCH,C " +
    `${numbered("PMC", COUNTERS, "E,W=48")} ${numbered("PERFEVTSEL", COUNTERS, "C")}`,
  needs: REGISTER_NEEDS,
  open({ machine, processor }) {
    if (!isIntel(processor, INTEL_MODELS.nhm)) return { collect() {} };
    const controls = range(CONTROL, COUNTERS);
    const counts = range(COUNT, COUNTERS);
    const words = [
      [GLOBAL_CONTROL, 0],
      ...EVENTS.map((event, i) => [controls[i], uncoreControl(event, false)] as const),
      [FIXED_CONTROL, 1],
      [GLOBAL_CONTROL, (1n << 32n) | 0xffn],
    ] as const;
    const registers = [...range(GLOBAL_CONTROL, 6), ...counts, ...controls];
    const set = { registers, counts, words: () => words };
    return counting(machine, onEachPackage(processor, set));
  },
};
