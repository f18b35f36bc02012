/** Outputs for other programs, by the rules of their formats: Perfetto, flame graphs, Hatchet. */

import { assertEquals } from "@std/assert";
import { runQuery } from "./_support/run_query.ts";
import { brokenSplitRules } from "./_support/split_rules.ts";
import { brokenTraceRules } from "./_support/trace_event_rules.ts";

const VECTORS = new URL("../../vectors/caliper/", import.meta.url);
const vector = (name: string) => Deno.readFileSync(new URL(`${name}.cali`, VECTORS));
const TRACES = ["trace_phases", "threads_trace", "real/event_trace"];
const PROFILES = ["agg_regions", "hatchet_profile", "real/runtime_profile", "mixed_props"];

interface Complete {
  ph: string;
  name: string;
  cat: string;
  tid: number;
  ts: number;
  dur: number;
}

function completeEvents(text: string): Complete[] {
  return JSON.parse(text).traceEvents.filter((event: Complete) => event.ph === "X");
}

/** Rows of a query as objects. */
function rowsOf(query: string, name: string): Record<string, string | number>[] {
  return JSON.parse(runQuery(query, [vector(name)], { strict: true }).text);
}

for (const name of TRACES) {
  Deno.test(`trace events of ${name} keep to the Trace Event Format`, () => {
    const { text } = runQuery("format trace-events", [vector(name)]);
    assertEquals(brokenTraceRules(text), []);
    assertEquals(JSON.parse(text).otherData.unmatched_events, 0);
    const events = completeEvents(text);
    // Perfetto draws slices of a track inside each other, or refuses them.
    for (const tid of new Set(events.map((event) => event.tid))) {
      const open: number[] = [];
      for (const { ts, dur, tid: track } of events) {
        if (track !== tid) continue;
        while (open.length > 0 && ts >= open[open.length - 1]) open.pop();
        if (open.length > 0) assertEquals(ts + dur <= open[open.length - 1] + 1e-9, true);
        open.push(ts + dur);
      }
    }
  });
}

Deno.test("trace events are as many as regions begin, in microseconds of the stream's time", () => {
  const events = completeEvents(runQuery("format trace-events", [vector("real/event_trace")]).text);
  const begins = rowsOf("select * where not iteration format json", "real/event_trace")
    .flatMap((row) =>
      ["region", "phase", "loop", "comm.region"].flatMap((category) => {
        const name = row[`event.begin#${category}`];
        return name === undefined ? [] : [[Number(row["time.offset.ns"]) / 1000, category, name]];
      })
    );
  assertEquals(
    events.map(({ ts, cat, name }) => [ts, cat, name] as unknown),
    begins.sort((a, b) => Number(a[0]) - Number(b[0])),
  );
  // The stream holds durations of its own: those of the region that ends.
  const ended = rowsOf("select * format json", "real/event_trace")
    .filter((row) => row["event.end#comm.region"] !== undefined);
  assertEquals(
    events.filter(({ cat }) => cat === "comm.region").map(({ dur }) => Math.round(dur * 1000)),
    ended.map((row) => row["time.inclusive.duration.ns"]),
  );
});

Deno.test("folded stacks add up to the metric", () => {
  for (const name of ["trace_phases", "real/event_trace"]) {
    const { text } = runQuery(
      "select sum(time.duration.ns) group by path format folded",
      [vector(name)],
    );
    const lines = text.trimEnd().split("\n");
    for (const line of lines) assertEquals(/^[^;]+(;[^;]+)* [0-9]+$/.test(line), true, line);
    assertEquals(new Set(lines.map((line) => line.replace(/ \d+$/, ""))).size, lines.length);
    const total = rowsOf("select *,sum(time.duration.ns) group by path format json", name)
      .filter((row) => row.path !== undefined)
      .reduce((sum, row) => sum + Number(row["sum#time.duration.ns"]), 0);
    assertEquals(lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0), total);
  }
});

for (const name of [...PROFILES, ...TRACES]) {
  Deno.test(`json-split of ${name} has the structure that Hatchet reads`, () => {
    for (
      const query of [
        "format json-split",
        "select *,count() group by path format json-split",
        "select path,sum(time.duration.ns) as time,count() as n group by path format json-split",
      ]
    ) {
      const { text } = runQuery(query, [vector(name)], { strict: true });
      assertEquals(brokenSplitRules(text), [], query);
    }
  });
}

Deno.test("a global that is called like a list does not take its place in strict json-split", () => {
  const stream = "__rec=node,id=12,attr=10,data=1612,parent=3\n" +
    "__rec=node,id=13,attr=8,data=data,parent=12\n__rec=node,id=14,attr=13,data=x\n" +
    "__rec=ctx,ref=14\n__rec=globals,ref=14\n";
  const { text } = runQuery("format json-split", [stream], { strict: true });
  assertEquals(brokenSplitRules(text), []);
  assertEquals(JSON.parse(text).data.length, 1);
});

Deno.test("json-split holds the same numbers and paths as json", () => {
  const query = "select path,count() as n,sum(time.duration.ns) as time group by path format ";
  const split = JSON.parse(runQuery(query + "json-split", [vector("real/event_trace")]).text);
  const path = split.columns.indexOf("path"), time = split.columns.indexOf("time");
  const label = (node: number | null): string => {
    if (node === null) return "";
    const { label: own, parent } = split.nodes[node];
    return parent === undefined ? own : `${label(parent)}/${own}`;
  };
  const rows = split.data.map((row: number[]) => `${label(row[path])} ${row[time]}`);
  const json = JSON.parse(
    runQuery(
      "select *,sum(time.duration.ns) as time group by path format json",
      [vector("real/event_trace")],
    ).text,
  );
  assertEquals(
    rows,
    json.map((row: { path?: string; time: number }) => `${row.path ?? ""} ${row.time}`),
  );
});

Deno.test("the rules find what breaks them", () => {
  const trace = (events: unknown[]) =>
    brokenTraceRules(JSON.stringify({ traceEvents: events, displayTimeUnit: "ns" })).length;
  const good = { ph: "X", name: "a", cat: "r", pid: 0, tid: 0, ts: 1, dur: 1 };
  assertEquals(trace([good, { ...good, ts: 2 }]), 0);
  for (
    const bad of [
      [{ ...good, ts: null }],
      [{ ...good, dur: -1 }],
      [{ ...good, pid: 0.5 }],
      [{ ...good, ph: "?" }],
      [good, { ...good, ts: 0 }],
      [{ ...good, ph: "B" }],
      [{ ph: "M", name: "thread_name", pid: 0, tid: 0 }],
    ]
  ) assertEquals(trace(bad) > 0, true, JSON.stringify(bad));
  const split = (change: Record<string, unknown>) =>
    brokenSplitRules(JSON.stringify({
      data: [[1, 0]],
      columns: ["n", "path"],
      column_metadata: [{ is_value: true }, { is_value: false }],
      nodes: [{ label: "a", column: "path" }],
      ...change,
    })).length;
  assertEquals(split({}), 0);
  for (
    const bad of [
      { data: [[1]] },
      { data: [[1, 1]] },
      { data: [[1, "a"]] },
      { columns: ["n"] },
      { nodes: [{ label: "a", column: "path", parent: 0 }] },
      { nodes: [{ label: "a", column: "x" }] },
      { nodes: {} },
    ]
  ) assertEquals(split(bad) > 0, true, JSON.stringify(bad));
});
