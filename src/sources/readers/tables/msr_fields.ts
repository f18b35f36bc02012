/**
 * The registers and fields of the MSR reader, as data.
 *
 * Truth: Intel SDM volume 4 "Model-specific registers"; AMD processor programming references of
 * families 17h and 19h. Names, domains and aggregations are GEOPM's if it has them.
 * @module
 */
import type { Aggregation } from "../../../core/agg.ts";
import type { Domain } from "../../../core/machine/domain.ts";
import type { FieldFunction } from "../../../core/machine/msr_field.ts";
import type { Behavior, SignalFormat, Unit } from "../../../core/signal.ts";

/** A unit that is decoded at run time from register 0x606 or C001_0299h. */
export type RaplUnit = "powerW" | "energyJ" | "dramJ" | "psysJ" | "timeS";

/** One field. */
export interface MsrField {
  readonly name: string;
  readonly about: string;
  readonly begin: number;
  readonly end: number;
  readonly fn: FieldFunction;
  readonly scale: number | RaplUnit;
  readonly unit: Unit;
  readonly behavior: Behavior;
  readonly agg: Aggregation;
  readonly format?: SignalFormat;
  readonly quirks?: string;
  /** Share of its range up to which a step backwards is a wrap: see `CounterKind`. */
  readonly wrapShare?: number;
  /** Seconds without change after which it is called frozen. */
  readonly stallAfterS?: number;
  /** Fastest growth that is possible, in the field's unit per second. */
  readonly maxPerSecond?: number;
  /** The value is this register's TjMax minus the field, while bit 31 (if used) is set (valid). */
  readonly belowTjMax?: "core" | "package";
}

/** One register on the processors of one vendor. */
export interface MsrRegister {
  readonly name: string;
  readonly offset: number;
  readonly domain: Domain;
  readonly vendor: "intel" | "amd" | "x86";
  readonly fields: readonly MsrField[];
}

/** Function, scalar, unit, behavior and aggregation. */
type Shape = readonly [FieldFunction, number | RaplUnit, Unit, Behavior, Aggregation];

/** By name of the field. */
type Rows = Readonly<Record<string, Row>>;
type Row = readonly [
  bits: readonly [begin: number, end: number],
  shape: Shape,
  about: string,
  more?: Partial<MsrField>,
];

function register(
  vendor: MsrRegister["vendor"],
  name: string,
  [offset, domain]: readonly [number, Domain],
  rows: Rows,
): MsrRegister {
  const fields = Object.entries(rows).map(([field, row]): MsrField => {
    const [[begin, end], [fn, scale, unit, behavior, agg], about, more] = row;
    const facts = { begin, end, fn, scale, unit, behavior, agg, about };
    return { name: `MSR::${name}:${field}`, ...facts, ...more };
  });
  return { name, offset, domain, vendor, fields };
}

const ENERGY_WRAP =
  "the register starts at 0 again after 2^32 units: after some minutes to an hour at full " +
  "power. joulemark corrects this";
const PART_RATE = { quirks: ENERGY_WRAP, maxPerSecond: 10_000 };
/** A package never sleeps so deeply that its counter stops; cores and graphics may. */
const PACKAGE_RATE = { ...PART_RATE, stallAfterS: 2 };
const CYCLES = { format: "integer", maxPerSecond: 2e10 } as const;
/** GEOPM takes 40 of the bits; at 3 GHz that wraps in six minutes. */
const FIXED = { format: "integer", wrapShare: 1 } as const;
const GHZ_STEP = 1e8;

const FIXED_HZ: Shape = ["scale", GHZ_STEP, "Hz", "constant", "expect_same"];
const HZ: Shape = ["scale", GHZ_STEP, "Hz", "variable", "average"];
const LIMIT_HZ: Shape = ["scale", GHZ_STEP, "Hz", "variable", "expect_same"];
const COUNT: Shape = ["overflow", 1, "", "monotone", "sum"];
const FLAG: Shape = ["logic", 1, "", "variable", "sum"];
const LOCK: Shape = ["logic", 1, "", "constant", "expect_same"];
const CELSIUS: Shape = ["scale", 1, "°C", "variable", "average"];
const FIXED_CELSIUS: Shape = ["scale", 1, "°C", "constant", "expect_same"];
const LIMIT_W: Shape = ["scale", "powerW", "W", "variable", "sum"];
const FIXED_W: Shape = ["scale", "powerW", "W", "constant", "sum"];
const WINDOW_S: Shape = ["7_bit_float", "timeS", "s", "variable", "expect_same"];
const HELD_BACK_S: Shape = ["overflow", "timeS", "s", "monotone", "sum"];
const ENERGY_J: Shape = ["overflow", "energyJ", "J", "monotone", "sum"];
const EXPONENT: Shape = ["scale", 1, "", "constant", "expect_same"];

