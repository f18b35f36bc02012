/** Programs with known power, and their recordings, replayed by the program itself. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { replay } from "../../../src/cli/replay.ts";
import { runVerb } from "../../../src/cli/command_line/run_verb.ts";
import { makeProgram, PROGRAM_NAMES } from "../../_support/sim_programs.ts";
import { recordProgram, runProgram, type SimStep } from "../../_support/sim_recording.ts";
import { testSeed } from "./_memory_tree.ts";
import { timed } from "../../_support/time_limit.ts";

for (const name of PROGRAM_NAMES) {
  timed(`makeProgram("${name}") fills each process's time without gap or overlap`, () => {
    const seed = testSeed(name);
    const program = makeProgram(name, { seed, seconds: 5 });
    assertEquals(program, makeProgram(name, { seed, seconds: 5 }));
    program.processes.forEach((_, process) => {
      let last = 0;
      for (const visit of program.visits.filter((v) => v.process === process)) {
        assertEquals(visit.startNs, last);
        assert(visit.endNs > visit.startNs);
        last = visit.endNs;
      }
      assertEquals(last, 5e9);
    });
    const sim = runProgram(program, { dither: 0.25 }, () => {});
    const truth = sim.truth();
    assertEquals(truth.lateEdges, 0);
    const [domain] = truth.package;
    let sum = domain.unowned.joules + domain.unmarked.joules;
    for (const { joules } of domain.regions.values()) sum += joules;
    assertAlmostEquals(sum / domain.joules, 1, 1e-9);
    // Watts by region are those that were asked for: 3 % noise over some hundred correlation times.
    for (const [region, { joules, cpuSeconds }] of domain.regions) {
      const given = program.spec.regions[region] as { watts: number };
      const asked = (given.watts * 4 + program.spec.idleW) / 4;
      const swing = name === "drift 10 %" ? 0.11 : 0.04;
      assertAlmostEquals(joules / cpuSeconds / asked, 1, swing, region);
    }
  });
}

timed("runProgram() shows whole resolutions, the lag's age, and dithered steps", () => {
  const seed = testSeed("steps");
  const program = makeProgram("random 10 ms", { seed, seconds: 3 });
  const steps: SimStep[] = [];
  const sim = runProgram(
    program,
    { periodS: 0.005, dither: 0.25 },
    (step) => steps.push({ ...step }),
  );
  assertEquals(steps[0].timeS, 0);
  assert(steps.at(-1)!.timeS >= 3 && steps.at(-2)!.timeS < 3);
  for (let k = 1; k < steps.length; k++) {
    assert(Math.abs(steps[k].timeS - k * 0.005) <= 0.00125 + 1e-9);
    assert(steps[k].packageJ >= steps[k - 1].packageJ);
    assertEquals(steps[k].packageJ * 2 ** 14 % 1, 0);
    assertEquals(steps[k].nodeJ % 1, 0);
    const stampedS = steps[k].nodeStampS - 1_700_000_000;
    assert(steps[k].timeS - stampedS >= sim.pmLagS - 1e-6 || stampedS === 0);
  }
  const truth = sim.truth();
  assertAlmostEquals(steps.at(-1)!.packageJ, truth.package[0].joules, 300 * 0.003);
  assertAlmostEquals(steps.at(-1)!.nodeJ, truth.node.joules, 500 * 0.11);
});

timed("recordProgram() makes what replay reads: counts, times and energies come out", async () => {
  const seed = testSeed("replay");
  for (const name of ["random 10 ms", "4 processes"] as const) {
    const program = makeProgram(name, { seed, seconds: 4, counters: "rapl" });
    const { yaml, events, samples, truth } = recordProgram(program);
    const dir = Deno.makeTempDirSync({ prefix: "joulemark-rec-" });
    try {
      for (
        const [file, text] of Object.entries({
          "recording.yaml": yaml,
          "events.csv": events,
          "samples.csv": samples,
        })
      ) {
        Deno.writeTextFileSync(`${dir}/${file}`, text);
      }
      assertEquals(await runVerb(replay, ["-q", dir, "--report", `${dir}/r`]), 0);
      // deno-lint-ignore no-explicit-any
      const report = parse(Deno.readTextFileSync(`${dir}/r`)) as any;
      const host = report.Hosts.simulated;
      for (const region of host.Regions) {
        const index = program.regions.indexOf(region.region);
        const visits = program.visits.filter((v) => v.region === index);
        const ns = visits.reduce((sum, v) => sum + v.endNs - v.startNs, 0);
        const processes = program.processes.length;
        assertAlmostEquals(region.count, visits.length / processes, 1e-4 * visits.length + 1e-9);
        assertAlmostEquals(region["runtime (s)"], ns * 1e-9 / processes, 1e-4);
      }
      const total = host["Application Totals"];
      assertAlmostEquals(total["package-energy (J)"], truth.package[0].joules, 300 * 0.008);
      assertAlmostEquals(total["runtime (s)"], 4, 1e-6);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  }
});
