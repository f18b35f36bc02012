/**
 * Port counters of Omni-Path adapters, as far as the kernel shows them.
 *
 * hpcperfstats calls the vendor's library. The hfi1 driver shows the counters that InfiniBand has as
 * well (drivers/infiniband/hw/hfi1/mad.c), data in words of 4 bytes; a flit has 8 bytes. The others
 * stay 0 and are listed as absent.
 * @module
 */
import { activePorts, FABRIC_DIRECTORY, isOmniPath } from "./_fabric.ts";
import { fileType, LINES } from "./_lines.ts";

/** Key → file. */
const FILES: readonly (readonly [key: number, file: string])[] = [
  [0, "port_xmit_data"],
  [1, "port_rcv_data"],
  [2, "port_xmit_packets"],
  [3, "port_rcv_packets"],
  [4, "multicast_xmit_packets"],
  [5, "multicast_rcv_packets"],
  [6, "port_xmit_wait"],
];
const DATA_KEYS = 2;

/** Raw port counters of Omni-Path adapters. Device: `ADAPTER/PORT`. */
export const opa = fileType({
  name: "opa",
  keys: "PortXmitData,E PortRcvData,E PortXmitPkts,E PortRcvPkts,E PortMulticastXmitPkts,E " +
    "PortMulticastRcvPkts,E PortXmitWait,E SwPortCongestion,E PortRcvFECN,E PortRcvBECN,E " +
    "PortXmitTimeCong,E PortXmitWastedBW,E PortXmitWaitData,E PortRcvBubble,E PortMarkFECN,E " +
    "PortErrorCounterSummary,E",
  paths: [FABRIC_DIRECTORY],
  open({ files, host }) {
    if (!host.list(FABRIC_DIRECTORY).some(isOmniPath)) return undefined;
    return (row) => {
      for (const { adapter, port, directory } of activePorts(host)) {
        if (!isOmniPath(adapter)) continue;
        for (const [key, file] of FILES) {
          const lines = files.lines(`${directory}/counters/${file}`);
          if (!lines?.next() || !lines.number()) continue;
          if (key >= DATA_KEYS) row.put(key, LINES.low, LINES.high);
          else {
            const low = ((LINES.low >>> 1) | ((LINES.high & 1) << 31)) >>> 0;
            row.put(key, low, LINES.high >>> 1);
          }
        }
        row.emit(`${adapter}/${port}`);
      }
    };
  },
});