/** Registers by vendor; the ones of one name and different vendors stand for the same thing. */
export const MSR_REGISTERS: readonly MsrRegister[] = [
  register("x86", "TIME_STAMP_COUNTER", [0x10, "cpu"], {
    TIMESTAMP_COUNT: [
      [0, 47],
      ["overflow", 1, "", "monotone", "select_first"],
      "Time stamp counter: cycles at the nominal frequency",
      CYCLES,
    ],
  }),
  register("intel", "PLATFORM_INFO", [0xce, "package"], {
    MAX_NON_TURBO_RATIO: [
      [8, 15],
      FIXED_HZ,
      "Base frequency: the highest frequency without turbo",
      {
        quirks:
          "on Nehalem and Westmere, one count of the register is 133 MHz. On other processors " +
          "it is 100 MHz",
      },
    ],
    MAX_EFFICIENCY_RATIO: [[40, 47], FIXED_HZ, "Lowest clock frequency of the CPU"],
  }),
  register("x86", "MPERF", [0xe7, "cpu"], {
    MCNT: [[0, 47], COUNT, "Cycles at the base frequency while the CPU was not idle", CYCLES],
  }),
  register("x86", "APERF", [0xe8, "cpu"], {
    ACNT: [
      [0, 47],
      COUNT,
      "Clock cycles of the CPU while it was not idle, at the actual frequency",
      CYCLES,
    ],
  }),
  register("intel", "PERF_STATUS", [0x198, "cpu"], {
    FREQ: [[8, 15], HZ, "Current clock frequency of the CPU"],
    CORE_VOLTAGE: [
      [32, 47],
      ["scale", 2 ** -13, "V", "variable", "average"],
      "Core voltage; 0 if the processor does not report it",
    ],
  }),
  register("intel", "PERF_CTL", [0x199, "core"], {
    FREQ: [[8, 15], HZ, "Clock frequency that was requested for the CPU"],
  }),
  register("intel", "THERM_STATUS", [0x19c, "core"], {
    THERMAL_STATUS_FLAG: [[0, 0], FLAG, "1 if the core is above its highest temperature, else 0"],
    PROCHOT_EVENT: [
      [2, 2],
      FLAG,
      "1 if the signal PROCHOT (processor is too hot) is active for the core, else 0",
    ],
    POWER_LIMIT_STATUS: [
      [10, 10],
      FLAG,
      "1 if a power limit keeps the frequency of the core below the requested frequency, else 0",
    ],
    DIGITAL_READOUT: [
      [16, 22],
      CELSIUS,
      "Number of degrees below TEMPERATURE_TARGET:PROCHOT_MIN, the highest temperature",
    ],
    RESOLUTION: [
      [27, 30],
      ["scale", 1, "°C", "variable", "expect_same"],
      "Resolution of DIGITAL_READOUT",
    ],
    READING_VALID: [[31, 31], FLAG, "1 if DIGITAL_READOUT is valid, else 0"],
    TEMPERATURE: [
      [16, 22],
      CELSIUS,
      "Core temperature: TEMPERATURE_TARGET:PROCHOT_MIN minus DIGITAL_READOUT",
      { belowTjMax: "core" },
    ],
  }),
  register("intel", "TEMPERATURE_TARGET", [0x1a2, "core"], {
    PROCHOT_MIN: [
      [16, 23],
      FIXED_CELSIUS,
      "Highest temperature (TjMax): above it, the signal PROCHOT becomes active",
    ],
    TCC_ACTIVE_OFFSET: [
      [24, 29],
      FIXED_CELSIUS,
      "Throttling begins at this number of degrees below PROCHOT_MIN",
    ],
  }),
  register("intel", "PACKAGE_THERM_STATUS", [0x1b1, "package"], {
    PROCHOT_EVENT: [
      [2, 2],
      FLAG,
      "1 if the signal PROCHOT (processor is too hot) is active for the package, else 0",
    ],
    POWER_LIMIT_STATUS: [
      [10, 10],
      FLAG,
      "1 if a power limit keeps the frequency of the package below the requested frequency, else 0",
    ],
    DIGITAL_READOUT: [
      [16, 22],
      CELSIUS,
      "Number of degrees below TEMPERATURE_TARGET:PROCHOT_MIN, the highest temperature",
    ],
    TEMPERATURE: [
      [16, 22],
      CELSIUS,
      "Package temperature: TEMPERATURE_TARGET:PROCHOT_MIN minus DIGITAL_READOUT",
      { belowTjMax: "package" },
    ],
  }),
  register("intel", "TURBO_RATIO_LIMIT", [0x1ad, "package"], {
    MAX_RATIO_LIMIT_0: [
      [0, 7],
      FIXED_HZ,
      "Highest turbo frequency. It is reached if only few cores are active",
    ],
  }),
  ...([
    ["INST_RETIRED_ANY", "Number of instructions that the CPU executed (retired)"],
    ["CPU_CLK_UNHALTED_THREAD", "Clock cycles of the CPU while it was not halted"],
    ["CPU_CLK_UNHALTED_REF_TSC", "Cycles at the base frequency while the CPU was not halted"],
  ] as const).map(([name, what], i) =>
    register("intel", `FIXED_CTR${i}`, [0x309 + i, "cpu"], {
      [name]: [[0, 39], COUNT, `${what}, if the counter is switched on`, FIXED],
    })
  ),
  ...(["intel", "amd"] as const).map((vendor) =>
    register(vendor, "RAPL_POWER_UNIT", [vendor === "intel" ? 0x606 : 0xc0010299, "package"], {
      POWER: [[0, 3], ["log_half", 1, "W", "constant", "expect_same"], "Unit of power limits"],
      ENERGY: [[8, 12], ["log_half", 1, "J", "constant", "expect_same"], "Unit of energy counters"],
      TIME: [[16, 19], ["log_half", 1, "s", "constant", "expect_same"], "Unit of times"],
      POWER_EXPONENT: [[0, 3], EXPONENT, "Exponent n: the unit of power limits is 2^−n W"],
      ENERGY_EXPONENT: [[8, 12], EXPONENT, "Exponent n: the unit of energy counters is 2^−n J"],
      TIME_EXPONENT: [[16, 19], EXPONENT, "Exponent n: the unit of times is 2^−n s"],
    })
  ),
  register("intel", "PKG_POWER_LIMIT", [0x610, "package"], {
    PL1_POWER_LIMIT: [[0, 14], LIMIT_W, "Long-term power limit of the package"],
    PL1_LIMIT_ENABLE: [[15, 15], FLAG, "1 if the long-term power limit is on, else 0"],
    PL1_CLAMP_ENABLE: [
      [16, 16],
      FLAG,
      "1 if the long-term power limit may reduce the frequency below the requested one, else 0",
    ],
    PL1_TIME_WINDOW: [[17, 23], WINDOW_S, "Averaging time of the long-term power limit"],
    PL2_POWER_LIMIT: [[32, 46], LIMIT_W, "Short-term power limit of the package"],
    PL2_LIMIT_ENABLE: [[47, 47], FLAG, "1 if the short-term power limit is on, else 0"],
    PL2_CLAMP_ENABLE: [
      [48, 48],
      FLAG,
      "1 if the short-term power limit may reduce the frequency below the requested one, else 0",
    ],
    PL2_TIME_WINDOW: [[49, 55], WINDOW_S, "Averaging time of the short-term power limit"],
    LOCK: [[63, 63], LOCK, "1 if the power limits cannot be changed until the next reset, else 0"],
  }),
  register("intel", "PKG_ENERGY_STATUS", [0x611, "package"], {
    ENERGY: [
      [0, 31],
      ENERGY_J,
      "Energy of the package: cores, caches, memory controllers",
      PACKAGE_RATE,
    ],
  }),
  register("intel", "PKG_PERF_STATUS", [0x613, "package"], {
    THROTTLE_TIME: [
      [0, 31],
      HELD_BACK_S,
      "Time that the package was throttled by its power limits",
    ],
  }),
  ...([["PKG", 0x614, "package"], ["DRAM", 0x61c, "memory"]] as const).map(([part, at, what]) =>
    register("intel", `${part}_POWER_INFO`, [at, "package"], {
      THERMAL_SPEC_POWER: [[0, 14], FIXED_W, `Thermal design power of the ${what}`],
      MIN_POWER: [[16, 30], FIXED_W, `Lowest power limit that can be set for the ${what}`],
      MAX_POWER: [[32, 46], FIXED_W, `Highest power limit that can be set for the ${what}`],
      MAX_TIME_WINDOW: [
        [48, 54],
        ["7_bit_float", "timeS", "s", "constant", "expect_same"],
        "Longest averaging time of a power limit. The bits of the register are read as a float, " +
        "as in Linux and GEOPM",
        {
          quirks: "the same bits give a very different time as a whole number: 0x2f is 40 s as " +
            "a float, and 0.046 s as a whole number",
        },
      ],
      MAX_TIME_WINDOW_LINEAR: [
        [48, 53],
        ["scale", "timeS", "s", "constant", "expect_same"],
        "Longest averaging time of a power limit. The bits of the register are read as a whole " +
        "number, as in PAPI and CrayPat",
      ],
    })
  ),
  register("intel", "DRAM_POWER_LIMIT", [0x618, "package"], {
    POWER_LIMIT: [[0, 14], LIMIT_W, "Power limit of the memory"],
    ENABLE: [[15, 15], FLAG, "1 if the power limit of the memory is on, else 0"],
    TIME_WINDOW: [[17, 23], WINDOW_S, "Averaging time of the power limit of the memory"],
    LOCK: [
      [31, 31],
      LOCK,
      "1 if the power limit of the memory cannot be changed until the next reset, else 0",
    ],
  }),
  register("intel", "DRAM_ENERGY_STATUS", [0x619, "package"], {
    ENERGY: [
      [0, 31],
      ["overflow", "dramJ", "J", "monotone", "sum"],
      "Energy of the memory of the package",
      PACKAGE_RATE,
    ],
  }),
  register("intel", "DRAM_PERF_STATUS", [0x61b, "package"], {
    THROTTLE_TIME: [[0, 31], HELD_BACK_S, "Time that memory was throttled by its power limit"],
  }),
  ...([["PP0", 0x638, "cores"], ["PP1", 0x640, "graphics"]] as const).flatMap(([pp, at, what]) => [
    register("intel", `${pp}_POWER_LIMIT`, [at, "package"], {
      POWER_LIMIT: [[0, 14], LIMIT_W, `Power limit of the ${what}`],
      TIME_WINDOW: [[17, 23], WINDOW_S, `Averaging time of the power limit of the ${what}`],
    }),
    register("intel", `${pp}_ENERGY_STATUS`, [at + 1, "package"], {
      ENERGY: [[0, 31], ENERGY_J, `Energy of the ${what}, a part of the package`, PART_RATE],
    }),
    register("intel", `${pp}_POLICY`, [at + 2, "package"], {
      PRIORITY: [
        [0, 4],
        ["scale", 1, "", "variable", "expect_same"],
        `Priority of the ${what} if cores and integrated graphics share the power of the package`,
      ],
    }),
  ]),
  register("intel", "PP0_PERF_STATUS", [0x63b, "package"], {
    THROTTLE_TIME: [
      [0, 31],
      HELD_BACK_S,
      "Time that the cores were throttled by their power limit",
    ],
  }),
  register("intel", "PLATFORM_ENERGY_STATUS", [0x64d, "board"], {
    ENERGY: [
      [0, 31],
      ["overflow", "psysJ", "J", "monotone", "expect_same"],
      "Energy of the platform (the whole node), as the power supply reports it",
      {
        quirks: "since Sapphire Rapids, one count of the register is 1 J",
        maxPerSecond: 100_000,
        stallAfterS: 10,
      },
    ],
  }),
  register("intel", "UNCORE_RATIO_LIMIT", [0x620, "package"], {
    MIN_RATIO: [[8, 14], LIMIT_HZ, "Lowest frequency that the uncore may use"],
    MAX_RATIO: [[0, 6], LIMIT_HZ, "Highest frequency that the uncore may use"],
  }),
  register("intel", "UNCORE_PERF_STATUS", [0x621, "package"], {
    FREQ: [[0, 6], HZ, "Current uncore frequency"],
  }),
  register("intel", "PPERF", [0x64e, "cpu"], {
    PCNT: [
      [0, 47],
      COUNT,
      "Productive cycles: clock cycles without those in which the CPU waited for memory",
      CYCLES,
    ],
  }),
  register("intel", "HWP_CAPABILITIES", [0x771, "package"], {
    HIGHEST_PERFORMANCE: [
      [0, 7],
      LIMIT_HZ,
      "Highest clock frequency that the hardware may choose. Only if HWP (frequency control by " +
      "the hardware) is on",
    ],
    GUARANTEED_PERFORMANCE: [
      [8, 15],
      LIMIT_HZ,
      "Clock frequency that the hardware guarantees at this time",
    ],
  }),
  register("amd", "PKG_ENERGY_STATUS", [0xc001029b, "package"], {
    ENERGY: [
      [0, 31],
      ENERGY_J,
      "Energy of the socket: more than the sum of its cores",
      PACKAGE_RATE,
    ],
  }),
  register("amd", "CORE_ENERGY_STATUS", [0xc001029a, "core"], {
    ENERGY: [[0, 31], ENERGY_J, "Energy of one core, a part of the package", {
      quirks: ENERGY_WRAP,
      maxPerSecond: 1000,
    }],
  }),
];
