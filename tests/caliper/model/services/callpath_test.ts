/** Call paths, as the interposition library tells them around marks. */
import { assertEquals } from "@std/assert";
import { Channel, query } from "../../../../mod.ts";
import { Scripted } from "../_scripted.ts";

/** A mark with its call path, told as the library does: it holds around the mark alone. */
function marked(
  channel: Channel,
  names: string[],
  addresses: string[] | undefined,
  mark: () => void,
) {
  const told = [["callpath.names", names], ["callpath.addresses", addresses]] as const;
  for (const [name, path] of told) {
    if (path === undefined || !channel.accepts(name)) continue;
    const attribute = channel.attribute(name, "string", "asvalue:thread_scope:skip_events");
    channel.begin(attribute, path.join("\x1f"));
  }
  mark();
  for (const [name, path] of told) {
    if (path !== undefined && channel.accepts(name)) channel.end(name);
  }
}

/** A visit of a region in `step`, from two places, with a moment in between that has no path. */
function visits(channel: Channel): void {
  const [step, solve] = [["main", "step"], ["main", "step", "solve"]];
  marked(channel, step, ["4011a0", "7fff00000010"], () => channel.beginRegion("a"));
  channel.snapshot();
  marked(channel, solve, ["4011a0", "7fff00000010", "4012ff"], () => channel.endRegion("a"));
}

/** Names and addresses of each record, as reports print them. */
function pathsWith(config: Record<string, string>): unknown[] {
  const one = new Scripted("event,callpath,trace,recorder", config);
  visits(one.channel);
  const rows: Record<string, string>[] = JSON.parse(query("format json", [one.channel.flush()]));
  return rows.map((row) => [row["callpath.regname"], row["callpath.address"]]);
}

Deno.test("callpath makes a path of its own of the reported text, at this moment only", () => {
  assertEquals(pathsWith({}), [
    ["main/step", undefined],
    [undefined, undefined],
    ["main/step/solve", undefined],
  ]);
});

Deno.test("CALI_CALLPATH_USE_ADDRESS, USE_NAME and SKIP_FRAMES select the parts", () => {
  assertEquals(pathsWith({ CALI_CALLPATH_USE_ADDRESS: "true" })[2], [
    "main/step/solve",
    "4011a0/7fff00000010/4012ff",
  ]);
  const addresses = { CALI_CALLPATH_USE_ADDRESS: "true", CALI_CALLPATH_USE_NAME: "false" };
  assertEquals(pathsWith(addresses)[0], [undefined, "4011a0/7fff00000010"]);
  assertEquals(pathsWith({ ...addresses, CALI_CALLPATH_SKIP_FRAMES: "1" }), [
    [undefined, "4011a0"],
    [undefined, undefined],
    [undefined, "4011a0/7fff00000010"],
  ]);
  // Nothing is left of the shorter one.
  assertEquals(pathsWith({ CALI_CALLPATH_SKIP_FRAMES: "2" }), [
    [undefined, undefined],
    [undefined, undefined],
    ["main", undefined],
  ]);
});

Deno.test("call paths are what rows are apart by, beside the regions", () => {
  const { channel } = new Scripted("event,callpath,aggregate,recorder", {
    CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
  });
  for (let i = 0; i < 3; i++) visits(channel);
  marked(channel, ["main"], undefined, () => channel.beginRegion("a"));
  const calql = "select callpath.regname,region,count format expand order by count desc";
  assertEquals(query(calql, [channel.flush()]).trimEnd().split("\n"), [
    "callpath.regname=main/step,count=3",
    "region=a,count=3",
    "region=a,callpath.regname=main/step/solve,count=3",
    "callpath.regname=main,count=1",
  ]);
});

Deno.test("attributes are Caliper's: names, types, properties and the class of addresses", () => {
  const { channel } = new Scripted("callpath", { CALI_CALLPATH_USE_ADDRESS: "true" });
  const { tree } = channel;
  const [regname, address, mark] = ["callpath.regname", "callpath.address", "class.symboladdress"]
    .map((name) => tree.attribute(tree.attributeByName(name)));
  assertEquals([regname.type, regname.properties], [4, 84]);
  assertEquals([address.type, address.properties], [5, 84]);
  assertEquals(tree.valueOf[tree.metadataNode(address.id, mark.id)], 1);
  assertEquals(tree.metadataNode(regname.id, mark.id), -1);
});

Deno.test("a channel without the service receives no call paths", () => {
  const one = new Scripted("event,trace,recorder");
  visits(one.channel);
  assertEquals(one.channel.accepts("callpath.names"), false);
  assertEquals(one.column("callpath.names"), [undefined, undefined, undefined]);
});

Deno.test("callpath logs what was not reported, and the remedy; and a number that is none", () => {
  const log = (config: Record<string, string>, body = (_: Channel) => {}) => {
    const { channel } = new Scripted("event,callpath,trace,recorder", config);
    body(channel);
    channel.flush();
    return channel.log.map((line) => line.replace("== CALIPER: callpath: ", ""));
  };
  assertEquals(log({}, visits), []);
  assertEquals(log({}), [
    "no callpath.regname was reported: run the program with --preload caliper,callpath",
  ]);
  const both = { CALI_CALLPATH_USE_ADDRESS: "true" };
  const names = (channel: Channel) =>
    marked(channel, ["main"], undefined, () => channel.snapshot());
  assertEquals(log(both, names), [
    "no callpath.address was reported: CALI_CALLPATH_USE_ADDRESS=true has to be in the program's " +
    "environment",
  ]);
  assertEquals(log({ CALI_CALLPATH_SKIP_FRAMES: "-1" }, visits), [
    'CALI_CALLPATH_SKIP_FRAMES is "-1", not a whole number; 0 taken',
  ]);
});
