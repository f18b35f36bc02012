/** The six simulated nodes: every figure of `truth`, by readers and batch, over all frames. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { deltas, type NodeRun, openNode, overFrames, type Wish } from "../../_support/node_run.ts";

function assertSeries(found: readonly number[], expected: readonly number[], tolerance: number) {
  assertEquals(found.length, expected.length);
  found.forEach((value, i) => assertAlmostEquals(value, expected[i], tolerance));
}

/** Value of a constant at frame 0. */
function now(run: NodeRun, wishes: readonly Wish[]): number[] {
  return overFrames({ ...run, node: { ...run.node, frames: run.node.frames.slice(0, 1) } }, wishes)
    .map((series) => series[0]);
}

for (const name of ["intel-skx-2s", "cray-xc30-ivb"]) {
  Deno.test(`msr: ${name} gives the energies of truth, wraps included`, () => {
    using run = openNode(name);
    for (const p of [0, 1]) {
      const truth = run.node.truth.rapl[`package${p}`];
      const wishes: Wish[] = [["CPU_ENERGY", "package", p], ["DRAM_ENERGY", "package", p]];
      if (truth.pp0_delta_J) wishes.push(["PP0_ENERGY", "package", p]);
      using fresh = openNode(name);
      const [cpu, dram, pp0] = overFrames(fresh, wishes);
      assertSeries(deltas(cpu), truth.pkg_delta_J, truth.energy_unit_J / 2);
      assertSeries(deltas(dram), truth.dram_delta_J, truth.dram_unit_J / 2);
      if (pp0) assertSeries(deltas(pp0), truth.pp0_delta_J, truth.energy_unit_J / 2);
    }
  });

  Deno.test(`msr: ${name} gives the limits and windows of truth`, () => {
    using run = openNode(name);
    for (const p of [0, 1]) {
      const truth = run.node.truth.rapl[`package${p}`];
      const at = (signal: string): Wish => [signal, "package", p];
      const found = now(run, [
        at("THERMAL_SPEC"),
        at("MINIMUM_POWER"),
        at("MAXIMUM_POWER"),
        at("MAXIMUM_TIME_WINDOW"),
        at("MSR::PKG_POWER_LIMIT:PL1_POWER_LIMIT"),
        at("MSR::PKG_POWER_LIMIT:PL1_TIME_WINDOW"),
        at("MSR::PKG_POWER_LIMIT:PL2_POWER_LIMIT"),
        at("MSR::PKG_POWER_LIMIT:PL2_TIME_WINDOW"),
        at("MSR::RAPL_POWER_UNIT:ENERGY"),
      ]);
      assertEquals(found, [
        truth.thermal_spec_W,
        truth.min_W,
        truth.max_W,
        truth.max_time_window_s_linear,
        truth.pl1_W,
        truth.pl1_window_s,
        truth.pl2_W,
        truth.pl2_window_s,
        truth.energy_unit_J,
      ]);
    }
  });
}

Deno.test("msr: CrayPat's names read as CrayPat prints them", () => {
  using run = openNode("cray-xc30-ivb");
  const raw = run.node.truth.rapl_raw as Record<string, number>;
  const names = Object.keys(raw);
  assertEquals(now(run, names.map((n) => [n, "package", 0])), names.map((n) => raw[n]));
});

Deno.test("msr: power plane 0 of a Skylake server is absent, not 0 J", () => {
  using run = openNode("intel-skx-2s");
  const entry = run.catalogue.info("PP0_ENERGY")!;
  assert(!entry.state.ok && entry.state.reason.includes("power plane 0"));
});

Deno.test("powercap: agrees with the registers within its truncated units, nothing counted twice", () => {
  using run = openNode("intel-skx-2s");
  const wishes: Wish[] = [0, 1].flatMap((p): Wish[] => [
    ["POWERCAP::CPU_ENERGY_CONSUMED", "package", p],
    ["POWERCAP::DRAM_ENERGY_CONSUMED", "package", p],
  ]);
  const series = overFrames(run, wishes);
  [0, 1].forEach((p) => {
    const truth = run.node.truth.rapl[`package${p}`];
    deltas(series[2 * p]).forEach((delta, i) => {
      const exact = truth.pkg_delta_J[i];
      assertAlmostEquals(delta, exact, exact * 3e-6 + 0.001);
    });
    deltas(series[2 * p + 1]).forEach((delta, i) => {
      const exact = truth.dram_delta_J[i] * run.node.truth.dram_quirk.kernel_unit_uJ * 1e-6 * 65536;
      assertAlmostEquals(delta, exact, exact * 1e-6 + 0.001);
    });
  });
});

