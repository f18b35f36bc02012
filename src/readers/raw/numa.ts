/**
 * Where allocations of each NUMA node went, from its numastat.
 *
 * Truth: Documentation/admin-guide/numastat.rst. The kernel adds up per-CPU counts without a lock,
 * so that values may dip between samples. One real line: `other_node 454009`.
 * @module
 */
import { KeyedLines } from "./_keyed.ts";
import { KeptFiles } from "./_lines.ts";
import { numaNodes } from "./_nodes.ts";
import { filesOnly, type RawStatsType } from "./raw_type.ts";

const KEYS = "numa_hit,E numa_miss,E numa_foreign,E interleave_hit,E local_node,E other_node,E";

/** Raw allocation counters of NUMA nodes. Device: number of the node. */
export const numa: RawStatsType = {
  name: "numa",
  keys: KEYS,
  needs: filesOnly("/sys/devices/system/node/"),
  open({ host }) {
    const files = new KeptFiles(host);
    const keyed = new KeyedLines(KEYS);
    const nodes = numaNodes(host);
    return {
      collect(row) {
        for (const [number, directory] of nodes) {
          const lines = files.lines(`${directory}/numastat`);
          if (lines === undefined) continue;
          keyed.fill(lines, row);
          row.emit(number);
        }
      },
      [Symbol.dispose]: () => files[Symbol.dispose](),
    };
  },
};
