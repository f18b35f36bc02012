/** Regions around functions: each sample has the region that was open at its time. */
import { assert, assertEquals } from "@std/assert";
import { type FoldedLine, totalS } from "../_support/folded.ts";
import { byEachWay, functionsIn, functionsOf, reportOf } from "../_support/function_ways.ts";
import { joulemark } from "../_support/programs.ts";

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
