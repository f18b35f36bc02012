import { assertEquals, assertThrows } from "@std/assert";
import { parseOptions, specFromOptions, subjectOf } from "../../../src/caliper/query/options.ts";
import { QueryError } from "../../../src/caliper/query/query_error.ts";
import { query, readCali } from "../../../src/caliper/query/library.ts";
import { FormatError } from "../../../src/core/errors.ts";
import { runQuery } from "./_support/run_query.ts";

const VECTORS = new URL("../../vectors/caliper/", import.meta.url);
const vector = (name: string) => Deno.readTextFileSync(new URL(name, VECTORS));

/** A stream with attributes r (string, nested), n (int), u (uint), d (double) and rows `path|k=v`. */
function stream(rows: string[]): string {
  const ids: Record<string, number> = { n: 15, u: 17, d: 19 };
  const lines = [
    "__rec=node,id=12,attr=10,data=276,parent=3",
    "__rec=node,id=13,attr=8,data=r,parent=12",
    "__rec=node,id=14,attr=10,data=2133,parent=1",
    "__rec=node,id=15,attr=8,data=n,parent=14",
    "__rec=node,id=16,attr=10,data=2133,parent=2",
    "__rec=node,id=17,attr=8,data=u,parent=16",
    "__rec=node,id=18,attr=10,data=2133,parent=5",
    "__rec=node,id=19,attr=8,data=d,parent=18",
  ];
  const nodes = new Map<string, number>();
  for (const row of rows) {
    const [path, values] = row.split("|");
    let parent = "", full = "";
    for (const part of path.split("/").filter((p) => p !== "")) {
      full += "/" + part;
      if (!nodes.has(full)) {
        const id = 100 + nodes.size;
        nodes.set(full, id);
        const above = parent === "" ? "" : `,parent=${nodes.get(parent)}`;
        lines.push(`__rec=node,id=${id},attr=13,data=${part}${above}`);
      }
      parent = full;
    }
    const pairs = values.split(" ").filter((p) => p !== "").map((p) => p.split("="));
    const ref = full === "" ? "" : `,ref=${nodes.get(full)}`;
    lines.push(
      `__rec=ctx${ref},attr=${pairs.map(([k]) => ids[k]).join("=")},data=${
        pairs.map(([, v]) => v).join("=")
      }`,
    );
  }
  return lines.join("\n") + "\n";
}

Deno.test("a stream of the 2015 form gives the slides' eleven rows in today's comma form", () => {
  const rows = runQuery("format expand", [vector("slides_2015.cali")]).text.trimEnd().split("\n");
  assertEquals(rows.length, 11);
  assertEquals(rows.slice(0, 3), [
    "phase=main,time.duration=221,iteration=0",
    "phase=main/init,time.duration=140,iteration=0",
    "phase=main,time.duration=15,iteration=0",
  ]);
  assertEquals(rows[10], "phase=main,time.duration=7,iteration=3");
});

Deno.test("sum() of integers is exact beyond 2^53 and wraps at 64 bits", () => {
  const input = stream([
    "a|u=9007199254740991 n=9007199254740993",
    "a|u=2 n=2",
    "b|u=18446744073709551615 n=9223372036854775807",
    "b|u=2 n=1",
  ]);
  assertEquals(
    runQuery("select r,sum(u),sum(n) group by r format expand", [input]).text,
    "r=a,sum#u=9007199254740993,sum#n=9007199254740995\n" +
      "r=b,sum#u=1,sum#n=-9223372036854775808\n",
  );
});

Deno.test("avg() truncates integers; min() and max() keep the type", () => {
  const input = stream(["a|n=-3 d=1.5", "a|n=-4 d=2", "a|n=0 d=-1"]);
  assertEquals(
    runQuery("select r,avg(n),min(n),max(d),avg(d) group by r format expand", [input]).text,
    "r=a,avg#n=-2,min#n=-4,max#d=2.000000,avg#d=0.833333\n",
  );
});

Deno.test("inclusive operators make rows for ancestors that have no records of their own", () => {
  const input = stream(["a/b/c|n=1", "a/b/d|n=2", "a/x|n=4"]);
  const query = "select inclusive_sum(n),inclusive_max(n),count() group by path format tree";
  assertEquals(
    runQuery(query, [input]).text.replace(/ +\n/g, "\n"),
    [
      "Path  inclusive#n imax#n count",
      "a               7      4",
      "  x             4      4     1",
      "  b             3      2",
      "   d            2      2     1", // a narrow column limits the indent
      "   c            1      1     1",
      "",
    ].join("\n"),
  );
});

Deno.test("WHERE compares the lower 32 bits as Caliper does, and all 64 when strict", () => {
  const input = stream(["a|n=9223372036854775807", "b|n=1"]);
  const query = "select r where n>0 format expand";
  assertEquals(runQuery(query, [input]).text, "r=b\n");
  assertEquals(runQuery(query, [input], { strict: true }).text, "r=a\nr=b\n");
});

