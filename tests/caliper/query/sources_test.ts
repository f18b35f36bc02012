/** Reports, traces and raw stats as sources of records. */

import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { FormatError } from "../../../src/core/errors.ts";
import { toByteText } from "../../../src/caliper/query/byte_text.ts";
import { inputKind, openSource } from "../../../src/caliper/query/sources/open.ts";
import { parseQuery } from "../../../src/caliper/query/parser.ts";
import { attributeName } from "../../../src/caliper/query/sources/report.ts";
import { QueryRun, type Subject } from "../../../src/caliper/query/run.ts";
import { reader } from "./_support/run_query.ts";
import { TIDY_COLUMNS, tidyRows } from "../../../src/core/tidy_rows.ts";
import type { Report } from "../../../src/core/report.ts";
import { stringifyReport } from "../../../src/formats/report.ts";
import { hostReport } from "../../job/merge/_generated.ts";

const TESTS = new URL("../../", import.meta.url);
const file = (path: string) => Deno.readTextFileSync(new URL(path, TESTS));
const report = file("golden/replay/seed_example.report");
const trace = file("golden/replay/seed_example.trace");
const events = file("golden/replay/seed_example.events");
const raw = file("vectors/rawstats/rollover-a.raw");

function run(
  calql: string,
  inputs: string[],
  how: { piece?: number; subject?: Subject; strict?: boolean; numbers?: boolean } = {},
): { lines: string[]; problems: string[] } {
  const decoder = new TextDecoder(), problems: string[] = [];
  let text = "";
  const query = new QueryRun(parseQuery(toByteText(calql)), {
    subject: how.subject,
    strict: how.strict,
    output: (bytes) => text += decoder.decode(bytes, { stream: true }),
  });
  for (const [i, input] of inputs.entries()) {
    const read = reader(new TextEncoder().encode(input), how.piece);
    const number = how.numbers === true ? i + 1 : 1;
    query.read(
      openSource(read, { number }).source,
      (message, line) => problems.push(`${line}: ${message}`),
    );
  }
  query.finish();
  return { lines: text.split("\n").slice(0, -1).map((line) => line.trimEnd()), problems };
}

Deno.test("inputKind() goes by the first bytes", () => {
  const kinds = [report, trace, events, raw, "$tacc_stats 1.0.2\n", "__rec=node,id=1", "hello", ""];
  assertEquals(kinds.map((text) => inputKind(text.slice(0, 24))), [
    "report",
    "trace",
    "trace",
    "rawstats",
    "rawstats",
    "cali",
    "cali",
    "cali",
  ]);
});

Deno.test("attributeName() parts the unit from the words", () => {
  assertEquals(
    ["package-energy (J)", "count", "frequency (%)", "frequency (Hz)", "Figure of Merit", "a (b) c"]
      .map((key) => Object.values(attributeName(key)).join("|")),
    ["package-energy|J", "count|", "frequency-percent|%", "frequency|Hz", "Figure-of-Merit|"]
      .concat("a-(b)-c|"),
  );
});

Deno.test("a report gives a record with GEOPM's fields for each host and section", () => {
  const calql = "select host,section,region,hash,runtime,frequency,joulemark-dram-energy-fit " +
    "where section";
  assertEquals(run(`${calql} format csv`, [report]).lines, [
    "host,section,region,hash,runtime,frequency,joulemark-dram-energy-fit",
    "node01,application,,,0.012,2550000000,0.312",
    "node01,region,A,0xd3d99e8b,0.004,2550000000,nan",
    "node01,region,B,0x4ad0cf31,0.004,2550000000,nan",
    "node01,unmarked,(outside regions),,0.004,2550000000,nan",
  ]);
});

Deno.test("a report's regions are a path, its keys have units, its header is metadata", () => {
  const tree = "aggregate sum(package-energy) group by path where section=region format tree";
  assertEquals(run(tree, [report]).lines.slice(1).map((line) => line.split(/ +/)), [
    ["B", "0.704000"],
    ["A", "0.352000"],
  ]);
  const units = "select attribute.unit where cali.attribute.name=package-energy format expand";
  assertEquals(run(units, [report], { subject: "attributes" }).lines, ["attribute.unit=J"]);
  const globals = run("select profile_name,agent format expand", [report], { subject: "globals" });
  assertEquals(globals.lines, ["profile_name=seed-example,agent=monitor"]);
});

