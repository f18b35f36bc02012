/**
 * Counters of the switch port that an InfiniBand adapter hangs on.
 *
 * They are read by management datagrams only, which need the rights of the fabric's manager
 * (/dev/infiniband/umadN) and are traffic on it: the switch is identified by directed route,
 * then for its 64-bit counters by LID. That is done if the type is asked for by its name, and
 * nowhere else. What the switch sends is what the node receives: the two are exchanged.
 * @module
 */
import { type MadDoor, openUmad } from "../../../os/devices/umad.ts";
import { activePorts, FABRIC_DIRECTORY, isOmniPath } from "./_fabric.ts";
import { askCounters, askNeighbour, DIRECTED_CLASS, PERFORMANCE_CLASS } from "./_mad.ts";
import { readCounters, readNeighbour } from "./_mad.ts";
import type { RawRow, RawStatsType } from "./raw_type.ts";

const MAD_DIRECTORY = "/sys/class/infiniband_mad/";
const PERMISSIVE_LID = 0xffff;

/** The type, by a way to open a device of a name. */
export function ibSwType(open: (name: string) => MadDoor | undefined): RawStatsType {
  return {
    name: "ib_sw",
    keys: "rx_bytes,E,U=4B rx_packets,E tx_bytes,E,U=4B tx_packets,E",
    needs: {
      files: [FABRIC_DIRECTORY, MAD_DIRECTORY, "/dev/infiniband/"],
      libraries: [],
      capabilities: [],
    },
    open({ host, isNamed }) {
      const doors = new Map<string, MadDoor | undefined>();
      let transaction = 0;
      const doorOf = (adapter: string, port: string) => {
        const key = `${adapter}/${port}`;
        if (!doors.has(key)) {
          const read = (path: string) => host.readText(MAD_DIRECTORY + path)?.trim();
          const name = host.list(MAD_DIRECTORY).find((device) =>
            /^umad\d+$/.test(device) && read(`${device}/ibdev`) === adapter &&
            read(`${device}/port`) === port
          );
          doors.set(key, name === undefined ? undefined : open(name));
        }
        return doors.get(key);
      };
      return {
        collect(row) {
          if (!isNamed) return;
          for (const { adapter, port } of activePorts(host)) {
            const door = isOmniPath(adapter) ? undefined : doorOf(adapter, port);
            if (door === undefined) continue;
            transaction = (transaction + 2) >>> 0;
            if (ask(door, Number(port), transaction, row)) row.emit(`${adapter}/${port}`);
          }
        },
        [Symbol.dispose]() {
          for (const door of doors.values()) door?.[Symbol.dispose]();
        },
      };
    },
  };
}

/** Puts the counters of the port behind a port; false if no switch answered. */
function ask(door: MadDoor, port: number, transaction: number, row: RawRow): boolean {
  const who = askNeighbour(port, transaction);
  const there = { mgmtClass: DIRECTED_CLASS, lid: PERMISSIVE_LID, queuePair: 0 } as const;
  const named = door.ask(there, who);
  const neighbour = named && readNeighbour(named, who);
  if (neighbour === undefined) return false;
  const what = askCounters(neighbour.port, transaction + 1);
  const target = { mgmtClass: PERFORMANCE_CLASS, lid: neighbour.lid, queuePair: 1 } as const;
  const reply = door.ask(target, what);
  const counters = reply && readCounters(reply, what);
  if (counters === undefined) return false;
  const { xmitData, xmitPackets, rcvData, rcvPackets } = counters;
  [xmitData, xmitPackets, rcvData, rcvPackets].forEach((value, key) => {
    row.put(key, Number(value & 0xffffffffn), Number(value >> 32n));
  });
  return true;
}

/** Raw counters of InfiniBand switch ports. Device: `ADAPTER/PORT`. */
export const ibSw: RawStatsType = ibSwType(openUmad);
