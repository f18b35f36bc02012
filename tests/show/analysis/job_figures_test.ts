/** Figures of jobs that are compared. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { differences } from "../../../src/show/analysis/comparable.ts";
import { compare } from "../../../src/show/analysis/comparison.ts";
import { comparableFigures } from "../../../src/show/analysis/job_figures.ts";
import type { Report } from "../../../src/core/report.ts";
import { TOO_SHORT } from "../../../src/core/job_totals.ts";
import { hostReport } from "../../job/merge/_generated.ts";

/** A report with package and memory energy, and node energy if it is given. */
function withNode(nodeJ: number | undefined, note?: string): Report {
  const report = hostReport("n1", 1, { regions: 0 });
  const [host] = report.hosts;
  const source = { quality: "measured", source: "/sys/cray/pm_counters/energy" };
  host.joulemark!.sources = {
    CPU_ENERGY: { quality: "measured", source: "POWERCAP" },
    BOARD_ENERGY: note === undefined ? source : Object.assign({ note }, source),
  };
  if (nodeJ !== undefined) host.application["joulemark-node-energy-exact (J)"] = nodeJ;
  if (note !== undefined) {
    host.joulemark!.coverage = { "node-energy (J)": { "coverage (%)": 0 } };
  }
  return report;
}

Deno.test("jobs have the energy of the parts that all of them have", () => {
  const facts = (reports: Report[]) =>
    comparableFigures(reports).map(({ source, energyJ }) => [source, Math.round(energyJ)]);
  assertEquals(facts([withNode(10), withNode(12)]), [["node", 10], ["node", 12]]);
  const short = withNode(undefined, `${TOO_SHORT} (0.1 s)`);
  const parts = facts([short, short]);
  assertEquals(parts[0][0], "package + memory");
  assertEquals(facts([short, withNode(9999)]), parts);
  assertEquals(facts([withNode(9999), short]), parts);
  const packageOnly = withNode(9999);
  delete packageOnly.hosts[0].application["dram-energy (J)"];
  assertEquals(facts([packageOnly, short]).map(([source]) => source), ["package", "package"]);
  const none = withNode(undefined);
  delete none.hosts[0].application["dram-energy (J)"];
  delete none.hosts[0].application["package-energy (J)"];
  assertEquals(facts([none, short]), [["none", NaN], ["none", NaN]]);
});

Deno.test("runs that are shorter than a counter's period are compared by the other parts", () => {
  const named = (...reports: Report[]) => reports.map((report, i) => ({ name: `r${i}`, report }));
  const short = withNode(undefined, `${TOO_SHORT} (0.1 s)`);
  assertEquals(differences(named(short, withNode(10), short)), []);
  assertEquals(differences(named(withNode(10), short)), []);
  assertEquals(differences(named(short, short)), []);
  const { source, gate } = compare(named(short, short), named(short, withNode(10)));
  assertEquals([source, gate.difference.change], ["package + memory", 0]);
  const still = withNode(undefined, "the counter did not change in the whole run");
  assertStringIncludes(
    differences(named(still, still)).join(),
    "r0 has no node energy of n1: the counter did not change",
  );
  const other = withNode(undefined);
  assertStringIncludes(
    differences(named(other, withNode(10))).join(),
    "the parts of the energy differ: r0 has package + memory, r1 has node",
  );
});