Deno.test("a query over a report reads the rows of the long table", () => {
  const text = stringifyReport(nested());
  const own = "select path, sum(own_energy_j) where component=package group by path";
  const shown = {
    csv: [
      "path,sum#own_energy_j",
      "/,",
      "/solve,200",
      "/solve/halo%2Fx,400",
      "/(undetermined),400",
    ],
    json: [
      "[",
      '{"path":"/"},',
      '{"path":"/solve","sum#own_energy_j":200.000000},',
      '{"path":"/solve/halo%2Fx","sum#own_energy_j":400.000000},',
      '{"path":"/(undetermined)","sum#own_energy_j":400.000000}',
      "]",
    ],
    tree: [
      "Path           sum#own_energy_j",
      "(undetermined)       400.000000",
      "solve                200.000000",
      "  halo/x             400.000000",
    ],
  };
  for (const [format, lines] of Object.entries(shown)) {
    assertEquals(run(`${own} format ${format}`, [text]).lines, lines, format);
  }
  const columns = TIDY_COLUMNS.map(({ name }) => name);
  const rows = [...tidyRows(nested())].map((row) => {
    return columns.map((name) => String(row[name] ?? "")).join(",");
  });
  const [, ...queried] = run(`select ${columns.join()} format csv`, [text]).lines;
  assertEquals(queried, rows);
  // Two reports are two runs; an attribute that is called path in a stream stays what it was.
  const runs = run("aggregate count() group by run format expand", [text, text], { numbers: true });
  assertEquals(runs.lines.map((line) => line.split(",")[0]), ["run=1", "run=2"]);
});

Deno.test("a trace gives one record for each row, in pieces of any size", () => {
  const calql = "select host,TIME,REGION_HASH,REGION_PROGRESS,CPU_ENERGY where TIME>0.003";
  const whole = run(`${calql} format expand`, [trace]);
  assertEquals(whole.problems, []);
  assertEquals(
    whole.lines[0],
    "host=node01,TIME=0.004000,REGION_HASH=0xd3d99e8b,REGION_PROGRESS=nan,CPU_ENERGY=2100.704000",
  );
  assertEquals(whole.lines.length, 4);
  for (const piece of [1, 7, 100]) {
    assertEquals(run(`${calql} format expand`, [trace], { piece }), whole);
  }
});

Deno.test("an event log's hexadecimal signals stay text", () => {
  const { lines } = run(
    "aggregate count() group by SIGNAL where EVENT=REGION_ENTRY format expand",
    [
      events,
    ],
  );
  assertEquals(lines, ["SIGNAL=0xd3d99e8b,count=4", "SIGNAL=0x4ad0cf31,count=4"]);
});

/** A report of a region inside another one. */
function nested(): Report {
  const report = hostReport("n1", 1, { regions: 0 });
  const row = (region: string, depth: number, joules: number, self: number) => ({
    region,
    depth,
    count: 2,
    "runtime (s)": 1,
    "package-energy (J)": joules,
    "package-energy-se (J)": 2,
    "package-energy-self (J)": self,
  });
  const [host] = report.hosts;
  delete host.unmarked;
  host.joulemark!.totals = { "time (s)": 4, package: { "energy (J)": 1000, "coverage (%)": 100 } };
  const rows = [row("solve", 0, 600, 200), row("halo/x", 1, 400, 400)];
  host.joulemark!.tree = { processes: 1, rows };
  return report;
}

/** A trace of these columns and rows. */
function traceOf(columns: string, ...rows: string[]): string {
  return "# geopm_version: 3.1.0\n# start_time: x\n# profile_name: x\n# node_name: n1\n" +
    `# agent: monitor\n${columns}\n${rows.join("\n")}\n`;
}

