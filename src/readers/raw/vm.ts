/**
 * Virtual memory of the node, from /proc/vmstat.
 *
 * Truth: proc(5). Only keys of exactly these names count: later kernels renamed some (allocstall,
 * thp_split, pgsteal_normal), which then stay 0 and are listed as absent.
 * One real line: `pgfault 921809416`.
 * @module
 */
import { KeyedLines } from "./_keyed.ts";
import { KeptFiles } from "./_lines.ts";
import { filesOnly, type RawStatsType } from "./raw_type.ts";

const PATH = "/proc/vmstat";
const KEYS = "nr_anon_transparent_hugepages pgpgin,E,U=KB pgpgout,E,U=KB pswpin,E pswpout,E " +
  "pgalloc_normal,E pgfree,E pgactivate,E pgdeactivate,E pgfault,E pgmajfault,E " +
  "pgrefill_normal,E pgsteal_normal,E pgscan_kswapd_normal,E pgscan_direct_normal,E " +
  "pginodesteal,E slabs_scanned,E kswapd_steal,E kswapd_inodesteal,E pageoutrun,E allocstall,E " +
  "pgrotated,E thp_fault_alloc,E thp_fault_fallback,E thp_collapse_alloc,E " +
  "thp_collapse_alloc_failed,E thp_split,E";

/** Raw counters of virtual memory. Device: `-`. */
export const vm: RawStatsType = {
  name: "vm",
  keys: KEYS,
  needs: filesOnly(PATH),
  open({ host }) {
    const files = new KeptFiles(host);
    const keyed = new KeyedLines(KEYS);
    return {
      collect(row) {
        const lines = files.lines(PATH);
        if (lines === undefined) return;
        keyed.fill(lines, row);
        row.emit("-");
      },
      [Symbol.dispose]: () => files[Symbol.dispose](),
    };
  },
};