Deno.test("hwmon: the meter of intel-skx-2s is the node's power", () => {
  using run = openNode("intel-skx-2s");
  const [watts, joules] = overFrames(run, [["BOARD_POWER", "board", 0], [
    "BOARD_ENERGY",
    "board",
    0,
  ]]);
  assertEquals(watts, run.node.truth.power_meter_W);
  const truth = run.node.truth.power_meter_W as number[];
  const expected = truth.slice(1).map((w, i) => (w + truth[i]) / 2 * 300);
  assertSeries(deltas(joules), expected, 1e-6);
});

for (const name of ["cray-xc30-ivb", "cray-ex-trento-4gpu"]) {
  Deno.test(`cray: ${name} gives the node's power and whole joules`, () => {
    using run = openNode(name);
    const [watts, joules] = overFrames(run, [["BOARD_POWER", "board", 0], [
      "BOARD_ENERGY",
      "board",
      0,
    ]]);
    assertEquals(watts, run.node.truth.pm_counters.node_power_W);
    assert(deltas(joules).every((j) => Number.isInteger(j) && j > 200));
  });
}

Deno.test("cray: modules, CPU and memory are parts of the node, and the rest is reported", () => {
  using run = openNode("cray-ex-trento-4gpu");
  const truth = run.node.truth.pm_counters;
  const accel = [0, 1, 2, 3].map((n): Wish => [`CNL::ACCEL${n}_POWER`, "board", 0]);
  const [cpu, memory, rest, ...modules] = overFrames(run, [
    ["PM_POWER:CPU", "board", 0],
    ["PM_POWER:MEMORY", "board", 0],
    ["BOARD_POWER_REST", "board", 0],
    ...accel,
  ]);
  assertEquals(cpu, truth.cpu_power_W);
  assertEquals(memory, truth.memory_power_W);
  assertEquals(modules, truth.accel_power_W);
  assertEquals(rest, truth.node_power_W.map(() => truth.unaccounted_W));
});

Deno.test("amdgpu: four modules, not eight devices, and their power is the controller's", () => {
  using run = openNode("cray-ex-trento-4gpu");
  assertEquals([run.host.topology.count("gpu"), run.host.topology.count("gpu_chip")], [4, 8]);
  const series = overFrames(run, [0, 1, 2, 3].map((g): Wish => ["GPU_POWER", "gpu", g]));
  assertEquals(series, run.node.truth.pm_counters.accel_power_W);
});

for (const name of ["amd-epyc-rome-2s", "cray-ex-trento-4gpu"]) {
  Deno.test(`msr: ${name} gives package energy, wraps included`, () => {
    using run = openNode(name);
    const truth = run.node.truth.amd_rapl;
    const packages: number[][] = Array.isArray(truth.pkg_delta_J[0])
      ? truth.pkg_delta_J
      : [truth.pkg_delta_J];
    const series = overFrames(run, packages.map((_, p): Wish => ["CPU_ENERGY", "package", p]));
    series.forEach((s, p) => assertSeries(deltas(s), packages[p], truth.energy_unit_J / 2));
  });
}

Deno.test("msr: AMD cores have energies of their own, less than the package's", () => {
  using run = openNode("amd-epyc-rome-2s");
  const truth = run.node.truth.amd_rapl;
  const wishes = Array.from({ length: 32 }, (_, c): Wish => {
    return ["MSR::CORE_ENERGY_STATUS:ENERGY", "core", c];
  });
  const series = overFrames(run, wishes);
  series.forEach((s, c) => assertSeries(deltas(s), truth.core_delta_J[c], truth.energy_unit_J / 2));
  using trento = openNode("cray-ex-trento-4gpu");
  const [core0] = overFrames(trento, [["MSR::CORE_ENERGY_STATUS:ENERGY", "core", 0]]);
  assertSeries(deltas(core0), trento.node.truth.amd_rapl.core0_delta_J, truth.energy_unit_J / 2);
});

Deno.test("hwmon: amd_energy agrees with the registers, though it never wraps", () => {
  using run = openNode("amd-epyc-rome-2s");
  const truth = run.node.truth.amd_rapl;
  const series = overFrames(run, [
    ["HWMON::AMD_SOCKET_ENERGY", "package", 0],
    ["HWMON::AMD_SOCKET_ENERGY", "package", 1],
    ["HWMON::AMD_CORE_ENERGY", "core", 17],
  ]);
  assertSeries(deltas(series[0]), truth.pkg_delta_J[0], 2e-5);
  assertSeries(deltas(series[1]), truth.pkg_delta_J[1], 2e-5);
  assertSeries(deltas(series[2]), truth.core_delta_J[17], 2e-5);
});

