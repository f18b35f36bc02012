/**
 * Power control unit of Intel packages: four counters, and residency of the package's cores in C3
 * and C6.
 *
 * Truth: Intel's uncore performance monitoring guides for Sandy Bridge to Broadwell, "Power control
 * unit performance monitoring"; the Linux kernel has the same registers (uncore_snbep.c). Controls
 * have the event in bits 0 to 7, 22 enable, 24 to 28 threshold. hpcperfstats 2.3.5 lists the type but
 * neither programs nor reads it; here both are done, with the words that its source prepares.
 * @module
 */
import { counterKeys, counting, onEachPackage, range, REGISTER_NEEDS } from "./_control.ts";
import { uncoreControl } from "./_control.ts";
import { INTEL_MODELS, isIntel } from "./intel_core.ts";
import type { RawStatsType } from "./raw_type.ts";

const COUNTERS = 4;
/** Registers before Haswell. As in the boxes of the cache, bit 16 is reserved from Haswell on. */
const EARLY = { box: 0xc24, control: 0xc30, count: 0xc36, freeze: 0x10100, run: 0x10000 };
const LATE_REGISTERS = { box: 0x710, control: 0x711, count: 0x717, freeze: 0x100, run: 0 };
const RESIDENCY = [0x3fc, 0x3fd];
/** Cycles whose frequency heat, then power held down; and those that I/O, then snoops held up. */
const EVENTS = [0x04, 0x05, 0x81, 0x82];
const { snb, ivb, hsw, bdw } = INTEL_MODELS;

/** Raw counters of Intel's power control unit. Device: number of the package. */
export const intelPcu: RawStatsType = {
  name: "intel_pcu",
  keys: `${counterKeys(COUNTERS, "E,W=48")} FIXED_CTR0,E,W=48 FIXED_CTR1,E,W=48`,
  needs: REGISTER_NEEDS,
  open({ machine, processor }) {
    const early = isIntel(processor, [...snb, ...ivb]);
    if (!early && !isIntel(processor, [...hsw, ...bdw])) return undefined;
    const { box, control, count, freeze, run } = early ? EARLY : LATE_REGISTERS;
    const controls = range(control, COUNTERS);
    const counts = range(count, COUNTERS);
    const words = [
      [box, freeze],
      ...EVENTS.map((event, i) => [controls[i], uncoreControl(event, true)] as const),
      [box, run],
    ] as const;
    const set = { registers: [...controls, ...counts, ...RESIDENCY], counts, words: () => words };
    return counting(machine, onEachPackage(processor, set));
  },
};
