import { assertEquals } from "@std/assert";
import { parseProperties } from "../../../../src/caliper/model/attribute.ts";
import { Random } from "../../../run/session/_random.ts";
import { Scripted } from "../_scripted.ts";

const INCLUSIVE = { CALI_TIMER_INCLUSIVE_DURATION: "true" };

Deno.test("timer counts a thread's first duration from the thread's start", () => {
  const one = new Scripted("timer,trace,recorder", {}, { startNs: 1000 });
  const { channel } = one;
  one.ns = 5000;
  const late = channel.addThread(0, 4000);
  channel.turnTo(late);
  one.at(5200, () => channel.snapshot()).at(5500, () => channel.snapshot());
  channel.turnTo(0);
  one.at(6000, () => channel.snapshot());
  assertEquals(one.column("time.offset.ns"), [4200, 4500, 5000]);
  assertEquals(one.column("time.duration.ns"), [1200, 300, 5000]);
});

Deno.test("timer takes the time of folded visits out of what follows", () => {
  const one = new Scripted("event,timer,trace,recorder"), { channel } = one;
  one.at(100, () => channel.beginRegion("main"));
  one.at(1000, () => channel.foldedVisits("tiny", 5, 300.4));
  one.at(1500, () => channel.endRegion("main"));
  assertEquals(one.column("time.duration.ns"), [100, 300, 1100]);
  assertEquals(one.column("time.offset.ns"), [100, 1000, 1500]);
});

Deno.test("timer gives folded visits no more time than has passed", () => {
  const one = new Scripted("timer,trace,recorder"), { channel } = one;
  one.at(1000, () => channel.foldedVisits("tiny", 5, 5000));
  one.at(1200, () => channel.snapshot());
  assertEquals(one.column("time.duration.ns"), [1000, 200]);
  // The whole of their time is what they got and what they did not.
  assertEquals(one.column("joulemark.time.missing.ns"), [4000, undefined]);
});

Deno.test("timer never goes back, though clocks do", () => {
  const one = new Scripted("timer,trace,recorder", {}, { startNs: 500 }), { channel } = one;
  const before = channel.addThread(0, 100);
  channel.turnTo(before);
  one.at(400, () => channel.snapshot()).at(900, () => channel.snapshot());
  one.at(800, () => channel.snapshot());
  assertEquals(one.column("time.offset.ns"), [0, 400, 300]);
  assertEquals(one.column("time.duration.ns"), [0, 400, 0]);
});

Deno.test("timer reports inclusive times of ends alone, by attribute and by thread", () => {
  const one = new Scripted("event,timer,trace,recorder", INCLUSIVE), { channel } = one;
  const other = channel.addThread(0, 0);
  const inThread = (thread: number, ns: number, action: () => void) => {
    channel.turnTo(thread);
    one.at(ns, action);
  };
  inThread(0, 10, () => channel.beginRegion("f"));
  inThread(0, 20, () => channel.beginRegion("f"));
  inThread(other, 25, () => channel.beginRegion("f"));
  inThread(0, 30, () => channel.beginPhase("p"));
  inThread(0, 50, () => channel.endPhase("p"));
  inThread(other, 60, () => channel.endRegion("f"));
  inThread(0, 70, () => channel.endRegion("f"));
  inThread(0, 100, () => channel.endRegion("f"));
  const told = one.records().flatMap((record) => record["time.inclusive.duration.ns"] ?? []);
  // The thread that came last is written first only where rows are kept; a trace keeps its order.
  assertEquals(told, [20, 35, 50, 90]);
});

Deno.test("timer reports no inclusive times unless requested", () => {
  const one = new Scripted("event,timer,trace,recorder").visit("a", 5);
  assertEquals(one.column("time.inclusive.duration.ns"), [undefined, undefined]);
  const explicit = new Scripted("timer,trace,recorder", INCLUSIVE);
  explicit.channel.snapshot();
  assertEquals(explicit.column("time.inclusive.duration.ns"), [undefined]);
});

Deno.test("timer's attributes carry Caliper's properties and their unit", () => {
  const one = new Scripted("timer,trace,recorder"), { tree } = one.channel;
  const unit = tree.attributeByName("time.unit");
  const of = (name: string): unknown[] => {
    const id = tree.attributeByName(name);
    return [tree.propertiesOf(id), tree.valueOf[tree.metadataNode(id, unit)]];
  };
  const metric = parseProperties("asvalue:thread_scope:skip_events:aggregatable");
  assertEquals(of("time.offset.ns"), [parseProperties("asvalue:thread_scope:skip_events"), "nsec"]);
  assertEquals(of("time.duration.ns"), [metric, "nsec"]);
  assertEquals(of("time.inclusive.duration.ns"), [metric, "nsec"]);
});

Deno.test("timestamp is timer, once", () => {
  const one = new Scripted("timestamp,timer,trace,recorder");
  one.at(7, (channel) => channel.snapshot());
  assertEquals(one.records(), [{ "time.offset.ns": 7, "time.duration.ns": 7 }]);
});

Deno.test("durations of a thread add up to the time from its start to its last snapshot", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random(seed), one = new Scripted("event,timer,trace,recorder");
    const { channel } = one, starts = [0], last = [0];
    for (let i = 0; i < 40; i++) {
      one.ns += random.int(0, 1000);
      if (random.next() < 0.1) {
        starts.push(one.ns);
        last.push(one.ns);
        channel.addThread(0);
      }
      const thread = random.int(0, starts.length - 1);
      channel.turnTo(thread);
      const folded = random.next() < 0.2;
      if (!folded) last[thread] = one.ns;
      // An id tells the thread's records apart.
      channel.set(channel.attribute("t", "int", "asvalue:skip_events"), thread);
      if (folded) channel.foldedVisits("tiny", 1, random.int(0, 2000));
      else channel.snapshot();
    }
    for (let thread = 0; thread < starts.length; thread++) {
      channel.turnTo(thread);
      channel.set(channel.attribute("t", "int", "asvalue:skip_events"), thread);
      channel.snapshot();
      last[thread] = one.ns;
    }
    const sums: number[] = starts.map(() => 0);
    for (const record of one.records()) {
      sums[Number(record.t)] += Number(record["time.duration.ns"]);
    }
    assertEquals(sums, starts.map((start, thread) => last[thread] - start), `seed ${seed}`);
  }
});
