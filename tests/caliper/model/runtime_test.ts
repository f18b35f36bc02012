import { assertEquals, assertThrows } from "@std/assert";
import { parseProperties, PROPERTY } from "../../../src/caliper/model/attribute.ts";
import { Channel } from "../../../src/caliper/model/services/channel.ts";
import { TYPE } from "../../../src/caliper/model/variant.ts";
import { readCali } from "../../../src/caliper/query/library.ts";
import { Scripted } from "./_scripted.ts";

Deno.test("threads of a process have contexts of their own", () => {
  const { channel, ...rest } = scripted();
  const second = channel.addThread(0);
  channel.beginRegion("main");
  channel.turnTo(second);
  channel.beginRegion("worker");
  channel.snapshot();
  channel.turnTo(0);
  channel.snapshot();
  channel.turnTo(second);
  channel.endRegion("worker");
  channel.snapshot();
  assertEquals(rest.column("region"), [["worker"], ["main"], undefined]);
});

Deno.test("values of process scope are those of all threads of the process and of no other", () => {
  const { channel, column } = scripted();
  const sibling = channel.addThread(0), stranger = channel.addThread();
  const shared = channel.attribute("shared", "int", "process_scope:asvalue");
  channel.turnTo(sibling);
  channel.set(shared, 7);
  for (const thread of [0, sibling, stranger]) {
    channel.turnTo(thread);
    channel.snapshot();
  }
  assertEquals(column("shared"), [7, 7, undefined]);
});

Deno.test("a tree attribute of process scope is below no thread's regions", () => {
  const { channel, column, records } = scripted();
  const sibling = channel.addThread(0);
  const mesh = channel.attribute("mesh", "string", "process_scope:unaligned");
  channel.beginRegion("main");
  channel.begin(mesh, "coarse");
  channel.turnTo(sibling);
  channel.snapshot();
  // Any thread may end it.
  channel.end(mesh);
  channel.turnTo(0);
  channel.snapshot();
  assertEquals(column("mesh"), ["coarse", undefined]);
  assertEquals(records().map((record) => record.region), [undefined, ["main"]]);
});

Deno.test("CALI_CALIPER_ATTRIBUTE_DEFAULT_SCOPE=process makes threads share what names no scope", () => {
  const { channel, column } = scripted({ CALI_CALIPER_ATTRIBUTE_DEFAULT_SCOPE: "process" });
  const sibling = channel.addThread(0);
  const own = channel.attribute("own", "int", "asvalue:thread_scope");
  const any = channel.attribute("any", "int", "asvalue");
  channel.set(own, 1);
  channel.set(any, 2);
  channel.turnTo(sibling);
  channel.snapshot();
  assertEquals([column("own"), column("any")], [[undefined], [2]]);
});

Deno.test("task scope is accepted and stores nothing", () => {
  const { channel, records } = scripted();
  const task = channel.attribute("task", "int", "asvalue:task_scope");
  channel.begin(task, 1);
  channel.set(task, 2);
  channel.snapshot();
  channel.end(task);
  assertEquals(records(), [{}]);
  assertEquals(channel.log.length, 1);
});

Deno.test("globals are those of all processes; where they differ the last one counts", () => {
  const { channel, content } = scripted({}, { common: "yes" });
  channel.globalInt("size", 1);
  channel.globalString("first", "here");
  channel.turnTo(channel.addThread());
  channel.globalInt("size", 2);
  channel.globalValue("double", "0.5", TYPE.double);
  channel.globalValue("far", "18446744073709551615", TYPE.uint);
  channel.snapshot();
  const { "cali.caliper.version": _, ...globals } = content().globals;
  assertEquals(globals, {
    common: "yes",
    size: 2,
    first: "here",
    double: 0.5,
    far: 18446744073709551615n,
  });
});

Deno.test("globals of a process are in its own records only, those of the run in all", () => {
  const { channel, records } = scripted({}, { common: "yes" });
  channel.globalInt("size", 1);
  const other = channel.addThread(), sibling = channel.addThread(0);
  for (const thread of [0, other, sibling]) {
    channel.turnTo(thread);
    channel.snapshot();
  }
  assertEquals(records(), [
    { common: "yes", size: 1 },
    { common: "yes" },
    { common: "yes", size: 1 },
  ]);
});

Deno.test("a global that is a value rather than a node is among the globals, once", () => {
  const { channel, content } = scripted();
  const attribute = channel.attribute("load", "double", "global:asvalue");
  assertEquals(attribute.properties, parseProperties("global:asvalue:process_scope:unaligned"));
  channel.set(attribute, 1.5);
  channel.turnTo(channel.addThread());
  channel.set(attribute, 2.5);
  channel.snapshot();
  assertEquals(content().globals.load, 2.5);
});

Deno.test("a mismatch stops the thread that made it, and no other", () => {
  const { channel, column } = scripted();
  const sibling = channel.addThread(0);
  channel.beginRegion("a");
  channel.beginPhase("p");
  channel.endRegion("a");
  channel.endPhase("p");
  channel.beginRegion("ignored");
  channel.snapshot();
  channel.turnTo(sibling);
  channel.beginRegion("goes on");
  channel.snapshot();
  assertEquals(column("region"), [["a"], ["goes on"]]);
  assertEquals(column("phase"), [["p"], undefined]);
  assertEquals(channel.log, [
    '== CALIPER: Region stack mismatch: Trying to end "region" but current region is "p".',
    "  Ceasing region tracking!",
    "== CALIPER: Stack value mismatch: Trying to end region=a but stack is empty",
  ]);
});

