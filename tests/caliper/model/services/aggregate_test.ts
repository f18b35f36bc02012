import { assertEquals } from "@std/assert";
import { Random } from "../../../run/session/_random.ts";
import { Scripted } from "../_scripted.ts";

/** A channel of rows, and a metric to fill. */
function rows(key = "", services = "aggregate,recorder") {
  const one = new Scripted(services, { CALI_AGGREGATE_KEY: key });
  const { channel } = one;
  const metric = channel.attribute("m", "int", "asvalue:aggregatable");
  return { one, channel, metric, records: () => one.records() };
}

Deno.test("aggregate makes a row of each path, with least, greatest, sum, mean and count", () => {
  const { channel, metric, records } = rows();
  channel.beginRegion("main");
  for (const value of [4, 9, 2]) {
    channel.set(metric, value);
    channel.snapshot();
  }
  channel.beginRegion("inner");
  channel.end(metric);
  channel.snapshot();
  assertEquals(records(), [
    {
      region: ["main"],
      "min#m": 2,
      "max#m": 9,
      "sum#m": 15,
      "avg#m": 5,
      count: 3,
      "aggregate.slot": 0,
    },
    { region: ["main", "inner"], count: 1, "aggregate.slot": 1 },
  ]);
});

Deno.test("aggregate keeps values beyond 2^53, and adds them exactly", () => {
  const { channel, records } = rows();
  const wide = channel.attribute("w", "uint", "asvalue:aggregatable");
  for (const value of ["9007199254740993", "3", "18446744073709551615"]) {
    channel.set(wide, value);
    channel.snapshot();
  }
  const [row] = records();
  assertEquals([row["min#w"], row["max#w"]], [3, 18446744073709551615n]);
  assertEquals(row["sum#w"], BigInt.asUintN(64, 2n ** 53n + 1n + 3n + 2n ** 64n - 1n) as unknown);
});

Deno.test("aggregate keeps doubles, with all their digits", () => {
  const { channel, records } = rows();
  const x = channel.attribute("x", "double", "asvalue:aggregatable");
  for (const value of [0.1, 0.2]) {
    channel.set(x, value);
    channel.snapshot();
  }
  const [row] = records();
  assertEquals([row["min#x"], row["max#x"], row["sum#x"]], [0.1, 0.2, 0.1 + 0.2]);
  assertEquals(row["avg#x"], (0.1 + 0.2) / 2);
});

Deno.test("aggregate leaves a NaN to be seen in the sum, as Caliper's own arithmetic does", () => {
  const { channel, records } = rows();
  const x = channel.attribute("x", "double", "asvalue:aggregatable");
  for (const value of [1, NaN, 3]) {
    channel.set(x, value);
    channel.snapshot();
  }
  const [row] = records();
  assertEquals([row["min#x"], row["max#x"], row["sum#x"], row.count], [1, 3, NaN, 3]);
});

Deno.test("aggregate has rows by thread, the newest thread first, numbered from 0 in each", () => {
  const { channel, records } = rows();
  const shared = channel.attribute("of", "int", "asvalue");
  const second = channel.addThread(0), third = channel.addThread();
  for (const [thread, name] of [[0, "a"], [third, "a"], [0, "b"], [second, "b"]] as const) {
    channel.turnTo(thread);
    channel.set(shared, thread);
    channel.beginRegion(name);
    channel.snapshot();
    channel.endRegion(name);
  }
  assertEquals(records().map((row) => [row.region, row["aggregate.slot"], row.count]), [
    [["a"], 0, 1],
    [["b"], 0, 1],
    [["a"], 0, 1],
    [["b"], 1, 1],
  ]);
});