Deno.test("formats for programs have all digits of a double when strict, and those of %f else", () => {
  const input = stream(["a|d=0.12345678901234", "b|d=1e-9"]);
  for (
    const [format, strict, plain] of [
      ["expand", "d=0.12345678901234\nd=1e-9\n", "d=0.123457\nd=0.000000\n"],
      ['format("%d%")', "0.12345678901234\n1e-9\n", "0.123457\n0.000000\n"],
      [
        "json",
        '[\n{"d":0.12345678901234},\n{"d":1e-9}\n]\n',
        '[\n{"d":0.123457},\n{"d":0.000000}\n]\n',
      ],
    ]
  ) {
    const query = `select d format ${format}`;
    assertEquals(runQuery(query, [input], { strict: true }).text, strict);
    assertEquals(runQuery(query, [input]).text, plain);
  }
  const split = runQuery("select d format json-split", [input], { strict: true }).text;
  assertEquals(JSON.parse(split).data.map((row: number[]) => row.at(-1)), [0.12345678901234, 1e-9]);
});

Deno.test("aggregation gives the same for any size of the batches and pieces", () => {
  const rows = Array.from({ length: 5000 }, (_, i) => `a/b${i % 7}|n=${i} d=${i / 4}`);
  const input = stream(rows), query = "select *,sum(n),avg(d),count() group by path format table";
  const whole = runQuery(query, [input]).text;
  assertEquals(runQuery(query, [input], { piece: 17 }).text, whole);
  assertEquals(whole.trimEnd().split("\n").length, 8);
  assertEquals(whole.includes(String(7 * 5000)), false);
});

Deno.test("streams of different id spaces are merged by structure", () => {
  const a = stream(["x/y|n=1"]), b = stream(["z|n=5", "x|n=7", "x/y|n=2"]);
  assertEquals(
    runQuery("select r,sum(n) group by r format expand", [a, b]).text,
    "r=x/y,sum#n=3\nr=z,sum#n=5\nr=x,sum#n=7\n",
  );
});

Deno.test("streams joined by cat are what they are one by one, though their ids are the same", () => {
  const many = (word: string) =>
    stream(Array.from({ length: 400 }, (_, i) => `${word}${i % 5}/x${i % 3}|n=${i} d=${i / 4}`));
  const end = "__rec=globals\n";
  const own = stream(["x/y|n=1"]), renamed = own.replace("data=n,", "data=m,") + end;
  const vectors = ["agg_regions", "threads_trace", "mixed_props", "trace_phases", "spec_example"]
    .map((name) => vector(`${name}.cali`));
  const sets = [[many("a") + end, many("b") + end, many("a") + end], [own + end, renamed], vectors];
  const queries = [
    "select * format expand",
    "select count(),sum(n),sum(m),sum(time.duration.ns) group by path format table",
    "select sum(d) group by r format json",
    "format cali",
  ];
  for (const inputs of sets) {
    for (const calql of queries) {
      for (const piece of [undefined, 37]) {
        const apart = runQuery(calql, inputs, { piece }),
          joined = runQuery(calql, [inputs.join("")], { piece });
        assertEquals(joined.text, apart.text, calql);
        assertEquals(joined.problems.filter((line) => !line.includes("globals")), []);
      }
    }
  }
});

Deno.test("references and attributes that no node defines give no entry, and no crash", () => {
  const input = stream(["a|n=1"]) + "__rec=ctx,ref=999=100,attr=888=15,data=1=2\n" +
    "__rec=node,id=200,attr=13,data=q,parent=201\n__rec=ctx,ref=200,attr=15,data=4\n";
  const { text, problems } = runQuery("select r,sum(n) group by r format expand", [input]);
  assertEquals(text, "r=a,sum#n=3\nsum#n=4\n");
  assertEquals(problems, ["12: Invalid node record"]);
});

Deno.test("cali output read again gives the same records", () => {
  for (const name of ["agg_regions.cali", "threads_trace.cali", "mixed_props.cali"]) {
    const input = vector(name);
    const again = runQuery("format cali", [input], { strict: true }).text;
    const expand = "format json(separate-nested)";
    const expected = runQuery(expand, [input], { strict: true }).text;
    assertEquals(runQuery(expand, [again], { strict: true }).text, expected, name);
  }
});

Deno.test("csv holds a column per attribute, quoted where it must be", () => {
  const input = stream(["a/b|n=1 d=0.1", 'q"x|n=2']);
  assertEquals(runQuery("format csv", [input]).text, 'r,n,d\na/b,1,0.1\n"q""x",2,\n');
});

