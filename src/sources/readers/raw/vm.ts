/**
 * Virtual memory of the node, from /proc/vmstat.
 *
 * Truth: proc(5). Only keys of exactly these names count: later kernels renamed some (allocstall,
 * thp_split, pgsteal_normal), which then stay 0 and are listed as absent.
 * One real line: `pgfault 921809416`.
 * @module
 */
import { fileType, keyedLines } from "./_lines.ts";

const PATH = "/proc/vmstat";
const KEYS = "nr_anon_transparent_hugepages pgpgin,E,U=KB pgpgout,E,U=KB pswpin,E pswpout,E " +
  "pgalloc_normal,E pgfree,E pgactivate,E pgdeactivate,E pgfault,E pgmajfault,E " +
  "pgrefill_normal,E pgsteal_normal,E pgscan_kswapd_normal,E pgscan_direct_normal,E " +
  "pginodesteal,E slabs_scanned,E kswapd_steal,E kswapd_inodesteal,E pageoutrun,E allocstall,E " +
  "pgrotated,E thp_fault_alloc,E thp_fault_fallback,E thp_collapse_alloc,E " +
  "thp_collapse_alloc_failed,E thp_split,E";

/** Raw counters of virtual memory. Device: `-`. */
export const vm = fileType({
  name: "vm",
  keys: KEYS,
  paths: [PATH],
  open({ files }) {
    const emit = keyedLines(files, KEYS);
    return (row) => emit(row, PATH, "-");
  },
});
