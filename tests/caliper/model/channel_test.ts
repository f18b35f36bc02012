import { assertEquals, assertThrows } from "@std/assert";
import { Channel } from "../../../src/caliper/model/services/channel.ts";
import { expandText } from "../query/_support/run_query.ts";

const VECTORS = new URL("../../vectors/caliper/", import.meta.url);

interface Scenario {
  name: string;
  config: Record<string, string>;
  ops: [string, ...(string | number)[]][];
  log: string[];
  records_expand: string[];
  globals: Record<string, string>;
}

const { scenarios } = JSON.parse(
  Deno.readTextFileSync(new URL("semantics.json", VECTORS)),
) as { scenarios: Scenario[] };

function runScenario(scenario: Scenario): Channel {
  const channel = new Channel(scenario.config, { now: () => 0, globals: {} });
  for (const [op, ...args] of scenario.ops) {
    const [name, second] = args.map(String);
    switch (op) {
      case "attribute":
        channel.attribute(name, second as "string", Number(args[2]));
        break;
      case "begin":
        channel.begin(name, second);
        break;
      case "set":
        channel.set(name, second);
        break;
      case "end":
        channel.end(name);
        break;
      case "begin_region":
        channel.beginRegion(name);
        break;
      case "end_region":
        channel.endRegion(name);
        break;
      case "begin_phase":
        channel.beginPhase(name);
        break;
      case "end_phase":
        channel.endPhase(name);
        break;
      case "begin_comm":
        channel.beginComm(name);
        break;
      case "end_comm":
        channel.endComm(name);
        break;
      case "begin_byname":
        channel.beginByName(name);
        break;
      case "set_int_byname":
        channel.setIntByName(name, second);
        break;
      case "end_byname":
        channel.endByName(name);
        break;
      case "global_int":
        channel.globalInt(name, second);
        break;
      case "global_string":
        channel.globalString(name, second);
        break;
      case "snapshot":
        channel.snapshot();
        break;
      default:
        throw new Error(`unknown operation ${op}`);
    }
  }
  return channel;
}

/** Entries of each record in a fixed order: within a record it carries no meaning. */
function entriesOf(expanded: string): string[] {
  return expanded.split(",").filter((entry) => !entry.startsWith("cali.caliper.version="))
    .filter((entry) => entry !== "").sort();
}

for (const scenario of scenarios) {
  Deno.test(`Channel runs the script ${scenario.name} as Caliper does`, () => {
    const channel = runScenario(scenario);
    const records = expandText(channel.flush()).trimEnd().split("\n");
    assertEquals(records.map(entriesOf), scenario.records_expand.map(entriesOf));
    assertEquals(channel.log, scenario.log);
  });
}

Deno.test("Channel writes UTF-8, escapes and all digits of doubles", () => {
  const channel = new Channel({ CALI_SERVICES_ENABLE: "trace,recorder" });
  const exact = channel.attribute("x", "double", "asvalue");
  channel.begin(exact, 0.1);
  channel.beginRegion("größe a=b,c\\d");
  channel.snapshot();
  const stream = channel.flush();
  assertEquals(stream.includes("data=größe a\\=b\\,c\\\\d"), true);
  assertEquals(stream.includes("=0.1\n"), true);
});

Deno.test("Channel keeps an unaligned value when the one below it in the stack ends", () => {
  const channel = new Channel({ CALI_SERVICES_ENABLE: "trace,recorder" });
  const a = channel.attribute("a", "int", "unaligned");
  const b = channel.attribute("b", "int", "unaligned");
  channel.begin(a, 1);
  channel.begin(b, 2);
  channel.end(a);
  channel.snapshot();
  assertEquals(entriesOf(expandText(channel.flush()).trimEnd()), ["b=2"]);
  assertEquals(channel.log, []);
});

Deno.test("Channel measures time in nanoseconds from its making on", () => {
  let now = 1000;
  const channel = new Channel({
    CALI_SERVICES_ENABLE: "event,timer,trace,recorder",
    CALI_TIMER_INCLUSIVE_DURATION: "true",
  }, { now: () => now });
  now = 1500;
  channel.beginRegion("main");
  now = 4500;
  channel.endRegion("main");
  const [begin, end] = expandText(channel.flush()).trimEnd().split("\n").map(entriesOf);
  assertEquals(begin, [
    "event.begin#region=main",
    "time.duration.ns=500",
    "time.offset.ns=500",
  ]);
  assertEquals(end, [
    "event.end#region=main",
    "region.count=1",
    "region=main",
    "time.duration.ns=3000",
    "time.inclusive.duration.ns=3000",
    "time.offset.ns=3500",
  ]);
});

Deno.test("Channel shows globals in every snapshot and once at the end; a later set wins", () => {
  const channel = new Channel({ CALI_SERVICES_ENABLE: "trace,recorder" }, {
    globals: { "app.name": "demo" },
  });
  channel.globalInt("app.size", 1);
  channel.globalInt("app.size", 2);
  channel.snapshot();
  const stream = channel.flush();
  assertEquals(entriesOf(expandText(stream).trimEnd()), ["app.name=demo", "app.size=2"]);
  assertEquals(stream.match(/__rec=globals/g)?.length, 1);
  assertEquals(stream.includes("data=1,"), false);
});

Deno.test("Channel passes only the regions that filters include", () => {
  const channel = new Channel({
    CALI_SERVICES_ENABLE: "event,trace,recorder",
    CALI_EVENT_INCLUDE_REGIONS: "startswith(so),main",
    CALI_EVENT_EXCLUDE_REGIONS: "match(sort)",
  });
  for (const name of ["main", "solve", "sort", "other"]) {
    channel.beginRegion(name);
    channel.endRegion(name);
  }
  const begun = expandText(channel.flush()).split("\n")
    .flatMap((line) => line.match(/event.begin#region=(\w+)/)?.[1] ?? []);
  assertEquals(begun, ["main", "solve"]);
});

Deno.test("Channel reports a missing service, and records nothing without services", () => {
  const channel = new Channel({ CALI_SERVICES_ENABLE: "event,nosuch" });
  assertEquals(channel.log, ['== CALIPER: Service "nosuch" not found!']);
  channel.beginRegion("a");
  assertEquals(channel.flush(), "");
});

Deno.test("Channel.attribute() rejects a type that is none", () => {
  const channel = new Channel({});
  assertThrows(() => channel.attribute("a", "float" as "int"), TypeError, "No such type");
  assertThrows(() => channel.attribute("a", "int", "sticky"), TypeError, "No such property");
});
