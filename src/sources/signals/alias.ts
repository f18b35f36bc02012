/**
 * Portable names, and the sources that each may stand for, best first.
 *
 * An alias stands for exactly one source on a node, so that nothing is added twice: a node's energy
 * is the controller's counter, or the platform's, or a meter's, never a sum with its parts. Order:
 * GEOPM's if it has one (registers first), then exactness. Names of PAPI's components cray_pm and
 * rapl and of CrayPat are aliases too; energies are in joules under them as well.
 * A source that only adds one entry to those, or is the only one, is declared by its reader.
 * @module
 */
import type { Reader } from "../../core/machine/host.ts";
import {
  type Alias,
  alias,
  BOARD_J,
  BOARD_W,
  PACKAGE_J,
  PACKAGE_LIMIT,
  type Shape,
} from "./_alias_row.ts";
import { PAPI_ALIASES } from "./papi_alias.ts";

export type { Alias } from "./_alias_row.ts";
export { bareName } from "./papi_alias.ts";

const PACKAGE_W: Shape = ["package", "W", "variable", "sum"];
const GPU_J: Shape = ["gpu", "J", "monotone", "sum"];
const GPU_W: Shape = ["gpu", "W", "variable", "sum"];
const CYCLES: Shape = ["cpu", "", "monotone", "sum"];
const CPU_HZ: Shape = ["cpu", "Hz", "variable", "average"];
const CPU_FIXED_HZ: Shape = ["cpu", "Hz", "constant", "expect_same"];
const PACKAGE_HZ: Shape = ["package", "Hz", "variable", "average"];

/** A power that belongs to the energy chosen: the source's own reading, else the energy's rate. */
function powerOf(
  name: string,
  shape: Shape,
  [energy, about]: readonly [string, string],
  sources: Record<string, string>,
): Alias {
  const base = alias(name, shape, about, [`RATE::${energy}`]);
  return { ...base, follows: { alias: energy, sources } };
}

