/**
 * What the built command says of counters and of powers that are not so many watts a region:
 * `doctor --energy`, and a report of regions whose power follows the load late.
 */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
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
  assertEquals(counters[2]["resolution (J)"], 0.00006104);
  const { stdout } = joulemark(dir, ["doctor", "--energy=6", "--simulate=rapl"]);
  const [, ...lines] = stdout.trimEnd().split("\n");
  for (const line of lines) assert(line.length <= 80, line);
  assertMatch(
    lines.slice(3).join(" "),
    /^package update period 0\.00\d+ s, (lag [^,]+ s, )?.*resolution 0\.00006104 J$/,
  );
  for (const wrong of [["--energy=1"], ["-o", "found"], ["--energy", "--simulate=abacus"]]) {
    const { code, stderr } = joulemark(dir, ["doctor", ...wrong]);
    assertEquals([code, stderr.trimEnd().split("\n").length], [2, 1], stderr);
  }
});

/** A tree of one Intel or AMD processor without counters. */
function treeOf(dir: string, name: string, cpuinfo: string): string {
  Deno.mkdirSync(`${dir}/${name}/proc`, { recursive: true });
  Deno.writeTextFileSync(`${dir}/${name}/proc/cpuinfo`, `processor : 0\n${cpuinfo}\n`);
  return name;
}

endToEnd(
  "doctor names a model without energy registers, and counters that a container hides",
  (dir) => {
    const lines = (args: string[]) => {
      const { code, stdout, stderr } = joulemark(dir, ["doctor", ...args]);
      return { code, stdout: stdout.replaceAll(/\n {20,}/g, " "), stderr };
    };
    const models: Record<string, string> = {
      "Intel family 6, model 26": "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 26",
      "Intel family 15, model 6": "vendor_id : GenuineIntel\ncpu family : 15\nmodel : 6",
      "AMD family 21, model 2": "vendor_id : AuthenticAMD\ncpu family : 21\nmodel : 2",
    };
    for (const [model, cpuinfo] of Object.entries(models)) {
      const tree = treeOf(dir, model.replaceAll(" ", "-"), cpuinfo);
      const { stdout } = lines(["--root", tree]);
      const why = `${model} has no energy registers`;
      assertStringIncludes(stdout, "No energy can be measured in the tree");
      assertStringIncludes(stdout, `package energy   unsupported model  ${why}\n`);
      assertStringIncludes(stdout, "There is nothing to fix.");
      const tried = lines(["--energy=3", "--root", tree]);
      assertEquals([tried.code, tried.stderr.trimEnd().split("\n").length], [1, 1]);
      assertStringIncludes(tried.stderr, `Package energy: unsupported model, ${why}`);
      const run = joulemark(dir, ["run", "--root", tree, "--", "true"]);
      assertStringIncludes(run.stderr.replaceAll(/\n +/g, " "), `unsupported model: ${why}`);
    }
    const server = "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85";
    assert(!lines(["--root", treeOf(dir, "server", server)]).stdout.includes("unsupported"));
    const hidden = treeOf(dir, "hidden", server);
    Deno.mkdirSync(`${dir}/hidden/sys/class/powercap`, { recursive: true });
    Deno.symlinkSync("../../no/such", `${dir}/hidden/sys/class/powercap/intel-rapl:0`);
    const { stdout } = lines(["--root", hidden]);
    assertStringIncludes(stdout, "Energy counters exist, but a container hides them.\n");
    assertMatch(
      stdout,
      /^package energy +hidden +the zones in \S+ are broken links: a container hides/m,
    );
    assertMatch(
      stdout,
      /To get package energy and memory energy, show the counters to the container:/,
    );
    assert(!/nothing to fix|modprobe/.test(stdout), stdout);
  },
);

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
