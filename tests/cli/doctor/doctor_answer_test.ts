/** doctor's answer: a cause for each quantity, and only remedies that make a value available. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  diagnose,
  type Diagnosis,
  remediesOf,
  type SourceRow,
} from "../../../src/cli/doctor/diagnose.ts";
import {
  answerLines,
  driversOf,
  gainsOf,
  quantitiesOf,
} from "../../../src/cli/doctor/doctor_answer.ts";
import { diagnosisText } from "../../../src/cli/doctor/doctor_text.ts";
import { NODES } from "../../_support/node_tree.ts";
import { openNode } from "../../_support/node_run.ts";

const BARE = "Intel Xeon", VIRTUAL = "AMD EPYC (virtual machine)";

function source(reader: string, own: Partial<SourceRow> = {}): SourceRow {
  return {
    reader,
    state: "absent",
    summary: `no ${reader}`,
    signals: 0,
    lacks: [],
    notes: [],
    mends: [],
    live: [],
    ...own,
  };
}

function node(own: Partial<Diagnosis> = {}): Diagnosis {
  const names = ["CPU_ENERGY", "DRAM_ENERGY", "BOARD_ENERGY", "GPU_ENERGY", "CPU_CYCLES_THREAD"];
  return {
    root: "",
    processor: BARE,
    domains: "1 package, 0 GPUs",
    sources: [source("MSR"), source("POWERCAP"), source("PROCSTAT", { state: "readable" })],
    records: names.map((name) => ({
      name,
      available: false,
      reason: "none",
      readers: ["MSR", "POWERCAP"],
      closed: [],
    })),
    containment: [],
    permissions: {},
    ...own,
  };
}

const states = (found: Diagnosis) => quantitiesOf(found).map(({ state }) => state);

Deno.test("a virtual machine withoutFile counters has no remedy, and an answer in one line", () => {
  const found = node({ processor: VIRTUAL, modules: ["msr"] });
  const rows = quantitiesOf(found);
  assertEquals(new Set(states(found)), new Set(["not available", "works"]));
  assertEquals([gainsOf(found, rows), driversOf(found, rows)], [[], []]);
  assertMatch(
    answerLines(found, rows)[0],
    /^No energy can be measured here: this is a virtual machine/,
  );
  const text = diagnosisText(found, { verbose: false });
  assertMatch(text, /^package energy +not available +no RAPL in this virtual machine$/m);
  assertMatch(text, /^There is nothing to fix\.$/m);
  assert(!/modprobe|setcap|sysctl/.test(text), text);
});

Deno.test("a counter that some packages do not have works in part", () => {
  const live = [{ signal: "POWERCAP::CPU_ENERGY_CONSUMED", live: true, without: ["package 1"] }];
  const sources = [source("POWERCAP", { state: "readable", live })];
  const records = node().records.map((row) =>
    row.name === "CPU_ENERGY"
      ? { ...row, available: true, source: "POWERCAP::CPU_ENERGY_CONSUMED, zone" }
      : row
  );
  const found = node({ sources, records }), rows = quantitiesOf(found);
  assertEquals([rows[0].state, rows[0].why], ["in part", "RAPL, powercap, no value of package 1"]);
  assertEquals(answerLines(found, rows), ["Energy can be measured here: package in part."]);
});

Deno.test("a driver is missing only if the file of its module is there", () => {
  const msr = source("MSR", { remedy: "modprobe msr (as root)" });
  const sources = [msr, source("POWERCAP")];
  const withFile = node({ sources, modules: ["msr"] }), withoutFile = node({ sources });
  assertEquals(states(withFile)[0], "driver missing");
  assertEquals(states(withoutFile)[0], "not available");
  assertEquals(driversOf(withFile, quantitiesOf(withFile)).map(({ line }) => line), [
    "modprobe msr (as root)",
  ]);
  assertEquals(driversOf(withoutFile, quantitiesOf(withoutFile)), []);
});

Deno.test("a remedy is printed only for a quantity that it makes available", () => {
  const mends = remediesOf("POWERCAP");
  const closed = source("POWERCAP", { state: "forbidden", summary: "mode 0400 owner 0", mends });
  const found = node({ sources: [source("MSR"), closed] });
  const records = found.records.map((record) => {
    return record.name === "CPU_ENERGY" ? { ...record, closed: ["POWERCAP"] } : record;
  });
  const own = { ...found, records };
  const gains = gainsOf(own, quantitiesOf(own));
  assertEquals(gains.length, mends.length - 1, "one opens every file of the node");
  assert(gains.every(({ quantities }) => quantities.join() === "package energy"));
  const text = diagnosisText(own, { verbose: false });
  assertMatch(text, /^Energy counters exist, but you may not read them: 1 of 4 energies/);
  assertMatch(text, /^To get package energy, ask your administrator for one of these/m);
  assertMatch(text, /1\. risk low: run joulemark collector as a service/);
  const risks = [...text.matchAll(/risk (none|low|medium|high)/g)].map(([, risk]) => {
    return ["none", "low", "medium", "high"].indexOf(risk);
  });
  assertEquals(risks, risks.toSorted((a, b) => a - b), "least risk first");
  const [virtual] = answerLines({ ...own, processor: VIRTUAL }, quantitiesOf(own));
  assertMatch(
    virtual,
    /^This virtual machine shows energy counters, which its host may not serve\. You/,
  );
  // Energy that works already needs none.
  const works = records.map((record) => ({ ...record, available: true, source: "MSR::X, file" }));
  const served = { ...own, records: works };
  assertEquals(gainsOf(served, quantitiesOf(served)), []);
});

for (const name of NODES) {
  Deno.test(`each quantity of ${name} has a state and a reason; no remedy is in force already`, () => {
    using run = openNode(name);
    const found = diagnose(run.host, run.catalogue);
    const rows = quantitiesOf(found);
    for (const row of rows) assert(row.why.length > 3, row.name);
    for (const { remedy, quantities } of gainsOf(found, rows)) {
      assert(remedy.lines.length > 0);
      for (const name of quantities) {
        assertEquals(rows.find((row) => row.name === name)!.state, "no permission");
      }
    }
  });
}
