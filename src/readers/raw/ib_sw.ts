/**
 * Counters of the switch port that an InfiniBand adapter hangs on.
 *
 * They can be had by directed management datagrams only, which need the rights of the fabric's
 * manager; this monitor sends none, so the type is listed and has no lines.
 * @module
 */
import { filesOnly, type RawStatsType } from "./raw_type.ts";

/** See the module. Device: `ADAPTER/PORT`. */
export const ibSw: RawStatsType = {
  name: "ib_sw",
  keys: "rx_bytes,E,U=4B rx_packets,E tx_bytes,E,U=4B tx_packets,E",
  needs: filesOnly(),
  open: () => ({ collect() {} }),
};
