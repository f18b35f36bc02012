/** What the fuzzer found, each once; streams that are small are kept beside the vectors. */

import { assertEquals } from "@std/assert";
import { runQuery } from "./_support/run_query.ts";
import { brokenTraceRules } from "./_support/trace_event_rules.ts";

const KEPT = new URL("../../vectors/caliper/fuzz/", import.meta.url);
const kept = (name: string) => Deno.readFileSync(new URL(`${name}.cali`, KEPT));

Deno.test("trace events leave out times that are no numbers, and are in the order of time", () => {
  const { text } = runQuery("format trace-events", [kept("odd_times")]);
  assertEquals(brokenTraceRules(text), []);
  const { traceEvents, otherData } = JSON.parse(text);
  assertEquals(
    traceEvents.map((
      event: Record<string, unknown>,
    ) => [event.ph, event.name, event.ts, event.dur]),
    [
      ["M", "thread_name", undefined, undefined],
      ["X", "a", 1, 2],
      ["X", "b", 1, 1],
      ["X", "a", 1.5, 1.5],
    ],
  );
  assertEquals(otherData.unmatched_events, 0);
});

Deno.test("strict JSON is valid where the name of an attribute stands for its value", () => {
  for (const format of ["json", "json(object)", "json-split"]) {
    JSON.parse(runQuery(`format ${format}`, [kept("name_as_value")], { strict: true }).text);
  }
});

Deno.test("a problem is one line, for any names", () => {
  const { problems } = runQuery("format cali", [kept("name_as_value")], { strict: true });
  assertEquals(problems, [
    "7: value that its type cannot hold: l1\\nl2: x",
    "8: value that its type cannot hold: 007: ",
  ]);
});

Deno.test("strict reading complains of globals as of snapshots", () => {
  const { problems } = runQuery("format cali", [kept("empty_values")], { strict: true });
  assertEquals(problems, [
    "5: reference to an undefined node",
    "6: value that its type cannot hold: x: ",
    "6: value that its type cannot hold: x: a",
    "8: reference to an undefined node",
    "8: undefined attribute",
    "8: value that its type cannot hold: g: ",
    "8: value that its type cannot hold: g: -",
  ]);
});

Deno.test("a strict stream holds nothing that its own reader complains of", () => {
  for (const name of ["empty_values", "name_as_value", "odd_times"]) {
    const first = runQuery("format cali", [kept(name)], { strict: true }).text;
    const second = runQuery("format cali", [first], { strict: true });
    // A name in the place of a number is no number: of that the reader complains, and rightly.
    assertEquals(second.problems.filter((line) => !line.includes(" cannot hold: ")), [], name);
    assertEquals(runQuery("format cali", [second.text], { strict: true }).text, second.text, name);
  }
});

Deno.test("what is too long for an odd width of a table is at its side", () => {
  const stream = "__rec=node,id=12,attr=10,data=1,parent=1\n" +
    "__rec=node,id=13,attr=8,data=n,parent=12\n__rec=node,id=14,attr=10,data=1,parent=3\n" +
    "__rec=node,id=15,attr=8,data=s,parent=14\n" +
    "__rec=ctx,attr=13=15,data=1234567890123=abcdefghijklm\n__rec=ctx,attr=13=15,data=7=z\n";
  assertEquals(runQuery("format table(column-width=9)", [stream]).text.split("\n"), [
    "n         s         ",
    " 123~~123 abc~~klm  ",
    "        7 z         ",
    "",
  ]);
  assertEquals(
    runQuery("format table(column-width=8)", [stream]).text.split("\n")[1],
    "123~~123 abc~~klm ",
  );
});

Deno.test("the sign of a NaN is kept, as cali-query does", () => {
  const stream = "__rec=node,id=12,attr=10,data=1,parent=5\n" +
    "__rec=node,id=13,attr=8,data=x,parent=12\n" +
    "__rec=ctx,attr=13=13,data=-nan=nan\n__rec=node,id=14,attr=13,data=-nan\n__rec=ctx,ref=14\n";
  assertEquals(runQuery("format expand", [stream]).text, "x=-nan,x=nan\nx=-nan\n");
  const again = runQuery("format cali", [stream], { strict: true }).text;
  assertEquals(runQuery("format expand", [again]).text, "x=-nan,x=nan\nx=-nan\n");
});

/** One chain of regions, each the only child of the one before, and a record at its end. */
function deepStream(depth: number): string {
  const lines = [
    "__rec=node,id=12,attr=10,data=276,parent=3",
    "__rec=node,id=13,attr=8,data=region,parent=12",
    "__rec=node,id=14,attr=10,data=2133,parent=1",
    "__rec=node,id=15,attr=8,data=n,parent=14",
    "__rec=node,id=16,attr=13,data=a",
  ];
  for (let id = 17; id < 16 + depth; id++) {
    lines.push(`__rec=node,id=${id},attr=13,data=a,parent=${id - 1}`);
  }
  return [...lines, `__rec=ctx,ref=${15 + depth},attr=15,data=7`, ""].join("\n");
}

Deno.test("a path deeper than the call stack is sorted, and has a row for each ancestor", () => {
  const depth = 40_000;
  const sorted = runQuery("format tree order by n", [deepStream(depth)]).text;
  assertEquals(sorted.trimEnd().split("\n").length, depth + 1);
  const rows = runQuery(
    "select inclusive_sum(n) group by path format tree order by inclusive#n desc",
    [deepStream(depth)],
  ).text.trimEnd().split("\n");
  assertEquals(rows.length, depth + 1);
  assertEquals(rows.slice(1).filter((row) => !/ 7 ?$/.test(row)), []);
});

Deno.test("json-split of a chain of thousands of attributes takes the room of its output", () => {
  const count = 3000, lines = ["__rec=node,id=12,attr=10,data=20,parent=3"];
  for (let i = 0; i < count; i++) {
    const name = 100 + 2 * i, above = i > 0 ? `,parent=${name - 1}` : "";
    lines.push(`__rec=node,id=${name},attr=8,data=n${i},parent=12`);
    lines.push(`__rec=node,id=${name + 1},attr=${name},data=v${i}${above}`);
  }
  lines.push(`__rec=ctx,ref=${99 + 2 * count}`, "");
  const before = Deno.memoryUsage().rss;
  const { data, columns, nodes } = JSON.parse(
    runQuery("format json-split", [lines.join("\n")], { strict: true }).text,
  );
  assertEquals(Deno.memoryUsage().rss - before < 300 << 20, true);
  const row = data[0] as (number | null)[];
  const labels = row.flatMap((node, c) =>
    node === null ? [] : [`${columns[c]} ${nodes[node].label}`]
  );
  assertEquals(
    labels.filter((label) => label.startsWith("n")).sort(),
    Array.from({ length: count }, (_, i) => `n${i} v${i}`).sort(),
  );
});