/** Aliases over several readers: the order of their sources is decided here. */
const ALIASES: readonly Alias[] = [
  alias("CPU_ENERGY", PACKAGE_J, "Energy of the packages", [
    "MSR::PKG_ENERGY_STATUS:ENERGY",
    "PERF::ENERGY_PKG",
    "POWERCAP::CPU_ENERGY_CONSUMED",
    "HWMON::AMD_SOCKET_ENERGY",
    "INTEGRAL::GRACE_POWER",
    "INTEGRAL::XGENE_CPU_POWER",
    "CNL::PACKAGE_ENERGY",
  ]),
  alias("DRAM_ENERGY", PACKAGE_J, "Energy of the memory", [
    "MSR::DRAM_ENERGY_STATUS:ENERGY",
    "PERF::ENERGY_RAM",
    "POWERCAP::DRAM_ENERGY_CONSUMED",
    "CNL::DRAM_ENERGY",
  ]),
  alias("BOARD_ENERGY", BOARD_J, "Energy of the node", [
    "CNL::BOARD_ENERGY",
    "MSR::PLATFORM_ENERGY_STATUS:ENERGY",
    "PERF::ENERGY_PSYS",
    "POWERCAP::PSYS_ENERGY_CONSUMED",
    "INTEGRAL::METER_POWER",
    "INTEGRAL::NODE_POWER",
  ]),
  alias("GPU_ENERGY", GPU_J, "Energy of the GPUs", [
    "NVML::GPU_ENERGY_CONSUMPTION_TOTAL",
    "ROCM::ENERGY",
    "INTEGRAL::AMDGPU_POWER",
    "CNL::GPU_ENERGY",
  ]),
  powerOf("CPU_POWER", PACKAGE_W, ["CPU_ENERGY", "Power of the packages"], {
    "INTEGRAL::GRACE_POWER": "HWMON::GRACE_POWER",
    "INTEGRAL::XGENE_CPU_POWER": "HWMON::XGENE_CPU_POWER",
    "CNL::PACKAGE_ENERGY": "CNL::PACKAGE_POWER",
  }),
  powerOf("DRAM_POWER", PACKAGE_W, ["DRAM_ENERGY", "Power of the memory"], {
    "CNL::DRAM_ENERGY": "CNL::DRAM_POWER",
  }),
  powerOf("BOARD_POWER", BOARD_W, ["BOARD_ENERGY", "Power of the node"], {
    "CNL::BOARD_ENERGY": "CNL::BOARD_POWER",
    "INTEGRAL::METER_POWER": "HWMON::METER_POWER",
    "INTEGRAL::NODE_POWER": "IPMI::NODE_POWER",
  }),
  powerOf("GPU_POWER", GPU_W, ["GPU_ENERGY", "Power of the GPUs"], {
    "NVML::GPU_ENERGY_CONSUMPTION_TOTAL": "NVML::GPU_POWER",
    "ROCM::ENERGY": "ROCM::POWER",
    "INTEGRAL::AMDGPU_POWER": "AMDGPU::POWER",
    "CNL::GPU_ENERGY": "CNL::GPU_POWER",
  }),
  alias("BOARD_ENERGY_REST", BOARD_J, "Energy of the node minus the energy of its measured parts", [
    "REST::CNL_ENERGY",
    "REST::BOARD_ENERGY",
  ]),
  alias("BOARD_POWER_REST", BOARD_W, "Power of the node minus the power of its measured parts", [
    "REST::CNL_POWER",
    "REST::BOARD_POWER",
  ]),
  alias("CPU_CYCLES_THREAD", CYCLES, "Clock cycles of the CPU while it was not idle", [
    "MSR::APERF:ACNT",
    "PERF::CYCLES",
  ]),
  alias("CPU_CYCLES_REFERENCE", CYCLES, "Cycles at the base frequency while the CPU was not idle", [
    "MSR::MPERF:MCNT",
    "PERF::REF_CYCLES",
  ]),
  alias(
    "CPU_INSTRUCTIONS_RETIRED",
    CYCLES,
    "Number of instructions that the CPU executed (retired)",
    [
      "MSR::FIXED_CTR0:INST_RETIRED_ANY",
      "PERF::INSTRUCTIONS",
    ],
  ),
  alias(
    "CPU_TIMESTAMP_COUNTER",
    ["cpu", "", "monotone", "select_first"],
    "Time stamp counter of the CPU: cycles at the nominal frequency",
    [
      "MSR::TIME_STAMP_COUNTER:TIMESTAMP_COUNT",
    ],
  ),
  alias("CPU_FREQUENCY_STATUS", CPU_HZ, "Current clock frequency of the CPU", [
    "MSR::PERF_STATUS:FREQ",
    "CPUFREQ::SCALING_CUR_FREQ",
  ]),
  alias("CPU_FREQUENCY_DESIRED", CPU_HZ, "Clock frequency that was requested for the CPU", [
    "MSR::PERF_CTL:FREQ",
  ]),
  alias("CPU_FREQUENCY_MAX_AVAIL", CPU_FIXED_HZ, "Highest clock frequency of the CPU", [
    "MSR::TURBO_RATIO_LIMIT:MAX_RATIO_LIMIT_0",
    "CPUINFO::FREQ_MAX",
  ]),
  alias("CPU_FREQUENCY_MIN_AVAIL", CPU_FIXED_HZ, "Lowest clock frequency of the CPU", [
    "CPUINFO::FREQ_MIN",
  ]),
  alias(
    "CPU_FREQUENCY_STICKER",
    CPU_FIXED_HZ,
    "Base frequency: the nominal clock frequency of the CPU",
    ["CPUINFO::FREQ_STICKER"],
  ),
  alias("CPU_FREQUENCY_STEP", CPU_FIXED_HZ, "Step between two frequency settings of the CPU", [
    "CPUINFO::FREQ_STEP",
  ]),
  alias("CPU_FREQUENCY_MAX_CONTROL", CPU_HZ, "Highest clock frequency that the CPU may use", [
    "CPUFREQ::SCALING_MAX_FREQ",
  ]),
  alias("CPU_FREQUENCY_MIN_CONTROL", CPU_HZ, "Lowest clock frequency that the CPU may use", [
    "CPUFREQ::SCALING_MIN_FREQ",
  ]),
  alias(
    "CPU_UNCORE_FREQUENCY_STATUS",
    PACKAGE_HZ,
    "Current frequency of the uncore (part of the processor outside of the cores)",
    [
      "MSR::UNCORE_PERF_STATUS:FREQ",
    ],
  ),
  alias(
    "CPU_UNCORE_FREQUENCY_MAX_CONTROL",
    ["package", "Hz", "variable", "expect_same"],
    "Highest frequency that the uncore may use",
    ["MSR::UNCORE_RATIO_LIMIT:MAX_RATIO"],
  ),
  alias(
    "CPU_UNCORE_FREQUENCY_MIN_CONTROL",
    ["package", "Hz", "variable", "expect_same"],
    "Lowest frequency that the uncore may use",
    ["MSR::UNCORE_RATIO_LIMIT:MIN_RATIO"],
  ),
  alias("CPU_CORE_TEMPERATURE", ["core", "°C", "variable", "average"], "Temperature of the cores", [
    "MSR::THERM_STATUS:TEMPERATURE",
    "HWMON::CORE_TEMPERATURE",
  ]),
  alias(
    "CPU_PACKAGE_TEMPERATURE",
    ["package", "°C", "variable", "average"],
    "Temperature of the packages",
    ["MSR::PACKAGE_THERM_STATUS:TEMPERATURE", "HWMON::PACKAGE_TEMPERATURE", "CNL::CPU_TEMPERATURE"],
  ),
  alias("CPU_POWER_LIMIT_CONTROL", PACKAGE_W, "Long-term power limit of the package", [
    "MSR::PKG_POWER_LIMIT:PL1_POWER_LIMIT",
    "POWERCAP::CPU_POWER_LIMIT",
  ]),
  alias(
    "CPU_POWER_TIME_WINDOW_CONTROL",
    ["package", "s", "variable", "expect_same"],
    "Averaging time of the long-term power limit of the package",
    ["MSR::PKG_POWER_LIMIT:PL1_TIME_WINDOW", "POWERCAP::CPU_TIME_WINDOW"],
  ),
  alias("CPU_POWER_LIMIT_DEFAULT", PACKAGE_LIMIT, "Thermal design power of the package", [
    "MSR::PKG_POWER_INFO:THERMAL_SPEC_POWER",
    "POWERCAP::CPU_CONSTRAINT_0_MAX_POWER",
  ]),
  alias(
    "CPU_POWER_MIN_AVAIL",
    PACKAGE_LIMIT,
    "Lowest power limit that can be set for the package",
    [
      "MSR::PKG_POWER_INFO:MIN_POWER",
    ],
  ),
  alias(
    "CPU_POWER_MAX_AVAIL",
    PACKAGE_LIMIT,
    "Highest power limit that can be set for the package",
    [
      "MSR::PKG_POWER_INFO:MAX_POWER",
      "POWERCAP::CPU_CONSTRAINT_1_MAX_POWER",
    ],
  ),
  alias(
    "GPU_CORE_FREQUENCY_STATUS",
    ["gpu", "Hz", "variable", "average"],
    "Current clock frequency of the GPUs",
    ["NVML::GPU_CORE_FREQUENCY_STATUS", "AMDGPU::CORE_FREQUENCY"],
  ),
  alias(
    "GPU_UTILIZATION",
    ["gpu", "", "variable", "average"],
    "Share of time that the GPUs were busy, 0 to 1",
    ["NVML::GPU_UTILIZATION", "AMDGPU::UTILIZATION"],
  ),
  alias("GPU_TEMPERATURE", ["gpu", "°C", "variable", "average"], "Temperature of the GPUs", [
    "NVML::GPU_TEMPERATURE",
    "AMDGPU::TEMPERATURE",
  ]),
  alias("GPU_POWER_LIMIT_CONTROL", GPU_W, "Power limit of the GPUs", [
    "NVML::GPU_POWER_LIMIT",
    "AMDGPU::POWER_LIMIT",
  ]),
  ...PAPI_ALIASES,
];

/** All portable names, with the sources that these readers add. */
export function aliasesWith(readers: readonly Pick<Reader, "aliases" | "signals">[]): Alias[] {
  const all = new Map(ALIASES.map((alias) => [alias.row.name, alias]));
  for (const { aliases = [], signals } of readers) {
    for (const { name, signal, before } of aliases) {
      const known = all.get(name);
      const row = known?.row ?? { ...signals.find((row) => row.name === signal)!, name };
      const candidates = [...known?.candidates ?? []];
      const at = before === undefined ? -1 : candidates.indexOf(before);
      candidates.splice(at < 0 ? candidates.length : at, 0, signal);
      all.set(name, { ...known, row, candidates });
    }
  }
  return [...all.values()];
}
