/**
 * Counters of Intel's last-level cache: one box per core (CBo; CHA from Skylake on), by registers.
 *
 * Truth: Intel's uncore performance monitoring guides (Xeon E5-2600, 2600 v2, v3, v4, Scalable),
 * "CBo performance monitoring": box control, filters, four controls and four counters at a fixed
 * stride; the Linux kernel has the same numbers (arch/x86/events/intel/uncore_snbep.c). Control words
 * are event in bits 0 to 7, unit mask in 8 to 15, 22 enable, 24 to 31 threshold.
 *
 * Lookups in the cache (event 34h) count nothing until the filter names the states of cache lines
 * that are to count: all but "invalid", which is how hpcperfstats programs them, too.
 * @module
 */
import { counterKeys, counting, type EventCode, range, REGISTER_NEEDS } from "./_control.ts";
import { uncoreControl } from "./_control.ts";
import { INTEL_MODELS, isIntel } from "./intel_core.ts";
import type { RawStatsType } from "./raw_type.ts";

interface Box {
  readonly name: string;
  readonly models: readonly number[];
  readonly widthBits: number;
  readonly stride: number;
  readonly boxControl: number;
  readonly control: number;
  readonly count: number;
  /** Register and value, of box 0. */
  readonly filters: readonly (readonly [number, number])[];
  readonly events: readonly EventCode[];
  readonly threshold: boolean;
  /** Words of the box control. */
  readonly freeze: number;
  readonly run: number;
  /** Register and value that start all boxes. */
  readonly global?: readonly [number, bigint];
}

const COUNTERS = 4;
/** Bit 8 freezes; up to Ivy Bridge bit 16 has to allow it, from Haswell on that bit is reserved. */
const HSW = {
  stride: 0x10,
  boxControl: 0xe00,
  control: 0xe01,
  count: 0xe08,
  freeze: 0x100,
  run: 0,
};
/** States of cache lines from bit 18 on: five of them, six from Haswell on; 17 is "invalid". */
const SNB_COUNTS = {
  stride: 0x20,
  boxControl: 0xd04,
  control: 0xd10,
  count: 0xd16,
  threshold: true,
  freeze: 0x10100,
  run: 0x10000,
  widthBits: 44,
  filters: [[0xd14, 0x1f << 18]],
  events: [0x0334, 0x0534, 0x0f1e, 0x001f],
} as const;
const HSW_COUNTS = {
  ...HSW,
  widthBits: 48,
  filters: [[0xe05, 0x3f << 18], [0xe06, 0]],
  events: [0x0111, 0x0334, 0x0f1e, 0x0534],
  threshold: true,
} as const;

const { snb, ivb, hsw, bdw, skx } = INTEL_MODELS;

const BOXES: readonly Box[] = [
  { ...SNB_COUNTS, name: "intel_snb_cbo", models: snb },
  { ...SNB_COUNTS, name: "intel_ivb_cbo", models: ivb },
  { ...HSW_COUNTS, name: "intel_hsw_cbo", models: hsw },
  { ...HSW_COUNTS, name: "intel_bdw_cbo", models: bdw },
  {
    ...HSW,
    name: "intel_skx_cha",
    models: skx,
    widthBits: 48,
    filters: [[0xe05, 0x01e20000], [0xe06, 0x3b]],
    events: [0x073d, 0x3334, 0x0757, 0x0534],
    threshold: false,
    global: [0x700, 1n << 61n],
  },
];

function boxType(box: Box): RawStatsType {
  return {
    name: box.name,
    keys: counterKeys(COUNTERS, `E,W=${box.widthBits}`),
    needs: REGISTER_NEEDS,
    open({ machine, processor }) {
      if (!isIntel(processor, box.models) || machine.registers(0) === undefined) return undefined;
      const sets = [...processor.leaders].flatMap(([number, cpu]) => {
        const cores = processor.places.filter((p) => p.package === number && p.thread === 0);
        return cores.map((_, i) => ({ cpu, device: `${number}/${i}`, ...registersOf(box, i) }));
      });
      return counting(machine, sets);
    },
  };
}

function registersOf(box: Box, i: number) {
  const offset = i * box.stride;
  const controls = range(box.control + offset, COUNTERS);
  const counts = range(box.count + offset, COUNTERS);
  const words = [
    [box.boxControl + offset, box.freeze],
    ...box.filters.map(([register, value]) => [register + offset, value] as const),
    ...box.events.map((event, k) => [controls[k], uncoreControl(event, box.threshold)] as const),
    [box.boxControl + offset, box.run],
    ...box.global === undefined ? [] : [box.global],
  ] as const;
  return { registers: [...controls, ...counts], counts, words: () => words };
}

/** Raw counters of Intel's last-level cache, a type a processor family. Device: `PACKAGE/BOX`, read on the first CPU of the package. */
export const INTEL_BOX_TYPES: readonly RawStatsType[] = BOXES.map(boxType);
