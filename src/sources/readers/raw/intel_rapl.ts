/**
 * Energy of Intel packages, in raw counts.
 *
 * Truth: Intel SDM vol. 3B, "Platform specific power management support"; the units per model are
 * those of the signals (tables/rapl_units.ts). The schema's unit is mJ; a mark has the unit of a count,
 * which a reader of the file needs.
 * @module
 */
import { decodeUnits } from "../tables/rapl_units.ts";
import { putRegisters, REGISTER_NEEDS } from "./_control.ts";
import { keyNames, type RawStatsType } from "./raw_type.ts";

const KEYS = "MSR_PKG_ENERGY_STATUS,E,U=mJ,W=32 MSR_PP0_ENERGY_STATUS,E,U=mJ,W=32 " +
  "MSR_DRAM_ENERGY_STATUS,E,U=mJ,W=32";
const REGISTERS = [0x611, 0x639, 0x619];
const UNIT = 0x606;

/** Raw energy counters of Intel packages. Device: number of the package. */
export const intelRapl: RawStatsType = {
  name: "intel_rapl",
  keys: KEYS,
  needs: REGISTER_NEEDS,
  open({ machine, processor }) {
    if (processor.vendor !== "intel") return undefined;
    return {
      collect(row) {
        for (const [number, leader] of processor.leaders) {
          putRegisters(row, machine.registers(leader), REGISTERS);
          row.emit(String(number));
        }
      },
      marks() {
        const [leader] = processor.leaders.values();
        const registers = leader === undefined ? undefined : machine.registers(leader);
        if (!registers?.read(UNIT)) return [];
        const units = decodeUnits(registers.low, "intel", processor.model);
        const [pkg, pp0, dram] = keyNames(KEYS);
        const { energyJ, dramJ } = units;
        return [`units intel_rapl ${pkg}=${energyJ} ${pp0}=${energyJ} ${dram}=${dramJ}`];
      },
    };
  },
};
