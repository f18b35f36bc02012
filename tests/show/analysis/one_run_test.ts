/** One run has the same figures in all outputs. */
import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import { ownEnergies, regionRows } from "../../../src/core/region_rows.ts";
import { tidyRows } from "../../../src/core/tidy_rows.ts";
import type { Report } from "../../../src/core/report.ts";
import { stringifyReport } from "../../../src/formats/report.ts";
import { readReport } from "../../../src/job/merge/read_report.ts";
import { mergedReport } from "../../../src/job/place/read_runs.ts";
import { METRICS } from "../../../src/show/analysis/comparison.ts";
import { jobFigures } from "../../../src/show/analysis/job_figures.ts";
import { reportView } from "../../../src/show/analysis/report_view.ts";
import { summary } from "../../../src/show/analysis/summary.ts";
import { joulesOf, summaryFacts } from "../../../src/show/analysis/summary_facts.ts";
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

Deno.test("the hosts of a job are compared by energies of the same parts", () => {
  const whole = job(3);
  const tableOf = (withoutNode: number) => {
    const hosts = whole.hosts.map((host, k) => {
      const { ["joulemark-node-energy-exact (J)"]: _, ...application } = host.application;
      return k < withoutNode ? { ...host, application } : host;
    });
    const { tables } = reportView({ ...whole, hosts });
    return tables.find(({ title }) => title.startsWith("3 hosts"))!;
  };
  assertMatch(tableOf(0).title, /: energy of node /);
  assertMatch(tableOf(1).title, /: energy of package /);
  assertEquals(tableOf(1), tableOf(3));
});

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

/** A tree with determined and coarse rows, the determined ones of more than the total by chance. */
function coarseReport(factor: number): Report {
  const report = oneHost(0);
  const [host] = report.hosts;
  const row = (region: string, depth: number, own: { [key: string]: number }) => {
    return { region, depth, count: 2, "runtime (s)": 1, "runtime-self (s)": 0.5, ...own };
  };
  const known = (joules: number, self: number) => ({
    "node-energy (J)": joules * factor,
    "node-energy-se (J)": joules / 200,
    "node-energy-self (J)": self * factor,
    "node-energy-self-se (J)": self / 100,
  });
  const coarse = (joules: number) => ({ "node-energy (J)": NaN, "node-energy-exact (J)": joules });
  const rows = [
    row("solve", 0, known(2000, 900)),
    row("sweep", 1, known(1100, 1100)),
    row("halo", 1, coarse(30)),
    row("short", 1, { "node-energy (J)": NaN }),
    row("inner", 2, coarse(12)),
    row("write", 0, known(900, 900)),
    row("rare", 0, coarse(20)),
  ];
  const tree = { processes: 1, rows, unmarked: coarse(80) };
  return { ...report, hosts: [{ ...host, joulemark: { ...host.joulemark, tree } }] };
}

Deno.test("a run without annotations has no number of processes", () => {
  const report = oneHost(0), [host] = report.hosts;
  const processes = { count: 1, "without marks": "the launched command" };
  const joulemark = { ...host.joulemark, processes };
  assertEquals(
    summaryFacts({ ...report, hosts: [{ ...host, joulemark }] }).processes,
    NaN,
  );
});

/** Energies of rows by name, without the regions inside them and with these. */
type Energies = ReadonlyMap<string, readonly [all: number, own: number]>;

/** Energies of the component of the summary's table, by output; rows without an energy are left out. */
function energiesOf(report: Report): { [output: string]: Energies } {
  const { regions, rests, column, totals } = summaryFacts(report);
  const page = reportPage(report), k = page.component;
  const csv = [...tidyRows(report, { job: true })].filter((row) => {
    return row.component === column && row.depth !== -1;
  });
  const table = regionRows(report);
  const own = ownEnergies(table, column!, totals.components.get(column!)!.joules);
  return {
    summary: new Map(
      [...regions, ...rests].map((row, i) => {
        return [row.region, [joulesOf(row, column!), own[i]]] as const;
      }).filter(([, [joules]]) => Number.isFinite(joules)),
    ),
    page: new Map(
      page.regions!.name.map((name, i) => {
        return [name, [page.regions!.energy_j[k][i]!, page.regions!.own_energy_j[k][i]!]] as const;
      }).filter(([, [joules]]) => joules !== null),
    ),
    csv: new Map(csv.map(({ region, energy_j, own_energy_j }) => {
      return [String(region), [Number(energy_j), Number(own_energy_j)]];
    })),
  };
}

for (const factor of [0.9, 0.99, 1, 1.002, 1.05]) {
  Deno.test(`rows with ${factor} of the total add up to it in all outputs, none is below 0`, () => {
    const report = coarseReport(factor);
    const outputs = energiesOf(report);
    for (const [output, energies] of Object.entries(outputs)) {
      assertEquals(energies, outputs.csv, output);
    }
    const { column, totals } = summaryFacts(report);
    assertEquals(column, "node");
    const { joules } = totals.components.get("node")!;
    const inside = new Set(["sweep", "halo", "short", "inner"]);
    const all = [...outputs.csv].filter(([name]) => !inside.has(name)).map(([, [all]]) => all);
    const own = [...outputs.csv.values()].map(([, own]) => own);
    assertEquals(outputs.csv.get("inner")![0], outputs.csv.get("inner")![1]);
    for (const list of [all, own]) {
      assert(list.every((value) => value >= 0), String(list));
      assertAlmostEquals(list.reduce((sum, value) => sum + value, 0), joules, 1e-3 * joules);
    }
    for (const name of ["halo", "rare", "(outside regions)"]) {
      assert(outputs.csv.get(name)![0] > 0.01, `${name}: ${outputs.csv.get(name)}`);
    }
  });
}

Deno.test("the note on stragglers counts those that the report does not list", () => {
  const report = job(3);
  const noteOf = (stragglers: string[]) => {
    const marked = { ...report, joulemark: { ...report.joulemark, stragglers } };
    return reportView(marked).notes.find((note) => note.startsWith("stragglers"));
  };
  assertMatch(noteOf(["n1: a", "n2: b", "and 287 more"])!, /^stragglers: n1: a, and 288 more\./);
  assertMatch(noteOf(["n1: a", "n2: b"])!, /^stragglers: n1: a, and 1 more\./);
});
