/** The long table: one row a region, host and component; own energies add up to the totals. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import {
  COMPONENTS,
  pathNames,
  TIDY_COLUMNS,
  type TidyOptions,
  type TidyRow,
  tidyRows,
} from "../../src/core/tidy_rows.ts";
import { type Nested, type Report, type ReportHost } from "../../src/core/report.ts";
import { parseReport, stringifyReport } from "../../src/formats/report.ts";
import { jobFigures } from "../../src/show/analysis/job_figures.ts";
import { summaryFacts } from "../../src/show/analysis/summary_facts.ts";
import { tidyCsv, tidyJsonLines } from "../../src/show/analysis/tidy_text.ts";
import { hostReport } from "../job/merge/_generated.ts";

/** A row of the tree as a report has it. */
function treeRow(region: string, depth: number, energies: { [key: string]: number }): Nested {
  const times = { count: 2, "runtime (s)": 1, "runtime-self (s)": 0.5, "visit-p50 (s)": 0.5 };
  return { region, depth, ...times, ...energies };
}

/** Package energy with an error, or without one. */
const known = (joules: number, self: number) => ({
  "package-energy (J)": joules,
  "package-energy-se (J)": 1,
  "package-energy-self (J)": self,
  "package-energy-self-se (J)": 0.5,
  "package-power (W)": 100,
});
const coarse = (joules: number) => ({
  "package-energy (J)": NaN,
  "package-energy-exact (J)": joules,
});

function report(rows: Nested[], rest: { [key: string]: Nested } = {}, totalJ = 1000): Report {
  const whole = hostReport("n1", 1, { regions: 0 });
  const [host] = whole.hosts;
  const totals = {
    "time (s)": 10,
    package: { "energy (J)": totalJ, "power (W)": 100, "coverage (%)": 100 },
  };
  host.joulemark = { ...host.joulemark, totals, tree: { processes: 1, rows, ...rest } };
  return whole;
}

function rowsOf(of: Report, options?: TidyOptions): TidyRow[] {
  return [...tidyRows(of, options)];
}

/** Σ own energy of a component without the whole run, and the whole run's. */
function sums(rows: readonly TidyRow[], component = "package"): [own: number, whole: number] {
  const all = rows.filter((row) => row.component === component);
  const own = all.reduce((sum, row) => sum + Number(row.own_energy_j ?? 0), 0);
  return [own, Number(all.find(({ depth }) => depth === -1)?.energy_j)];
}

Deno.test("time outside of regions is without that of a region that was open at the end", () => {
  const unmarked = { "package-energy (J)": 1, "package-energy-exact (J)": 1 };
  const of = report([treeRow("open", 0, known(500, 500))], { unmarked });
  const [host] = of.hosts;
  host.application["runtime (s)"] = 1.5;
  // GEOPM's unmarked time has the visit that did not end.
  host.unmarked!["runtime (s)"] = 1.5;
  const outsideS = () => rowsOf(of).find(({ path }) => path === "/(outside regions)")?.time_s;
  assertEquals(outsideS(), 1.5);
  host.joulemark!.processes = { "ended inside a region": ["7 in open"] };
  assertEquals(outsideS(), 0.5);
});

Deno.test("a section's fields and what is known of it are in the row of its outermost visits", () => {
  const of = report([treeRow("b", 0, {}), treeRow("a", 1, {}), treeRow("a", 0, {})]);
  const [host] = of.hosts;
  const section = { "joulemark-package-energy-known (J)": 20, CPU_POWER: 7 };
  const fields = { ...section, "joulemark-package-energy-coverage (%)": 25 };
  host.regions = [{ region: "a", hash: 1, fields: { "runtime (s)": 1, count: 2, ...fields } }];
  const rows = rowsOf(of).filter(({ region }) => region === "a");
  const own = rows.filter((row) => row.energy_j !== undefined || row.CPU_POWER !== undefined);
  assertEquals(own.map(({ path, energy_j }) => [path, energy_j]), [["/a", undefined], ["/a", 20]]);
  assertEquals(own[1].coverage, 0.25);
});

Deno.test("own energies add up to the whole run, whichever rows have an error", () => {
  const trees: Nested[][] = [
    [treeRow("a", 0, known(600, 200)), treeRow("b", 1, known(400, 400))],
    [treeRow("a", 0, known(600, 200)), treeRow("b", 1, coarse(300))],
    [treeRow("a", 0, known(600, 200)), treeRow("b", 1, coarse(700)), treeRow("c", 0, coarse(800))],
    [treeRow("a", 0, coarse(600)), treeRow("b", 1, coarse(350)), treeRow("b", 2, known(100, 100))],
    [],
  ];
  const rests: { [key: string]: Nested }[] = [
    { unmarked: known(100, 100) },
    { unmarked: coarse(50), "other CPUs": known(20, 20), undetermined: coarse(30) },
    {},
  ];
  for (const tree of trees) {
    for (const rest of rests) {
      const [own, whole] = sums(rowsOf(report(tree, rest)));
      assertAlmostEquals(own, whole, 1e-3 * whole, JSON.stringify([tree, rest]));
    }
  }
});

