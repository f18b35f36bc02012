/** Programs and commands of the tutorials run as they are printed, with simulated counters. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";
import { succeeds, unless } from "../_support/skipped.ts";

const TUTORIALS = new URL("../../docs/tutorials/", import.meta.url);
const NO_MPI = unless(succeeds("mpicc", "--version"), "no mpicc");
const NO_PYTHON = unless(succeeds("python3", "--version"), "no python3");

/** The first block of code of a language in a tutorial. */
function blockOf(page: string, language: string): string {
  const text = Deno.readTextFileSync(new URL(page, TUTORIALS));
  return new RegExp("```" + language + "\n([^]*?)```").exec(text)![1];
}

/** Visits of each region in the report of a directory. */
function visitsIn(dir: string): Record<string, number> {
  const path = `${dir}/joulemark.report`;
  const regions = parseReport(Deno.readTextFileSync(path), path).hosts[0].regions ?? [];
  return Object.fromEntries(regions.map(({ region, fields }) => [region, Number(fields.count)]));
}

function client(dir: string, language: string): void {
  assertEquals(joulemark(dir, ["client", language]).code, 0);
}

endToEnd(
  "the C and MPI tutorial: its program has the regions of the page",
  (dir) => {
    Deno.writeTextFileSync(`${dir}/heat.c`, blockOf("annotate-c-mpi.md", "c"));
    client(dir, "c");
    const { success } = new Deno.Command("mpicc", {
      args: ["-O2", "-I", ".", "-o", "heat", "heat.c", "-lm"],
      cwd: dir,
    }).outputSync();
    assert(success);
    const run = joulemark(dir, ["run", "-q", "--simulate", "--", `${dir}/heat`]);
    assertEquals(run.code, 0, run.stderr);
    assertEquals(visitsIn(dir), { assemble: 20, solve: 20 });
  },
  undefined,
  NO_MPI,
);

endToEnd(
  "the Python tutorial: annotated, and without changes",
  (dir) => {
    Deno.writeTextFileSync(`${dir}/model.py`, blockOf("annotate-python.md", "python"));
    client(dir, "python");
    const annotated = joulemark(dir, ["run", "-q", "--simulate", "--", "python3", "model.py"]);
    assertEquals(annotated.code, 0, annotated.stderr);
    assertEquals(visitsIn(dir), { load: 10, train: 10 });
    const command = ["run", "-q", "--simulate", "--python", "--", "python3", "model.py"];
    assertEquals(joulemark(dir, command).code, 0);
    const shown = joulemark(dir, ["show", "joulemark.report"]);
    assertStringIncludes(shown.stdout, "model.train");
  },
  undefined,
  NO_PYTHON,
);

endToEnd("the tutorial about two versions: its loop and its comparison", (dir) => {
  const script = blockOf("compare-two-versions.md", "sh")
    .replace("1 2 3 4 5", "1 2 3")
    .replaceAll("joulemark run", `'${BINARY}' run --simulate`)
    .replaceAll(/\.\/app-(old|new)/g, "sleep 0.3");
  const { success } = new Deno.Command("sh", { args: ["-ec", script], cwd: dir }).outputSync();
  assert(success);
  const { code, stdout } = joulemark(dir, ["compare", "--force", "old", "--", "new"]);
  assert(code < 2, stdout);
  assertStringIncludes(stdout, "verdict:");
});

endToEnd(
  "the Prometheus guide: its configurations and rules are valid",
  (dir) => {
    const page = new URL("../../docs/how-to/prometheus.md", import.meta.url);
    const blocks = [...Deno.readTextFileSync(page).matchAll(/```yaml\n(# (\w+\.yml)\n[^]*?)```/g)];
    assertEquals(blocks.map(([, , name]) => name), [
      "prometheus.yml",
      "prometheus.yml",
      "rules.yml",
    ]);
    for (const [, text, name] of blocks) {
      const file = `${dir}/${name}`;
      Deno.writeTextFileSync(file, text.replace("/etc/prometheus/joulemark", dir));
      const kind = name === "rules.yml" ? "rules" : "config";
      const check = new Deno.Command("promtool", { args: ["check", kind, file] }).outputSync();
      assert(check.success, new TextDecoder().decode(check.stderr));
    }
  },
  undefined,
  unless(succeeds("promtool", "--version"), "no promtool (Debian: prometheus)"),
);
