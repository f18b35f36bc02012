/** The executable over trees of the six nodes: what their descriptions hold must come out. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import {
  advanceNodeTree,
  frameOf,
  loadNode,
  type NodeFile,
  NODES,
  writeNodeTree,
} from "../_support/node_tree.ts";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

/** Sums of lists of numbers, also of lists of lists. */
function total(...lists: number[][]): number {
  return lists.flat().reduce((sum, value) => sum + value, 0);
}

type Energies = { package?: number; dram?: number };

/** What the report must say of a run over all frames, in J; `undefined`: absent. */
const EXPECTED: Record<string, (truth: NodeFile["truth"]) => Energies> = {
  "cray-xc30-ivb": ({ rapl }) => ({
    package: total(rapl.package0.pkg_delta_J, rapl.package1.pkg_delta_J),
    dram: total(rapl.package0.dram_delta_J, rapl.package1.dram_delta_J),
  }),
  "intel-skx-2s": ({ rapl }) => ({
    package: total(rapl.package0.pkg_delta_J, rapl.package1.pkg_delta_J),
    dram: total(rapl.package0.dram_delta_J, rapl.package1.dram_delta_J),
  }),
  "amd-epyc-rome-2s": ({ amd_rapl }) => ({ package: total(...amd_rapl.pkg_delta_J) }),
  // The memory's energy is the controller's: 1 J a count, from one frame to the last.
  "cray-ex-trento-4gpu": ({ amd_rapl }) => ({
    package: total(amd_rapl.pkg_delta_J),
    dram: memoryEnergyJ("cray-ex-trento-4gpu"),
  }),
  "vm-no-energy": () => ({}),
};

function memoryEnergyJ(name: string): number {
  const path = "/sys/cray/pm_counters/memory_energy";
  const node = loadNode(name);
  const at = (frame: number) => Number(frameOf(node, frame).tree[path].split(" ")[0]);
  return at(node.frames.length - 1) - at(0);
}