Deno.test("CALI_AGGREGATE_KEY distinguishes values of any type", () => {
  const { channel, records } = rows("k, name,none such,k");
  const k = channel.attribute("k", "double", "asvalue");
  const name = channel.attribute("name", "string", "asvalue");
  const other = channel.attribute("other", "int", "asvalue");
  let i = 0;
  for (const value of [1.0000001, 1.0000002, 1.0000001]) {
    channel.set(k, value);
    channel.set(other, i++);
    channel.snapshot();
  }
  channel.set(name, "x");
  channel.snapshot();
  channel.end(k);
  channel.snapshot();
  assertEquals(records(), [
    { k: 1.0000001, count: 2, "aggregate.slot": 0 },
    { k: 1.0000002, count: 1, "aggregate.slot": 1 },
    { k: 1.0000001, name: "x", count: 1, "aggregate.slot": 2 },
    { name: "x", count: 1, "aggregate.slot": 3 },
  ]);
});

Deno.test("a metric that is a key is both", () => {
  const { channel, metric, records } = rows("m");
  for (const value of [3, 3, 4]) {
    channel.set(metric, value);
    channel.snapshot();
  }
  assertEquals(records().map((row) => [row.m, row["sum#m"], row.count]), [[3, 6, 2], [4, 4, 1]]);
});

Deno.test("events are part of the key, as in Caliper, unless CALI_EVENT_ENABLE_SNAPSHOT_INFO=false", () => {
  const one = new Scripted("event,aggregate,recorder").visit("a").visit("a");
  assertEquals(one.records().map((row) => [row["event.begin#region"], row.count]), [
    ["a", 2],
    [undefined, 2],
  ]);
  const bare = new Scripted("event,aggregate,recorder", {
    CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false",
  }).visit("a").visit("a");
  assertEquals(bare.records().map((row) => [row.region, row.count, row["sum#region.count"]]), [
    [undefined, 2, undefined],
    [["a"], 2, 2],
  ]);
});

Deno.test("aggregate's results are of the metric's type, and no metrics themselves", () => {
  const { one, channel, metric } = rows();
  channel.set(metric, 1);
  channel.snapshot();
  const { attributes } = one.content();
  assertEquals(attributes["avg#m"], { type: "int", properties: 85 });
  assertEquals(attributes.count, { type: "uint", properties: 85 });
});

Deno.test("a second flush gives the same rows, and what was added since", () => {
  const { one, channel } = rows();
  channel.snapshot();
  const first = one.records();
  assertEquals(one.records(), first);
  channel.snapshot();
  assertEquals(one.column("count"), [2]);
});

Deno.test("rows add up to the snapshots that a trace has of the same events", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = new Random(seed), one = new Scripted("event,timer,trace,recorder");
    const sums = new Scripted("event,timer,aggregate,recorder", { CALI_AGGREGATE_KEY: "k" });
    for (const { channel } of [one, sums]) channel.addThread(0);
    const both = (action: (channel: Scripted["channel"]) => void) => {
      for (const scripted of [one, sums]) action(scripted.channel);
    };
    const open: string[][] = [[], []];
    for (let i = 0; i < 60; i++) {
      one.ns = sums.ns += random.int(0, 50);
      const thread = random.int(0, 1), stack = open[thread], name = random.pick(["a", "b", "c"]);
      both((channel) => channel.turnTo(thread));
      if (random.next() < 0.2) {
        const value = random.int(0, 2);
        both((channel) => channel.set(channel.attribute("k", "int", "asvalue"), value));
      }
      if (stack.length > 0 && random.next() < 0.5) {
        const last = stack.pop()!;
        both((channel) => channel.endRegion(last));
      } else {
        stack.push(name);
        both((channel) => channel.beginRegion(name));
      }
    }
    const key = (record: Record<string, unknown>) =>
      JSON.stringify(["region", "k", "event.begin#region", "event.end#region"].map((name) => {
        return record[name] ?? null;
      }));
    const wanted = new Map<string, [number, number]>(), found = new Map<string, [number, number]>();
    for (const record of one.records()) {
      const [count, ns] = wanted.get(key(record)) ?? [0, 0];
      wanted.set(key(record), [count + 1, ns + Number(record["time.duration.ns"])]);
    }
    for (const row of sums.records()) {
      // Rows of threads are apart.
      const [count, ns] = found.get(key(row)) ?? [0, 0];
      found.set(key(row), [count + Number(row.count), ns + Number(row["sum#time.duration.ns"])]);
    }
    assertEquals([...found].sort(), [...wanted].sort(), `seed ${seed}`);
  }
});
