import { assert, assertEquals } from "@std/assert";
import { diagnose } from "../../src/cli/diagnose.ts";
import { doctor } from "../../src/cli/doctor.ts";
import { mendsOf } from "../../src/cli/mends.ts";
import { permissionFlags } from "../../src/cli/permissions.ts";
import { READERS } from "../../src/readers/all.ts";
import { capture } from "../_support/capture.ts";
import { NODES } from "../_support/node_tree.ts";
import { openNode } from "../_support/node_run.ts";

for (const name of NODES) {
  Deno.test(`doctor has a row for every source of ${name}, with a reason where it is not readable`, () => {
    using run = openNode(name);
    const found = diagnose(run.host, run.catalogue);
    assertEquals(found.sources.map((s) => s.reader), READERS.map((r) => r.name));
    for (const source of found.sources) {
      assert(source.summary.length > 5, source.reader);
      assertEquals(
        source.signals > 0,
        ["readable", "partly"].includes(source.state),
        source.reader,
      );
    }
    for (const record of found.records) {
      assert(record.available ? record.source! !== "" : record.reason! !== "", record.name);
    }
  });
}

Deno.test("doctor says that a tree's energy files are for root, and that nothing moved", () => {
  using run = openNode("intel-skx-2s");
  const { sources } = diagnose(run.host, run.catalogue);
  const powercap = sources.find((s) => s.reader === "POWERCAP")!;
  assert(powercap.notes.some((note) => note.includes("mode 0400")));
  assert(powercap.live.length === 2 && powercap.live.every((l) => !l.live));
});

Deno.test("mends come least risk first, and the ones that open to all say so", () => {
  const order = ["none", "low", "medium", "high"];
  for (const { name } of READERS) {
    const risks = mendsOf(name).map((mend) => order.indexOf(mend.risk));
    assertEquals(risks, [...risks].sort((a, b) => a - b), name);
    for (const mend of mendsOf(name)) {
      if (/a\+r|paranoid=0/.test(mend.line)) assert(mend.opens.includes("CVE-2020-8694"));
    }
  }
});

Deno.test("doctor prints text, JSON and the permission flags", async () => {
  using run = openNode("vm-no-energy");
  const text = (await capture(doctor, ["--root", run.root])).stdout;
  assert(text.includes("MSR       absent      no /dev/cpu/0/msr"));
  assert(text.includes("CPU_ENERGY                nothing: "));
  const json = JSON.parse((await capture(doctor, ["--root", run.root, "--json"])).stdout);
  assertEquals(json.root, run.root);
  const flags = (await capture(doctor, ["--permissions"])).stdout;
  assertEquals(flags.trim().split("\n"), permissionFlags());
  assertEquals((await capture(doctor, ["--what"])).code, 2);
});
