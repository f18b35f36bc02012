/**
 * Memory of each NUMA node, from its meminfo.
 *
 * Truth: Documentation/ABI/stable/sysfs-devices-node. One real line: `Node 0 MemFree: 89590334 kB`.
 * @module
 */
import { KeyedLines } from "./_keyed.ts";
import { KeptFiles } from "./_lines.ts";
import { numaNodes } from "./_nodes.ts";
import { filesOnly, type RawStatsType } from "./raw_type.ts";

const KEYS = "MemTotal,U=KB MemFree,U=KB MemUsed,U=KB Active,U=KB Inactive,U=KB Dirty,U=KB " +
  "Writeback,U=KB FilePages,U=KB Mapped,U=KB AnonPages,U=KB PageTables,U=KB NFS_Unstable,U=KB " +
  "Bounce,U=KB Slab,U=KB AnonHugePages,U=KB HugePages_Total HugePages_Free";

/** Raw memory figures of NUMA nodes. Device: number of the node. */
export const mem: RawStatsType = {
  name: "mem",
  keys: KEYS,
  needs: filesOnly("/sys/devices/system/node/"),
  open({ host }) {
    const files = new KeptFiles(host);
    const keyed = new KeyedLines(KEYS, 2);
    const nodes = numaNodes(host);
    return {
      collect(row) {
        for (const [number, directory] of nodes) {
          const lines = files.lines(`${directory}/meminfo`);
          if (lines === undefined) continue;
          keyed.fill(lines, row);
          row.emit(number);
        }
      },
      [Symbol.dispose]: () => files[Symbol.dispose](),
    };
  },
};
