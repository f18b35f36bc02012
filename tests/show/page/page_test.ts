/** Pages as text: bounded, nothing from data is markup or script, and what they are made of is fresh. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { MADE, makePage } from "../../../airgap/page.ts";
import { summaryView } from "../../../src/show/analysis/views.ts";
import { runOf } from "../../../src/show/analysis/runs.ts";
import { parsePmc } from "../../../src/formats/pmc/pmc.ts";
import type { PageContent } from "../../../src/show/page/content.ts";
import { pageHtml } from "../../../src/show/page/html.ts";
import { bucketsFor, reportPage, viewPage } from "../../../src/show/page/page.ts";
import { PowerSeries } from "../../../src/show/page/series.ts";
import { Random } from "../../../src/core/random.ts";
import { hostReport } from "../../job/merge/_generated.ts";

/** The data of a page. */
function dataOf(html: string): PageContent {
  return JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)![1]);
}

Deno.test("an hour of one host with 200 regions is below 400 kB", () => {
  const random = new Random(1);
  const parts = ["node", "package", "memory", "GPU"].map((name) => ({ name, unit: "W" }));
  const series = new PowerSeries(parts);
  for (let i = 0; i < 360_000; i++) {
    const [fromS, toS] = [i * 0.01, (i + 1) * 0.01];
    for (let d = 0; d < parts.length; d++) series.power(d, fromS, toS, 200 + 50 * random.normal());
    series.region(fromS, toS, Math.floor(i / 7) % 200);
  }
  const report = hostReport("n1", 1, { regions: 200 });
  const names = report.hosts[0].regions!.map(({ region }) => region);
  const timeline = series.timeline("n1", names, bucketsFor(1, parts.length));
  const html = pageHtml(reportPage(report, [timeline]));
  assert(html.length < 400_000, `${html.length} bytes`);
  assert(dataOf(html).timelines[0].names.length > 150);
});

Deno.test("ten thousand regions are the first 500 and a count; a hundred hosts stay bounded", () => {
  const page = reportPage(hostReport("n1", 1, { regions: 10_000 }));
  const regions = page.tables.find(({ title }) => title.startsWith("GEOPM"))!;
  assertEquals([regions.rows.length, regions.more], [500, 9501]);
  assertEquals(page.tree!.children!.length, 501);
  assert(pageHtml(page).length < 600_000);
  const job = hostReport("n0", 0, { regions: 5 });
  for (let i = 1; i < 100; i++) job.hosts.push(hostReport(`n${i}`, i, { regions: 5 }).hosts[0]);
  const many = pageHtml(reportPage(job));
  assert(many.length < 400_000, String(many.length));
  assertStringIncludes(many, "100 hosts");
});

Deno.test("no name is markup, script or a command of a terminal", () => {
  const report = hostReport("n1", 1, { regions: 3 });
  const evil = "</script><script>alert(1)</script><!--\u2028\u001b[31m\u202e&lt;\"'";
  report.profile = evil;
  report.hosts[0].regions![0].region = evil;
  report.joulemark = { simulated: evil, partial: evil };
  const html = pageHtml(reportPage(report));
  assertEquals(html.match(/<script/g)!.length, 2);
  assertEquals(html.match(/<\/script/g)!.length, 2);
  assert(
    !html.includes("alert(1)</script>") && !html.includes("\u001b") && !html.includes("\u202e"),
  );
  assertStringIncludes(dataOf(html).tree!.children![0].name, "</script><script>alert(1)");
});

Deno.test("a page without figures, regions or samples is no blank one", () => {
  const report = hostReport("n1", 1, { regions: 0 });
  report.hosts = [{ host: "n1", agent: {}, application: { "runtime (s)": NaN } }];
  const page = reportPage(report);
  assertStringIncludes(pageHtml(page), "energy not known");
  assert(page.notes.some((note) => note.includes("no samples over time")));
});

Deno.test("tables and pictures of PMC logs are pages too", () => {
  const path = new URL("../../vectors/pmc/run-a.v4.3.0.pmc", import.meta.url);
  const run = runOf(parsePmc(Deno.readTextFileSync(path)), "run-a");
  const page = viewPage(summaryView([run]), { title: "run-a", lead: "" });
  assertEquals(dataOf(pageHtml(page)).panels[0].series[0].x.length, 5);
});

Deno.test("the lengths of visits are a picture, the regions inside others are inside the tree", () => {
  const report = hostReport("n1", 1, { regions: 1 });
  const row = (region: string, depth: number, lengths: string) => ({
    region,
    depth,
    count: 3,
    "runtime (s)": 2,
    "runtime-self (s)": 1,
    "package-energy (J)": 7,
    "visit-lengths": lengths,
    "visit-p50 (s)": 0.1,
  });
  const rows = [row("solve", 0, "100:2 103:1"), row("multiply", 1, ""), row("write", 0, "80:3")];
  report.hosts[0].joulemark!.tree = { processes: 1, rows };
  const { tree, panels } = reportPage(report);
  assertEquals(tree!.children!.map(({ name }) => name), ["solve", "write", "(outside regions)"]);
  assertEquals(tree!.children![0].children!.map(({ name, p50S }) => [name, p50S]), [
    ["multiply", 0.1],
  ]);
  const lengths = panels.find(({ title }) => title === "Lengths of visits")!;
  assertEquals(lengths.series.map(({ name, y }) => [name, y.reduce((a, b) => a + b)]), [
    ["solve", 3],
    ["write", 3],
  ]);
  assert(lengths.series[0].x.every((x) => x > -9 && x < 4));
});

Deno.test("a line of many points keeps its peaks and its ends", () => {
  const x = Array.from({ length: 100_001 }, (_, i) => i);
  const y = x.map((i) => i === 77_777 ? 900 : i === 3 ? -5 : 100 + i % 7);
  const axes = { title: "t", xTitle: "x", yTitle: "y" };
  const panels = [{
    ...axes,
    series: [
      { name: "line", kind: "line" as const, x, y },
      { name: "points", kind: "points" as const, x, y },
    ],
  }];
  const page = viewPage({ tables: [], notes: [], panels }, { title: "t", lead: "" });
  const [line, points] = page.panels[0].series;
  assert(line.x.length <= 2000 && line.x.length > 1000, String(line.x.length));
  assertEquals([Math.max(...line.y), Math.min(...line.y)], [900, -5]);
  assert(line.x.every((value, i) => i === 0 || value > line.x[i - 1]));
  assertEquals([points.x.length, points.x[0], points.x.at(-1)], [2000, 0, 100_000]);
});

Deno.test("the page's policy allows its own script and no request", async () => {
  const html = pageHtml(viewPage({ tables: [], panels: [], notes: [] }, { title: "t", lead: "" }));
  const script = /<script>([^]*)<\/script>\n<\/body>/.exec(html)![1];
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(sum)));
  assertStringIncludes(html, `default-src 'none'; script-src 'sha256-${base64}'`);
  for (const word of ["uPlot 1.6.32, MIT", "Apache-2.0", "ISC"]) assertStringIncludes(html, word);
  assert(!/\b(src|href)=["'](https?:)?\/\//.test(html));
});

Deno.test("the page's script and style are what deno task page makes of their sources", async () => {
  const dir = Deno.makeTempDirSync();
  try {
    await makePage(dir);
    for (const name of MADE) {
      const own = Deno.readTextFileSync(
        new URL(`../../../src/show/page/made/${name}`, import.meta.url),
      );
      assert(own === Deno.readTextFileSync(`${dir}/${name}`), `${name} is stale: deno task page`);
    }
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
