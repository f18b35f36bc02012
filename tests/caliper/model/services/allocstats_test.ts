/** What regions take from malloc, as the interposition library tells it around marks. */
import { assertEquals } from "@std/assert";
import { Channel, query } from "../../../../mod.ts";

/** A mark with what was allocated up to it, told as the library does: values hold around the mark. */
function marked(channel: Channel, calls: number, bytes: number, largest: number, mark: () => void) {
  const properties = "asvalue:thread_scope:skip_events:aggregatable";
  const values: Record<string, number> = {
    "alloc.count": calls,
    "alloc.tally": bytes,
    "avg#alloc.size": Math.floor(bytes / calls),
    "max#alloc.size": largest,
  };
  for (const [name, value] of Object.entries(values)) {
    channel.begin(channel.attribute(name, "uint", properties), value);
  }
  mark();
  for (const name of Object.keys(values)) channel.end(name);
}

function asked(body: (channel: Channel) => void, calql: string): string[] {
  const channel = new Channel({
    CALI_SERVICES_ENABLE: "event,aggregate,allocstats,sysalloc,recorder",
    CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
  });
  body(channel);
  return query(calql, [channel.flush()]).trimEnd().split("\n");
}

Deno.test("allocstats adds up per region what came between marks, and leaves rows alone", () => {
  const body = (channel: Channel) => {
    channel.beginRegion("main");
    marked(channel, 2, 300, 200, () => channel.beginRegion("work"));
    marked(channel, 10, 5000, 900, () => channel.endRegion("work"));
    channel.beginRegion("work");
    marked(channel, 1, 7000, 7000, () => channel.endRegion("work"));
    channel.endRegion("main");
  };
  const stats = "select region,alloc.count,alloc.tally,avg#alloc.size,max#alloc.size " +
    "where alloc.count format expand";
  assertEquals(asked(body, stats), [
    "region=main,alloc.count=2,alloc.tally=300,avg#alloc.size=150,max#alloc.size=200",
    "region=main/work,alloc.count=11,alloc.tally=12000,avg#alloc.size=1090,max#alloc.size=7000",
  ]);
  // What allocstats tells stands in no row as well: sums over all records are right.
  assertEquals(asked(body, "select sum(alloc.count) group by cali.caliper.version format expand"), [
    "sum#alloc.count=13",
  ]);
  assertEquals(asked(body, "select region where sum#alloc.count format expand"), [""]);
});

Deno.test("allocstats keeps what comes outside of regions, and threads apart", () => {
  const body = (channel: Channel) => {
    marked(channel, 3, 30, 10, () => channel.beginRegion("main"));
    channel.turnTo(channel.addThread(0));
    marked(channel, 4, 40, 10, () => channel.beginRegion("main"));
  };
  const rows = asked(body, "select alloc.count where alloc.count format expand");
  assertEquals(rows, ["alloc.count=3", "alloc.count=4"]);
});
