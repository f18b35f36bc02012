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

async function runOver(name: string, dir: string): Promise<NodeFile> {
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
      "read line",
    ],
    cwd: dir,
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  await new Promise((go) => setTimeout(go, 500));
  for (let frame = 1; frame < node.frames.length; frame++) {
    advanceNodeTree(root, node, frame);
    await new Promise((go) => setTimeout(go, 120));
  }
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode("go\n"));
  await input.close();
  const out = await child.output();
  assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
  assertStringIncludes(new TextDecoder().decode(out.stderr), "simulated");
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
