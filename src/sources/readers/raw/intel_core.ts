/**
 * Core counters of Intel processors: general ones with their control registers, and the three fixed
 * ones (instructions, core cycles, reference cycles).
 *
 * Truth: Intel SDM vol. 3B, "Architectural performance monitoring": controls 186h, counters C1h,
 * fixed counters 309h. One type for each number of counters that a logical CPU has: eight without
 * hyper-threads, four with; Knights Landing has two, 40 bits wide.
 * @module
 */
import { coreControl, counterKeys, counting, type EventCode, numbered } from "./_control.ts";
import { onEachCpu, range, REGISTER_NEEDS } from "./_control.ts";
import type { RawProcessor } from "./processor.ts";
import type { RawStatsType } from "./raw_type.ts";

const CONTROL = 0x186;
const COUNT = 0xc1;
const FIXED = 0x309;
const FIXED_CONTROL = 0x38d;
const GLOBAL_CONTROL = 0x38f;
/** Bits 15:8: nominal frequency as a multiple of the bus clock. */
const PLATFORM_INFO = 0xce;
/** All three fixed counters, in user and kernel mode. */
const FIXED_ON = 0x333;

const NEHALEM = [0x1a, 0x1e, 0x2e, 0x25, 0x2c, 0x2f];
const SANDY_BRIDGE = [0x2a, 0x2d];
const IVY_BRIDGE = [0x3a, 0x3e];
const HASWELL = [0x3c, 0x45, 0x46, 0x3f];
const BROADWELL = [0x3d, 0x47, 0x4f];
const SKYLAKE = [0x55, 0x4e, 0x5e];
const KNIGHTS_LANDING = 0x57;

/** Events by models, as many as the largest type counts: loads, hits, flops, cache lines. */
const EVENTS: readonly (readonly [models: readonly number[], events: readonly EventCode[]])[] = [
  [NEHALEM, [0x100f, 0x200f, 0x1010, 0x8010]],
  [
    [...SANDY_BRIDGE, ...IVY_BRIDGE],
    [0x81d0, 0x01d1, 0x02d1, 0x04d1, 0x0151, 0x8010, 0x1010, 0x0211],
  ],
  [
    [...HASWELL, ...BROADWELL],
    [0x81d0, 0x01d1, 0x02d1, 0x0151, 0x04d1, 0x0108, 0x01a2, 0x07f1],
  ],
  [SKYLAKE, [0x01c7, 0x04c7, 0x10c7, 0x40c7, 0x02c7, 0x08c7, 0x20c7, 0x80c7]],
  [[KNIGHTS_LANDING], [0x4004, 0x0204]],
];

/** Generations that the uncore types distinguish. */
export const INTEL_MODELS = {
  nhm: NEHALEM,
  snb: SANDY_BRIDGE,
  ivb: IVY_BRIDGE,
  hsw: HASWELL,
  bdw: BROADWELL,
  skx: SKYLAKE,
  knl: [KNIGHTS_LANDING],
} as const;

/** Is the processor one of these? */
export function isIntel({ vendor, family, model }: RawProcessor, models: readonly number[]) {
  return vendor === "intel" && family === 6 && models.includes(model);
}

function coreType(
  name: string,
  counters: number,
  options: { general: string; fixed: string; true?: string },
): RawStatsType {
  const controls = range(CONTROL, counters);
  const counts = range(COUNT, counters);
  const fixed = range(FIXED, 3);
  const keysWith = (general: string) =>
    `${counterKeys(counters, general)} ${numbered("FIXED_CTR", 3, options.fixed)}`;
  return {
    name,
    keys: keysWith(options.general),
    trueKeys: options.true === undefined ? undefined : keysWith(options.true),
    needs: REGISTER_NEEDS,
    open({ machine, processor }) {
      const known = EVENTS.find(([models]) => isIntel(processor, models));
      const isKnl = processor.model === KNIGHTS_LANDING;
      const fits = isKnl ? counters === 2 : processor.counters === counters;
      if (known === undefined || !fits || machine.registers(0) === undefined) return undefined;
      const events = known[1].slice(0, counters);
      const words: (readonly [number, bigint | number])[] = [
        [GLOBAL_CONTROL, 0],
        ...events.map((event, i) => [controls[i], coreControl(event)] as const),
        [FIXED_CONTROL, FIXED_ON],
        [GLOBAL_CONTROL, (7n << 32n) | ((1n << BigInt(counters)) - 1n)],
      ];
      const set = {
        registers: [...controls, ...counts, ...fixed],
        counts: [...counts, ...fixed],
        words: () => words,
      };
      return {
        ...counting(machine, onEachCpu(processor, set)),
        marks() {
          const registers = machine.registers(0);
          if (!registers?.read(PLATFORM_INFO)) return [];
          const busHz = NEHALEM.includes(processor.model) ? 133_333_333 : 100_000_000;
          return [`nominal_hz ${((registers.low >>> 8) & 0xff) * busHz}`];
        },
      };
    },
  };
}

/** Raw core counters of Intel processors, a type a number of counters. Device: number of the CPU. `CTR,C` of the second type is hpcperfstats' own. */
export const INTEL_CORE_TYPES: readonly RawStatsType[] = [
  coreType("intel_8pmc3", 8, { general: "E,W=48", fixed: "E,W=48" }),
  coreType("intel_4pmc3", 4, { general: "C", fixed: "E,W=48", true: "E,W=48" }),
  coreType("intel_knl", 2, { general: "E,W=40", fixed: "E,W=40" }),
];