Deno.test("folded gives one line per stack, with the first operator's result", () => {
  const input = stream(["a/b|n=1", "a/b|n=2", "a|n=10", "c;d|n=0"]);
  assertEquals(
    runQuery("select sum(n) group by path format folded", [input]).text,
    "a;b 3\na 10\n",
  );
  assertEquals(runQuery("format folded(n)", [input]).text, "a;b 3\na 10\n");
  assertEquals(runQuery("format folded", [input]).text, "a;b 2\na 1\nc_d 1\n");
});

Deno.test("trace-events pairs begin and end per track and is valid JSON", () => {
  const { text } = runQuery("format trace-events", [vector("threads_trace.cali")]);
  const { traceEvents, otherData } = JSON.parse(text) as {
    traceEvents: { ph: string; name: string; ts: number; dur: number; tid: number }[];
    otherData: Record<string, unknown>;
  };
  const complete = traceEvents.filter((event) => event.ph === "X");
  const begins = runQuery("select count() where event.begin#region format expand", [
    vector("threads_trace.cali"),
  ]).text.match(/count=(\d+)/g)!.reduce((sum, m) => sum + Number(m.slice(6)), 0);
  assertEquals(complete.length, begins);
  assertEquals(complete.every((event) => event.dur >= 0), true);
  assertEquals(otherData.unmatched_events, 0);
});

Deno.test("cali-query's options make the same query as CalQL does", () => {
  const specOf = (...args: string[]) => {
    const parsed = parseOptions(args);
    if ("unknown" in parsed) throw new Error(parsed.unknown);
    return { spec: specFromOptions(parsed.options, () => null, () => {}), parsed };
  };
  const { spec, parsed } = specOf("-Gt", "-s", "a,-b=1", "--sort-by=x,y", "f1", "--", "-f2");
  assertEquals(subjectOf(parsed.options), "globals");
  assertEquals(parsed.files, ["f1", "-f2"]);
  assertEquals(spec.where.map(({ op, attribute }) => [op, attribute]), [
    ["exist", "a"],
    ["not-equal", "b"],
  ]);
  assertEquals(spec.orderBy.map((key) => key.attribute), ["x", "y"]);
  assertEquals(spec.format?.name, "table");
  assertEquals(specOf("--aggregate", "count,sum(t)", "--aggregate-key", "path,r").spec.groupBy, [
    "r",
  ]);
  assertEquals("unknown" in parseOptions(["--nosuch"]), true);
});

Deno.test("a query file that cannot be read is an invalid query", () => {
  const parsed = parseOptions(["-Q", "nosuch"]) as { options: Map<string, string> };
  try {
    specFromOptions(parsed.options, () => null, () => {});
    throw new Error("no error");
  } catch (error) {
    assertEquals(error instanceof QueryError, true);
  }
});

Deno.test("readCali() gives values in their types, nested ones as lists", () => {
  const { records, globals, attributes } = readCali(vector("spec_example.cali"));
  assertEquals(records[1], {
    region: ["main", "solve a=b"],
    "time.duration.ns": 8000,
    "power.w": 120.25,
  });
  assertEquals(globals, { "app,name": "demo" });
  assertEquals(attributes["power.w"], { type: "double", properties: 21 });
});

Deno.test("readCali() names the line of a record that it cannot read", () => {
  const error = assertThrows(() => readCali("__rec=ctx,ref=1\ngarbage\n", "x.cali"), FormatError);
  assertEquals([error.path, error.line], ["x.cali", 2]);
});

Deno.test("query() keeps UTF-8 and all digits unless set to be like cali-query", () => {
  const input = stream(["größe|d=0.1"]);
  assertEquals(query("select r format json", [input]), '[\n{"path":"größe"}\n]\n');
  assertEquals(query("select r format json", [input], { strict: false }), '[\n{"path":"gre"}\n]\n');
});

Deno.test("strict reading reports every problem with its line and goes on", () => {
  const { problems } = runQuery("format expand", [vector("edge_malformed.cali")], { strict: true });
  assertEquals(problems.map((problem) => problem.split(":")[0]), [
    "6",
    "7",
    "9",
    "10",
    "11",
    "12",
    "13",
    "16",
    "17",
  ]);
});

Deno.test("nodes wait for an attribute or a parent that is defined later", () => {
  const early = vector("attribute_after_use.cali");
  const rows = () => query("select stage,elapsed format expand", [early]).trimEnd().split("\n");
  assertEquals(rows(), ["stage=main,elapsed=221", "stage=main/loop,elapsed=140"]);
  const { attributes, records } = readCali(early);
  assertEquals(attributes.elapsed.type, "uint");
  assertEquals(records.length, 2);
});

Deno.test("a node that waits in vain is an error with its line", () => {
  const lost = "__rec=node,id=20,attr=99,data=x\n__rec=node,id=21,attr=8,data=y,parent=20\n";
  const error = assertThrows(() => readCali(lost), FormatError);
  assertEquals(error.line, 1);
});
