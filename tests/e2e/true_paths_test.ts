/** Register devices and counter files with the kernel's semantics, at their true paths. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { compile } from "../_support/compiled.ts";
import { onPrivateNode, type PrivateNode, programFor } from "../_support/private_node.ts";

function reportOf(node: PrivateNode) {
  const [host] = parseReport(Deno.readTextFileSync(`${node.dir}/joulemark.report`), "r").hosts;
  const sources = host.joulemark!.sources as Record<string, Record<string, string>>;
  return { application: host.application, sources };
}

onPrivateNode(
  "energy by /dev/cpu/N/msr and pm_counters, over wraps of the counter",
  async (node) => {
    const out = await node.joulemark(["run", "--", "sleep", "4"]);
    assertEquals(out.code, 0, out.stderr);
    const { application, sources } = reportOf(node);
    const seconds = Number(application["sync-runtime (s)"]);
    // 100 W wrap 32 bits every 2.56 s.
    assertAlmostEquals(Number(application["package-energy (J)"]), 100 * seconds, 1.5);
    assertAlmostEquals(Number(application["dram-energy (J)"]), 20 * seconds, 0.3);
    assertAlmostEquals(Number(application["power (W)"]), 100, 1);
    assertAlmostEquals(Number(application["frequency (%)"]), 150, 0.5);
    assertAlmostEquals(Number(application["frequency (Hz)"]), 3e9, 1e7);
    assertStringIncludes(sources.CPU_ENERGY.source, "/dev/cpu/0/msr, register 0x611");
    assertEquals(sources.CPU_ENERGY.quality, "measured");
  },
);

onPrivateNode("read finds every source at its true path", async (node) => {
  const read = (name: string, domain: string) => node.joulemark(["read", name, domain, "0"]);
  // Two looks a tenth of a second apart: a CPU that is taken away between a look and its time shows.
  let watts = NaN;
  for (let left = 3; left > 0 && !(Math.abs(watts - 100) <= 10); left--) {
    const power = await read("CPU_POWER", "package");
    assertEquals(power.code, 0, power.stderr);
    watts = Number(power.stdout);
  }
  assertAlmostEquals(watts, 100, 10);
  assertEquals((await read("CNL::BOARD_POWER", "board")).stdout, "300\n");
  const zone = await read("POWERCAP::CPU_ENERGY_CONSUMED", "package");
  assert(Number(zone.stdout) > 0, zone.stderr);
  const none = await read("MSR::PLATFORM_ENERGY_STATUS:ENERGY", "board");
  assertEquals([none.code, none.stdout], [1, "nan\n"]);
  assertStringIncludes(none.stderr, "faults (EIO)");
});

onPrivateNode(
  "a register that faults in mid-run is NaN with EIO, the others go on",
  async (node) => {
    const running = node.joulemark(["run", "--", ...programFor(2)]);
    await node.begun();
    await new Promise((go) => setTimeout(go, 800));
    node.breakIt("eio 0x619");
    const out = await running;
    assertEquals(out.code, 0, out.stderr);
    const { application, sources } = reportOf(node);
    assertEquals(sources.DRAM_ENERGY.quality, "partial");
    assertStringIncludes(
      sources.DRAM_ENERGY.trouble,
      "register 0x619 of CPU 0: Input/output error",
    );
    assert(sources.CPU_ENERGY.trouble === undefined);
    assert(Number(application["package-energy (J)"]) > 150);
  },
);

onPrivateNode("a CPU that goes offline and comes back is NaN in between", async (node) => {
  const signals = "MSR::APERF:ACNT@cpu";
  const running = node.joulemark([
    ...["run", "--report-signals", signals, "--trace", "trace", "--trace-signals", signals],
    ...["--", ...programFor(2.5)],
  ]);
  const wait = (ms: number) => new Promise((go) => setTimeout(go, ms));
  await node.begun();
  await wait(800);
  node.breakIt("offline 1");
  await wait(600);
  node.breakIt("");
  const out = await running;
  assertEquals(out.code, 0, out.stderr);
  const rows = Deno.readTextFileSync(`${node.dir}/trace`).split("\n")
    .filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split("|"));
  const cycles = (cpu: number) => {
    const at = rows[0].indexOf(`MSR::APERF:ACNT-cpu-${cpu}`);
    return rows.slice(1).map((row) => Number(row[at]));
  };
  assert(cycles(0).every((v) => !Number.isNaN(v)), "the other CPU goes on");
  const own = cycles(1);
  assert(own.some(Number.isNaN) && !Number.isNaN(own[0]) && !Number.isNaN(own.at(-1)!));
  assertAlmostEquals(own.at(-1)! - own[0], cycles(0).at(-1)! - cycles(0)[0], 1e9);
  assertStringIncludes(
    reportOf(node).sources["MSR::APERF:ACNT"].trouble,
    "CPU 1: No such device or address",
  );
});

onPrivateNode("doctor: what is live, how often it changes, when it wraps", async (node) => {
  const out = await node.joulemark(["doctor", "--json"]);
  assertEquals(out.code, 0, out.stderr);
  const found = JSON.parse(out.stdout);
  const source = (name: string) => found.sources.find((s: { reader: string }) => s.reader === name);
  const [pkg] = source("MSR").live;
  assert(pkg.live && pkg.updatePeriodS < 0.01, JSON.stringify(pkg));
  assertAlmostEquals(pkg.wrapTimeS, 2.56, 0.2);
  const board = source("CNL").live.find((l: { signal: string }) =>
    l.signal === "CNL::BOARD_ENERGY"
  );
  assertAlmostEquals(board.updatePeriodS, 0.1, 0.03);
  assertEquals(source("POWERCAP").state, "readable");
});

onPrivateNode("doctor for an ordinary user: forbidden, with lines that fix it", async (node) => {
  const out = await node.joulemark(["doctor", "--sources"], true);
  assertEquals(out.code, 0, out.stderr);
  for (const line of out.stdout.split("\n")) assert(line.length <= 80, line);
  assertStringIncludes(out.stdout, "  MSR       forbidden");
  assertStringIncludes(out.stdout, "  POWERCAP  partly");
  assertStringIncludes(out.stdout, "mode 0400 owner 0");
  assertStringIncludes(out.stdout, "chgrp GROUP /sys/class/powercap/*-rapl:*/energy_uj\n");
  assertStringIncludes(out.stdout, "  BOARD_ENERGY              CNL::BOARD_ENERGY");
  const run = await node.joulemark(["run", "--", "sleep", "0.2"], true);
  assertEquals(run.code, 0, run.stderr);
  const { sources } = reportOf(node);
  assertStringIncludes(sources.CPU_ENERGY.absent, "Permission denied");
  assert(sources.CPU_ENERGY.remedy !== undefined, JSON.stringify(sources.CPU_ENERGY));
});

