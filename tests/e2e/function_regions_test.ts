/** Regions around functions: each sample has the region that was open at its time. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { type FoldedLine, totalS } from "../_support/folded.ts";
import {
  BY_KERNEL,
  byEachWay,
  functionsIn,
  functionsOf,
  reportOf,
} from "../_support/function_ways.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";
import type { TimelineFile } from "../../src/show/page/data.ts";

/** Checks that the stacks of a function begin with its region alone. */
function assertInside(lines: FoldedLine[], name: string, region: string): void {
  // The first begin call takes long, and is outside of the region.
  const of = lines.filter(({ frames }) => {
    return frames.includes(name) && !frames.some((frame) => frame.startsWith("joulemark_"));
  });
  const places = of.map(({ frames }) => frames.filter((frame) => frame.startsWith("{")).join(";"));
  assertEquals([...new Set(places)], [`{${region}}`], JSON.stringify(of));
  assert(totalS(of) > 0.1, name);
}

byEachWay("samples have the regions of their time at any rate", (dir, way) => {
  const build = "cc -O2 -I. -o app PROGRAMS/turns.c -lpthread -ldl";
  for (const hz of [199, 1999, 4999].filter((hz, i) => i === 0 || hz <= way.mostHz)) {
    // Without a limit no visit is aggregated.
    const options = ["-q", "--budget=100", `--record=rec${hz}`];
    const lines = functionsOf(dir, { way, build, hz, options, args: ["0.4", "again"] });
    for (const name of ["first", "second"]) assertInside(lines, `in_${name}`, name);
    // Regions are no functions.
    const { list } = reportOf(dir).functions;
    assert(list.every((row: { function: string }) => !row.function.startsWith("{")));
    const again = ["replay", "--functions", "--folded", "g", "-q", `rec${hz}`];
    assertEquals(joulemark(dir, again).code, 0);
    assertEquals(Deno.readTextFileSync(`${dir}/g`), Deno.readTextFileSync(`${dir}/f`));
  }
});

byEachWay("samples wait for annotations as long as the sampling period is", (dir, way) => {
  const build = "cc -O2 -I. -o app PROGRAMS/turns.c -lpthread -ldl";
  const options = ["-q", "--budget=100", "--period=0.5"];
  const lines = functionsOf(dir, { way, build, options, args: ["0.4", "again"] });
  for (const name of ["first", "second"]) assertInside(lines, `in_${name}`, name);
  const { samples, lost } = functionsIn(dir);
  assert(lost < 0.1 * samples, `${lost} of ${samples}`);
});

byEachWay("an output that needs no order of visits leaves samples their regions", (dir, way) => {
  const build = "cc -O2 -I. -DAROUND -o app PROGRAMS/turns.c -lpthread -ldl";
  const options = ["-q", "--budget=100", "--cali-config=runtime-report,output=c"];
  const lines = functionsOf(dir, { way, build, options, args: ["0.4"] });
  for (const name of ["first", "second"]) assertInside(lines, `in_${name}`, `around};{${name}`);
});

endToEnd("a region that only waits has its energy around the functions inside it", (dir) => {
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify({ preset: "rapl" }));
  const build = "cc -O2 -I. -o app PROGRAMS/around.c -lpthread -ldl";
  const options = ["--simulate=node.json", "--report", "r.report"];
  functionsOf(dir, { way: BY_KERNEL, build, options });
  const { tree, notes = [] } = reportOf(dir, "r.report");
  if (JSON.stringify(notes).match(/are missing|were not sampled|lost/)) return;
  const { functions } = JSON.parse(Deno.readTextFileSync(`${dir}/r.timeline`)) as TimelineFile;
  const { name, components, energy_j } = functions!;
  const energy = energy_j[components.indexOf("package")][name.indexOf("{outer}")];
  const joules = tree.rows[0]["package-energy (J)"];
  assertEquals(tree.rows[0].region, "outer");
  assertAlmostEquals(energy!, joules, 1e-3 * joules);
});

