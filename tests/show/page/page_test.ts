/** Pages as text: bounded, nothing from data is markup or script, and the script is made of its sources. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { MADE, makePage } from "../../../airgap/page.ts";
import { pageDataOf, rowOf } from "../../_support/page_data.ts";
import { summaryMarkdown } from "../../../src/show/analysis/summary.ts";
import { summaryFacts } from "../../../src/show/analysis/summary_facts.ts";
import { summaryView } from "../../../src/show/analysis/views.ts";
import { Random } from "../../../src/core/random.ts";
import { timelineIn } from "../../../src/show/page/job_timelines.ts";
import { runOf } from "../../../src/show/analysis/runs.ts";
import { parsePmc } from "../../../src/formats/pmc/pmc.ts";
import { loadDeflate } from "../../../src/show/page/deflate.ts";
import { pageHtml } from "../../../src/show/page/html.ts";
import { reportPage, viewPage } from "../../../src/show/page/page.ts";
import { largeJob, ownReport, timelineOf } from "./_pages.ts";

await loadDeflate();

Deno.test("10,000 regions on 2,000 hosts are below 1 MB, with all regions", async () => {
  const { report, files } = largeJob({ regions: 10_000, hosts: 2000 });
  const html = pageHtml(reportPage(report, files));
  assert(html.length <= 1_000_000, `${html.length} bytes`);
  const data = await pageDataOf(html);
  assertEquals(data.regions!.name.length, 10_001);
  assertEquals(data.hosts!.name.length, 2000);
  assert(data.timelines.length >= 3 && data.timelines.length <= 17, `${data.timelines.length}`);
  assertEquals(data.timelines[0].host, "");
  assert(data.processes!.label.length * data.processes!.region.length <= 24_000);
  assert(data.host_energies!.region.length * 2000 <= 12_000);
});

Deno.test("functions of any number and length are below 1 MB: those with most time, and what calls them", async () => {
  const random = new Random(5), count = 20_000;
  for (const length of [12, 200]) {
    const letter = () => String.fromCharCode(97 + random.below(26));
    const name = Array.from({ length: count }, () => Array.from({ length }, letter).join(""));
    const times = name.map((_, i) => Math.round(1e5 * (100 - 99 * i / count)) / 1e5);
    const joules = times.map((seconds) => Math.round(1e5 * seconds * random.uniform(40, 50)) / 1e5);
    const functions = {
      components: ["package"],
      name: [...name, "[not running]"],
      parent: [...name.map((_, i) => i % 10 === 0 ? -1 : i - 1), -1],
      rest: count,
      time_s: [...times, null],
      own_time_s: [...times, null],
      energy_j: [[...joules, 20]],
      se_j: [[...joules, 2]],
      own_energy_j: [[...joules, 20]],
    };
    const file = Object.assign(timelineOf("node01", ["a"], new Random(1)), { functions });
    const html = pageHtml(reportPage(ownReport({ regions: 3 }), [file]));
    assert(html.length <= 1_000_000, `${html.length} bytes`);
    const shown = (await pageDataOf(html)).functions!;
    assert(shown.rest > 1000, `${shown.rest} of ${length} letters`);
    assertEquals(shown.name, [...name.slice(0, shown.rest), "[not running]"]);
    assertEquals(shown.parent, [...functions.parent.slice(0, shown.rest), -1]);
    const column = shown.energy_j.findIndex(([first]) => first !== null);
    assertEquals(shown.energy_j[column].at(-1), 20);
    assertEquals(shown.durations.length, shown.rest + 1);
  }
});

Deno.test("small data are plain JSON, large data are compressed", async () => {
  const small = pageHtml(reportPage(ownReport({ regions: 20 })));
  assert(small.includes('<script type="application/json" id="data">'));
  const large = pageHtml(reportPage(ownReport({ regions: 3000 })));
  assert(large.includes('<script type="application/octet-stream" id="data">'));
  assertEquals((await pageDataOf(large)).regions!.name.length, 3001);
});

Deno.test("the summary is text in the page, without the script", () => {
  const html = pageHtml(reportPage(ownReport({ regions: 5 })));
  const [shown] = html.split('<script type="application/json"');
  const texts = ["Energy", "kJ", "Mean power", "wall clock", "<noscript><table>", "assemble_0"];
  assertEquals(texts.filter((text) => !shown.includes(text)), []);
  assert(!/ style=/.test(html.replace(/<script>[^]*<\/script>/, "")), "no style attribute");
});

Deno.test("no name is markup, script or a command of a terminal", async () => {
  const report = ownReport({ regions: 3 });
  const evil = "</script><script>alert(1)</script><!--\u2028\u001b[31m\u202e&lt;\"'";
  report.profile = evil;
  const tree = report.hosts[0].joulemark!.tree as { rows: { region: string }[] };
  tree.rows[0].region = evil;
  report.joulemark = { simulated: evil, partial: evil };
  const html = pageHtml(reportPage(report));
  assertEquals(html.match(/<script/g)!.length, 2);
  assertEquals(html.match(/<\/script/g)!.length, 2);
  assert(
    !html.includes("alert(1)</script>") && !html.includes("\u001b") && !html.includes("\u202e"),
  );
  const { regions } = await pageDataOf(html);
  assert(regions!.name.some((name) => name.startsWith("</script><script>alert(1)")));
});

Deno.test("a page without energies, regions or samples says so", () => {
  const report = ownReport({ regions: 0 });
  report.hosts = [{ host: "n1", agent: {}, application: { "runtime (s)": NaN } }];
  const page = reportPage(report);
  assert(/not available<\/b><span>[^<]*joulemark doctor/.test(pageHtml(page)));
  assert(page.missing.some((line) => line.includes("no .timeline file")));
});

Deno.test("tables and plots of PMC logs are pages too", async () => {
  const path = new URL("../../vectors/pmc/run-a.v4.3.0.pmc", import.meta.url);
  const run = runOf(parsePmc(Deno.readTextFileSync(path)), "run-a");
  const page = viewPage(summaryView([run]), { title: "run-a", lead: "" });
  assertEquals((await pageDataOf(pageHtml(page))).panels[0].series[0].x.length, 5);
});

Deno.test("durations of visits are columns, nested regions are below the region around them", () => {
  const report = ownReport({ regions: 1 });
  const row = (region: string, depth: number, lengths: string, joules: number) => ({
    region,
    depth,
    count: 3,
    "runtime (s)": 2,
    "runtime-self (s)": 1,
    "package-energy (J)": joules,
    "package-energy-se (J)": 0.5,
    "visit-lengths": lengths,
    "visit-p50 (s)": 0.1,
  });
  const rows = [
    row("write", 0, "80:3", 2),
    row("solve", 0, "100:2 103:1", 7),
    row("multiply", 1, "", 6),
  ];
  report.hosts[0].joulemark!.tree = { processes: 1, rows, unmarked: { "package-energy (J)": 1 } };
  const { regions, component } = reportPage(report);
  assertEquals(regions!.name, [
    "solve",
    "multiply",
    "write",
    "(outside regions)",
    "(undetermined)",
  ]);
  assertEquals(regions!.parent, [-1, 0, -1, -1, -1]);
  assertEquals(regions!.rest, 3);
  assertEquals(regions!.p50_s[rowOf(regions!, "solve/multiply")], 0.1);
  assertEquals(regions!.durations[0], [[100, 2], [103, 1]]);
  assertEquals(regions!.durations[1], null);
  assertEquals(regions!.se_j[component], [0.5, 0.5, 0.5, null, null]);
});

Deno.test("visits of all processes are those of the processes that have the region", () => {
  const report = ownReport({ regions: 1 }), values = { "runtime (s)": 2, "runtime-self (s)": 1 };
  const rows = [
    { region: "solve", depth: 0, count: 3, ...values, "package-energy (J)": 12 },
    { region: "write", depth: 0, count: 3, processes: 1, ...values, "package-energy (J)": 12 },
  ];
  report.hosts[0].joulemark!.tree = { processes: 4, rows };
  const { regions } = reportPage(report);
  assertEquals(regions!.visits.slice(0, 2), [3, 3]);
  assertEquals(regions!.all_visits.slice(0, 2), [12, 3]);
  const markdown = summaryMarkdown(summaryFacts(report));
  assertMatch(markdown, /\| J\/visit \|$/m);
  assertMatch(markdown, /^\| solve .* 1\.00 \|$/m);
  assertMatch(markdown, /^\| write .* 4\.00 \|$/m);
});

Deno.test("a timeline without lines and regions is not shown", () => {
  const report = ownReport({ regions: 1 }), [host] = report.hosts;
  const file = timelineOf(host.host, ["region 0"], new Random(1));
  const [timeline] = file.timelines;
  const shown = (part: Partial<typeof timeline>) => {
    return reportPage(report, [{ ...file, timelines: [{ ...timeline, ...part }] }]);
  };
  const none = shown({ series: [], strips: [] });
  assertEquals(none.timelines, []);
  assertStringIncludes(none.missing.join(" "), "Power over time is not available");
  assertEquals(shown({ series: [] }).timelines.length, 1);
});

Deno.test("a line of many points keeps its peaks and its ends", () => {
  const x = Array.from({ length: 100_001 }, (_, i) => i);
  const y = x.map((i) => i === 77_777 ? 900 : i === 3 ? -5 : 100 + i % 7);
  const axes = { title: "t", xTitle: "x", yTitle: "y" };
  const series = (["line", "points"] as const).map((kind) => ({ name: kind, kind, x, y }));
  const page = viewPage(
    { tables: [], notes: [], panels: [{ ...axes, series }] },
    { title: "t", lead: "" },
  );
  const [line, points] = page.panels[0].series;
  assert(line.x.length <= 2000 && line.x.length > 1000, String(line.x.length));
  assertEquals([Math.max(...line.y), Math.min(...line.y)], [900, -5]);
  assert(line.x.every((value, i) => i === 0 || value > line.x[i - 1]));
  assertEquals([points.x.length, points.x[0], points.x.at(-1)], [2000, 0, 100_000]);
});

Deno.test("notes of a kind are one entry with the number of hosts", () => {
  const report = ownReport({ regions: 3 }), [{ joulemark, ...own }] = report.hosts;
  report.hosts = Array.from({ length: 2000 }, (_, i) => {
    const notes = [`${i % 150} of 5000 samples missed, 0 late`];
    return { ...own, host: `n${`${i + 1}`.padStart(4, "0")}`, joulemark: { ...joulemark, notes } };
  });
  const notes = reportPage(report).notes.filter(({ text }) => text.includes("samples missed"));
  assertEquals(notes.map(({ count }) => count), [2000]);
  assertEquals(notes[0].hosts.slice(0, 2), ["n0001", "n0002"]);
  assert(notes[0].hosts.length <= 40);
});

Deno.test("functions are beside the regions, and alone where nothing was marked", () => {
  const report = ownReport({ regions: 3 });
  const functions = {
    components: ["package"],
    name: ["app", "main", "heavy", "[not running]"],
    parent: [-1, 0, 1, -1],
    rest: 3,
    time_s: [2, 2, 1.5, null],
    own_time_s: [0, 0.5, 1.5, null],
    energy_j: [[100, 100, null, 20]],
    se_j: [[1, 1, null, 2]],
    own_energy_j: [[0, 30, null, 20]],
  };
  const file = Object.assign(timelineOf("node01", ["a"], new Random(1)), { functions });
  const read = timelineIn(JSON.stringify(file))!;
  const both = reportPage(report, [read]);
  assertEquals([both.regions?.rest, both.functions?.name], [3, functions.name]);
  for (const host of report.hosts) {
    host.regions = [];
    delete host.joulemark!.tree;
  }
  const page = reportPage(report, [read]);
  assertEquals([page.regions, page.functions?.name], [undefined, functions.name]);
  const column = page.components.findIndex(({ id }) => id === "package");
  assertEquals(page.functions?.power_w[column], [50, 50, null, null]);
  const wrong = { ...functions, parent: [-1, 2, 1, -1] };
  assertEquals(timelineIn(JSON.stringify({ ...file, functions: wrong })), undefined);
});

Deno.test("a page without the functions of its report says why", () => {
  const { report, files } = largeJob({ regions: 3, hosts: 2, functions: "with regions" });
  assertEquals(reportPage(report, files).missing, []);
  report.hosts[1].joulemark!.functions = { list: [] };
  const [line, ...more] = reportPage(report, files).missing;
  assertMatch(
    line,
    /^Functions of several hosts .* joulemark show --html of the report of one host/,
  );
  assertEquals(more, []);
  report.hosts.shift();
  assertMatch(reportPage(report).missing.at(-1)!, /^The functions .* no \.timeline file/);
});

Deno.test("the page's policy allows its own script and style by their hashes, and no request", async () => {
  const html = pageHtml(viewPage({ tables: [], panels: [], notes: [] }, { title: "t", lead: "" }));
  const script = /<script>([^]*)<\/script>\n<\/body>/.exec(html)![1];
  const style = /<style>([^]*?)<\/style>/.exec(html)![1];
  const sumOf = async (text: string) => {
    const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return btoa(String.fromCharCode(...new Uint8Array(sum)));
  };
  assertStringIncludes(
    html.slice(0, 1000),
    `default-src 'none'; script-src 'sha256-${await sumOf(script)}'; ` +
      `style-src 'sha256-${await sumOf(style)}';`,
  );
  assert(!html.includes("unsafe-inline"));
  for (const word of ["d3-scale", "ISC", "Apache-2.0"]) assert(script.includes(word), word);
  assert(script.length + style.length <= 160_000, `${script.length + style.length} bytes`);
  assert(!/\b(src|href)=["'](https?:)?\/\//.test(html));
});

Deno.test("the script sets no markup and no style attribute", () => {
  const folder = new URL("../../../src/show/page/client/", import.meta.url);
  const found = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".ts"))
    .filter(({ name }) => {
      const text = Deno.readTextFileSync(new URL(name, folder));
      return /\.html\(|innerHTML|outerHTML|insertAdjacentHTML|attr\("style"|Attribute\("style",/
        .test(text);
    });
  assertEquals(found, []);
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