Deno.test("CALI_CALIPER_ATTRIBUTE_STACKS: plain attributes overlap, nested ones still nest", () => {
  const channel = new Channel({
    CALI_SERVICES_ENABLE: "event,trace,recorder",
    CALI_CALIPER_ATTRIBUTE_STACKS: "true",
  });
  channel.beginPhase("loop");
  const iteration = channel.attribute("iteration", "int");
  channel.set(iteration, 7);
  channel.endPhase("loop");
  channel.snapshot();
  assertEquals(channel.log, []);
  assertEquals(readCali(channel.flush()).records.at(-1), {
    "cali.caliper.version": "2.15.0-joulemark",
    iteration: 7,
  });
  channel.beginRegion("a");
  channel.beginPhase("p");
  channel.endRegion("a");
  assertEquals(
    channel.log[0],
    '== CALIPER: Region stack mismatch: Trying to end "region" but current region is "p".',
  );
});

Deno.test("folded visits are below what is open, once, and leave it as it was", () => {
  const scriptedOne = new Scripted("event,trace,recorder");
  const { channel } = scriptedOne;
  channel.beginRegion("main");
  channel.foldedVisits("tiny", 1000, 5e6);
  channel.endRegion("main");
  const [, folded, end] = scriptedOne.records();
  assertEquals(folded, { region: ["main", "tiny"], "region.count": 1000 });
  assertEquals(end.region, ["main"]);
  assertEquals(channel.log, []);
});

Deno.test("folded visits of a stopped thread are left out", () => {
  const { channel, records } = scripted();
  channel.endRegion("nothing");
  channel.end("region");
  channel.foldedVisits("tiny", 3, 5);
  assertEquals(records(), []);
});

Deno.test("libraryRegion() returns whether a service listens, and has its attribute", () => {
  const one = new Scripted("event,mpi,trace,recorder");
  const { channel } = one;
  assertEquals(channel.libraryRegion("begin", "MPI_Send"), true);
  assertEquals(channel.libraryRegion("begin", "[OMPT] parallel"), false);
  assertEquals(channel.libraryRegion("end", "MPI_Send"), true);
  assertEquals(one.column("mpi.function"), [undefined, ["MPI_Send"]]);
  const deaf = new Scripted("event,trace,recorder");
  assertEquals(deaf.channel.libraryRegion("begin", "MPI_Send"), false);
  assertEquals(deaf.records(), []);
});

Deno.test("attribute() keeps metadata with the attribute, of the type that each has", () => {
  const { channel } = scripted();
  const { id } = channel.attribute("iteration#l", "int", "asvalue", {
    "class.iteration": true,
    weight: 2,
    share: 0.5,
    title: "of the loop",
  });
  const { tree } = channel;
  const found = ["class.iteration", "weight", "share", "title"].map((key) => {
    const node = tree.metadataNode(id, tree.attributeByName(key));
    return [tree.typeOf[node], tree.valueOf[node]];
  });
  assertEquals(found, [
    [TYPE.bool, 1],
    [TYPE.int, 2],
    [TYPE.double, 0.5],
    [TYPE.string, "of the loop"],
  ]);
  assertEquals(tree.attribute(id).type, TYPE.int);
});

Deno.test("attribute() returns an existing one unchanged, for any request", () => {
  const { channel } = scripted();
  const made = channel.attribute("a", "int", "asvalue", { unit: "J" });
  assertEquals(channel.attribute("a", "string", "nested", { unit: "W" }), made);
  assertEquals(made.properties, PROPERTY.asvalue | PROPERTY.thread_scope);
});

Deno.test("CALI_CALIPER_ATTRIBUTE_PROPERTIES replaces what the program asks for", () => {
  const presets = "k=asvalue:skip_events, j=nested,bad=sticky";
  const { channel } = scripted({ CALI_CALIPER_ATTRIBUTE_PROPERTIES: presets });
  assertEquals(
    channel.attribute("k", "int", "nested:unaligned").properties,
    parseProperties("asvalue:skip_events:thread_scope"),
  );
  assertEquals(channel.attribute("j", "int").properties, parseProperties("nested:thread_scope"));
  assertEquals(channel.log.length, 1);
  assertEquals(channel.log[0].includes('"bad=sticky"'), true);
});

Deno.test("turnTo() a thread that there is not fails at the next call, not silently", () => {
  const { channel } = scripted();
  channel.turnTo(5);
  assertThrows(() => channel.beginRegion("a"), TypeError);
});

Deno.test("threadStart is that of the thread: its making, or the time given to addThread()", () => {
  const one = new Scripted("timer,trace,recorder", {}, { startNs: 100 });
  const { channel } = one;
  one.ns = 150;
  const now = channel.addThread(0), told = channel.addThread(0, 120);
  for (const thread of [0, now, told]) {
    channel.turnTo(thread);
    one.at(200, () => channel.snapshot());
  }
  assertEquals(one.column("time.duration.ns"), [100, 50, 80]);
});

/** A channel that keeps every snapshot, and no more. */
function scripted(config: Record<string, string> = {}, globals = {}) {
  const made = new Scripted("trace,recorder", config, { globals });
  return {
    channel: made.channel,
    column: (name: string) => made.column(name),
    records: () => made.records(),
    content: () => made.content(),
  };
}
