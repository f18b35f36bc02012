/**
 * Counters of Intel's uncore in PCI configuration space: memory controllers, QPI links, home agents,
 * the ring's way to PCI Express.
 *
 * Truth: Intel's uncore performance monitoring guides, "PCICFG address space PMON registers"; the
 * Linux kernel has the same offsets and bits (arch/x86/events/intel/uncore_snbep.c): event in bits 0
 * to 7, unit mask in 8 to 15, 21 extends the event of a QPI link, 22 enable, 24 to 31 threshold. Four
 * controls and four counters, the counters in two words; a box control freezes and starts. A type is
 * present when a function with one of its device ids is. If hpcperfstats maps the window of
 * configuration space from /dev/mem (Skylake, Knights Landing), the same registers are read through /proc/bus/pci.
 * @module
 */
import type { PciFunction, RawMachine } from "../../../os/raw_machine.ts";
import { counterKeys, type EventCode, uncoreControl } from "./_control.ts";
import type { RawRow, RawStatsType } from "./raw_type.ts";

const COUNTERS = 4;
const INTEL = 0x8086;
const FREEZE = 0x10100, RUN = 0x10000;
const QPI_EXTENDED = 0x200000;

/** Offsets of the registers of a function. */
interface Layout {
  readonly control: number;
  readonly count: number;
  readonly box: number;
  /** Counter of clocks, in two words. */
  readonly fixed?: number;
}

const USUAL: Layout = { control: 0xd8, count: 0xa0, box: 0xf4 };
const KEYS = counterKeys(COUNTERS, "E,W=48");
const WITH_CLOCK: Layout = { ...USUAL, fixed: 0xd0 };

interface PciType {
  readonly name: string;
  readonly ids: readonly number[];
  /** @default every place */
  readonly at?: RegExp;
  /** @default KEYS */
  readonly keys?: string;
  /** @default USUAL */
  readonly layout?: (device: string) => Layout;
  readonly words: (device: string) => readonly number[];
}

const words = (events: readonly EventCode[], threshold = true) => {
  const controls = events.map((event) => uncoreControl(event, threshold));
  return () => controls;
};

/** Device ids by generation: memory controllers, QPI, home agents, ring to PCI Express. */
const IDS = {
  snb: [[0x3cb0, 0x3cb1, 0x3cb4, 0x3cb5], [0x3c41, 0x3c42], [0x3c46], [0x3c43]],
  ivb: [[0x0eb4, 0x0eb5, 0x0eb0, 0x0eb1], [0x0e32, 0x0e33, 0x0e3a], [0x0e30, 0x0e38], [0x0e34]],
  hsw: [
    [0x2fb0, 0x2fb1, 0x2fb4, 0x2fb5, 0x2fd0, 0x2fd1, 0x2fd4, 0x2fd5],
    [0x2f32, 0x2f33, 0x2f3a],
    [0x2f30, 0x2f38],
    [0x2f34],
  ],
  bdw: [
    [0x6fb0, 0x6fb1, 0x6fb4, 0x6fb5, 0x6fd0, 0x6fd1, 0x6fd4, 0x6fd5],
    [0x6f32, 0x6f33, 0x6f3a],
    [0x6f30, 0x6f38],
    [0x6f34],
  ],
} as const;

const QPI_EVENTS = [0x0100, 0x0400, 0x0802, 0x0403];

const TYPES: PciType[] = (Object.keys(IDS) as (keyof typeof IDS)[]).flatMap((name) => {
  const [imc, qpi, hau, r2pci] = IDS[name];
  return [
    {
      name: `intel_${name}_imc`,
      ids: imc,
      keys: `${KEYS} FIXED_CTR,E,W=48`,
      layout: () => WITH_CLOCK,
      // CAS reads, CAS writes, activations, precharges by page misses
      words: words([0x0304, 0x0c04, name === "snb" ? 0x0001 : 0x0b01, 0x0102]),
    },
    {
      name: `intel_${name}_qpi`,
      ids: qpi,
      keys: counterKeys(COUNTERS, "E,U=flt,W=48"),
      words: words(QPI_EVENTS.map((event) => event | QPI_EXTENDED), false),
    },
    { name: `intel_${name}_hau`, ids: hau, words: words([0x0301, 0x0c01, 0x0000, 0x0f1a]) },
    {
      name: `intel_${name}_r2pci`,
      ids: r2pci,
      keys: counterKeys(COUNTERS, "E,W=44"),
      words: words([0x0424, 0x0f09, 0x0f07, 0x0f08]),
    },
  ];
});

