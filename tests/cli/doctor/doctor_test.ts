import { assert, assertEquals } from "@std/assert";
import { diagnose, remediesOf, type SourceRow } from "../../../src/cli/doctor/diagnose.ts";
import { doctor } from "../../../src/cli/doctor/doctor.ts";
import { diagnosisText, wrapText } from "../../../src/cli/doctor/doctor_text.ts";
import { permissionFlags } from "../../../src/cli/permissions.ts";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { buildCatalogue } from "../../../src/sources/signals/catalogue.ts";
import { capture } from "../../_support/capture.ts";
import { NODES } from "../../_support/node_tree.ts";
import { openNode } from "../../_support/node_run.ts";

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

Deno.test("doctor reports that a tree's energy files are for root, and that nothing moved", () => {
  using run = openNode("intel-skx-2s");
  const { sources } = diagnose(run.host, run.catalogue);
  const powercap = sources.find((s) => s.reader === "POWERCAP")!;
  assert(powercap.notes.some((note) => note.includes("mode 0400")));
  assert(powercap.live.length === 2 && powercap.live.every((l) => !l.live));
});

Deno.test("a package without a zone is named", () => {
  using run = openNode("intel-skx-2s");
  Deno.removeSync(`${run.root}/sys/class/powercap/intel-rapl:1`, { recursive: true });
  const catalogue = buildCatalogue({ host: run.host, readers: READERS });
  const { sources } = diagnose(run.host, catalogue);
  const { live } = sources.find(({ reader }) => reader === "POWERCAP")!;
  const { without } = live.find(({ signal }) => signal === "POWERCAP::CPU_ENERGY_CONSUMED")!;
  assertEquals(without, ["package 1"]);
});

Deno.test("a package whose file cannot be read is named, with the reason", () => {
  using run = openNode("intel-skx-2s");
  const file = "/sys/class/powercap/intel-rapl:1/energy_uj";
  Deno.removeSync(run.root + file);
  // It cannot be opened, also by root.
  Deno.symlinkSync("energy_uj", run.root + file);
  const found = diagnose(run.host, run.catalogue);
  const live = found.sources.flatMap(({ reader, live }) => reader === "POWERCAP" ? live : []);
  const [{ without, trouble }] = live;
  assertEquals(without, ["package 1"]);
  assertEquals(trouble?.split(": ")[0], `cannot read "${file}"`);
  assert(!trouble?.includes("doctor"), trouble);
});

Deno.test("remedies come least risk first, and those that open to all are marked", () => {
  const order = ["none", "low", "medium", "high"];
  for (const { name } of READERS) {
    const risks = remediesOf(name).map((mend) => order.indexOf(mend.risk));
    assertEquals(risks, [...risks].sort((a, b) => a - b), name);
    for (const mend of remediesOf(name)) {
      assert(mend.lines.length > 0, name);
      const open = /a\+r|paranoid=0/.test(mend.lines.join("\n"));
      if (open) assert(mend.opens.includes("CVE-2020-8694"));
    }
  }
});

Deno.test("doctor prints text, JSON and the permission flags", async () => {
  using run = openNode("vm-no-energy");
  const text = (await capture(doctor, ["--root", run.root, "--sources"])).stdout;
  assert(text.includes("  MSR       absent     no /dev/cpu/0/msr"), text);
  assert(text.includes("  CPU_ENERGY                not available from MSR, PERF, "), text);
  const json = JSON.parse((await capture(doctor, ["--root", run.root, "--json"])).stdout);
  assertEquals(json.root, run.root);
  const flags = (await capture(doctor, ["--permissions"])).stdout;
  assertEquals(flags.trim().split("\n"), permissionFlags());
  assertEquals((await capture(doctor, ["--what"])).code, 2);
});

for (const name of NODES) {
  Deno.test(`doctor keeps to 80 columns where no terminal is, on ${name}`, async () => {
    using run = openNode(name);
    for (const args of [[], ["--sources"], ["--verbose"]]) {
      const { stdout } = await capture(doctor, ["--root", run.root, ...args]);
      const long = stdout.split("\n").filter((line) => line.length > 80);
      assertEquals(long, []);
    }
  });
}

Deno.test("wrapText() loses nothing and keeps the width", () => {
  const text = "a reason with /a/path/that/is/longer/than/any/line/could/ever/be and more";
  for (const width of [5, 17, 80]) {
    const lines = wrapText(text, width);
    assert(lines.every((line) => line.length <= width));
    assertEquals(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
  }
  assertEquals(wrapText("", 10), [""]);
});

Deno.test("diagnosisText() prints forbidden sources with lines that can be copied, and the risk", () => {
  const closed: SourceRow = {
    reader: "POWERCAP",
    state: "forbidden",
    summary: "mode 0400 owner 0",
    signals: 0,
    lacks: [],
    notes: [],
    mends: remediesOf("POWERCAP"),
    live: [],
  };
  const energy = { name: "CPU_ENERGY", available: false, reason: "closed", closed: ["POWERCAP"] };
  const text = diagnosisText({
    root: "",
    processor: "a processor",
    domains: "1 package",
    sources: [closed],
    records: [energy],
    containment: [],
    permissions: {},
  }, { verbose: false, sources: true });
  assert(text.includes("  POWERCAP  forbidden  mode 0400 owner 0\n"), text);
  assert(text.includes("fix, risk low: only the group of the job can read the files"), text);
  assert(text.includes("chgrp GROUP /sys/class/powercap/*-rapl:*/energy_uj\n"), text);
  assert(text.includes("chmod 0400 /sys/class/powercap/*-rapl:*/energy_uj\n"), text);
  assert(text.indexOf("risk low") < text.indexOf("risk high"));
  assert(!text.slice(0, text.indexOf("Node")).includes("cap_dac_read_search"), text);
  assert(text.includes("not available: no permission for POWERCAP, see above"), text);
});

Deno.test("doctor shows each energy counter below the one that holds it, and what was chosen", async () => {
  using run = openNode("cray-xc30-ivb");
  const { containment } = diagnose(run.host, run.catalogue);
  const of = (name: string) => containment.find((c) => c.signal === name)!;
  assertEquals(of("CNL::BOARD_ENERGY").depth, 0);
  assert(of("CNL::BOARD_ENERGY").chosenAs.includes("BOARD_ENERGY"));
  assertEquals(of("MSR::PKG_ENERGY_STATUS:ENERGY").depth, 1);
  assert(of("MSR::PKG_ENERGY_STATUS:ENERGY").chosenAs.includes("CPU_ENERGY"));
  assertEquals(of("MSR::PP0_ENERGY_STATUS:ENERGY").depth, 2);
  const { stdout } = await capture(doctor, ["--root", run.root, "--sources"]);
  assert(stdout.includes("MSR::PKG_ENERGY_STATUS:ENERGY (CPU_ENERGY, PACKAGE_ENERGY)"), stdout);
});

Deno.test("doctor --allow-list prints what docs/explanation/permissions.md shows", async () => {
  const { stdout } = await capture(doctor, ["--allow-list"]);
  const page = Deno.readTextFileSync(
    new URL("../../../docs/explanation/permissions.md", import.meta.url),
  );
  const shown = page.split("\n").filter((line) => /^ +0x\w+ 0x0{16} #/.test(line));
  assertEquals(shown.map((line) => line.trim()), stdout.trim().split("\n"));
  const numbers = shown.map((line) => line.trim().split(" ")[0]);
  assertEquals(new Set(numbers).size, numbers.length, "each register once: the module demands it");
});
