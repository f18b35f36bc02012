/**
 * Energies of short regions of a real program, from the marker to the report: the simulated node
 * follows its marks, and what each region draws is known.
 */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import type { ReportFields } from "../../src/core/report.ts";
import { parseReport } from "../../src/formats/report.ts";
import { build, endToEnd, joulemark } from "../_support/programs.ts";

const WATTS = { a: 20, b: 5, c: 40, d: 10 };
const IDLE_W = 30;
const SEED = crypto.getRandomValues(new Uint32Array(1))[0];

/** Runs four regions of 2 to 8 ms, or longer, and compares each with what it drew. */
function check(dir: string, of: {
  kind: "package" | "node";
  preset: string;
  seconds: number;
  lengths: [string, string];
  within: number;
}): void {
  console.log(`seed ${SEED}`);
  const app = build("short_regions", dir);
  const spec = {
    preset: of.preset,
    seed: SEED % 1000,
    packages: 1,
    coresPerPackage: navigator.hardwareConcurrency,
    idleW: IDLE_W,
    dramIdleW: 0,
    dramDynamicW: 0,
    boardW: 0,
    regions: Object.fromEntries(
      Object.entries(WATTS).map(([name, watts]) => [name, { watts, dramWatts: 0 }]),
    ),
    rampS: 0,
    raplPeriodS: 0.000977,
  };
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(spec));
  const args = ["--simulate=node.json", "--", app, String(of.seconds), ...of.lengths, `${SEED}`];
  const out = joulemark(dir, ["run", ...args]);
  assertEquals(out.code, 0, out.stderr);
  assertStringIncludes(out.stderr, of.kind === "package" ? " ± " : "");
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`)).hosts;
  const key = (fields: ReportFields, what: string) =>
    Number(fields[`joulemark-${of.kind}-energy-${what} (J)`]);
  const cpus = navigator.hardwareConcurrency;
  const totalJ = key(host.application, "exact");
  let exactJ = 0;
  for (const [name, watts] of Object.entries(WATTS)) {
    const { fields } = host.regions!.find((r) => r.region === name)!;
    const joules = Number(fields["runtime (s)"]) * (IDLE_W + cpus * watts);
    const fit = key(fields, "fit");
    assertAlmostEquals(fit / joules, 1, of.within, `${name}\n${out.stderr}`);
    assert(key(fields, "fit-se") < of.within * joules);
    exactJ += key(fields, "exact");
  }
  // All exact energies add up to the counter's, whether time outside of regions has an estimate or not.
  const unmarkedJ = key(host.unmarked!, "exact");
  assertAlmostEquals((exactJ + unmarkedJ) / totalJ, 1, 1e-9);
  const facts = host.joulemark!.attribution as Record<string, Record<string, number>>;
  assert(facts[`${of.kind}-0`].intervals > 96);
}

endToEnd("run tells regions of 2 to 8 ms from a counter of 1 ms", (dir) => {
  check(dir, { kind: "package", preset: "rapl", seconds: 5, lengths: ["2", "8"], within: 0.06 });
});

endToEnd("run tells regions of 20 to 80 ms from a counter of 10 Hz", (dir) => {
  check(dir, { kind: "node", preset: "cray", seconds: 15, lengths: ["20", "80"], within: 0.1 });
});

endToEnd(
  "run --attribution adds the keys that it says, and refuses what it does not know",
  (dir) => {
    for (const [mode, keys] of [["sampled", 0], ["exact", 2], ["fit", 6]] as const) {
      const out = joulemark(dir, ["demo", "--attribution", mode, "--simulate"]);
      assertEquals(out.code, 0, out.stderr);
      const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`)).hosts;
      const own = Object.keys(host.regions![0].fields).filter((k) =>
        /^joulemark-(pac|dram)/.test(k)
      );
      assertEquals(own.length, keys, mode);
    }
    const bad = joulemark(dir, ["run", "--attribution", "guess", "--", "true"]);
    assertEquals(bad.code, 2);
    assertStringIncludes(bad.stderr, "sampled or exact or fit");
  },
);
