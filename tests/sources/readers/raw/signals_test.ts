import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { MachineHost } from "../../../../src/os/host.ts";
import { raw } from "../../../../src/sources/readers/raw/signals.ts";
import { ScopedHost } from "../../../../src/core/machine/scoped_host.ts";
import { advanceNodeTree } from "../../../_support/node_tree.ts";
import { loadRawNode, writeRawTree } from "../../../_support/raw_node.ts";

/** Values of some signals over all frames of a node, one list per signal and frame. */
function overFrames(name: string, signals: string[]): number[][][] {
  const root = Deno.makeTempDirSync();
  try {
    const node = loadRawNode(name);
    writeRawTree(root, node, 0);
    const host = new ScopedHost(new MachineHost(root), raw.name, raw.needs);
    const offer = raw.probe(host);
    assert(offer.ok);
    const wanted = signals.map((s) => offer.signals.find((o) => o.row.name === s)!);
    const counts = wanted.map((w) => host.topology.count(w.row.domain));
    using reading = raw.open(host, wanted);
    return node.frames.map((frame, i) => {
      if (i > 0) advanceNodeTree(root, node, i);
      const out = new Float64Array(counts.reduce((a, b) => a + b, 0));
      reading.readInto(out, frame.time);
      let at = 0;
      return counts.map((count) => [...out.subarray(at, at += count)]);
    });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("raw: energies are in joules, unwrapped, by the unit register and the model", () => {
  const names = ["RAW::intel_rapl:MSR_PKG_ENERGY_STATUS", "RAW::intel_rapl:MSR_DRAM_ENERGY_STATUS"];
  const frames = overFrames("intel-skx-2s", names);
  const truth = loadRawNode("intel-skx-2s").truth.rapl;
  for (let i = 1; i < frames.length; i++) {
    for (const p of [0, 1]) {
      const [pkg, dram] = [0, 1].map((s) => frames[i][s][p] - frames[i - 1][s][p]);
      assertAlmostEquals(pkg, truth[`package${p}`].pkg_delta_J[i - 1], 1e-3);
      assertAlmostEquals(dram, truth[`package${p}`].dram_delta_J[i - 1], 1e-3);
    }
  }
});

Deno.test("raw: types of CPUs have their domain, others are added up to the board", () => {
  const names = ["RAW::cpu:user", "RAW::mem:MemUsed", "RAW::net:rx_bytes", "RAW::ps:load_1"];
  const [first, second] = overFrames("intel-skx-2s", names);
  assertEquals(first[0].length, 32);
  assertEquals(first[1], [(11072962 + 11073962) * 1024]);
  assertEquals(first[3], [2478]);
  // three interfaces are up; the increments are those of the raw stats of the same node
  assert(second[2][0] > first[2][0]);
  assertEquals(second[0].map((s, i) => Math.round(s - first[0][i])).every((s) => s > 0), true);
});

Deno.test("raw: what a node does not have is absent, with the reason", () => {
  const root = Deno.makeTempDirSync();
  try {
    writeRawTree(root, loadRawNode("vm-no-energy"), 0);
    const offer = raw.probe(new MachineHost(root));
    assert(offer.ok);
    assertEquals(
      offer.missing!.get("RAW::amd64_df:CTR0")!.reason,
      "this node has no amd64_df",
    );
    assertEquals(
      offer.missing!.get("RAW::vm:allocstall")!.reason,
      "no source of allocstall of vm",
    );
    assertEquals(offer.signals.length + offer.missing!.size, raw.signals.length);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("raw: every key has a meaning of its own", () => {
  const unexplained = raw.signals.filter(({ about }) => about.startsWith("Key ")).map((s) =>
    s.name
  );
  assertEquals(unexplained, []);
});
