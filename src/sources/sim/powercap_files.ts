/**
 * The powercap zones of a simulated node, as intel_rapl shows them.
 *
 * Energy is the register times the driver's truncated unit, so it wraps where the register does:
 * drivers/powercap/intel_rapl_common.c.
 * @module
 */
import { NumberFile } from "./number_file.ts";
import { designW, type SimSpec } from "./spec.ts";
import { putLines, type TreeWriter } from "./tree_writer.ts";

const DIR = "/sys/class/powercap";
/** Units of package and memory in nJ, as the driver cuts them. */
const UNIT_NJ = [61035, 15300] as const;
const RAW_MAX = 4294967295;

/** Keeps the zones' files up to date. */
export class PowercapFiles {
  readonly #energy: NumberFile[] = [];

  constructor(spec: SimSpec, writer: TreeWriter, raw: Float64Array) {
    writer.put(`${DIR}/intel-rapl/enabled`, "1\n");
    const watts = [designW(spec), spec.dramIdleW + spec.dramDynamicW];
    for (let pkg = 0; pkg < spec.packages; pkg++) {
      const zone = `${DIR}/intel-rapl:${pkg}`;
      const zones = [[zone, `package-${pkg}`], [`${zone}/intel-rapl:${pkg}:0`, "dram"]] as const;
      zones.forEach(([path, name], meter) => {
        const file = new NumberFile(writer, `${path}/energy_uj`);
        file.make(microjoules(meter, raw[pkg * 2 + meter]), NaN, 0o400);
        this.#energy.push(file);
        putLines(writer, path, {
          name,
          enabled: 1,
          max_energy_range_uj: microjoules(meter, RAW_MAX),
          constraint_0_name: "long_term",
          constraint_0_power_limit_uw: Math.round(watts[meter] * 1e6),
          constraint_0_time_window_us: 999424,
          constraint_0_max_power_uw: Math.round(watts[meter] * 1e6),
        });
      });
    }
  }

  write(pkg: number, meter: number, raw: number): void {
    this.#energy[pkg * 2 + meter].write(microjoules(meter, raw));
  }
}

function microjoules(meter: number, raw: number): number {
  return Math.floor((raw * UNIT_NJ[meter]) / 1000);
}