Deno.test("registers in a trace stay text; hexadecimal cells among numbers are integers", () => {
  const registers = traceOf(
    "TIME|MSR::PKG_ENERGY_STATUS#-package-0",
    "0.1|NAN",
    "0.2|0xffff000000194000",
  );
  assertEquals(run("format expand", [registers]).lines, [
    "host=n1,TIME=0.100000,MSR::PKG_ENERGY_STATUS#-package-0=NAN",
    "host=n1,TIME=0.200000,MSR::PKG_ENERGY_STATUS#-package-0=0xffff000000194000",
  ]);
  const log = traceOf(
    "TIME|PROCESS|EVENT|SIGNAL",
    "0.3|0|EPOCH_COUNT|1",
    "0.4|0|REGION_ENTRY|0x000000009803a79a",
    "0.5|0|REGION_ENTRY|0x9803a79a",
  );
  assertEquals(run("select SIGNAL format expand", [log]).lines, [
    "SIGNAL=1.000000",
    "SIGNAL=2550376346.000000",
    "SIGNAL=2550376346.000000",
  ]);
});

Deno.test("a nan of a trace or report is no value in an aggregation", () => {
  const text = traceOf("TIME|CPU_POWER", "0.1|nan", "0.2|60", "0.3|50", "0.4|nan");
  const calql = "aggregate min(CPU_POWER),max(CPU_POWER),sum(CPU_POWER),count() format expand";
  const expected =
    "min#CPU_POWER=50.000000,max#CPU_POWER=60.000000,sum#CPU_POWER=110.000000,count=4";
  assertEquals(run(calql, [text]).lines, [expected]);
});

Deno.test("raw stats give one record for each line, exact to 64 bits, in pieces of any size", () => {
  const text = "$hpcperfstats 2.3.5\n$hostname n1\n!ps ctxt,E time,U=cs load\n!mem ctxt,U=KB\n" +
    "\n1.500000 7 n2\nps - 18446744073709551615 3 4\nmem 0 5\n\n2 8\nps - 1 2 3\n";
  const expected = [
    "host=n2,jobid=7,time=1.500000,type=ps,device=-,ctxt=18446744073709551615,ps:time=3,load=4",
    "host=n2,jobid=7,time=1.500000,type=mem,device=0,mem:ctxt=5",
    "host=n1,jobid=8,time=2.000000,type=ps,device=-,ctxt=1,ps:time=2,load=3",
  ];
  for (const piece of [1, 10, 1000]) {
    assertEquals(run("format expand", [text], { piece }), { lines: expected, problems: [] });
  }
  const cells = run("aggregate count() group by type where type=block format expand", [raw]);
  assertEquals(cells.lines, ["type=block,count=7"]);
});

Deno.test("files of several kinds are one input", () => {
  const cali = file("vectors/caliper/agg_regions.cali");
  const one = (input: string) => run("select * format expand", [input]).lines.length;
  const inputs = [trace, report, cali, raw, report];
  const all = run("select * format expand", inputs);
  assertEquals(all.problems, []);
  assertEquals(all.lines.length, inputs.reduce((sum, input) => sum + one(input), 0));
});

Deno.test("a report with a bad line is an error", () => {
  const bad = report.replace("runtime (s): 0.004", "runtime (s)");
  assertThrows(() => run("select *", [bad]), FormatError, '15": expected a field with a value');
});

Deno.test("a bad line is logged with its number, and the rest is read", () => {
  const cases: [string, RegExp, number][] = [
    [trace + "1|2\n", /^13: expected 15 cells, found 2$/, 6],
    [
      trace + trace.split("\n")[7].replace("2100.352", "x") + "\n",
      /^13: expected a number, found "x" in column CPU_ENERGY$/,
      6,
    ],
    [trace + "1|2", /^13: expected a row that ends in LF/, 6],
    ["# agent: a\n".repeat(1e5), /^66: expected a header line "# geopm_version:"/, 0],
    [trace.split("\n").slice(0, 3).join("\n") + "\n", /^4: expected a header line/, 0],
    [raw + "cpu 0 1 2 x\n", /^113: expected a statistics line/, 84],
  ];
  for (const [input, message, records] of cases) {
    const { lines, problems } = run("select * format expand", [input]);
    assertEquals(problems.length, 1);
    assertMatch(problems[0], message);
    assertEquals(lines.length, records, problems[0]);
  }
});
