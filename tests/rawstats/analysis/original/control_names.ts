/**
 * What the job assembler of 2012–2020 calls the counters of Intel processors, by control word.
 *
 * Event numbers are those of the processors' manuals; the names are those of the job assembler of
 * tacc_stats 2.3.4. Words that are in no table here become columns named by their number. Types
 * without a table keep their control registers, as they do there: intel_8pmc3, intel_4pmc3,
 * intel_skx_cha, intel_pcu and intel_bdw_*, which are younger or were forgotten.
 * @module
 */

/** Names by control word; `fixed` are those of the fixed counters, in their order. */
export interface ControlNames {
  readonly words: ReadonlyMap<number, string>;
  readonly fixed: readonly string[];
}

/** Name by `EVENT/MASK` in hexadecimal. */
type Events = Readonly<Record<string, string>>;

// Flags of a control word: user, kernel, enable; any thread of the core; threshold 1; reset.
const CORE = 0x430000;
const ANY_THREAD = 0x200000;
const ENABLE = 0x400000;
const THRESHOLD = 0x1000000;

/** The words that events have with each of some sets of flags. */
function words(events: Events, ...flags: readonly number[]): [number, string][] {
  return Object.entries(events).flatMap(([code, name]) => {
    const [event, mask] = code.split("/").map((part) => parseInt(part, 16));
    return flags.map((flag): [number, string] => [flag + mask * 256 + event, name]);
  });
}

function names(list: readonly [number, string][], fixed: readonly string[] = []): ControlNames {
  return { words: new Map(list), fixed };
}

const CORE_FIXED = ["INSTRUCTIONS_RETIRED", "CLOCKS_UNHALTED_CORE", "CLOCKS_UNHALTED_REF"];

const FP_ARITH: Events = {
  "c7/01": "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE",
  "c7/04": "FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE",
  "c7/10": "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE",
  "c7/40": "FP_ARITH_INST_RETIRED_512B_PACKED_DOUBLE",
};

const LOADS_AND_STALLS: Events = {
  "04/02": "MEM_UOPS_RETIRED_L2_HIT_LOADS",
  "04/40": "MEM_UOPS_RETIRED_ALL_LOADS",
  "10/10": "SSE_DOUBLE_PACKED",
  "10/80": "SSE_DOUBLE_SCALAR",
  "10/90": "SSE_DOUBLE_ALL",
  "11/02": "SIMD_DOUBLE_256",
  "51/01": "LOAD_L1D_ALL",
  "a2/01": "STALLS",
  "d0/81": "LOAD_OPS_ALL",
  "d1/01": "LOAD_OPS_L1_HIT",
  "d1/02": "LOAD_OPS_L2_HIT",
  "d1/04": "LOAD_OPS_LLC_HIT",
  "d1/08": "MEM_LOAD_UOPS_RETIRED_L1_MISS",
  "d1/10": "MEM_LOAD_UOPS_RETIRED_L2_MISS",
  "d1/20": "MEM_LOAD_UOPS_RETIRED_L3_MISS",
  "d1/40": "MEM_LOAD_UOPS_RETIRED_HIT_LFB",
  "f1/07": "L2_LINES_IN_ALL",
};

const core = names(
  [...words(FP_ARITH, CORE), ...words(LOADS_AND_STALLS, CORE, CORE + ANY_THREAD)],
  CORE_FIXED,
);

/** Nehalem and Westmere. */
const westmere = names(
  words({
    "0f/10": "MEM_UNCORE_RETIRED_REMOTE_DRAM",
    "0f/20": "MEM_UNCORE_RETIRED_LOCAL_DRAM",
    "10/01": "FP_COMP_OPS_EXE_X87",
    "10/10": "FP_COMP_OPS_EXE_SSE_PACKED",
    "10/20": "FP_COMP_OPS_EXE_SSE_SCALAR",
    "cb/01": "MEM_LOAD_RETIRED_L1D_HIT",
  }, CORE + ANY_THREAD),
  CORE_FIXED,
);

const westmereUncore = names(
  words({
    "08/01": "L3_HITS_READ",
    "08/02": "L3_HITS_WRITE",
    "08/04": "L3_HITS_PROBE",
    "09/01": "L3_MISS_READ",
    "09/02": "L3_MISS_WRITE",
    "09/04": "L3_MISS_PROBE",
    "0a/0f": "L3_LINES_IN_ANY",
    "0b/1f": "L3_LINES_OUT_ANY",
  }, ENABLE),
  ["CLOCKS_UNCORE"],
);

