/**
 * Options about MPI: its functions as regions, messages, marked communication.
 *
 * Truth: Caliper manual, ConfigManager API, "MPI options".
 *
 * One thing differs from Caliper: the last column of `mpi.message.size` over ranks is the largest
 * size; there it is the largest mean, and has the mean's title.
 * @module
 */

import {
  clauses,
  type Column,
  columns,
  flag,
  kept,
  lets,
  type Option,
  type OptionTable,
  settings,
  spread,
} from "./option.ts";

/** Functions that take no time worth a region. */
const CHEAP = "MPI_Wtime,MPI_Comm_rank,MPI_Comm_size";

/** `{metric}` per rank, as found by the services, by the local query, and by the cross query. */
function perRegion(level: "local" | "cross", rows: readonly Statistic[]): string {
  return columns(...rows.map(({ over, metric, title }): Column => {
    const row = `${over}#${metric}`;
    if (level === "local") return [`${over}(${row})`, title];
    return [`${over}(${over}#${row})`, title.replace(/^Collectives/, "Coll")];
  }));
}

interface Statistic {
  over: "min" | "max" | "avg" | "sum";
  metric: string;
  title: string;
}

function statistics(metric: string, title: string, overs: readonly Statistic["over"][]) {
  return overs.map((over): Statistic => ({
    over,
    metric,
    title: `${title} (${over === "sum" ? "total" : over})`,
  }));
}

const MESSAGES: readonly Statistic[] = [
  ...statistics("total.send.count", "Sends", ["min", "max", "sum"]),
  ...statistics("total.recv.count", "Recvs", ["min", "max", "sum"]),
  ...statistics("total.dest.ranks", "Dst ranks", ["min", "max", "avg"]),
  ...statistics("total.src.ranks", "Src ranks", ["min", "max", "avg"]),
  ...statistics("total.coll.count", "Collectives", ["max"]),
  ...statistics("mpi.send.size", "Bytes sent", ["min", "max", "sum"]),
  ...statistics("mpi.recv.size", "Bytes recv", ["min", "max", "sum"]),
];

/** From the receive's start to the wait for it: an event that the service mpi times. */
function gap(over: string): [string, string] {
  const wait = `scale(${over}#event.duration.ns,1e-9) if async.end=irecv.req_wait_gap`;
  return [`cs.irecv_gap.${over}`, wait];
}

function gapColumns(expression: (over: string) => string): string {
  return columns(...spread(expression, (over) => `Irecv gap (${over})`));
}

const REGION: readonly Option[] = [
  flag("profile.mpi", "Functions of MPI as regions", {
    services: ["mpi"],
    variables: { CALI_MPI_BLACKLIST: "MPI_Comm_rank,MPI_Comm_size,MPI_Wtick,MPI_Wtime" },
  }),
  ...settings(
    ["mpi.include", "CALI_MPI_WHITELIST", "Only these functions of MPI"],
    ["mpi.exclude", "CALI_MPI_BLACKLIST", "Not these functions of MPI"],
  ),
];

const MESSAGE_SIZE = (over: string) => `Msg size (${over})`;

const METRIC: readonly Option[] = [
  flag("mpi.message.size", "Sizes of messages", {
    services: ["mpi"],
    variables: { CALI_MPI_MSG_TRACING: "true", CALI_MPI_BLACKLIST: CHEAP },
    local: clauses(
      lets({
        "mms.min": kept("min", "mpi.msg.size"),
        "mms.avg": kept("avg", "mpi.msg.size"),
        "mms.max": kept("max", "mpi.msg.size"),
      }),
      columns(...spread((over) => `${over}(mms.${over})`, MESSAGE_SIZE, "Byte")),
    ),
    cross: columns(...spread((over) => `${over}(${over}#mms.${over})`, MESSAGE_SIZE, "Byte")),
  }),
  flag("mpi.message.count", "Numbers of sends, receives and collective operations", {
    services: ["mpi"],
    variables: { CALI_MPI_MSG_TRACING: "true", CALI_MPI_BLACKLIST: CHEAP },
    local: clauses(
      lets({
        "mmc.recv": kept("sum", "mpi.recv.count"),
        "mmc.send": kept("sum", "mpi.send.count"),
        "mmc.coll": kept("sum", "mpi.coll.count"),
      }),
      columns(
        ["sum(mmc.send)", "Msgs sent", "count"],
        ["sum(mmc.recv)", "Msgs recvd", "count"],
        ["sum(mmc.coll)", "Collectives", "count"],
      ),
    ),
    cross: columns(
      ["avg(sum#mmc.send)", "Msgs sent (avg)", "count"],
      ["max(sum#mmc.send)", "Msgs sent (max)", "count"],
      ["avg(sum#mmc.recv)", "Msgs recvd (avg)", "count"],
      ["max(sum#mmc.recv)", "Msgs recvd (max)", "count"],
      ["max(sum#mmc.coll)", "Collectives (max)", "count"],
    ),
  }),
  flag("comm.stats", "Messages within marked communication regions", {
    services: ["async_event", "mpi"],
    variables: { CALI_MPI_MSG_PATTERN: "true", CALI_MPI_BLACKLIST: CHEAP },
    local: clauses(
      lets(Object.fromEntries(["min", "max", "avg"].map(gap))),
      perRegion("local", MESSAGES),
      gapColumns((over) => `${over}(cs.irecv_gap.${over})`),
    ),
    cross: clauses(
      perRegion("cross", MESSAGES),
      gapColumns((over) => `${over}(${over}#cs.irecv_gap.${over})`),
    ),
  }),
];

/** Options by group. */
export const MPI_OPTIONS: OptionTable = { region: REGION, metric: METRIC };
