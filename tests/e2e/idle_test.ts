/** `run --idle` on the simulated node, whose idle power is known; and beside others on it. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

/** Idle, all memories and the rest of the board included, in W. */
const NODE = { package: 2 * 40, dram: 2 * 6, node: 2 * (40 + 6) + 60 };
const SPEC = {
  preset: "both",
  packages: 2,
  idleW: 40,
  dramIdleW: 6,
  boardW: 60,
  noise: 0,
  visitNoise: 0,
  rampS: 0,
  seed: 7,
};

function host(dir: string, name: string) {
  return parseReport(Deno.readTextFileSync(`${dir}/${name}`), name).hosts[0];
}

endToEnd("run --idle measures the idle power, and a report hands it on", (dir) => {
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(SPEC));
  const run = ["run", "--simulate=node.json"];
  const out = joulemark(dir, [...run, "--idle", "2", "--report", "a", "--", "sleep", "0.5"]);
  assertEquals(out.code, 0, out.stderr);
  assertStringIncludes(out.stderr, "measuring the idle node for 2 s");
  assert(/idle \S+ J, net \S+ J/.test(out.stderr), out.stderr);
  const measured = host(dir, "a");
  const idle = measured.joulemark!.idle as Record<string, unknown>;
  assertEquals(idle.source, "measured before the run");
  assertAlmostEquals(Number(idle["length (s)"]), 2, 0.1);
  for (const [kind, watts] of Object.entries(NODE)) {
    assertAlmostEquals(Number(idle[`${kind} (W)`]), watts, 0.02 * watts, kind);
    const part = (name: string) => {
      return Number(measured.application[`joulemark-${kind}-energy-${name} (J)`]);
    };
    const runtimeS = Number(measured.application["runtime (s)"]);
    assertAlmostEquals(part("idle"), watts * runtimeS, 0.02 * watts * runtimeS, kind);
    assertAlmostEquals(part("gross") - part("idle"), part("net"), 1e-6, kind);
  }
  const gross = Number(measured.application["joulemark-package-energy-gross (J)"]);
  assertAlmostEquals(gross, Number(measured.application["package-energy (J)"]), 1e-3);
  assertEquals("joulemark-gpu-energy-net (J)" in measured.application, false);
  assert(typeof (idle["gpu (W)"] as { absent: string }).absent === "string");

  const again = joulemark(dir, [...run, "--idle", "a", "--report", "b", "--", "sleep", "0.2"]);
  assertEquals(again.code, 0, again.stderr);
  const taken = host(dir, "b").joulemark!.idle as Record<string, unknown>;
  assertEquals(taken, { ...idle, source: "a" });
});

endToEnd("run --idle FILE prints a net energy below 0 as it is, and says so", (dir) => {
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(SPEC));
  Deno.writeTextFileSync(`${dir}/idle.json`, '{"package (W)": 9000}');
  const args = ["run", "--simulate=node.json", "--idle", "idle.json", "--", "sleep", "0.2"];
  const out = joulemark(dir, args);
  assertEquals(out.code, 0, out.stderr);
  assertStringIncludes(out.stderr, "note: package: idle power times runtime exceeds");
  const { application, joulemark: own } = host(dir, "joulemark.report");
  assert(Number(application["joulemark-package-energy-net (J)"]) < -1000);
  const { absent } = (own!.idle as Record<string, { absent: string }>)["dram (W)"];
  assertEquals(absent, 'no "dram (W)" in idle.json');
});

endToEnd("run --idle refuses what it cannot use in one line, before the command starts", (dir) => {
  for (const word of ["--idle=x", "--idle=-1", "--idle=/"]) {
    const out = joulemark(dir, ["run", word, "--", "touch", "started"]);
    assertEquals([out.code, out.stderr.trim().split("\n").length], [2, 1], out.stderr);
    assertStringIncludes(out.stderr, word);
  }
  assertEquals([...Deno.readDirSync(dir)].length, 0);
});

endToEnd("a signal during the idle measurement ends the run without its command", async (dir) => {
  const child = new Deno.Command(BINARY, {
    args: ["run", "--simulate", "--idle", "60", "--", "touch", "started"],
    cwd: dir,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let told = "";
  for await (const bytes of child.stderr) {
    told += new TextDecoder().decode(bytes);
    if (!told.includes("measuring")) continue;
    child.kill("SIGTERM");
    break;
  }
  assertEquals((await child.status).code, 128 + 15, told);
  assertEquals([...Deno.readDirSync(dir)].map((e) => e.name), []);
});

endToEnd("a command on some of the CPUs gets its share of the package energy", (dir) => {
  if (navigator.hardwareConcurrency !== 2) return console.log("skipped: for two CPUs");
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(SPEC));
  const command = ["taskset", "-c", "0", BINARY, "run", "-q", "--simulate=node.json", "--"];
  const out = new Deno.Command(command[0], {
    args: [...command.slice(1), "sleep", "0.2"],
    cwd: dir,
  })
    .outputSync();
  assertEquals(out.code, 0);
  const { application, joulemark: own } = host(dir, "joulemark.report");
  const share = own!["job share"] as Record<string, unknown>;
  // The simulated node has no /proc/stat.
  assertEquals([share.share, share.cpus], [0.5, "1 of 2"]);
  const shareJ = Number(application["joulemark-package-energy-job-share (J)"]);
  assertAlmostEquals(shareJ, 0.5 * Number(application["package-energy (J)"]), 1e-3);
});

endToEnd("replay --idle FILE gives the net energies of the live run", (dir) => {
  Deno.writeTextFileSync(`${dir}/node.json`, JSON.stringify(SPEC));
  Deno.writeTextFileSync(`${dir}/idle.json`, '{"package (W)": 80, "node (W)": 152}');
  const live = ["run", "--simulate=node.json", "--idle", "idle.json", "--record", "rec"];
  const ran = joulemark(dir, [...live, "--report", "live", "--", "sleep", "0.3"]);
  assertEquals(ran.code, 0, ran.stderr);
  const again = joulemark(dir, ["replay", "--idle", "idle.json", "--report", "again", "rec"]);
  assertEquals(again.code, 0, again.stderr);
  const keys = (name: string) => {
    const all = Object.entries(host(dir, name).application);
    return all.filter(([key]) => /-energy-(gross|idle|net) /.test(key));
  };
  assertEquals(keys("live").length, 6);
  assertEquals(keys("again"), keys("live"));
  const timed = joulemark(dir, ["replay", "--idle", "5", "rec"]);
  assertEquals(timed.code, 2);
  assertStringIncludes(timed.stderr, "a recording cannot be measured");
});
