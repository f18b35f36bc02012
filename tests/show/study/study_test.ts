/** Studies: the plan, the log, and what a report is worth. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/core/errors.ts";
import {
  beginStudy,
  noteResult,
  readStudy,
  STUDY_FORMAT,
  type StudyResult,
} from "../../../src/show/study/log.ts";
import { parseVaried, planStudy } from "../../../src/show/study/plan.ts";
import { figures, programOf, withRun } from "../../../src/show/study/runner.ts";
import { hostReport } from "../../job/merge/_generated.ts";

Deno.test("{run} stands for the words of a run, in words and in a shell's text", () => {
  const own = ["joulemark", "run", "--"];
  const cases: [string[], string[]][] = [
    [["./a"], [...own, "./a"]],
    [["{run}", "./a"], [...own, "./a"]],
    [["srun", "{run}", "./a"], ["srun", ...own, "./a"]],
    [["sh", "-c", "x=1 {run} a >b"], ["sh", "-c", 'x=1 "$@" a >b', "sh", ...own]],
    [["sh", "-c", "echo a"], [...own, "sh", "-c", "echo a"]],
  ];
  for (const [command, words] of cases) assertEquals(withRun(command, own), words);
  assertEquals(programOf(["{run}", "./a"]), "./a");
});

Deno.test("planStudy() interleaves all settings, repeat by repeat", () => {
  const plan = planStudy([parseVaried("T=1,2"), parseVaried("MODE=a/b,c")], 2);
  assertEquals(plan.map((run) => run.file), [
    "T=1_MODE=a_b-1",
    "T=1_MODE=c-1",
    "T=2_MODE=a_b-1",
    "T=2_MODE=c-1",
    "T=1_MODE=a_b-2",
    "T=1_MODE=c-2",
    "T=2_MODE=a_b-2",
    "T=2_MODE=c-2",
  ]);
  assertEquals(plan[2].settings, { T: "2", MODE: "a/b" });
});

Deno.test("parseVaried() and planStudy() refuse what is no setting", () => {
  for (const text of ["", "T", "T=", "=1", "T=1,,2", "T=1,1", "1T=2", "A B=1"]) {
    assertThrows(() => parseVaried(text), UsageError);
  }
  assertThrows(() => planStudy([parseVaried("T=1"), parseVaried("T=2")], 1), UsageError);
  const many = parseVaried(`T=${Array.from({ length: 200 }, (_, i) => i)}`);
  assertThrows(() => planStudy([many, { ...many, name: "U" }], 1), UsageError);
});

Deno.test("a study's log survives a cut, and is no other study's", () => {
  const dir = Deno.makeTempDirSync();
  const path = `${dir}/study.jsonl`;
  const head = { format: STUDY_FORMAT, command: ["a"], varied: ["T=1,2"], repeats: 1 } as const;
  const result = (file: string): StudyResult => ({
    file,
    label: file,
    repeat: 1,
    status: 0,
    energyJ: 5,
    runtimeS: 1,
    source: "node",
    simulated: false,
  });
  try {
    assertEquals(readStudy(path, head), undefined);
    beginStudy(path, head, [result("x")]);
    noteResult(path, result("y"));
    assertEquals([...readStudy(path, head)!.keys()], ["x", "y"]);
    const text = Deno.readTextFileSync(path);
    Deno.writeTextFileSync(path, text.slice(0, -9));
    assertEquals([...readStudy(path, head)!.keys()], ["x"]);
    assertThrows(() => readStudy(path, { ...head, repeats: 2 }), UsageError);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("figures() takes the node's energy, else the parts that are not absent", () => {
  const report = hostReport("a", 1, { regions: 1 });
  const { application } = report.hosts[0];
  const parts = Number(application["package-energy (J)"]) + Number(application["dram-energy (J)"]);
  assertEquals(figures(report).energyJ, parts);
  assertEquals(figures(report).source, "package + memory");
  report.hosts[0].joulemark = { sources: { DRAM_ENERGY: { absent: "no counter" } } };
  assertEquals(figures(report).source, "package");
  application.BOARD_ENERGY = NaN;
  assertEquals(figures(report).source, "package");
  application.BOARD_ENERGY = 4711;
  assertEquals([figures(report).energyJ, figures(report).source], [4711, "node"]);
  report.hosts[0].joulemark = {
    sources: { DRAM_ENERGY: { absent: "no" }, CPU_ENERGY: { absent: "no" } },
  };
  delete application.BOARD_ENERGY;
  assertEquals(figures(report).energyJ, null);
  assert(figures(report).runtimeS > 0);
});
