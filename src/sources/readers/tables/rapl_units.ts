/**
 * RAPL units: register 0x606, and the processors for which it is not enough.
 *
 * Truth: Intel SDM volume 3B, 15.10 "Platform specific power management support", and volume 4;
 * Linux arch/x86/events/rapl.c, drivers/powercap/intel_rapl_common.c and intel_rapl_msr.c; for AMD the
 * processor programming references, "RAPL_PWR_UNIT" (C001_0299h). Models are family 6.
 * @module
 */

/** Units of one processor's RAPL registers. */
export interface RaplUnits {
  readonly powerW: number;
  readonly energyJ: number;
  readonly dramJ: number;
  readonly psysJ: number;
  readonly timeS: number;
  /** Note about these processors for readers of the report. */
  readonly note?: string;
  readonly dramNote?: string;
}

/** Energy unit of memory fixed at 2^−16 J, for any value of 0x606 (which would be four times too much). */
const DRAM_FIXED_UNIT = [0x3f, 0x4f, 0x56, 0x55, 0x6a, 0x6c, 0x57, 0x85];

/** Broadwell-D: references disagree whether it is one of them. */
const DRAM_UNIT_IN_DOUBT = 0x56;

/** Platform energy counts joules: Sapphire, Emerald and Granite Rapids. */
const PSYS_ONE_JOULE = [0x8f, 0xcf, 0xad, 0xae];

/** Silvermont and Airmont: energy in 2^EU µJ, power in 2^PU mW. */
const INVERSE_UNITS = [0x37, 0x4a, 0x4c, 0x5a];
/** Avoton: inverse for energy alone. */
const INVERSE_ENERGY = [...INVERSE_UNITS, 0x4d];

/** Sandy and Ivy Bridge, whose fixed unit in GEOPM's tables is 2^−16 J for all domains. */
const GEOPM_UNIT_16 = [0x2a, 0x2d, 0x3a, 0x3e];

/** Processors without a memory domain: the register faults or never moves. */
export const NO_DRAM_DOMAIN = [0x2a, 0x3a, ...INVERSE_ENERGY];

/** Servers whose power plane 0 counter is absent or reads 0 for ever. */
export const NO_PP0_DOMAIN = [...DRAM_FIXED_UNIT, ...PSYS_ONE_JOULE, 0xaf];

/** Decodes register 0x606 (or AMD's C001_0299h) of a processor. */
export function decodeUnits(low: number, vendor: "intel" | "amd", model: number): RaplUnits {
  const power = low & 0xf;
  const energy = (low >>> 8) & 0x1f;
  const time = (low >>> 16) & 0xf;
  const intel = vendor === "intel";
  const energyJ = intel && INVERSE_ENERGY.includes(model) ? 2 ** energy * 1e-6 : 2 ** -energy;
  const fixedDram = intel && DRAM_FIXED_UNIT.includes(model);
  return {
    powerW: intel && INVERSE_UNITS.includes(model) ? 2 ** power * 1e-3 : 2 ** -power,
    energyJ,
    dramJ: fixedDram ? 2 ** -16 : energyJ,
    psysJ: intel && PSYS_ONE_JOULE.includes(model) ? 1 : energyJ,
    timeS: 2 ** -time,
    dramNote: !fixedDram
      ? undefined
      : model === DRAM_UNIT_IN_DOUBT
      ? "memory energy unit fixed at 15.3 µJ on this model by perf and LIKWID, not by powercap and PAPI"
      : "memory energy unit is fixed at 15.3 µJ on this model, not taken from register 0x606",
  };
}

/** GEOPM's fixed units, for nodes on which 0x606 itself may not be read. */
export function fixedUnits(model: number): RaplUnits {
  return {
    powerW: 0.125,
    energyJ: GEOPM_UNIT_16.includes(model) ? 2 ** -16 : 2 ** -14,
    dramJ: 2 ** -16,
    psysJ: PSYS_ONE_JOULE.includes(model) ? 1 : 2 ** -14,
    timeS: 2 ** -10,
    note: "register 0x606 cannot be read: GEOPM's fixed unit of this model is taken",
  };
}
