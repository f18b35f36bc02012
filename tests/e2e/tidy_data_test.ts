/** The long table of a real run, read by others; docs/how-to/data.md. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { succeeds, unless } from "../_support/skipped.ts";

/** A Python with pandas: that of the system, or the first one. */
const PYTHON = ["/usr/bin/python3", "python3"].find((one) => succeeds(one, "-c", "import pandas"));
const NO_PANDAS = unless(PYTHON !== undefined, "no pandas");
const NO_R = unless(succeeds("Rscript", "--version"), "no R");
const PAGE = new URL("../../docs/how-to/data.md", import.meta.url);

/** The table of a short run of the demo. */
function demo(dir: string, format = "csv"): string {
  const run = joulemark(dir, ["demo", "-q", "--simulate", "--report", "lu.report"]);
  assertEquals(run.code, 0, run.stderr);
  const table = joulemark(dir, ["show", "--format", format, "lu.report"]);
  assertEquals([table.code, table.stderr], [0, ""]);
  Deno.writeTextFileSync(`${dir}/lu.${format}`, table.stdout);
  return table.stdout;
}

endToEnd("own energies of a run add up to its components, in show and in query", (dir) => {
  const lines = demo(dir, "jsonl").trim().split("\n").map((line) => JSON.parse(line));
  for (const component of ["node", "package", "memory"]) {
    const rows = lines.filter((row) => row.component === component);
    const total = rows.find(({ depth }) => depth === -1).energy_j;
    const own = rows.reduce((sum, { own_energy_j }) => sum + (own_energy_j ?? 0), 0);
    assertAlmostEquals(own, total, 1e-3 * total, component);
    const calql = `SELECT path, sum(own_energy_j) WHERE component=${component} GROUP BY path ` +
      "FORMAT csv";
    const { stdout } = joulemark(dir, ["query", "-q", calql, "lu.report"]);
    const queried = Object.fromEntries(
      stdout.trim().split("\n").slice(1).map((line) => line.split(",")),
    );
    for (const { path, own_energy_j } of rows.filter((row) => row.own_energy_j !== undefined)) {
      assertAlmostEquals(Number(queried[path]), own_energy_j, 1e-4 * total, path);
    }
  }
});

endToEnd("single processes have rows of their times, unless they are left out", (dir) => {
  const times = demo(dir, "jsonl").trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ process }) => process !== undefined);
  const places = new Set(times.map(({ path, process }) => `${path} ${process}`));
  assert(places.has("/assemble 0") && places.has("/assemble 1"), [...places].join());
  assertEquals(places.size, times.length);
  assert(times.every(({ component, time_s, depth }) => !component && time_s > 0 && depth === 0));
  const table = joulemark(dir, ["show", "--format", "jsonl", "--no-process", "lu.report"]);
  assert(!table.stdout.includes('"process":'), table.stdout);
  // The timeline of another run says nothing about this one.
  Deno.copyFileSync(`${dir}/lu.timeline`, `${dir}/other.timeline`);
  joulemark(dir, ["run", "-q", "--simulate", "--no-timeline", "--report", "other.report", "true"]);
  const other = joulemark(dir, ["show", "--format", "jsonl", "other.report"]);
  assert(!other.stdout.includes('"process":'), other.stdout);
});

/** Runs a program in a folder. */
function output(command: string, args: string[], dir: string): string {
  const { success, stdout, stderr } = new Deno.Command(command, { args, cwd: dir }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

endToEnd(
  "pandas reads the table by one line, as CSV and as JSON lines",
  (dir) => {
    demo(dir);
    Deno.writeTextFileSync(
      `${dir}/lu.jsonl`,
      joulemark(dir, ["show", "--format", "jsonl", "lu.report"]).stdout,
    );
    const code = `
import pandas as pd
d = pd.read_csv("lu.csv")
j = pd.read_json("lu.jsonl", lines=True)
assert len(d) == len(j)
assert d.energy_j.dtype == "float64" and d.depth.dtype == "int64"
node = d[(d.component == "node") & (d.depth >= 0)]
total = d[(d.component == "node") & (d.depth == -1)].energy_j.iloc[0]
print(node.own_energy_j.sum() / total)
assert d[d.component.isna()].time_s.notna().any()
assert d[d.component.notna()].time_s.isna().all()
`;
    assertAlmostEquals(Number(output(PYTHON!, ["-c", code], dir)), 1, 1e-3);
    const hasPlots = succeeds(PYTHON!, "-c", "import matplotlib");
    const plots = Deno.readTextFileSync(PAGE).split("## Five plots in Python")[1];
    const [, python] = /\`\`\`python\n(.*?)\`\`\`/s.exec(plots)!;
    if (!hasPlots) return;
    output(PYTHON!, ["-c", `import matplotlib\nmatplotlib.use("Agg")\n${python}`], dir);
    for (const name of ["1", "2", "3", "5"]) Deno.statSync(`${dir}/${name}.png`);
  },
  undefined,
  NO_PANDAS,
);

endToEnd(
  "R reads the table by one line, and draws the plots",
  (dir) => {
    demo(dir);
    const [, code] = /## The same in R\n+\`\`\`r\n(.*?)\`\`\`/s.exec(Deno.readTextFileSync(PAGE))!;
    output("Rscript", ["-e", code], dir);
    assert(Deno.statSync(`${dir}/r1.png`).size > 0);
  },
  undefined,
  NO_R,
);

endToEnd(
  "query without a file prints its usage on a terminal",
  () => {
    const { code, stdout } = new Deno.Command("script", {
      args: ["-qec", `${BINARY} query`, "/dev/null"],
      stdin: "null",
    }).outputSync();
    assertEquals(code, 2);
    assertStringIncludes(new TextDecoder().decode(stdout), "joulemark query [options] [FILE...]");
  },
  undefined,
  unless(succeeds("script", "--version"), "no script(1)"),
);