const cbo = names(words({
  "00/00": "CLOCK_TICKS",
  "11/01": "RxR_OCCUPANCY",
  "1e/0f": "RING_IV_USED",
  "1f/00": "COUNTER0_OCCUPANCY",
  "34/03": "LLC_LOOKUP_DATA_READ",
  "34/05": "LLC_LOOKUP_WRITE",
  "34/11": "LLC_LOOKUP_ANY",
}, ENABLE + THRESHOLD));

const hau = names(words({
  "00/00": "CLOCKTICKS",
  "01/03": "READ_REQUESTS",
  "01/0c": "WRITE_REQUESTS",
  "1a/0f": "IMC_WRITES",
}, ENABLE + THRESHOLD));

const imc = names(
  [
    ...words(
      {
        "02/01": "PRE_COUNT_MISS",
        "04/03": "CAS_READS",
        "04/0c": "CAS_WRITES",
      },
      ENABLE,
      ENABLE + THRESHOLD,
    ),
    // activations by reads and by writes have another mask with the threshold than without
    ...words({ "01/0b": "ACT_COUNT" }, ENABLE),
    ...words(
      { "01/00": "ACT_COUNT", "01/11": "ACT_COUNT", "02/03": "PRE_COUNT_ALL" },
      ENABLE + THRESHOLD,
    ),
  ],
  ["CYCLES"],
);

const pcu = names(
  words({
    "04/00": "MAX_TEMP_CYCLES",
    "05/00": "MAX_POWER_CYCLES",
    "06/00": "MAX_OS_CYCLES",
    "07/00": "MAX_CURRENT_CYCLES",
    "81/00": "MIN_IO_CYCLES",
    "82/00": "MIN_SNOOP_CYCLES",
  }, ENABLE + THRESHOLD),
  ["C3_CYCLES", "C6_CYCLES"],
);

const qpi = names(words({
  "00/01": "TxL_FLITS_G1_SNP",
  "00/04": "TxL_FLITS_G1_HOM",
  "02/08": "G1_DRS_DATA",
  "03/04": "G2_NCB_DATA",
}, ENABLE + ANY_THREAD));

const r2pci = names(words({
  "01/00": "CLOCKTICKS",
  "07/0f": "ADDRESS_USED",
  "08/0f": "ACKNOWLEDGED_USED",
  "09/0f": "DATA_USED",
  "24/04": "TRANSMITS",
}, ENABLE + THRESHOLD));

/** By type, where every device of it counts the same. */
export const CONTROL_NAMES: ReadonlyMap<string, ControlNames> = new Map([
  ...["snb", "ivb", "hsw", "hsw_ht", "knl", "skx"].map((t) => [t, core] as const),
  ...["pmc3", "nhm", "wtm"].map((t) => [t, westmere] as const),
  ...["snb", "ivb", "hsw"].flatMap((t) => [
    [`${t}_cbo`, cbo] as const,
    [`${t}_hau`, hau] as const,
    [`${t}_imc`, imc] as const,
    [`${t}_pcu`, pcu] as const,
    [`${t}_qpi`, qpi] as const,
    [`${t}_r2pci`, r2pci] as const,
  ]),
  ["hsw_cbo_ht", cbo] as const,
  ["skx_imc", imc] as const,
  ["uncore", westmereUncore] as const,
].map(([type, table]) => [`intel_${type}`, table]));

/** Knights Landing: type and PCI function → the type that its counters become. */
export const KNL_CONTROL_NAMES: ReadonlyMap<
  string,
  ReadonlyMap<string, { readonly type: string; readonly words: ReadonlyMap<number, string> }>
> = new Map([
  [
    "intel_knl_edc",
    new Map([
      ["0", {
        type: "intel_knl_edc_uclk",
        words: new Map(words({
          "02/01": "EDC_HIT_CLEAN",
          "02/02": "EDC_HIT_DIRTY",
          "02/04": "EDC_MISS_CLEAN",
          "02/08": "EDC_MISS_DIRTY",
        }, ENABLE)),
      }],
      ["2", {
        type: "intel_knl_edc_eclk",
        words: new Map(words({
          "00/00": "ECLK_CYCLES",
          "01/01": "RPQ_INSERTS",
          "02/01": "WPQ_INSERTS",
        }, ENABLE)),
      }],
    ]),
  ],
  [
    "intel_knl_mc",
    new Map([
      ["0", {
        type: "intel_knl_mc_uclk",
        words: new Map(words({ "00/00": "UCLK_CYCLES" }, ENABLE)),
      }],
      ...["2", "3", "4"].map((func) =>
        [func, {
          type: "intel_knl_mc_dclk",
          words: new Map(words({
            "00/00": "DCLK_CYCLES",
            "03/01": "CAS_READS",
            "03/02": "CAS_WRITES",
          }, ENABLE)),
        }] as const
      ),
    ]),
  ],
]);