endToEnd("functions of a region and its waiting time have the region's energy together", (dir) => {
  const node = {
    preset: "rapl",
    packages: 1,
    coresPerPackage: 512,
    idleW: 20,
    regions: { heavy: 60, middle: 30, light: 10 },
  };
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(node));
  const build = "cc -O2 -I. -o app PROGRAMS/powers.c -lpthread -ldl";
  const options = ["--simulate=node.json", "--report", "r.report", "--record", "rec"];
  functionsOf(dir, { way: BY_KERNEL, build, options });
  const { tree, notes = [] } = reportOf(dir, "r.report");
  // With a part of the samples a region is not held to its energy.
  const isWhole = !JSON.stringify(notes).match(/are missing|were not sampled|lost/);
  const { functions } = JSON.parse(Deno.readTextFileSync(`${dir}/r.timeline`)) as TimelineFile;
  const { name, parent, components, energy_j, se_j } = functions!;
  const at = components.indexOf("package");
  let compared = 0;
  for (const row of tree.rows) {
    const place = name.indexOf(`{${row.region}}`), joules = row["package-energy (J)"];
    if (!Number.isFinite(joules) || place < 0) continue;
    const found = energy_j[at][place];
    if (!isWhole) continue;
    compared++;
    assertAlmostEquals(found!, joules, 1e-3 * joules, row.region);
    assertAlmostEquals(se_j[at][place]!, row["package-energy-se (J)"], 1e-3 * se_j[at][place]!);
    const inside = name.map((_, i) => i).filter((i) => parent[i] === place);
    assert(inside.some((i) => name[i] === "[not running]"), row.region);
    const known = inside.map((i) => energy_j[at][i]);
    if (known.some((one) => one === null)) continue;
    const sum = known.reduce((all: number, one) => all + one!, 0);
    assertAlmostEquals(sum, joules, 2e-3 * joules, row.region);
  }
  assert(compared > 0 || !isWhole, JSON.stringify(tree));
  const again = ["replay", "--functions", "--report", "s.report", "-q", "rec"];
  assertEquals(joulemark(dir, again).code, 0);
  assertEquals(reportOf(dir, "s.report").functions, reportOf(dir, "r.report").functions);
});

endToEnd(
  "a process has the energy of all its regions, also of one whose parts have none",
  (dir) => {
    Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify({ preset: "rapl" }));
    const build = "cc -O2 -I. -o app PROGRAMS/crowd.c -lpthread -ldl";
    const options = ["--simulate=node.json", "--report", "r.report"];
    const args = [`${navigator.hardwareConcurrency + 1}`];
    functionsOf(dir, { way: BY_KERNEL, build, options, args, printed: "" });
    const { functions } = JSON.parse(Deno.readTextFileSync(`${dir}/r.timeline`)) as TimelineFile;
    const { name, parent, components, energy_j, rest } = functions!;
    const { tree } = reportOf(dir, "r.report");
    components.forEach((kind, at) => {
      const joules = energy_j[at], region = joules[name.indexOf("{outer}")];
      const process = joules[parent[name.indexOf("{outer}")]];
      if (region === null) return;
      const reported = tree.rows[0][`${kind}-energy (J)`];
      if (Number.isFinite(reported)) assertAlmostEquals(region, reported, 1e-3 * reported, kind);
      assert(process! >= 0.999 * region, `${kind}: ${region} J in ${process} J`);
      const waiting = joules[rest] ?? 0,
        total = functionsIn(dir, "r.report").energy[kind]["total (J)"];
      assert(
        process! + waiting <= 1.01 * total,
        `${kind}: ${process} and ${waiting} of ${total} J`,
      );
    });
  },
);

endToEnd("functions of threads without annotations keep their energy beside a region", (dir) => {
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify({ preset: "rapl" }));
  const build = "cc -O2 -I. -o app PROGRAMS/beside.c -lpthread -ldl";
  functionsOf(dir, { way: BY_KERNEL, build, options: ["--simulate=node.json"], hz: 997 });
  const { list, energy, "cpu-time (s)": cpuS } = functionsIn(dir);
  const { "package-energy (J)": joules, "self-time (s)": seconds } = list.find(
    (row: { function: string }) => row.function === "in_main",
  );
  // The region has the CPUs of both threads.
  const mean = energy.package["total (J)"] / cpuS;
  assert(!(joules / seconds > 1.4 * mean), `${joules / seconds} of ${mean} W`);
});
