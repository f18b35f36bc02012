/**
 * Memory of each NUMA node, from its meminfo, and where allocations of it went, from its numastat.
 *
 * Truth: Documentation/ABI/stable/sysfs-devices-node and admin-guide/numastat.rst. The kernel adds up
 * per-CPU counts of allocations without a lock, so that values may dip between samples. Real lines:
 * `Node 0 MemFree: 89590334 kB`, `other_node 454009`.
 * @module
 */
import { fileType, keyedLines } from "./_lines.ts";

const DIRECTORY = "/sys/devices/system/node";

/** A type that reads a file of each node. */
function nodeType(name: string, keys: string, file: string, skip = 0) {
  return fileType({
    name,
    keys,
    paths: [`${DIRECTORY}/`],
    open({ files, host }) {
      const emit = keyedLines(files, keys, skip);
      const nodes = host.list(`${DIRECTORY}/`).filter((node) => /^node\d+$/.test(node));
      return (row) => {
        for (const node of nodes) emit(row, `${DIRECTORY}/${node}/${file}`, node.slice(4));
      };
    },
  });
}

/** Raw memory figures of NUMA nodes. Device: number of the node. */
export const mem = nodeType(
  "mem",
  "MemTotal,U=KB MemFree,U=KB MemUsed,U=KB Active,U=KB Inactive,U=KB Dirty,U=KB " +
    "Writeback,U=KB FilePages,U=KB Mapped,U=KB AnonPages,U=KB PageTables,U=KB NFS_Unstable,U=KB " +
    "Bounce,U=KB Slab,U=KB AnonHugePages,U=KB HugePages_Total HugePages_Free",
  "meminfo",
  2,
);

/** Raw allocation counters of NUMA nodes. Device: number of the node. */
export const numa = nodeType(
  "numa",
  "numa_hit,E numa_miss,E numa_foreign,E interleave_hit,E local_node,E other_node,E",
  "numastat",
);