/** Memory of Knights Landing: what counts in functions 0, and in the others from `base` on. */
function knl(
  { name, at, base }: { name: string; at: RegExp; base: number },
  zero: readonly EventCode[],
  others: readonly EventCode[],
): PciType {
  const isZero = (device: string) => device.endsWith(".0");
  return {
    name,
    ids: [],
    at,
    layout(device) {
      const count = isZero(device) ? 0x400 : base;
      return { count, control: count + 0x20, box: count + 0x30 };
    },
    words: (device) => (isZero(device) ? zero : others).map((event) => uncoreControl(event, false)),
  };
}

TYPES.push(
  {
    name: "intel_skx_imc",
    ids: [0x2042, 0x2046, 0x204a],
    words: words([0x0304, 0x0c04, 0x0b01, 0x0102], false),
  },
  // UCLK: hits and misses of the memory on the package; ECLK: reads and writes that entered it
  knl(
    { name: "intel_knl_edc", at: /^ff\/(0f|1[0-6])\.0$|^ff\/(1[89a-f])\.2$/, base: 0xa00 },
    [0x0102, 0x0202, 0x0402, 0x0802],
    [0x0101, 0x0102, 0, 0],
  ),
  knl(
    { name: "intel_knl_mc", at: /^ff\/0[ab]\.0$|^ff\/0[89]\.[234]$/, base: 0xb00 },
    [0, 0, 0, 0],
    [0x0103, 0x0203, 0, 0],
  ),
);

/** Functions of a type, by name. */
function functionsOf(type: PciType, machine: RawMachine): [string, PciFunction][] {
  const found: [string, PciFunction][] = [];
  for (const name of machine.pciFunctions()) {
    if (type.at !== undefined && !type.at.test(name)) continue;
    const pci = machine.pci(name);
    if (pci === undefined) continue;
    const word = pci.read(0);
    if ((word & 0xffff) !== INTEL) continue;
    if (type.at === undefined && !type.ids.includes(word >>> 16)) continue;
    found.push([name, pci]);
  }
  return found;
}

function pciType(type: PciType): RawStatsType {
  const layoutOf = type.layout ?? (() => USUAL);
  return {
    name: type.name,
    keys: type.keys ?? KEYS,
    needs: { files: ["/proc/bus/pci/"], libraries: [], capabilities: ["CAP_SYS_ADMIN"] },
    open({ machine, processor }) {
      if (processor.vendor !== "intel") return undefined;
      // places instead of ids are Knights Landing's alone
      if (type.at !== undefined && processor.model !== 0x57) return undefined;
      const functions = functionsOf(type, machine);
      if (functions.length === 0) return undefined;
      return {
        program() {
          for (const [device, pci] of functions) {
            const failed = program(pci, layoutOf(device), type.words(device));
            if (failed !== 0) return `${device}: error ${failed}`;
          }
        },
        collect(row) {
          for (const [device, pci] of functions) {
            read(pci, layoutOf(device), row);
            row.emit(device);
          }
        },
      };
    },
  };
}

function program(pci: PciFunction, layout: Layout, words: readonly number[]): number {
  let failed = pci.write(layout.box, FREEZE);
  words.forEach((word, i) => failed ||= pci.write(layout.control + 4 * i, word));
  return failed || pci.write(layout.box, RUN);
}

function read(pci: PciFunction, layout: Layout, row: RawRow): void {
  for (let i = 0; i < COUNTERS; i++) row.put(i, pci.read(layout.control + 4 * i), 0);
  for (let i = 0; i < COUNTERS; i++) {
    const at = layout.count + 8 * i;
    row.put(COUNTERS + i, pci.read(at), pci.read(at + 4));
  }
  if (layout.fixed !== undefined) {
    row.put(2 * COUNTERS, pci.read(layout.fixed), pci.read(layout.fixed + 4));
  }
}

/** Raw uncore counters of Intel packages, a type a kind of device. Device: `BUS/DEVICE.FUNCTION`, in hexadecimal. */
export const INTEL_PCI_TYPES: readonly RawStatsType[] = TYPES.map(pciType);