Deno.test("what no row has is a row of its own, and none if that is rounding", () => {
  const paths = (of: Report) => rowsOf(of).map(({ path }) => path);
  const part = [treeRow("a", 0, known(600, 600))];
  assert(paths(report(part)).includes("/(undetermined)"));
  const all = report(part, { unmarked: known(399.99, 399.99) });
  assert(!paths(all).includes("/(undetermined)"));
  const rest = rowsOf(report(part)).find(({ path }) => path === "/(undetermined)")!;
  assertEquals([rest.own_energy_j, rest.energy_j, rest.method], [400, 400, "coarse"]);
  // Regions beyond those that a report has rows of are no undetermined energy.
  const many = report(part, { "rows left out": 4000 });
  assert(paths(many).includes("/(4000 more regions)"));
  assert(!paths(many).includes("/(undetermined)"));
});

Deno.test("a counter that no region has is a row of its own", () => {
  for (const rows of [[], [treeRow("a", 0, known(1000, 1000))]]) {
    const of = report(rows);
    const totals = of.hosts[0].joulemark!.totals as { [key: string]: Nested };
    totals.node = { "energy (J)": 1500, "power (W)": 150, "coverage (%)": 100 };
    for (const component of ["node", "package"]) {
      const [own, whole] = sums(rowsOf(of), component);
      assertAlmostEquals(own, whole, 1e-3 * whole, component);
    }
  }
});

Deno.test("what was read of a counter that was lost is in the rows of regions", () => {
  const path = new URL("../vectors/summary/counter-lost.report", import.meta.url).pathname;
  const rows = rowsOf(parseReport(Deno.readTextFileSync(path), path));
  const found = rows.filter(({ depth, component }) => depth === 0 && component === "package");
  assertEquals(
    found.map(({ region, energy_j, own_energy_j, quality }) => {
      return [region, energy_j, own_energy_j, quality];
    }).slice(0, 3),
    [
      ["collide", 1904, undefined, "partial"],
      ["halo", 1402, undefined, "partial"],
      ["stream", 765, undefined, "partial"],
    ],
  );
});

Deno.test("times have rows of their own, and nested regions their paths", () => {
  const tree = [
    treeRow("a/b", 0, known(600, 200)),
    treeRow("100%", 1, known(400, 400)),
    treeRow("NA", 0, coarse(100)),
    treeRow("(undetermined)", 0, coarse(10)),
  ];
  const rows = rowsOf(report(tree));
  const times = rows.filter(({ component, depth }) => component === undefined && depth !== -1);
  assertEquals(times.map(({ path }) => path).slice(0, 4), [
    "/a%2Fb",
    "/a%2Fb/100%25",
    "/NA",
    "/%28undetermined)",
  ]);
  assertEquals(times.slice(0, 3).map(({ region, depth, source }) => [region, depth, source]), [
    ["a/b", 0, "joulemark"],
    ["100%", 1, "joulemark"],
    ["NA", 0, "joulemark"],
  ]);
  assert(rows.every(({ component, time_s }) => component === undefined || time_s === undefined));
  assertEquals(times[0], {
    run: "1",
    profile: "generated",
    start: "2024-10-24T08:00:00.000000001+00:00",
    host: "n1",
    path: "/a%2Fb",
    region: "a/b",
    depth: 0,
    source: "joulemark",
    visits: 2,
    time_s: 1,
    own_time_s: 0.5,
    visit_p50_s: 0.5,
  });
  const energies = rows.filter(({ component }) => component === "package");
  assertEquals(energies.map(({ method }) => method).slice(0, 4), [
    "counter",
    "estimate",
    "estimate",
    "coarse",
  ]);
  assertEquals(pathNames("/a%2Fb/100%25"), ["a/b", "100%"]);
  assertEquals(pathNames("/"), []);
});

Deno.test("a row has no column without a value, and no other columns than the table", () => {
  const names = new Set(TIDY_COLUMNS.map(({ name }) => name));
  const one = report([treeRow("a", 0, coarse(600))], { unmarked: known(400, 400) });
  for (const row of rowsOf(one)) {
    for (const [name, value] of Object.entries(row)) {
      assert(names.has(name), name);
      assert(typeof value === "string" || Number.isFinite(value), name);
    }
  }
  assertEquals(Object.values(COMPONENTS), ["node", "package", "memory", "gpu"]);
});

