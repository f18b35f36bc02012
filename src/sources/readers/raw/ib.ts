/**
 * Port counters of InfiniBand adapters, one file each.
 *
 * Truth: Documentation/ABI/stable/sysfs-class-infiniband. Declared as 32 bits wide, and saturating
 * there on old adapters; kernels since 4.20 show 64-bit counters in the same files.
 * @module
 */
import { activePorts, FABRIC_DIRECTORY } from "./_fabric.ts";
import { fileType } from "./_lines.ts";
import { keyNames } from "./raw_type.ts";

const KEYS = "excessive_buffer_overrun_errors,E,W=32 link_downed,E,W=32 " +
  "link_error_recovery,E,W=32 local_link_integrity_errors,E,W=32 " +
  "port_rcv_constraint_errors,E,W=32 port_rcv_data,E,U=4B,W=32 port_rcv_errors,E,W=32 " +
  "port_rcv_packets,E,W=32 port_rcv_remote_physical_errors,E,W=32 " +
  "port_rcv_switch_relay_errors,E,W=32 port_xmit_constraint_errors,E,W=32 " +
  "port_xmit_data,E,U=4B,W=32 port_xmit_discards,E,W=32 port_xmit_packets,E,W=32 " +
  "port_xmit_wait,E,U=ms,W=32 symbol_error,E,W=32 VL15_dropped,E,W=32";

/** Raw port counters of InfiniBand adapters. Device: `ADAPTER.PORT`. */
export const ib = fileType({
  name: "ib",
  keys: KEYS,
  paths: [FABRIC_DIRECTORY],
  open({ files, host }) {
    const names = keyNames(KEYS);
    return (row) => {
      for (const { adapter, port, directory } of activePorts(host)) {
        names.forEach((name, k) => files.put(row, k, `${directory}/counters/${name}`));
        row.emit(`${adapter}.${port}`);
      }
    };
  },
});
