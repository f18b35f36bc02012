/**
 * Signals that are calculated from others, tick by tick.
 *
 * Each is one constant of one shape, so that the catalogue can list them like readers' rows.
 * @module
 */
import type { SignalRow } from "../core/signal.ts";
import { makeCounterRest, makeIntegral, makeRatio, makeRest } from "./_formulas.ts";
import { makeSlope } from "./_slope.ts";

/** A calculated signal. */
export interface DerivedSignal {
  /** Name, domain, unit and behavior. */
  readonly row: SignalRow;
  /** Names it is calculated from; it exists where all of them do. */
  readonly inputs: readonly string[];
  /** Names that join the inputs where they exist; at least one of them must. */
  readonly parts?: readonly string[];
  /**
   * Prepares the calculation; the function returned is called once a tick and allocates nothing.
   *
   * @param inputs Native values of each input, refreshed in place.
   * @param out Where to write, one value per instance of the row's domain.
   */
  make(inputs: readonly Float64Array[], out: Float64Array): (timeS: number) => void;
}

const RATE = "slope of a least-squares line through the last 8 readings; NaN before the second";
const INTEGRAL = "no counter exists: time integral of the power, by the trapezoid rule";

/** Power as the rate of an energy. */
function rate(name: string, energy: string, about: string, more: Partial<SignalRow>) {
  const base = { domain: "package", unit: "W", behavior: "variable", agg: "sum" } as const;
  const row: SignalRow = { ...base, name, about, source: energy, quirks: RATE, ...more };
  return { row, inputs: [energy], make: ([input], out) => makeSlope(input, out) } as DerivedSignal;
}

/** Energy as the integral of a power. */
function integral(name: string, power: string, about: string, more: Partial<SignalRow>) {
  const base = { domain: "package", unit: "J", behavior: "monotone", agg: "sum" } as const;
  const row: SignalRow = { ...base, name, about, source: power, quirks: INTEGRAL, ...more };
  return {
    row,
    inputs: [power],
    make: ([input], out) => makeIntegral(input, out),
  } as DerivedSignal;
}

const CNL_PARTS = ["ACCEL", ...Array.from({ length: 8 }, (_, n) => `ACCEL${n}`)];

/** All of them. Names that an alias chooses among carry the source; see `alias.ts`. */
export const DERIVED: readonly DerivedSignal[] = [
  rate("RATE::CPU_ENERGY", "CPU_ENERGY", "Power of the package, from its energy", {}),
  rate("RATE::DRAM_ENERGY", "DRAM_ENERGY", "Power of the memory, from its energy", {}),
  rate("RATE::BOARD_ENERGY", "BOARD_ENERGY", "Power of the node, from its energy", {
    domain: "board",
  }),
  rate("RATE::GPU_ENERGY", "GPU_ENERGY", "Power of the GPU, from its energy", { domain: "gpu" }),
  integral(
    "INTEGRAL::GRACE_POWER",
    "HWMON::GRACE_POWER",
    "Energy of the socket: CPU and SysIO",
    {},
  ),
  integral("INTEGRAL::GRACE_CPU_POWER", "HWMON::GRACE_CPU_POWER", "Energy of the CPU rail", {}),
  integral(
    "INTEGRAL::GRACE_SYSIO_POWER",
    "HWMON::GRACE_SYSIO_POWER",
    "Energy of the SysIO rail",
    {},
  ),
  integral("INTEGRAL::GRACE_MODULE_POWER", "HWMON::GRACE_MODULE_POWER", "Energy of the module", {}),
  integral("INTEGRAL::METER_POWER", "HWMON::METER_POWER", "Energy of the node, from its meter", {
    domain: "board",
  }),
  integral("INTEGRAL::NODE_POWER", "IPMI::NODE_POWER", "Energy of the node, from its BMC", {
    domain: "board",
  }),
  integral("INTEGRAL::AMDGPU_POWER", "AMDGPU::POWER", "Energy of the GPU, from its meter", {
    domain: "gpu",
  }),
  {
    row: {
      name: "CPU_FREQUENCY_ACHIEVED",
      domain: "cpu",
      unit: "Hz",
      behavior: "variable",
      agg: "average",
      about: "Frequency over the last tick while not idle: base · ΔAPERF / ΔMPERF",
      source: "CPU_CYCLES_THREAD, CPU_CYCLES_REFERENCE, CPU_FREQUENCY_STICKER",
      quirks: "a CPU that slept through the tick keeps its last value",
    },
    inputs: ["CPU_CYCLES_THREAD", "CPU_CYCLES_REFERENCE", "CPU_FREQUENCY_STICKER"],
    make: makeRatio,
  },
  {
    row: {
      name: "CPU_BUSY",
      domain: "cpu",
      unit: "",
      behavior: "variable",
      agg: "average",
      about: "Share of the last tick that the CPU was not idle: ΔMPERF / ΔTSC",
      source: "CPU_CYCLES_REFERENCE, CPU_TIMESTAMP_COUNTER",
    },
    inputs: ["CPU_CYCLES_REFERENCE", "CPU_TIMESTAMP_COUNTER"],
    make: makeRatio,
  },
  {
    row: {
      name: "REST::CNL_ENERGY",
      domain: "board",
      unit: "J",
      behavior: "monotone",
      agg: "sum",
      about: "Energy of the node that none of its measured parts took, from 0 at the first tick",
      source: "CNL::BOARD_ENERGY minus CPU, memory, accelerators",
    },
    inputs: ["CNL::BOARD_ENERGY"],
    parts: [
      "CNL::BOARD_ENERGY_CPU",
      "CNL::MEMORY_ENERGY",
      ...CNL_PARTS.map((p) => `CNL::${p}_ENERGY`),
    ],
    make: makeCounterRest,
  },
  {
    row: {
      name: "REST::CNL_POWER",
      domain: "board",
      unit: "W",
      behavior: "variable",
      agg: "sum",
      about: "Power of the node that none of its measured parts takes",
      source: "CNL::BOARD_POWER minus CPU, memory, accelerators",
    },
    inputs: ["CNL::BOARD_POWER"],
    parts: [
      "CNL::BOARD_POWER_CPU",
      "CNL::MEMORY_POWER",
      ...CNL_PARTS.map((p) => `CNL::${p}_POWER`),
    ],
    make: makeRest,
  },
  {
    row: {
      name: "REST::BOARD_ENERGY",
      domain: "board",
      unit: "J",
      behavior: "monotone",
      agg: "sum",
      about:
        "Energy of the node that package, memory and GPUs did not take, from 0 at the first tick",
      source: "BOARD_ENERGY minus CPU_ENERGY, DRAM_ENERGY, GPU_ENERGY",
    },
    inputs: ["BOARD_ENERGY"],
    parts: ["CPU_ENERGY", "DRAM_ENERGY", "GPU_ENERGY"],
    make: makeCounterRest,
  },
  {
    row: {
      name: "REST::BOARD_POWER",
      domain: "board",
      unit: "W",
      behavior: "variable",
      agg: "sum",
      about: "Power of the node that package, memory and GPUs do not take",
      source: "BOARD_POWER minus CPU_POWER, DRAM_POWER, GPU_POWER",
    },
    inputs: ["BOARD_POWER"],
    parts: ["CPU_POWER", "DRAM_POWER", "GPU_POWER"],
    make: makeRest,
  },
];