onPrivateNode("the executable loads NVML from where it may, and reports GPUs", async (node) => {
  const path = `${node.dir}/libnvidia-ml.so.1`;
  compile("sources/readers/fake_nvml.c", path, ["-shared", "-fPIC"]);
  const out = await node.joulemark([
    ...["run", "--report-signals", "GPU_ENERGY@gpu,GPU_TEMPERATURE", "--", "sleep", "0.5"],
  ]);
  assertEquals(out.code, 0, out.stderr);
  const { application, sources } = reportOf(node);
  // 1.5 J more at every reading of each GPU, 100 times a second at most.
  const joules = Number(application["gpu-energy (J)"]);
  assert(joules > 20 && joules < 160, `${joules} J`);
  assertEquals(Number(application["gpu-power (W)"]), 501);
  assertEquals(Number(application["gpu-frequency (Hz)"]), 1.41e9);
  assertEquals(sources.GPU_ENERGY.signal, "NVML::GPU_ENERGY_CONSUMPTION_TOTAL");
  assertStringIncludes(sources.GPU_ENERGY.source, "/opt/gpu/libnvidia-ml.so.1");
  assert(Number(application["GPU_ENERGY@gpu-1"]) > 10);
  assertEquals(Number(application.GPU_TEMPERATURE), 40.5);
  const domains = await node.joulemark(["read", "--domains", "--json"]);
  const gpu = JSON.parse(domains.stdout).find((d: { name: string }) => d.name === "gpu");
  assertEquals(gpu.count, 2);
});

onPrivateNode("a GPU library without its GPU is not loaded", async (node) => {
  for (const version of [".7", ".6", ".5", ".1", ""]) {
    const path = `${node.dir}/librocm_smi64.so${version}`;
    compile("sources/readers/fake_rocm_smi.c", path, ["-shared", "-fPIC", "-DLOUD"]);
  }
  Deno.env.set("FAKE_LOADED", `${node.dir}/loaded`);
  for (const asNobody of [false, true]) {
    for (const args of [["read", "TIME", "board", "0"], ["monitor", "--once"], ["doctor"]]) {
      const out = await node.joulemark(args, asNobody);
      assertEquals([out.code, out.stderr], [0, ""]);
      assert(!out.stdout.includes("foreign:"), out.stdout);
    }
    const run = await node.joulemark(["run", "--", "true"], asNobody);
    assert(!run.stderr.includes("foreign:"), run.stderr);
    Deno.removeSync(`${node.dir}/joulemark.report`);
  }
  Deno.env.delete("FAKE_LOADED");
  assert(![...Deno.readDirSync(node.dir)].some((entry) => entry.name === "loaded"));
});

onPrivateNode("what a GPU library prints does not reach the user", async (node) => {
  const path = `${node.dir}/libnvidia-ml.so.1`;
  compile("sources/readers/fake_nvml.c", path, ["-shared", "-fPIC", "-DLOUD"]);
  Deno.env.set("FAKE_LOADED", `${node.dir}/loaded`);
  const out = await node.joulemark([
    ...["run", "--", "sh", "-c", "echo to the user; echo an error >&2"],
  ]);
  Deno.env.delete("FAKE_LOADED");
  assert(Deno.statSync(`${node.dir}/loaded`).isFile);
  assertEquals(out.code, 0, out.stderr);
  assertEquals(out.stdout, "to the user\n");
  assertStringIncludes(out.stderr, "an error\n");
  assert(!out.stderr.includes("foreign:"), out.stderr);
});