Deno.test("powercap: AMD packages wrap at the published range; the core zone is not taken", () => {
  using run = openNode("amd-epyc-rome-2s");
  const truth = run.node.truth.amd_rapl;
  const series = overFrames(
    run,
    [0, 1].map((p): Wish => {
      return ["POWERCAP::CPU_ENERGY_CONSUMED", "package", p];
    }),
  );
  series.forEach((s, p) =>
    deltas(s).forEach((delta, i) => {
      const exact = truth.pkg_delta_J[p][i];
      assertAlmostEquals(delta, exact, exact * 6e-5 + 0.001);
    })
  );
  assertEquals(run.catalogue.info("PP0_ENERGY")!.aliasFor, "MSR::CORE_ENERGY_STATUS:ENERGY");
  assert(!run.catalogue.info("POWERCAP::CORE_ENERGY_CONSUMED")!.state.ok);
});

Deno.test("hwmon: Grace's sockets hold their rails, and energy is the integral of the meter", () => {
  using run = openNode("nvidia-grace-2s");
  const truth = run.node.truth;
  const rails: [string, string][] = [["GRACE", "Grace"], ["GRACE_CPU", "CPU"], [
    "GRACE_SYSIO",
    "SysIO",
  ]];
  const wishes = rails.flatMap(([rail]): Wish[] =>
    [0, 1].flatMap((p): Wish[] => [
      [`HWMON::${rail}_POWER`, "package", p],
      [`INTEGRAL::${rail}_POWER`, "package", p],
    ])
  );
  const series = overFrames(run, [...wishes, ["CPU_ENERGY", "board", 0]]);
  rails.forEach(([, label], r) =>
    [0, 1].forEach((p) => {
      const name = `${label} Power Socket ${p}`;
      const power = series[4 * r + 2 * p];
      // The files carry a few milliwatts more, to tell the meters apart.
      assertSeries(power, truth.power_W[name], 0.01);
      assertAlmostEquals(series[4 * r + 2 * p + 1].at(-1)!, truth.energy_J_trapezoid[name], 0.03);
    })
  );
  const total = truth.energy_J_trapezoid["Grace Power Socket 0"] +
    truth.energy_J_trapezoid["Grace Power Socket 1"];
  assertAlmostEquals(series.at(-1)!.at(-1)!, total, 0.05);
});

Deno.test("a virtual machine has no energy, no power and no temperature: absent, never 0", () => {
  using run = openNode("vm-no-energy");
  for (const entry of run.catalogue.list()) {
    if (!["J", "W", "°C"].includes(entry.row.unit)) continue;
    assert(!entry.state.ok, entry.name);
    assert(entry.state.reason.length > 5, entry.name);
  }
  const series = overFrames(run, [["CPU_ENERGY", "package", 0], ["BOARD_POWER", "board", 0]]);
  assert(series.flat().every(Number.isNaN));
});

Deno.test("temperatures: registers, hwmon and thermal zones agree with the tree", () => {
  using skx = openNode("intel-skx-2s");
  assertEquals(now(skx, [["CPU_PACKAGE_TEMPERATURE", "package", 1]]), [93 - 30]);
  assertEquals(now(skx, [["HWMON::PACKAGE_TEMPERATURE", "package", 1]]), [63]);
  assertEquals(now(skx, [["HWMON::CORE_TEMPERATURE", "core", 17]]), [62]);
  assertEquals(now(skx, [["THERMAL::PACKAGE_TEMPERATURE", "package", 1]]), [62]);
  using ex = openNode("cray-ex-trento-4gpu");
  assertEquals(now(ex, [["CPU_PACKAGE_TEMPERATURE", "package", 0]]), [48]);
});

Deno.test("frequencies: sticker by each of its sources, achieved from APERF and MPERF", () => {
  const sticker: Record<string, number> = {
    "intel-skx-2s": 2.6e9,
    "cray-xc30-ivb": 2.7e9,
    "amd-epyc-rome-2s": 3e9,
    "cray-ex-trento-4gpu": 2e9,
    "vm-no-energy": 2.5e9,
  };
  for (const [name, hz] of Object.entries(sticker)) {
    using run = openNode(name);
    assertEquals(now(run, [["CPU_FREQUENCY_STICKER", "board", 0]]), [hz], name);
  }
  using grace = openNode("nvidia-grace-2s");
  assert(!grace.catalogue.info("CPU_FREQUENCY_STICKER")!.state.ok);
  using skx = openNode("intel-skx-2s");
  const [achieved] = overFrames(skx, [["CPU_FREQUENCY_ACHIEVED", "board", 0]]);
  assert(Number.isNaN(achieved[0]));
  achieved.slice(1).forEach((hz) => assertAlmostEquals(hz, 2.99e9, 1e6));
});
