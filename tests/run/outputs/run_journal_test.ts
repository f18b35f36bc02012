/** Entries of a run's journal: which regions they have, and what they tell of the others. */
import { assertEquals } from "@std/assert";
import type { RegionTotal, Report } from "../../../src/core/report.ts";
import { parseReport } from "../../../src/formats/report.ts";
import { reportText } from "../../../src/formats/journal.ts";
import { Journal } from "../../../src/job/place/journal.ts";
import { RunJournal } from "../../../src/run/outputs/run_journal.ts";
import type { ReportExtras, RunView } from "../../../src/run/outputs/run_view.ts";

/** Report of regions that took some time each. */
function reportOf(names: number, runtimeS: number, { pick, isQuick }: ReportExtras): Report {
  const all: RegionTotal[] = Array.from({ length: names }, (_, i) => {
    return { name: `region ${i}`, hash: i, runtimeS, count: 1 };
  });
  const regions = pick!(all).map(({ name, hash, count }) => {
    return { region: name, hash, fields: { "runtime (s)": runtimeS, count } };
  });
  const joulemark = { notes: ["another note."], ...isQuick ? {} : { tree: { processes: 1 } } };
  return {
    version: "1",
    startTime: "now",
    profile: "app",
    agent: "monitor",
    header: {},
    policy: "{}",
    hosts: [{ host: "node", agent: {}, regions, application: {}, joulemark }],
  };
}

/** Report in the journal after entries in which all regions changed. */
function recovered(names: number, entries: number) {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-journal-" });
  try {
    const run = { tracker: { generation: 0, paths: { length: names + 1 } } } as RunView;
    using journal = new RunJournal(run, () => new Journal(`${dir}/journal`, "s-1-2"));
    for (let n = 1; n <= entries; n++) journal.entry((extras) => reportOf(names, n, extras));
    return parseReport(reportText(Deno.readFileSync(`${dir}/journal`))).hosts[0];
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("each entry has the tree of its moment", () => {
  for (const entries of [1, 2, 3]) {
    const { joulemark, regions } = recovered(1000, entries);
    assertEquals(joulemark!.tree, { processes: 1 });
    assertEquals(new Set(regions!.map(({ fields }) => fields["runtime (s)"])), new Set([entries]));
    assertEquals(joulemark!.notes, ["another note."]);
  }
});

Deno.test("an entry tells how many regions it lacks, and how many are older", () => {
  const noteAfter = (entries: number) => recovered(2000, entries).joulemark!.notes;
  const words = "it stores at most 1500 changed regions.";
  assertEquals(noteAfter(1), [
    `this checkpoint lacks 500 regions, and has older values of 0 regions: ${words}`,
    "another note.",
  ]);
  assertEquals(noteAfter(2), [
    `this checkpoint lacks 0 regions, and has older values of 500 regions: ${words}`,
    "another note.",
  ]);
});
