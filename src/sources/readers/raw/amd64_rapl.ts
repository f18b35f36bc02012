/**
 * Energy of AMD packages: the sum over their cores, and the package, in raw counts.
 *
 * Truth: AMD's Processor Programming Reference, MSRC001_0299–029B. The schema's unit is mJ, the registers
 * count units of 2^−(bits 12:8 of C0010299) J, which is written in a mark. Each core wraps at 2^32 by
 * itself; the sum is stored modulo 2^32, so that its difference is right however many wrapped.
 * @module
 */
import { REGISTER_NEEDS } from "./_control.ts";
import { isCountedAmd } from "./amd64_pmc.ts";
import type { RawStatsType } from "./raw_type.ts";

const UNIT = 0xc0010299;
const CORE = 0xc001029a;
const PACKAGE = 0xc001029b;

/** Raw energy counters of AMD packages. Device: number of the package. */
export const amd64Rapl: RawStatsType = {
  name: "amd64_rapl",
  keys: "MSR_CORE_ENERGY_STAT,E,U=mJ,W=32 MSR_PKG_ENERGY_STAT,E,U=mJ,W=32",
  needs: REGISTER_NEEDS,
  open({ machine, processor }) {
    if (!isCountedAmd(processor)) return undefined;
    const packages = [...processor.leaders].map(([number, leader]) => ({
      number,
      leader,
      cores: processor.places.filter((p) => p.package === number && p.thread === 0),
    }));
    return {
      collect(row) {
        for (const { number, leader, cores } of packages) {
          for (const { cpu } of cores) {
            const registers = machine.registers(cpu);
            if (registers?.read(CORE)) row.add(0, registers.low, 0);
          }
          row.halves[1] = 0; // modulo 2^32
          const registers = machine.registers(leader);
          if (registers?.read(PACKAGE)) row.put(1, registers.low, registers.high);
          row.emit(String(number));
        }
      },
      marks() {
        const registers = packages.length > 0 ? machine.registers(packages[0].leader) : undefined;
        if (!registers?.read(UNIT)) return [];
        const joules = 2 ** -((registers.low >>> 8) & 31);
        return [`units amd64_rapl MSR_CORE_ENERGY_STAT=${joules} MSR_PKG_ENERGY_STAT=${joules}`];
      },
    };
  },
};
