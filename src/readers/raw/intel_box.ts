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
import { type EventCode, programEach, putRegisters, range, uncoreControl } from "./_control.ts";
import { REGISTER_NEEDS, writeAll } from "./_control.ts";
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
const SNB = {
  stride: 0x20,
  boxControl: 0xd04,
  control: 0xd10,
  count: 0xd16,
  threshold: true,
  freeze: 0x10100,
  run: 0x10000,
};
const HSW = {
  stride: 0x10,
  boxControl: 0xe00,
  control: 0xe01,
  count: 0xe08,
  freeze: 0x100,
  run: 0,
};
/** States of cache lines from bit 18 on: five of them, six from Haswell on; 17 is "invalid". */
const SNB_FILTERS = [[0xd14, 0x1f << 18]] as const;
const HSW_FILTERS = [[0xe05, 0x3f << 18], [0xe06, 0]] as const;
const SNB_EVENTS = [0x0334, 0x0534, 0x0f1e, 0x001f];
const HSW_EVENTS = [0x0111, 0x0334, 0x0f1e, 0x0534];
const { snb, ivb, hsw, bdw, skx } = INTEL_MODELS;

const BOXES: readonly Box[] = [
  {
    ...SNB,
    name: "intel_snb_cbo",
    models: snb,
    widthBits: 44,
    filters: SNB_FILTERS,
    events: SNB_EVENTS,
  },
  {
    ...SNB,
    name: "intel_ivb_cbo",
    models: ivb,
    widthBits: 44,
    filters: SNB_FILTERS,
    events: SNB_EVENTS,
  },
  {
    ...HSW,
    name: "intel_hsw_cbo",
    models: hsw,
    widthBits: 48,
    filters: HSW_FILTERS,
    events: HSW_EVENTS,
    threshold: true,
  },
  {
    ...HSW,
    name: "intel_bdw_cbo",
    models: bdw,
    widthBits: 48,
    filters: HSW_FILTERS,
    events: HSW_EVENTS,
    threshold: true,
  },
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

/** Keys of types with four counters. */
export function fourCounters(options: string): string {
  return [0, 1, 2, 3].map((i) => `CTL${i},C`).join(" ") + " " +
    [0, 1, 2, 3].map((i) => `CTR${i},${options}`).join(" ");
}

function boxType(box: Box): RawStatsType {
  return {
    name: box.name,
    keys: fourCounters(`E,W=${box.widthBits}`),
    needs: REGISTER_NEEDS,
    open({ machine, processor }) {
      if (!isIntel(processor, box.models) || machine.registers(0) === undefined) return undefined;
      const boxes = [...processor.leaders].flatMap(([number, cpu]) => {
        const cores = processor.places.filter((p) => p.package === number && p.thread === 0);
        return cores.map((_, i) => ({
          cpu,
          device: `${number}/${i}`,
          offset: i * box.stride,
          controls: range(box.control + i * box.stride, COUNTERS),
          counts: range(box.count + i * box.stride, COUNTERS),
        }));
      });
      return {
        program: () =>
          programEach(boxes, ({ cpu, offset, controls, counts }) => {
            const registers = machine.registers(cpu);
            if (registers === undefined) return `no registers of cpu ${cpu}`;
            counts.forEach((register) => registers.started(register));
            return writeAll(registers, [
              [box.boxControl + offset, box.freeze],
              ...box.filters.map(([register, value]) => [register + offset, value] as const),
              ...box.events.map((event, i) =>
                [controls[i], uncoreControl(event, box.threshold)] as const
              ),
              [box.boxControl + offset, box.run],
              ...box.global === undefined ? [] : [box.global],
            ]);
          }),
        collect(row) {
          for (const { cpu, device, controls, counts } of boxes) {
            const registers = machine.registers(cpu);
            putRegisters(row, 0, registers, controls);
            putRegisters(row, COUNTERS, registers, counts);
            row.emit(device);
          }
        },
      };
    },
  };
}

/** Raw counters of Intel's last-level cache, a type a processor family. Device: `PACKAGE/BOX`, read on the first CPU of the package. */
export const INTEL_BOX_TYPES: readonly RawStatsType[] = BOXES.map(boxType);
