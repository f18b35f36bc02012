/**
 * Which words go into which registers of the uncore: bit by bit, after the tables of Intel's uncore
 * performance monitoring guides and the Linux kernel's uncore_snbep.c.
 */
import { assertEquals } from "@std/assert";
import { RAW_TYPES } from "../../../../src/sources/readers/raw/all.ts";
import type { RawNodeAccess } from "../../../../src/sources/readers/raw/raw_type.ts";

const ENABLE = 1 << 22, THRESHOLD_1 = 1 << 24, EXTENDED = 1 << 21;

/** Register writes of a type on a node with one package and one core. */
function written(name: string, model: number): [number, number][] {
  const words: [number, number][] = [];
  const registers = {
    read: () => true,
    write: (register: number, value: bigint) => {
      words.push([register, Number(value)]);
      return 0;
    },
    started() {},
  };
  const access = {
    machine: { registers: () => registers },
    processor: {
      vendor: "intel",
      family: 6,
      model,
      counters: 8,
      places: [{ cpu: 0, package: 0, core: 0, thread: 0 }],
      leaders: new Map([[0, 0]]),
    },
  } as unknown as RawNodeAccess;
  assertEquals(RAW_TYPES.find((t) => t.name === name)!.open(access)!.program!(), undefined);
  return words;
}

/** Offset writes of a type to a PCI function with an id. */
function writtenPci(name: string, id: number): [number, number][] {
  const words: [number, number][] = [];
  const pci = {
    read: (offset: number) => offset === 0 ? (id << 16 | 0x8086) >>> 0 : 0,
    write: (offset: number, value: number) => {
      words.push([offset, value]);
      return 0;
    },
  };
  const access = {
    machine: { pciFunctions: () => ["7f/08.2"], pci: () => pci },
    processor: { vendor: "intel", family: 6, model: 0x3f },
  } as unknown as RawNodeAccess;
  assertEquals(RAW_TYPES.find((t) => t.name === name)!.open(access)!.program!(), undefined);
  return words;
}

const event = (select: number, mask: number, flags: number) => select | (mask << 8) | flags;

Deno.test("cache boxes: the filter names states of lines before lookups are counted", () => {
  const flags = ENABLE | THRESHOLD_1;
  const early = [
    [0xd04, 0x10100],
    [0xd14, 0x1f << 18],
    [0xd10, event(0x34, 0x03, flags)],
    [0xd11, event(0x34, 0x05, flags)],
    [0xd12, event(0x1e, 0x0f, flags)],
    [0xd13, event(0x1f, 0x00, flags)],
    [0xd04, 0x10000],
  ];
  assertEquals(written("intel_snb_cbo", 0x2d) as number[][], early);
  assertEquals(written("intel_ivb_cbo", 0x3e) as number[][], early);
  const late = [
    [0xe00, 0x100],
    [0xe05, 0x3f << 18],
    [0xe06, 0],
    [0xe01, event(0x11, 0x01, flags)],
    [0xe02, event(0x34, 0x03, flags)],
    [0xe03, event(0x1e, 0x0f, flags)],
    [0xe04, event(0x34, 0x05, flags)],
    [0xe00, 0],
  ];
  assertEquals(written("intel_hsw_cbo", 0x3f) as number[][], late);
  assertEquals(written("intel_bdw_cbo", 0x4f) as number[][], late);
  assertEquals(written("intel_skx_cha", 0x55).slice(0, 4), [
    [0xe00, 0x100],
    [0xe05, 0x01e20000],
    [0xe06, 0x3b],
    [0xe01, event(0x3d, 0x07, ENABLE)],
  ]);
});

Deno.test("power control units: four events with a threshold of one", () => {
  const words = (first: number) =>
    [0x04, 0x05, 0x81, 0x82].map((select, i) => [
      first + i,
      event(select, 0, ENABLE | THRESHOLD_1),
    ]);
  assertEquals(written("intel_pcu", 0x2d) as number[][], [
    [0xc24, 0x10100],
    ...words(0xc30),
    [0xc24, 0x10000],
  ]);
  assertEquals(written("intel_pcu", 0x3f) as number[][], [
    [0x710, 0x100],
    ...words(0x711),
    [0x710, 0],
  ]);
});

Deno.test("Westmere's uncore: no user, kernel or threshold bits; the clock by bit 32", () => {
  const events = [
    [0x08, 0x01],
    [0x08, 0x02],
    [0x08, 0x04],
    [0x09, 0x01],
    [0x09, 0x02],
    [0x09, 0x04],
    [0x0a, 0x0f],
    [0x0b, 0x1f],
  ];
  assertEquals(written("intel_uncore", 0x2c) as number[][], [
    [0x391, 0],
    ...events.map(([select, mask], i) => [0x3c0 + i, event(select, mask, ENABLE)]),
    [0x395, 1],
    [0x391, 2 ** 32 + 0xff],
  ]);
});

Deno.test("PCI boxes: links extend their events, home agents and rings have a threshold", () => {
  const words = (name: string, id: number) => writtenPci(name, id).slice(1, 5);
  const expected = (flags: number, events: [number, number][]) =>
    events.map(([select, mask], i): [number, number] => [
      0xd8 + 4 * i,
      event(select, mask, flags),
    ]);
  for (
    const [name, qpi, hau, r2pci] of [
      ["hsw", 0x2f32, 0x2f30, 0x2f34],
      ["bdw", 0x6f32, 0x6f30, 0x6f34],
    ] as const
  ) {
    assertEquals(
      words(`intel_${name}_qpi`, qpi),
      expected(ENABLE | EXTENDED, [[0, 1], [0, 4], [2, 8], [3, 4]]),
    );
    assertEquals(
      words(`intel_${name}_hau`, hau),
      expected(ENABLE | THRESHOLD_1, [[1, 3], [1, 12], [0, 0], [0x1a, 15]]),
    );
    assertEquals(
      words(`intel_${name}_r2pci`, r2pci),
      expected(ENABLE | THRESHOLD_1, [[0x24, 4], [9, 15], [7, 15], [8, 15]]),
    );
  }
  const all = writtenPci("intel_hsw_hau", 0x2f38);
  assertEquals([all[0], all.at(-1)], [[0xf4, 0x10100], [0xf4, 0x10000]]);
});
