/**
 * Names of PAPI's components cray_pm and rapl and of CrayPat, as aliases.
 *
 * They have no suffix of the package (`:PACKAGE0`): the domain selects it. Energies
 * are in joules under these names too, not in PAPI's nanojoules.
 * @module
 */
import {
  type Alias,
  alias,
  BOARD_J,
  BOARD_W,
  PACKAGE_J,
  PACKAGE_LIMIT,
  type Shape,
} from "./_alias_row.ts";

const LABEL: Shape = ["board", "", "label", "expect_same"];
const UNIT: Shape = ["package", "", "constant", "expect_same"];

/** All of them. */
export const PAPI_ALIASES: readonly Alias[] = [
  // PAPI rapl and CrayPat cray_rapl, without the suffix of the package.
  alias("PACKAGE_ENERGY", PACKAGE_J, "PAPI and CrayPat: energy of the packages", ["CPU_ENERGY"]),
  alias("PP0_ENERGY", PACKAGE_J, "PAPI and CrayPat: energy of the cores", [
    "MSR::PP0_ENERGY_STATUS:ENERGY",
    "MSR::CORE_ENERGY_STATUS:ENERGY",
    "PERF::ENERGY_CORES",
    "POWERCAP::CORE_ENERGY_CONSUMED",
  ]),
  alias("PP1_ENERGY", PACKAGE_J, "PAPI: energy of the integrated graphics", [
    "MSR::PP1_ENERGY_STATUS:ENERGY",
    "PERF::ENERGY_GPU",
    "POWERCAP::UNCORE_ENERGY_CONSUMED",
  ]),
  alias("PSYS_ENERGY", BOARD_J, "PAPI: energy of the platform", [
    "MSR::PLATFORM_ENERGY_STATUS:ENERGY",
    "PERF::ENERGY_PSYS",
    "POWERCAP::PSYS_ENERGY_CONSUMED",
  ]),
  alias("UNITS:POWER", UNIT, "CrayPat: exponent n of the unit 2^−n W", [
    "MSR::RAPL_POWER_UNIT:POWER_EXPONENT",
  ]),
  alias("UNITS:ENERGY", UNIT, "CrayPat: exponent n of the unit 2^−n J", [
    "MSR::RAPL_POWER_UNIT:ENERGY_EXPONENT",
  ]),
  alias("UNITS:TIME", UNIT, "CrayPat: exponent n of the unit 2^−n s", [
    "MSR::RAPL_POWER_UNIT:TIME_EXPONENT",
  ]),
  alias("THERMAL_SPEC", PACKAGE_LIMIT, "PAPI and CrayPat: thermal design power", [
    "MSR::PKG_POWER_INFO:THERMAL_SPEC_POWER",
  ]),
  alias("MINIMUM_POWER", PACKAGE_LIMIT, "PAPI and CrayPat: lowest power limit", [
    "MSR::PKG_POWER_INFO:MIN_POWER",
  ]),
  alias("MAXIMUM_POWER", PACKAGE_LIMIT, "PAPI and CrayPat: highest power limit", [
    "MSR::PKG_POWER_INFO:MAX_POWER",
  ]),
  alias(
    "MAXIMUM_TIME_WINDOW",
    ["package", "s", "constant", "expect_same"],
    "PAPI and CrayPat: longest averaging time of a power limit; the bits of the register are " +
      "read as a whole number",
    ["MSR::PKG_POWER_INFO:MAX_TIME_WINDOW_LINEAR"],
  ),
  // PAPI cray_pm.
  alias("PM_ENERGY:NODE", BOARD_J, "PAPI cray_pm: energy of the node", ["CNL::BOARD_ENERGY"]),
  alias("PM_POWER:NODE", BOARD_W, "PAPI cray_pm: power of the node", ["CNL::BOARD_POWER"]),
  alias("PM_ENERGY:CPU", BOARD_J, "PAPI cray_pm: energy of the CPUs", ["CNL::BOARD_ENERGY_CPU"]),
  alias("PM_POWER:CPU", BOARD_W, "PAPI cray_pm: power of the CPUs", ["CNL::BOARD_POWER_CPU"]),
  alias("PM_ENERGY:MEMORY", BOARD_J, "PAPI cray_pm: energy of the memory", ["CNL::MEMORY_ENERGY"]),
  alias("PM_POWER:MEMORY", BOARD_W, "PAPI cray_pm: power of the memory", ["CNL::MEMORY_POWER"]),
  alias("PM_POWER_CAP:NODE", BOARD_W, "PAPI cray_pm: power cap of the node; 0: none", [
    "CNL::POWER_CAP",
  ]),
  ...["ACC", "ACC0", "ACC1", "ACC2", "ACC3"].flatMap((acc) => {
    const accel = acc.replace("ACC", "CNL::ACCEL"),
      part = acc === "ACC" ? "the accelerators" : acc.replace("ACC", "accelerator ");
    const about = (what: string) => `PAPI cray_pm: ${what} of ${part}`;
    return [
      alias(`PM_ENERGY:${acc}`, BOARD_J, about("energy"), [`${accel}_ENERGY`]),
      alias(`PM_POWER:${acc}`, BOARD_W, about("power"), [`${accel}_POWER`]),
      alias(`PM_POWER_CAP:${acc}`, BOARD_W, about("power cap"), [`${accel}_POWER_CAP`]),
    ];
  }),
  alias(
    "PM_FRESHNESS",
    ["board", "", "monotone", "expect_same"],
    "PAPI cray_pm: number of updates of the files",
    ["CNL::FRESHNESS"],
  ),
  alias(
    "PM_STARTUP",
    ["board", "cycles", "label", "expect_same"],
    "PAPI cray_pm: start of the controller",
    ["CNL::STARTUP"],
  ),
  alias("PM_GENERATION", LABEL, "PAPI cray_pm: number of changes of a power cap", [
    "CNL::GENERATION",
  ]),
  alias("PM_VERSION", LABEL, "PAPI cray_pm: version of the files' layout", ["CNL::VERSION"]),
];

/** Prefixes of PAPI's components, which may precede their names. */
const PAPI_PREFIX = /^(?:cray_pm|cray_rapl|rapl):::/;

/** A name without the prefix of a PAPI component. */
export function bareName(name: string): string {
  return name.replace(PAPI_PREFIX, "");
}
