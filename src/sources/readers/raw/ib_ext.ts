/**
 * Extended, 64-bit port counters of InfiniBand adapters.
 *
 * hpcperfstats queries the port by management datagram. The kernel sends the same query (performance class,
 * PortCountersExtended) and shows it in sysfs: in `counters` since 4.20, if the adapter has
 * them (then with the files of unicast packets), before in `counters_ext`. Elsewhere: no line.
 * @module
 */
import { activePorts, FABRIC_DIRECTORY, isOmniPath } from "./_fabric.ts";
import { fileType } from "./_lines.ts";

/** Per key: its file in `counters` and in `counters_ext`; the first two keys are no counters. */
const FILES: readonly (readonly [now: string, before: string])[] = [
  ["port_xmit_data", "port_xmit_data_64"],
  ["port_rcv_data", "port_rcv_data_64"],
  ["port_xmit_packets", "port_xmit_packets_64"],
  ["port_rcv_packets", "port_rcv_packets_64"],
  ["unicast_xmit_packets", "port_unicast_xmit_packets"],
  ["unicast_rcv_packets", "port_unicast_rcv_packets"],
  ["multicast_xmit_packets", "port_multicast_xmit_packets"],
  ["multicast_rcv_packets", "port_multicast_rcv_packets"],
];

/** Raw 64-bit port counters of InfiniBand adapters. Device: `ADAPTER/PORT`. */
export const ibExt = fileType({
  name: "ib_ext",
  keys: "port_select,C counter_select,C port_xmit_data,E,U=4B port_rcv_data,E,U=4B " +
    "port_xmit_pkts,E port_rcv_pkts,E port_unicast_xmit_pkts,E port_unicast_rcv_pkts,E " +
    "port_multicast_xmit_pkts,E port_multicast_rcv_pkts,E",
  paths: [FABRIC_DIRECTORY],
  open: ({ files, host }) => (row) => {
    for (const { adapter, port, directory } of activePorts(host)) {
      if (isOmniPath(adapter)) continue;
      const has = (file: string) => files.get(`${directory}/${file}`) !== undefined;
      const isNow = has("counters/unicast_xmit_packets");
      if (!isNow && !has("counters_ext/port_xmit_data_64")) continue;
      FILES.forEach(([now, before], k) => {
        const name = isNow ? `counters/${now}` : `counters_ext/${before}`;
        files.put(row, k + 2, `${directory}/${name}`);
      });
      if (!row.hasAny) continue;
      row.putNumber(0, Number(port));
      row.putNumber(1, 0);
      row.emit(`${adapter}/${port}`);
    }
  },
});
