/**
 * Traffic of network interfaces that are up, loopback included: one file per counter in
 * /sys/class/net/DEV/statistics.
 *
 * Truth: Documentation/ABI/testing/sysfs-class-net-statistics; bit 0 of `flags` is IFF_UP.
 * @module
 */
import { fileType } from "./_lines.ts";
import { keyNames } from "./raw_type.ts";

const DIRECTORY = "/sys/class/net/";
const KEYS = "collisions,E multicast,E rx_bytes,E,U=B rx_compressed,E rx_crc_errors,E " +
  "rx_dropped,E rx_errors,E rx_fifo_errors,E rx_frame_errors,E rx_length_errors,E " +
  "rx_missed_errors,E rx_over_errors,E rx_packets,E tx_aborted_errors,E tx_bytes,E,U=B " +
  "tx_carrier_errors,E tx_compressed,E tx_dropped,E tx_errors,E tx_fifo_errors,E " +
  "tx_heartbeat_errors,E tx_packets,E tx_window_errors,E";
const UP = 1;

/** Raw counters of network interfaces. Device: name of the interface. */
export const net = fileType({
  name: "net",
  keys: KEYS,
  paths: [DIRECTORY],
  open({ files, host }) {
    const names = keyNames(KEYS);
    const paths = new Map<string, string[]>();
    return (row) => {
      for (const device of host.list(DIRECTORY)) {
        let own = paths.get(device);
        if (own === undefined) {
          own = names.map((key) => `${DIRECTORY}${device}/statistics/${key}`);
          paths.set(device, own);
        }
        const flags = files.lines(`${DIRECTORY}${device}/flags`);
        if (!flags?.next() || (Number(flags.rest()) & UP) === 0) continue;
        for (let k = 0; k < own.length; k++) files.put(row, k, own[k]);
        row.emit(device);
      }
    };
  },
});
