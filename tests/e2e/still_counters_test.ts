/** Counters that never change, error values of meters, and runs shorter than an update of the counter. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import type { Nested, ReportHost } from "../../src/core/report.ts";
import { parseReport } from "../../src/formats/report.ts";
import { runOver, WATTS } from "../_support/live_tree.ts";
import { endToEnd, joulemark, unbroken } from "../_support/programs.ts";

const NEVER = "the counter did not change in the whole run";
const PM = "/sys/cray/pm_counters";

function put(path: string, text: string): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(path, text);
}

/** A tree with files of one line each, for a node of two CPUs. */
function layOut(dir: string, files: Record<string, string>): void {
  put(`${dir}/tree/sys/devices/system/cpu/online`, "0-1\n");
  put(`${dir}/tree/proc/cpuinfo`, "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\n");
  for (const [path, text] of Object.entries(files)) put(`${dir}/tree${path}`, `${text}\n`);
}

interface Ran {
  readonly host: ReportHost;
  readonly stderr: string;
  readonly text: string;
}

/** A run over the tree, or over a simulated node. */
function ran(dir: string, options: string[], command: string[]): Ran {
  const { code, stderr } = joulemark(dir, ["run", ...options, "--", ...command]);
  assertEquals(code, 0, stderr);
  const text = Deno.readTextFileSync(`${dir}/joulemark.report`);
  return { host: parseReport(text, "report").hosts[0], stderr, text };
}

function sourceOf({ host }: Ran, name: string): { [key: string]: Nested } {
  return (host.joulemark!.sources as Record<string, { [key: string]: Nested }>)[name];
}

const ZONE = "/sys/class/powercap/intel-rapl:0";
const METER = "/sys/class/hwmon/hwmon0";

endToEnd("a counter that never changes is nan with the reason, however short the run", (dir) => {
  layOut(dir, {
    [`${ZONE}/name`]: "package-0",
    [`${ZONE}/energy_uj`]: "1000000",
    [`${ZONE}/max_energy_range_uj`]: "262143328850",
  });
  const run = ran(dir, ["--root", "tree", "--report-signals", "CPU_POWER"], ["sleep", "0.2"]);
  assertStringIncludes(run.text, "package-energy (J): .nan\n");
  assertStringIncludes(run.text, "power (W): .nan\n");
  assertEquals(sourceOf(run, "CPU_ENERGY").trouble, NEVER);
  assertEquals(run.host.application["joulemark-package-energy-coverage (%)"], 0);
  assertEquals(run.host.application.CPU_POWER, NaN);
  assertStringIncludes(unbroken(run.stderr), "not available: the package counter did not change");
});

endToEnd("the energy of one of two packages is ours alone", async (dir) => {
  const run = await runOver(dir, {
    seconds: 0.8,
    fault: (pkg, _s, uj) => pkg === 0 ? `${uj}\n` : "2000000000\n",
  });
  assertStringIncludes(run.text, "package-energy (J): .nan\n");
  const { application } = run;
  assertAlmostEquals(Number(application["joulemark-package-energy-coverage (%)"]), 50, 1e-9);
  const seconds = Number(application["sync-runtime (s)"]);
  assertAlmostEquals(
    Number(application["joulemark-package-energy-known (J)"]),
    WATTS * seconds,
    35,
  );
  assertStringIncludes(
    unbroken(run.stderr),
    "package energy is a lower limit (read: package 1 at no time (it did not change))",
  );
});

const PM_FILES = {
  [`${PM}/energy`]: "1000 J",
  [`${PM}/power`]: "200 W",
  [`${PM}/freshness`]: "7",
  [`${PM}/startup`]: "1",
  [`${PM}/generation`]: "1",
};

endToEnd("pm_counters that stand have no energy; their constant power is one", (dir) => {
  layOut(dir, PM_FILES);
  const signals = "CNL::BOARD_POWER,CNL::BOARD_ENERGY";
  const run = ran(dir, ["--root", "tree", "--report-signals", signals], ["sleep", "0.3"]);
  assertStringIncludes(unbroken(run.stderr), "not available: the node counter did not change");
  assertEquals(sourceOf(run, "BOARD_ENERGY").trouble, NEVER);
  assertEquals(run.host.application["CNL::BOARD_POWER"], 200);
  assertEquals(run.host.application["CNL::BOARD_ENERGY"], NaN);
});

