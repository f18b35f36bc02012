/**
 * Memory of the node from /proc/meminfo.
 *
 * Truth: proc(5), Documentation/filesystems/proc.rst. One real line: `MemFree:        73692 kB`.
 * @module
 */
import type { Reader } from "../../core/machine/host.ts";
import type { Offer, SignalRow } from "../../core/signal.ts";
import { lookAt } from "./offers.ts";
import { KeyedReading } from "./readings/keyed.ts";

const PATH = "/proc/meminfo";
const KIB = 1024;

const LINES: readonly (readonly [line: string, name: string, about: string])[] = [
  ["MemTotal:", "MEM_TOTAL", "Memory of the node"],
  ["MemFree:", "MEM_FREE", "Memory that is free"],
  ["MemAvailable:", "MEM_AVAILABLE", "Memory that programs could get without swapping"],
  ["Buffers:", "BUFFERS", "Memory in buffers of block devices"],
  ["Cached:", "CACHED", "Memory in the page cache"],
  ["AnonPages:", "ANON_PAGES", "Memory of programs that belongs to no file"],
  ["Mapped:", "MAPPED", "Memory with files that programs have mapped"],
  ["Shmem:", "SHMEM", "Shared memory and files in tmpfs"],
  ["Slab:", "SLAB", "Memory of the kernel's own structures"],
  ["Dirty:", "DIRTY", "Memory that waits to be written"],
  ["SwapTotal:", "SWAP_TOTAL", "Swap space"],
  ["SwapFree:", "SWAP_FREE", "Swap space that is free"],
];

/** The reader of /proc/meminfo. */
export const meminfo: Reader = {
  name: "MEMINFO",
  about: "Memory use of the node.",
  needs: { files: [PATH], libraries: [], capabilities: [] },
  signals: LINES.map(([line, name, about]): SignalRow => ({
    name: `MEMINFO::${name}`,
    domain: "board",
    unit: "B",
    behavior: "variable",
    agg: "sum",
    about,
    source: `${PATH}, line ${line.slice(0, -1)}`,
  })),
  probe(host): Offer {
    const text = host.readText(PATH);
    if (text === undefined) {
      const access = host.probe(PATH);
      return access.ok ? { ok: false, kind: "unusable", reason: `${PATH} is empty` } : access;
    }
    return lookAt(meminfo.signals, (_row, i) => {
      const [line] = LINES[i];
      return text.startsWith(line) || text.includes(`\n${line}`)
        ? { source: PATH, resolution: KIB }
        : { kind: "absent", reason: `no line ${line} in ${PATH}` };
    });
  },
  open: (host, wanted) =>
    new KeyedReading(host, wanted, (row) => {
      const [line] = LINES.find(([, name]) => row.name === `MEMINFO::${name}`)!;
      return { path: PATH, line, scale: KIB };
    }),
};
