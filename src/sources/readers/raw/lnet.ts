/**
 * Messages and bytes of Lustre's network layer.
 *
 * Truth: lnet/lnet/router_proc.c: eleven numbers, of which six have a key. One real line:
 * `0 1172 0 195805494 204125982 0 16957 216828482753 708781379083 0 3268048`.
 * @module
 */
import { fileType, LINES } from "./_lines.ts";

const PATHS = ["/proc/sys/lnet/stats", "/sys/kernel/debug/lnet/stats"];
/** Key index of each of the eleven numbers; −1: it has none. */
const KEY_OF = [-1, -1, -1, 0, 1, -1, 2, 3, 4, -1, 5];

/** Raw counters of Lustre's network layer. Device: `-`. */
export const lnet = fileType({
  name: "lnet",
  keys: "tx_msgs,E rx_msgs,E rx_msgs_dropped,E tx_bytes,E,U=B rx_bytes,E,U=B rx_bytes_dropped,E",
  paths: [...PATHS],
  open: ({ files }) => (row) => {
    for (const path of PATHS) {
      const lines = files.lines(path);
      if (!lines?.next()) continue;
      for (let i = 0; i < KEY_OF.length && lines.number(); i++) {
        if (KEY_OF[i] >= 0) row.put(KEY_OF[i], LINES.low, LINES.high);
      }
      row.emit("-");
      return;
    }
  },
});