endToEnd("a run that is shorter than the period of its counter says so", (dir) => {
  layOut(dir, { ...PM_FILES, [`${PM}/raw_scan_hz`]: "1" });
  const run = ran(dir, ["--root", "tree"], ["true"]);
  const text = "the measured time was shorter than the update period of the counter (1 s)";
  const shown = text.replace("the counter", "the node counter");
  assertStringIncludes(unbroken(run.stderr), `energy not available: ${shown}`);
  const source = sourceOf(run, "BOARD_ENERGY");
  assertEquals([source.note, source.trouble], [text, undefined]);
  Deno.writeTextFileSync(`${dir}/slow.json`, '{"preset": "cray", "pmHz": 1}');
  const simulated = ran(dir, ["--simulate=slow.json"], ["true"]);
  assertStringIncludes(unbroken(simulated.stderr), shown.slice(0, 30));
});

/** Energy of the node in a run over a tree with an ACPI meter of so many microwatts. */
function meterRun(dir: string, microwatts: string): Ran {
  layOut(dir, { [`${METER}/name`]: "power_meter", [`${METER}/power1_average`]: microwatts });
  return ran(dir, ["--root", "tree", "--report-signals", "BOARD_ENERGY"], ["sleep", "0.3"]);
}

endToEnd("a meter's constant power is the node's energy, on the card and in totals", (dir) => {
  const run = meterRun(dir, "400000000");
  const { application } = run.host;
  const expectedJ = 400 * Number(application["sync-runtime (s)"]);
  assertAlmostEquals(Number(application["joulemark-node-energy (J)"]), expectedJ, 4);
  assertAlmostEquals(Number(application.BOARD_ENERGY), expectedJ, 4);
  assert(/, 1\d\d\.\d J \(node counter\), mean [34]\d\d\.\d W/.test(run.stderr), run.stderr);
});

endToEnd("a meter at 0 W for the whole run is not measured", (dir) => {
  const run = meterRun(dir, "0");
  assertStringIncludes(unbroken(run.stderr), "not available: node power was 0 W in the whole run");
  assertEquals(run.host.application.BOARD_ENERGY, NaN);
});

for (const microwatts of ["4294967295", "4294967295000", "200000000000000"]) {
  endToEnd(`a meter's ${microwatts} µW is no power`, (dir) => {
    const run = meterRun(dir, microwatts);
    assertEquals(run.host.application.BOARD_ENERGY, NaN);
    const { trouble } = sourceOf(run, "HWMON::METER_POWER");
    assert(/error value of a meter|more than is possible/.test(String(trouble)), String(trouble));
    const read = joulemark(dir, ["read", "--root", "tree", "BOARD_POWER", "board", "0"]);
    assertEquals([read.code, read.stdout], [1, "nan\n"]);
    assert(/error value of a meter|more than is possible/.test(read.stderr), read.stderr);
  });
}

endToEnd("powers that are rates cover the whole run", (dir) => {
  const names = ["CPU_POWER", "DRAM_POWER@package", "RATE::BOARD_ENERGY"];
  const { host } = ran(dir, ["--simulate", "--report-signals", names.join(",")], ["sleep", "0.5"]);
  const keys = ["CPU_POWER", "DRAM_POWER@package-0", "RATE::BOARD_ENERGY"];
  for (const key of keys) assert(Number(host.application[key]) > 0, key);
  assertEquals(Object.keys(host.application).filter((key) => /POWER.*-coverage/.test(key)), []);
});

endToEnd("an energy in a trace never falls, though its counter began again", async (dir) => {
  const run = await runOver(dir, {
    seconds: 1.2,
    fault: (_pkg, s, uj) => `${s > 0.4 ? uj - 9e8 : uj}\n`,
    options: ["--trace", "trace", "--trace-signals", "CPU_ENERGY@package", "--record", "rec"],
  });
  assertStringIncludes(run.stderr, "began again once");
  assertEquals(joulemark(dir, ["replay", "rec", "--trace", "again"]).code, 0);
  for (const name of ["trace", "again"]) {
    const lines = Deno.readTextFileSync(`${dir}/${name}`).split("\n");
    const rows = lines.filter((line) => /^\d/.test(line)).map((line) => line.split("|"));
    const column = lines.find((line) => line.startsWith("TIME"))!.split("|").indexOf("CPU_ENERGY");
    assert(rows.length > 20 && column > 0);
    const values = rows.map((row) => Number(row[column])).filter(Number.isFinite);
    values.forEach((value, i) => assert(i === 0 || value >= values[i - 1], `${name}, row ${i}`));
  }
});

endToEnd("a run shorter than the period of the node counter says so", (dir) => {
  // An update of the counter may fall into a run.
  let stderr = "(node counter)";
  for (let i = 0; i < 5 && stderr.includes("(node counter)"); i++) {
    stderr = joulemark(dir, ["run", "--simulate", "--", "true"]).stderr;
  }
  const why = "the measured time was shorter than the update period of the node counter (0.1 s)";
  const text = unbroken(stderr);
  assertStringIncludes(text, `node energy not available: ${why}`);
  for (const wrong of ["covers 0 %", "no counter for the whole node"]) {
    assert(!text.includes(wrong), stderr);
  }
});
