/** One run has the same figures in all outputs. */
import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { tidyRows } from "../../../src/core/tidy_rows.ts";
import type { Report } from "../../../src/core/report.ts";
import { stringifyReport } from "../../../src/formats/report.ts";
import { readReport } from "../../../src/job/merge/read_report.ts";
import { mergedReport } from "../../../src/job/place/read_runs.ts";
import { METRICS } from "../../../src/show/analysis/comparison.ts";
import { jobFigures } from "../../../src/show/analysis/job_figures.ts";
import { reportView } from "../../../src/show/analysis/report_view.ts";
import { summary } from "../../../src/show/analysis/summary.ts";
import { summaryFacts } from "../../../src/show/analysis/summary_facts.ts";
import { reportPage } from "../../../src/show/page/page.ts";
import { hostReport } from "../../job/merge/_generated.ts";

/** A host whose counter gave energy for 2 % more than the run, and another time than the others. */
function oneHost(number: number): Report {
  const report = hostReport(`n${number}`, number, { regions: 2 });
  const [host] = report.hosts;
  const seconds = 10 + number;
  const application = {
    ...host.application,
    "runtime (s)": seconds,
    "sync-runtime (s)": seconds * 1.02,
    "package-energy (J)": 2000 + 70 * number,
    "joulemark-package-energy-exact (J)": 1990 + 70 * number,
    "joulemark-node-energy-exact (J)": 3000 + 90 * number,
  };
  return { ...report, hosts: [{ ...host, application }] };
}

function job(hosts: number): Report {
  const reads = Array.from({ length: hosts }, (_, k) => {
    return readReport(stringifyReport(oneHost(k)), `n${k}.report`);
  });
  return mergedReport("job", reads, {});
}

for (
  const [name, report, joules, seconds] of [
    ["one host", oneHost(0), 3000, 10],
    ["several hosts", job(3), 9270, 12],
  ] as const
) {
  Deno.test(`the mean power of ${name} is energy ÷ time in all outputs`, () => {
    const facts = summaryFacts(report);
    const text = summary(facts, { look: { width: 120, ascii: false, color: false } });
    assertMatch(text, new RegExp(`mean ${(joules / seconds).toPrecision(4)} W`));
    const figures = jobFigures(report);
    assertEquals([figures.energyJ, figures.timeS, figures.source], [joules, seconds, "node"]);
    const whole = [...tidyRows(report, { job: true })].find((row) => {
      return row.path === "/" && row.component === "node";
    })!;
    const [totals] = reportView(report).tables;
    const column = totals.columns.findIndex(({ name }) => name === "mean power");
    const powers = {
      compare: METRICS.power.of(figures),
      page: reportPage(report).components[0].mean_w!,
      csv: Number(whole.power_w),
      table: Number(totals.rows[0][column]),
    };
    for (const [output, watts] of Object.entries(powers)) {
      assertAlmostEquals(watts, joules / seconds, 1e-9, output);
    }
  });
}

Deno.test("the mean power of each host of a job is energy ÷ its time in all outputs", () => {
  const report = job(3);
  const { hosts } = summaryFacts(report);
  const table = reportView(report).tables.find(({ title }) => title.startsWith("3 hosts"))!;
  const csv = [...tidyRows(report)].filter(({ path, component }) => {
    return path === "/" && component === "node";
  });
  for (const k of [0, 1, 2]) {
    const watts = (3000 + 90 * k) / (10 + k);
    assertAlmostEquals(hosts[k].meanW, watts, 1e-9);
    assertAlmostEquals(Number(csv[k].power_w), watts, 1e-9);
    assertAlmostEquals(Number(table.rows[k][3]), watts, 1e-9);
  }
  assert(
    hosts.every(({ meanW }, k) => Math.abs(meanW - reportPage(report).hosts!.power_w[k]!) < 1e-9),
  );
});
