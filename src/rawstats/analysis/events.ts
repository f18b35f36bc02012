/**
 * Event of a counter, from its control register: event | unit mask << 8 | flags.
 *
 * Event numbers are those of the processors' manuals; the names are hpcperfstats' own.
 * @module
 */

/** An event, and what one count of it stands for. */
export interface PmcEvent {
  readonly name: string;
  /** Unit as in schemas: `64B`; operations per instruction for floating-point events. */
  readonly unit: string;
}

/** Floating-point events of Skylake and later: unit mask → name and operations. */
const FP_ARITH: readonly (readonly [mask: number, name: string, operations: number])[] = [
  [0x01, "SCALAR_DOUBLE", 1],
  [0x02, "SCALAR_SINGLE", 1],
  [0x04, "128B_PACKED_DOUBLE", 2],
  [0x08, "128B_PACKED_SINGLE", 4],
  [0x10, "256B_PACKED_DOUBLE", 4],
  [0x20, "256B_PACKED_SINGLE", 8],
  [0x40, "512B_PACKED_DOUBLE", 8],
  [0x80, "512B_PACKED_SINGLE", 16],
];

/** By what they are with a unit mask of 0. */
function fpArith(event: number): [number, PmcEvent][] {
  return FP_ARITH.map(([mask, name, operations]) => [
    event | (mask << 8),
    { name: `FP_ARITH_INST_RETIRED_${name}`, unit: String(operations) },
  ]);
}

/** Control values as hpcperfstats programs them, to events as its ingest names them. */
export const CONTROL_EVENTS: ReadonlyMap<number, PmcEvent> = new Map<number, PmcEvent>([
  [0x43ff03, { name: "FLOPS", unit: "" }],
  [0x4300c2, { name: "BRANCH_INST_RETIRED", unit: "" }],
  [0x4300c3, { name: "BRANCH_INST_RETIRED_MISS", unit: "" }],
  [0x4308af, { name: "DISPATCH_STALL_CYCLES1", unit: "" }],
  [0x43ffae, { name: "DISPATCH_STALL_CYCLES0", unit: "" }],
  ...[0x07, 0x47, 0x87, 0xc7].flatMap((select, i): [number, PmcEvent][] => [
    [0x403800 | select, { name: `MBW_CHANNEL_${i}`, unit: "64B" }],
    [0x433900 | select, { name: `MBW_CHANNEL_${i + 4}`, unit: "64B" }],
  ]),
  ...fpArith(0x4300c7),
  [0x400304, { name: "CAS_READS", unit: "" }],
  [0x400c04, { name: "CAS_WRITES", unit: "" }],
  [0x400b01, { name: "ACT_COUNT", unit: "" }],
  [0x400102, { name: "PRE_COUNT_MISS", unit: "" }],
]);

/** Fixed counters: instructions, core cycles, reference cycles. */
export const FIXED_EVENTS: readonly string[] = ["INST_RETIRED", "APERF", "MPERF"];

/** Events that carry the work of a core, by type family and event | unit mask << 8. */
const CORE_EVENTS: ReadonlyMap<number, PmcEvent> = new Map([
  ...fpArith(0xc7),
  // Sandy Bridge and Ivy Bridge: SSE and AVX double precision
  [0x8010, { name: "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE", unit: "1" }],
  [0x1010, { name: "FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE", unit: "2" }],
  [0x0211, { name: "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE", unit: "4" }],
  [0x81d0, { name: "LOADS", unit: "" }],
  [0x01d1, { name: "L1_LOAD_HITS", unit: "" }],
  [0x02d1, { name: "L2_LOAD_HITS", unit: "" }],
  [0x04d1, { name: "LLC_LOAD_HITS", unit: "" }],
]);

/** Events of memory controllers, by event | unit mask << 8. */
const MEMORY_EVENTS: ReadonlyMap<number, PmcEvent> = new Map([
  [0x0304, { name: "CAS_READS", unit: "64B" }],
  [0x0c04, { name: "CAS_WRITES", unit: "64B" }],
]);

/** Knights Landing: DDR commands; and its memory on the package, what misses and what enters it. */
const KNL_DDR: ReadonlyMap<number, PmcEvent> = new Map([
  [0x0103, { name: "CAS_READS", unit: "64B" }],
  [0x0203, { name: "CAS_WRITES", unit: "64B" }],
]);
const KNL_LOOKUPS: ReadonlyMap<number, PmcEvent> = new Map([
  [0x0102, { name: "EDC_HITS", unit: "64B" }],
  [0x0202, { name: "EDC_HITS", unit: "64B" }],
  [0x0402, { name: "EDC_MISSES", unit: "64B" }],
  [0x0802, { name: "EDC_MISSES", unit: "64B" }],
]);
const KNL_INSERTS: ReadonlyMap<number, PmcEvent> = new Map([
  [0x0101, { name: "EDC_INSERTS", unit: "64B" }],
  [0x0102, { name: "EDC_INSERTS", unit: "64B" }],
]);

/** The event of a counter of a device, `undefined` if it is none that a metric uses. */
export function eventOf(type: string, device: string, control: number): PmcEvent | undefined {
  const code = control % 65536;
  if (type === "intel_knl_mc") return KNL_DDR.get(code);
  if (type === "intel_knl_edc") {
    return (device.endsWith(".2") ? KNL_INSERTS : KNL_LOOKUPS).get(code);
  }
  if (type === "amd64_pmc" || type === "amd64_df") return CONTROL_EVENTS.get(control);
  if (type.endsWith("_imc")) return MEMORY_EVENTS.get(code);
  if (isIntelCore(type)) return CORE_EVENTS.get(code);
}

/** Is it a type of core counters of an Intel processor, of any generation of hpcperfstats? */
export function isIntelCore(type: string): boolean {
  return /^intel_(8pmc3|4pmc3|pmc3|nhm|wtm|snb|ivb|hsw|hsw_ht|bdw|knl|skx)$/.test(type);
}
