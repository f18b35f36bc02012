/**
 * The stream of `spot`: a profile of regions, on request series over the iterations of loops, distinguished
 * by `spot.channel`, and globals that list the metrics.
 * @module
 */
import { PROPERTY } from "../model/attribute.ts";
import type { QueryPair, SpotProfile } from "../model/config/channel_spec.ts";
import type { Channel } from "../model/services/channel.ts";
import { CaliStream } from "../model/services/recorder.ts";
import { Snapshot } from "../model/snapshot.ts";
import { ContextTree, NONE } from "../model/tree.ts";
import { TYPE } from "../model/variant.ts";
import { resultName } from "../query/functions.ts";
import { query } from "../query/library.ts";
import { parseQuery } from "../query/parser.ts";
import { both, loopSeries } from "./loops.ts";

const CHANNEL = "spot.channel";

/** Marks every record of a process in a channel. @param thread The process's first. */
export function markSpotChannel(channel: Channel, thread: number, name: string): void {
  channel.turnTo(thread);
  channel.set(channel.attribute(CHANNEL, "string", "process_scope:skip_events"), name);
}

/**
 * The stream.
 *
 * @param processes A stream of each process from the profile's channel.
 * @param series The same from the channel of the series, if there is one.
 */
export function spotStream(
  spot: SpotProfile,
  processes: readonly string[],
  series: readonly string[],
): string {
  const rows = [both(keyed(spot.profile), processes, true)];
  const globals: Record<string, string> = {
    ...spot.globals,
    "spot.metrics": metricsOf(spot.profile.cross),
    "spot.timeseries.metrics": "",
  };
  const loops = spot.series?.loops;
  if (loops !== undefined) {
    const summary = {
      local: "select loop,count(),sum(loop.iterations) group by loop where loop",
      cross: "select loop,max(sum#loop.iterations) aggregate max(count) group by loop",
    };
    const blocks = (...of: Parameters<typeof loops.blocks>) => keyed(loops.blocks(...of));
    // The run's metadata come once, from the profile.
    const plain = series.map((text) => text.replaceAll(/^__rec=globals.*\n/gm, ""));
    rows.push(...loopSeries(summary, { ...loops, blocks }, plain));
    globals["spot.timeseries.metrics"] = metricsOf(loops.blocks("", 1).cross);
  }
  return query("format cali", [...rows, globalsStream(globals)]);
}

/** A clause that occurs again adds to the key. */
function keyed({ local, cross }: QueryPair): QueryPair {
  const key = ` group by ${CHANNEL}`;
  return { local: local + key, cross: cross + key };
}

/** Attributes that the query's operators make. */
function metricsOf(cross: string): string {
  return (parseQuery(cross).aggregate ?? []).map(resultName).join(",");
}

function globalsStream(globals: Readonly<Record<string, string>>): string {
  const tree = new ContextTree(), record = new Snapshot();
  const { global, unaligned, process_scope, skip_events } = PROPERTY;
  let node = NONE;
  for (const [name, value] of Object.entries(globals)) {
    const properties = global | unaligned | process_scope | skip_events;
    const attribute = tree.createAttribute(name, TYPE.string, properties);
    node = tree.child(node, attribute, TYPE.string, value);
  }
  record.pushReference(tree, node);
  let text = "";
  new CaliStream(tree, (line) => text += line).globals(record);
  return text;
}
