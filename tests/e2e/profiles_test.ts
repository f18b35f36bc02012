/** Trees of reports in the viewers of profilers: go's pprof reads them. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pprofBytes } from "../../src/show/analysis/pprof.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";
import { outputOf, without } from "../_support/readers_of_others.ts";

endToEnd("show --format speedscope: the report's own times and energies", (dir) => {
  const app = build("four_regions", dir);
  const run = joulemark(dir, ["run", "-q", "--simulate", "--record", "rec", "--", app, "0.8"]);
  assertEquals(run.code, 0, run.stderr);
  const of = (path: string) => {
    const { code, stdout, stderr } = joulemark(dir, ["show", "--format", "speedscope", path]);
    assertEquals([code, stderr], [0, ""]);
    return JSON.parse(stdout);
  };
  const file = of("joulemark.report");
  assertMatch(file.name, /^four_regions, .* \(simulated node: nothing is measured\)$/);
  const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
  const time = file.profiles.find(({ name }: { name: string }) => name === "time");
  for (const region of ["a", "b", "c", "d"]) {
    const frame = file.shared.frames.findIndex(({ name }: { name: string }) => name === region);
    const at = time.samples.findIndex((stack: number[]) =>
      stack.length === 1 && stack[0] === frame
    );
    const pattern = `region: ${region}\n +depth: 0\n[^-]*?runtime-self \\(s\\): (\\S+)`;
    assertEquals(time.weights[at], Number(new RegExp(pattern).exec(report)?.[1]), region);
  }
  assert(file.profiles.some(({ name }: { name: string }) => name === "package energy, J"));
  // A recording is shown by the same estimator as its run's report.
  const names = ({ profiles }: { profiles: { name: string }[] }) => profiles.map((p) => p.name);
  assertEquals(names(of("rec")), names(file));
  const shown = joulemark(dir, ["show", "-q", "rec"]).stdout;
  assertMatch(shown, /^a +\S+ ± \S+ +\d+ %/m);
});

endToEnd(
  "go tool pprof reads the tree: energy, time, visits, nesting",
  (dir) => {
    const app = build("four_regions", dir);
    const run = joulemark(dir, ["run", "-q", "--simulate", "--", app, "0.8"]);
    assertEquals(run.code, 0, run.stderr);
    const show = joulemark(dir, ["show", "--format", "pprof", "-o", "p.pb.gz", "joulemark.report"]);
    assertEquals([show.code, show.stderr], [0, ""]);
    const pprof = (...args: string[]) =>
      outputOf("sh", ["-c", `cd '${dir}' && go tool pprof "$@" p.pb.gz`, "sh", ...args]);
    const raw = pprof("-raw");
    assertMatch(raw, /\/microjoules.* time\/nanoseconds visits\/count/);
    assertStringIncludes(raw, "simulated node: nothing is measured");
    for (const type of ["time", "visits"]) {
      assertMatch(
        pprof("-top", `-sample_index=${type}`),
        new RegExp(`Type: ${type}\n.* of [\\d.]+m?s? total`),
      );
    }
    assertMatch(pprof("-traces", "-sample_index=time"), /\(outside regions\)/);
  },
  undefined,
  without("go"),
);

endToEnd(
  "go tool pprof keeps names apart that differ in brackets and arguments",
  (dir) => {
    const names = ["solve<double>(n)", "solve<float>(n)", "operator()", "operator()<int>"];
    const stacks = names.map((name) => {
      return { path: [name], timeS: 1, energiesJ: new Map(), visits: 1 };
    });
    Deno.writeFileSync(`${dir}/p.pb`, pprofBytes(stacks, "names"));
    const top = outputOf("sh", ["-c", `cd '${dir}' && go tool pprof -top -sample_index=time p.pb`]);
    for (const name of names) assertStringIncludes(top, ` ${name}\n`);
  },
  undefined,
  without("go"),
);

endToEnd("show --format pprof of what has no tree is one line", (dir) => {
  Deno.writeTextFileSync(`${dir}/x.cali`, "__rec=node,id=1,attr=8,data=x\n");
  const { code, stderr } = joulemark(dir, ["show", "--format", "pprof", "x.cali"]);
  assertEquals([code, stderr.trimEnd().split("\n").length], [2, 1]);
  assertStringIncludes(stderr, "expected reports or a recording, found cali");
});
