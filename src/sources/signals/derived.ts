/**
 * Signals that are calculated from others, tick by tick.
 *
 * Each is one constant of one shape, so that the catalogue can list them like readers' rows.
 * @module
 */
import type { Domain } from "../../core/machine/domain.ts";
import type { SignalRow } from "../../core/signal.ts";
import { makeCounterRest, makeIntegral, makeRatio, makeRest, makeSlope } from "./_formulas.ts";

/** A calculated signal. */
export interface DerivedSignal {
  /** Name, domain, unit and behavior. */
  readonly row: SignalRow;
  /** Names it is calculated from; it exists if all of them do. */
  readonly inputs: readonly string[];
  /** Names that join the inputs if they exist; at least one of them must. */
  readonly parts?: readonly string[];
  /**
   * Prepares the calculation; the function returned is called once a tick and allocates nothing.
   *
   * @param inputs Native values of each input, refreshed in place.
   * @param out Where to write, one value per instance of the row's domain.
   * @param periodS Seconds between two updates of the first input, if they are known.
   */
  make(
    inputs: readonly Float64Array[],
    out: Float64Array,
    periodS?: number,
  ): (timeS: number) => void;
}

const RATE =
  "the value is the slope of a least-squares line through the last 8 readings. Readings " +
  "before the next update of the counter do not count. The value is NaN at the first sample";
const INTEGRAL =
  "the hardware has no energy counter. joulemark adds up power × time (trapezoid rule)";

const POWER = { domain: "package", unit: "W", behavior: "variable", agg: "sum" } as const;
const ENERGY = { domain: "package", unit: "J", behavior: "monotone", agg: "sum" } as const;

/** Power as the rate of an energy. */
function rate(energy: string, about: string, domain: Domain = "package"): DerivedSignal {
  const facts = { ...POWER, domain, about, source: energy, quirks: RATE };
  const row = { name: `RATE::${energy}`, ...facts };
  return { row, inputs: [energy], make: ([input], out, periodS) => makeSlope(input, out, periodS) };
}

/** Energy as the integral of a power. */
function integral(
  name: string,
  power: string,
  about: string,
  domain: Domain = "package",
): DerivedSignal {
  const facts = { ...ENERGY, domain, about, source: power, quirks: INTEGRAL };
  const row = { name: `INTEGRAL::${name}`, ...facts };
  return { row, inputs: [power], make: ([input], out) => makeIntegral(input, out) };
}

/** Makes the rest of a whole of the board. @param row Its source is the whole, minus this text. */
function rest(
  whole: string,
  parts: readonly string[],
  { name, about, source }: { name: string; about: string; source: string },
): DerivedSignal {
  const isEnergy = name.endsWith("ENERGY");
  const facts = { ...isEnergy ? ENERGY : POWER, domain: "board", about } as const;
  const row = { name: `REST::${name}`, ...facts, source: `${whole} minus ${source}` };
  return { row, inputs: [whole], parts, make: isEnergy ? makeCounterRest : makeRest };
}

const CNL_PARTS = ["ACCEL", ...Array.from({ length: 8 }, (_, n) => `ACCEL${n}`)];

/** All of them. Names that an alias chooses among carry the source; see `alias.ts`. */
export const DERIVED: readonly DerivedSignal[] = [
  rate("CPU_ENERGY", "Power of the package, from its energy"),
  rate("DRAM_ENERGY", "Power of the memory, from its energy"),
  rate("BOARD_ENERGY", "Power of the node, from its energy", "board"),
  rate("GPU_ENERGY", "Power of the GPU, from its energy", "gpu"),
  integral("GRACE_POWER", "HWMON::GRACE_POWER", "Energy of the socket: CPU and SysIO"),
  integral(
    "GRACE_CPU_POWER",
    "HWMON::GRACE_CPU_POWER",
    "Energy of the CPU cores (power supply line CPU)",
  ),
  integral(
    "GRACE_SYSIO_POWER",
    "HWMON::GRACE_SYSIO_POWER",
    "Energy of the input and output part (power supply line SysIO)",
  ),
  integral("GRACE_MODULE_POWER", "HWMON::GRACE_MODULE_POWER", "Energy of the module"),
  integral("XGENE_CPU_POWER", "HWMON::XGENE_CPU_POWER", "Energy of the cores, from their meter"),
  integral("METER_POWER", "HWMON::METER_POWER", "Energy of the node, from its meter", "board"),
  integral("NODE_POWER", "IPMI::NODE_POWER", "Energy of the node, from its BMC", "board"),
  integral("AMDGPU_POWER", "AMDGPU::POWER", "Energy of the GPU, from its meter", "gpu"),
  {
    row: {
      name: "CPU_FREQUENCY_ACHIEVED",
      domain: "cpu",
      unit: "Hz",
      behavior: "variable",
      agg: "average",
      about: "Frequency since the last sample while the CPU was not idle: base frequency · " +
        "ΔAPERF / ΔMPERF",
      source: "CPU_CYCLES_THREAD, CPU_CYCLES_REFERENCE, CPU_FREQUENCY_STICKER",
      quirks: "if the CPU was idle since the last sample, the value does not change",
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
      about: "Share of the time since the last sample in which the CPU was not idle: " +
        "ΔMPERF / ΔTSC",
      source: "CPU_CYCLES_REFERENCE, CPU_TIMESTAMP_COUNTER",
    },
    inputs: ["CPU_CYCLES_REFERENCE", "CPU_TIMESTAMP_COUNTER"],
    make: makeRatio,
  },
  rest("CNL::BOARD_ENERGY", [
    "CNL::BOARD_ENERGY_CPU",
    "CNL::MEMORY_ENERGY",
    ...CNL_PARTS.map((part) => `CNL::${part}_ENERGY`),
  ], {
    name: "CNL_ENERGY",
    about: "Energy of the node minus the energy of its measured parts, from 0 at the " +
      "first sample",
    source: "CPU, memory, accelerators",
  }),
  rest("CNL::BOARD_POWER", [
    "CNL::BOARD_POWER_CPU",
    "CNL::MEMORY_POWER",
    ...CNL_PARTS.map((part) => `CNL::${part}_POWER`),
  ], {
    name: "CNL_POWER",
    about: "Power of the node minus the power of its measured parts",
    source: "CPU, memory, accelerators",
  }),
  rest("BOARD_ENERGY", ["CPU_ENERGY", "DRAM_ENERGY", "GPU_ENERGY"], {
    name: "BOARD_ENERGY",
    about: "Energy of the node minus the energy of packages, memory and GPUs, from 0 at " +
      "the first sample",
    source: "CPU_ENERGY, DRAM_ENERGY, GPU_ENERGY",
  }),
  rest("BOARD_POWER", ["CPU_POWER", "DRAM_POWER", "GPU_POWER"], {
    name: "BOARD_POWER",
    about: "Power of the node minus the power of packages, memory and GPUs",
    source: "CPU_POWER, DRAM_POWER, GPU_POWER",
  }),
];