async function runOver(
  name: string,
  dir: string,
  env: Record<string, string> = {},
): Promise<NodeFile> {
  const node = loadNode(name);
  const root = `${dir}/tree`;
  writeNodeTree(root, node);
  const child = new Deno.Command(BINARY, {
    args: [
      "run",
      "--root",
      root,
      "--report-signals",
      "CPU_ENERGY@package",
      "--",
      "sh",
      "-c",
      "echo begun; read line",
    ],
    cwd: dir,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // The command begins when the monitor is ready, which takes long on a busy machine; so does its first sample.
  const output = child.stdout.getReader();
  assertEquals(new TextDecoder().decode((await output.read()).value), "begun\n");
  output.releaseLock();
  await new Promise((go) => setTimeout(go, 1000));
  for (let frame = 1; frame < node.frames.length; frame++) {
    advanceNodeTree(root, node, frame);
    await new Promise((go) => setTimeout(go, 120));
  }
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode("go\n"));
  await input.close();
  const out = await child.output();
  assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
  assertStringIncludes(new TextDecoder().decode(out.stderr), "SIMULATED");
  return node;
}

for (const name of NODES) {
  endToEnd(`run --root agrees with the energies of ${name}`, async (dir) => {
    const node = await runOver(name, dir);
    const expected = EXPECTED[name]?.(node.truth);
    const text = Deno.readTextFileSync(`${dir}/joulemark.report`);
    const [host] = parseReport(text, "report").hosts;
    assertEquals(host.host, node.hostname);
    const sources = host.joulemark!.sources as Record<string, Record<string, string>>;
    for (
      const [key, signal, value] of [
        ["package-energy (J)", "CPU_ENERGY", expected?.package],
        ["dram-energy (J)", "DRAM_ENERGY", expected?.dram],
      ] as const
    ) {
      if (expected === undefined) continue;
      const printed = Number(host.application[key]);
      if (value === undefined) {
        assertEquals(printed, 0);
        assert(sources[signal].absent !== undefined, `${signal} is absent with a reason`);
      } else {
        // Six digits are printed.
        assertAlmostEquals(printed, value, 1e-5 * value + 1e-4, key);
        assertEquals(sources[signal].quality, "simulated");
        assert(sources[signal].signal.includes("::"), "the report says what was chosen");
      }
    }
    if (name === "intel-skx-2s") {
      const packages = [0, 1].map((i) => Number(host.application[`CPU_ENERGY@package-${i}`]));
      assertAlmostEquals(packages[0], total(node.truth.rapl.package0.pkg_delta_J), 2);
      assertAlmostEquals(packages[1], total(node.truth.rapl.package1.pkg_delta_J), 2);
    }
  });

  endToEnd(`read, read --list and doctor work over ${name}`, (dir) => {
    const node = loadNode(name);
    const root = `${dir}/tree`;
    writeNodeTree(root, node);
    const names = joulemark(dir, ["read", "--root", root]);
    assertEquals(names.code, 0, names.stderr);
    assert(names.stdout.split("\n").includes("TIME"));
    assertEquals(names.stdout.split("\n").includes("CPU_ENERGY"), name !== "vm-no-energy");
    const list = joulemark(dir, ["read", "--list", "energy", "--root", root]);
    assertEquals(list.code, 0, list.stderr);
    const energy = joulemark(dir, ["read", "CPU_ENERGY", "board", "0", "--root", root]);
    if (name === "vm-no-energy") {
      assertEquals([energy.code, energy.stdout], [1, "nan\n"]);
      assert(energy.stderr !== "");
    } else {
      assertEquals(energy.code, 0, energy.stderr);
      assert(Number(energy.stdout) > 0 || name === "nvidia-grace-2s", energy.stdout);
    }
    assertEquals(joulemark(dir, ["read", "NO_SUCH", "board", "0", "--root", root]).code, 2);
    const doctor = joulemark(dir, ["doctor", "--root", root]);
    assertEquals(doctor.code, 0, doctor.stderr);
    for (const line of doctor.stdout.split("\n")) assert(line.length <= 80, line);
    const json = joulemark(dir, ["doctor", "--json", "--root", root]);
    assertEquals(json.code, 0, json.stderr);
    JSON.parse(json.stdout);
  });
}

function startupOf(node: NodeFile): number {
  return parseInt(frameOf(node, 0).tree["/sys/cray/pm_counters/startup"]);
}

/** As the paper's job script has it, its line breaks included. */
const PAT_RT_PERFCTR = `UNITS:POWER,UNITS:ENERGY,UNITS:TIME, /
THERMAL_SPEC,MINIMUM_POWER,MAXIMUM_POWER,MAXIMUM_TIME_WINDOW, /
PACKAGE_ENERGY,PP0_ENERGY,DRAM_ENERGY, /
PM_POWER_CAP:NODE,PM_POWER:NODE,PM_ENERGY:NODE, /
PM_FRESHNESS,PM_GENERATION,PM_STARTUP,PM_VERSION`;

endToEnd(
  "PAT_RT_PERFCTR: PACKAGE_ENERGY is the average energy used by the processors, powers are maxima",
  async (dir) => {
    const name = "cray-xc30-ivb";
    const node = await runOver(name, dir, { PAT_RT_PERFCTR: `${PAT_RT_PERFCTR},NO_SUCH` });
    const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "report").hosts;
    assertEquals(Object.keys(host.joulemark!.counters!).length, 17);
    // All of them by --report-signals too.
    const list = PAT_RT_PERFCTR.split(/[\s,/]+/);
    const signals = [
      "run",
      "-q",
      "--root",
      "tree",
      "--report-signals",
      list.join(),
      "--report",
      "s",
    ];
    const asked = joulemark(dir, [...signals, "--", "sleep", "0.3"]);
    assertEquals([list.length, asked.code, asked.stderr], [17, 0, ""]);
    const [{ application }] = parseReport(Deno.readTextFileSync(`${dir}/s`), "s").hosts;
    // A report's values have six digits.
    assertAlmostEquals(Number(application.PM_STARTUP) / startupOf(node), 1, 1e-5);
    for (const counter of list) assert(application[counter] !== undefined, counter);
    const table = joulemark(dir, ["pmc", "--summary", "craypat", "--json", "joulemark.report"]);
    assertEquals(table.code, 0, table.stderr);
    const rows: Record<string, string | number>[] = JSON.parse(table.stdout).tables[0].rows;
    const found = new Map(rows.map((row) => [row.counter, row]));
    const { package0, package1 } = node.truth.rapl;
    const mean = (a: number[], b: number[]) => total(a, b) / 2;
    for (
      const [counter, value, unit] of [
        ["THERMAL_SPEC", 130, "W"],
        ["PACKAGE_ENERGY", mean(package0.pkg_delta_J, package1.pkg_delta_J), "J"],
        ["DRAM_ENERGY", mean(package0.dram_delta_J, package1.dram_delta_J), "J"],
      ] as const
    ) {
      assertAlmostEquals(Number(found.get(counter)!.value), value, 1e-4 * value, counter);
      assertEquals(found.get(counter)!.unit, unit);
    }
    assertEquals(found.get("PM_STARTUP"), {
      counter: "PM_STARTUP",
      unit: "cycles",
      aggregation: "max",
      value: startupOf(node),
    });
    const powers = node.frames.map((_, frame) =>
      parseInt(frameOf(node, frame).tree["/sys/cray/pm_counters/power"])
    );
    assertEquals(found.get("PM_POWER:NODE")!.value, Math.max(...powers));
    const text = joulemark(dir, ["pmc", "--summary", "craypat", "joulemark.report"]).stdout;
    assertStringIncludes(text, "Program HW Performance Counter Data");
    console.log(text);
  },
);