Deno.test("a run's end, place in a benchmark and signals are columns", () => {
  const killed = report([]);
  killed.joulemark = { "ended by": "SIGTERM", bench: { set: "B", block: 3, position: 2, seed: 7 } };
  killed.hosts[0].application["CPU_ENERGY@package-0"] = 4;
  killed.hosts[0].application["GEOPM overhead (s)"] = 5;
  const [first, second] = rowsOf(parseReport(stringifyReport(killed)));
  assertEquals([first.run, first.set, first.block, first.position], ["B3", "B", 3, 2]);
  assertEquals(first.exit_status, 143);
  assertEquals(first["CPU_ENERGY@package-0"], 4);
  assertEquals(first["GEOPM overhead (s)"], undefined);
  assertEquals(second["CPU_ENERGY@package-0"], undefined);
  assertEquals(rowsOf(killed, { label: "T=1 #2" })[0].run, "T=1 #2");
});

Deno.test("hosts have rows of their own; with job there are sums", () => {
  const two = hostReport("n1", 1, { regions: 2, version: "3.1.0" });
  two.hosts.push(hostReport("n2", 2, { regions: 2 }).hosts[0]);
  const rows = rowsOf(two);
  assertEquals(new Set(rows.map(({ host }) => host)), new Set(["n1", "n2"]));
  assert(rows.some(({ path, host }) => path === "/region_01" && host === "n2"));
  const job = rowsOf(two, { job: true });
  assert(job.every(({ host }) => host === undefined));
  const joules = (list: readonly TidyRow[]) => {
    const own = list.filter(({ path, component }) => {
      return path === "/region_01" && component === "package";
    });
    return own.reduce((sum, { energy_j }) => sum + Number(energy_j), 0);
  };
  assertAlmostEquals(joules(job), joules(rows), 1e-6);
});

Deno.test("components and shares make the table small", () => {
  const tree = [treeRow("a", 0, known(600, 595)), treeRow("b", 1, known(5, 5))];
  const rows = rowsOf(report(tree), { components: new Set(["node"]), minShare: 0.01 });
  assertEquals(rows.map(({ path }) => path), ["/", "/a", "/(outside regions)"]);
  assertEquals(rowsOf(report(tree), { minShare: 0.01 }).filter(({ path }) => path === "/a/b"), []);
});

Deno.test("the quality of an energy says how far to trust it", () => {
  const qualities = (change: (host: ReportHost) => void) => {
    const one = report([]);
    change(one.hosts[0]);
    return new Set(rowsOf(one).map(({ quality }) => quality).filter((q) => q !== undefined));
  };
  assertEquals(qualities(() => {}), new Set(["measured"]));
  assertEquals(qualities((host) => host.joulemark!.partial = "cut"), new Set(["partial"]));
  assertEquals(qualities((host) => host.joulemark!.simulated = "node"), new Set(["simulated"]));
});

Deno.test("a region without a name is (no name), and escapes are those of CSV in JSON", () => {
  const name = "a\tb\n\x1b[31m\u202e/%";
  const tree = [treeRow("", 0, known(600, 200)), treeRow(name, 1, known(400, 400))];
  const of = report(tree);
  const rows = rowsOf(parseReport(stringifyReport(of)));
  const columns = TIDY_COLUMNS.map(({ name }) => name);
  const json = [...tidyJsonLines(rows, columns)].join("").trim().split("\n").map((line) => {
    return JSON.parse(line);
  });
  const csv = [...tidyCsv(rows, columns)].join("").trim().split("\n").slice(1);
  assertEquals(csv.length, json.length);
  const shown = "a\\x09b\\x0a\\x1b[31m\\u202e";
  const paths = new Set(json.map(({ path }) => path));
  assertEquals(
    paths,
    new Set([
      "/",
      "/(no name)",
      `/(no name)/${shown}%2F%25`,
      "/(outside regions)",
      "/(undetermined)",
    ]),
  );
  csv.forEach((line, i) =>
    assertEquals(line.split(",").slice(4, 6).join(), `${json[i].path},${json[i].region ?? ""}`)
  );
  const regions = summaryFacts(of).regions.map(({ region }) => region);
  assertEquals(regions, ["(no name)", name]);
  assertEquals([...jobFigures(of).regions.keys()], ["(no name)", `(no name)/${name}`]);
});

Deno.test("an own energy that is no more than rounding, and not determined, is absent", () => {
  const outer = { "package-energy (J)": 600, "package-energy-se (J)": 1 };
  const tree = [treeRow("a", 0, outer), treeRow("b", 1, known(599.9999999, 599.9999999))];
  const rows = rowsOf(report(tree)).filter(({ component }) => component === "package");
  const own = new Map(rows.map(({ path, own_energy_j }) => [path, own_energy_j]));
  assertEquals([own.get("/a"), own.get("/a/b")], [undefined, 599.9999999]);
});

Deno.test("the start of a run is ISO 8601, also of a report of GEOPM", () => {
  const start = (startTime: string) => {
    return rowsOf({ ...report([]), startTime })[0].start;
  };
  assertEquals(start("2024-10-24T08:00:00.5-0700"), "2024-10-24T08:00:00.5-07:00");
  assertEquals(start("Thu Oct  4 08:00:00 2024"), "2024-10-04T08:00:00");
  assertEquals(start("Thu Foo  4 08:00:00 2024"), "Thu Foo  4 08:00:00 2024");
});
