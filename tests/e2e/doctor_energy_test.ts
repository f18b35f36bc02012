/**
 * What the built command says of counters and of powers that are not so many watts a region:
 * `doctor --energy`, and a report of regions whose power follows the load late.
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { makeProgram } from "../_support/sim_programs.ts";
import { recordProgram } from "../_support/sim_recording.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

endToEnd("doctor --energy says where counters are trusted, and leaves what it found", (dir) => {
  const out = joulemark(dir, ["doctor", "--energy=12", "--simulate=rapl", "--json", "-o", "found"]);
  assertEquals(out.code, 0, out.stderr);
  assertEquals(Deno.readTextFileSync(`${dir}/found`), out.stdout);
  const { simulated, counters } = JSON.parse(out.stdout);
  assertEquals(simulated, true);
  assertEquals(counters.map((one: { "visits (s)": number }) => one["visits (s)"]), [
    0.001,
    0.01,
    0.1,
  ]);
  for (const wrong of [["--energy=1"], ["-o", "found"], ["--energy", "--simulate=abacus"]]) {
    const { code, stderr } = joulemark(dir, ["doctor", ...wrong]);
    assertEquals([code, stderr.trimEnd().split("\n").length], [2, 1], stderr);
  }
});

endToEnd("a report tells what was caused beside what was drawn, and why", (dir) => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
  console.log(`seed ${seed}`);
  const made = makeProgram("random 10 ms", { seed, seconds: 30, counters: "rapl" });
  const spec = { ...made.spec, raplPeriodS: 0.000977, rampS: 0.002 };
  const { yaml, events, samples } = recordProgram({ ...made, spec }, { dither: 0.25 });
  Deno.mkdirSync(`${dir}/rec`);
  Deno.writeTextFileSync(`${dir}/rec/recording.yaml`, yaml);
  Deno.writeTextFileSync(`${dir}/rec/events.csv`, events);
  Deno.writeTextFileSync(`${dir}/rec/samples.csv`, samples);
  const out = joulemark(dir, ["replay", "rec", "--report", "r"]);
  assertEquals(out.code, 0, out.stderr);
  const text = Deno.readTextFileSync(`${dir}/r`);
  assert(text.includes("lack of fit: power follows the load late"), text);
  const [host] = parseReport(text).hosts;
  const caused = "joulemark-package-energy-caused (J)";
  const drawn = "joulemark-package-energy-fit (J)";
  const sections = [...host.regions!.map(({ fields }) => fields), host.unmarked!];
  const sumOf = (key: string) =>
    sections.reduce((sum, fields) => sum + (Number(fields[key]) || 0), 0);
  assertAlmostEquals(sumOf(caused) / sumOf(drawn), 1, 1e-6);
  const apart = sections.map((fields) =>
    Math.abs(Number(fields[caused]) / Number(fields[drawn]) - 1)
  );
  // 2 ms of 10 ms: the regions of least power draw a tenth and more of their neighbours'.
  assert(apart.some((share) => share > 0.03), String(apart));
});
