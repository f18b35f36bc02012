/** The page of the executable in a real browser: each control, keyboard, print, themes, contrast. */
import { assert, assertEquals } from "@std/assert";
import { BROWSER, Browser } from "../_support/browser.ts";
import { faultsOf, printed, settle, showOn, useAll } from "../show/page/_checks.ts";
import { stringifyReport } from "../../src/formats/report.ts";
import { hostReport, writeJob } from "../job/merge/_generated.ts";
import { build, joulemark, NO_BINARY, NO_COMPILER } from "../_support/programs.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { skippedWithout, unless } from "../_support/skipped.ts";

const LIMIT_S = 120;
/** A command that uses CPU time. */
const BUSY = ["sh", "-c", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"];
const VECTORS = new URL("../vectors/", import.meta.url).pathname;

/** A run of the demo, once for all tests. */
function demoPage(dir: string): string {
  const html = `${dir}/demo.html`;
  const out = joulemark(dir, ["demo", "--simulate", "-q", "--html", html], { DISPLAY: "" });
  assertEquals(out.code, 0, out.stderr);
  return html;
}

function pageTest(name: string, body: (dir: string) => Promise<void>): void {
  Deno.test({
    ...skippedWithout(name, unless(BROWSER !== undefined, "no Chromium"), NO_BINARY, NO_COMPILER),
    async fn() {
      const dir = Deno.makeTempDirSync({ prefix: "joulemark-page-" });
      try {
        await withTimeLimit(() => body(dir), LIMIT_S);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

pageTest(
  "run --html: all views, controls, keys, print, downloads; no error, no request",
  async (dir) => {
    const html = demoPage(dir);
    assert(Deno.statSync(html).size < 400_000, String(Deno.statSync(html).size));
    await using page = await Browser.open();
    await showOn(page, html, { width: 1600, dark: false });
    const text = await page.run<string>("document.body.innerText");
    for (
      const word of ["Simulated", "Power over time", "Nested regions", "assemble", "provenance"]
    ) {
      assert(text.includes(word), word);
    }
    const views = await page.run<string[]>(
      "[...document.querySelectorAll('section')].map((e) => e.id)",
    );
    for (
      const view of ["power", "nested", "regions", "processes", "durations", "sources", "notes"]
    ) {
      assert(views.includes(view), `${view} of ${views}`);
    }
    const provenance = await page.run<string>(
      "[...document.querySelectorAll('pre')].map((e) => e.textContent).join('\\n')",
    );
    assert(provenance.includes("  source: /dev/cpu/0/msr, register 0x611\n"), provenance);
    // Sorted by energy from the largest down, then from the smallest up; what is no region stays last.
    const sorted = (way: string) =>
      page.run<string[]>(`(async () => {
      const head = document.querySelector("#regions th[data-sort=energy]");
      head.firstElementChild.click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const names = [...document.querySelectorAll("#regions tr[aria-level='1'] .rn")].map((e) => e.textContent);
      return head.ariaSort === "${way}" ? names.filter((name) => !name.startsWith("(")) : [];
    })()`);
    const up = await sorted("ascending"), down = await sorted("descending");
    assert(up.length >= 4, String(up));
    assertEquals(up, down.toReversed());
    // A search narrows the table and dims the plots.
    const found = await page.run<string>(`(async () => {
    const input = document.querySelector("input[aria-label='Search regions']");
    input.value = "STREAM";
    input.dispatchEvent(new Event("input"));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const text = document.querySelector("#regions [role=status]").textContent;
    input.value = "";
    input.dispatchEvent(new Event("input"));
    return text;
  })()`);
    assert(found.startsWith("1 of "), found);
    // A time span: time, energy and power in a sentence, shares in the table, all of it in the address.
    await page.run("document.querySelector('#power svg').focus()");
    await page.press("ArrowRight", true);
    await page.press("ArrowRight", true);
    await settle(page);
    const sentence = await page.run<string>(
      "document.querySelector('#power [role=status]').textContent",
    );
    assert(/^Selected [\d.]+–[\d.]+ s on .*: .*s, .*J \(node\), mean .*W/.test(sentence), sentence);
    assert(sentence.includes("share of its time"), sentence);
    await page.run(
      "[...document.querySelectorAll('#regions .rn')].find((e) => e.textContent === 'assemble').click()",
    );
    await settle(page);
    const hash = await page.run<string>("location.hash");
    assert(/region=%2Fassemble/.test(hash) && /t=[\d.]+-[\d.]+/.test(hash), hash);
    // The address brings all of it back.
    await page.send("Page.navigate", { url: "about:blank" });
    await page.send("Page.navigate", { url: `file://${html}${hash}&view=durations` });
    await page.run(
      "new Promise((done) => { const look = () => document.documentElement?.dataset.ready ? done() : setTimeout(look, 5); look(); })",
    );
    const again = await page.run<string[]>(`[
    document.querySelector("#power [role=status]").textContent,
    document.querySelector("#regions tr[aria-selected=true] .rn").textContent,
  ]`);
    assertEquals(again, [sentence, "assemble"]);
    // Downloads: the data, a plot, a table.
    await page.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: dir });
    await page.run(`(() => {
    const click = (label) => document.querySelector("button[aria-label='" + label + "']").click();
    click("Save the data of the page as JSON");
    click('Save "Power over time" as SVG');
    click('Save "Power over time" as PNG');
    click("Save the regions as CSV");
  })()`);
    const names = ["demo.json", "power-over-time.svg", "power-over-time.png", "regions.csv"];
    const isThere = () =>
      names.every((name) => {
        try {
          return Deno.statSync(`${dir}/${name}`).size > 0;
        } catch {
          return false;
        }
      });
    for (let i = 0; i < 100 && !isThere(); i++) await new Promise((wait) => setTimeout(wait, 50));
    const read = (name: string) => Deno.readTextFileSync(`${dir}/${name}`);
    assertEquals(JSON.parse(read("demo.json")).format, "joulemark-page/2");
    assert(
      /^<svg xmlns=/.test(read("power-over-time.svg")) &&
        !read("power-over-time.svg").includes("var("),
    );
    assertEquals(
      Deno.readFileSync(`${dir}/power-over-time.png`).slice(1, 4),
      new TextEncoder().encode("PNG"),
    );
    assert(
      read("regions.csv").startsWith(
        "path,region,depth,visits,time_s,own_time_s,component,energy_j",
      ),
    );
    const pdf = await page.pdf();
    assertEquals(new TextDecoder().decode(pdf.subarray(0, 5)), "%PDF-");
    assertEquals(await faultsOf(page), []);
  },
);

pageTest("the page of a run is free of faults on small and large screens", async (dir) => {
  const html = demoPage(dir);
  await using page = await Browser.open();
  for (const screen of [{ width: 360, dark: true }, { width: 1600, dark: false }]) {
    await showOn(page, html, screen);
    const faults = [...await faultsOf(page), ...await useAll(page), ...await printed(page)];
    assertEquals(faults, [], JSON.stringify(screen));
  }
});

Deno.test({
  ...skippedWithout(
    "run --html that cannot be written is one line, and the command's status stays",
    NO_BINARY,
  ),
  async fn() {
    const dir = Deno.makeTempDirSync({ prefix: "joulemark-page-" });
    try {
      await withTimeLimit(() => {
        for (const place of [`${dir}/none/x.html`, "/dev/full", dir]) {
          const out = joulemark(dir, [
            ...["run", "--simulate", "-q", "--html", place, "--", "sh", "-c", "sleep 0.1; exit 7"],
          ]);
          assertEquals(out.code, 7, place);
          const lines = out.stderr.trim().split("\n").filter((line) => line.includes(place));
          assertEquals(lines.length, 1, out.stderr);
          assert(Deno.statSync(`${dir}/joulemark.report`).size > 0);
        }
        assertEquals(joulemark(dir, ["run", "--html", "--", "true"]).code, 2);
      }, LIMIT_S);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  },
});

pageTest(
  "show --html of a job, of GEOPM's report, of what is cut, of ten thousand regions",
  async (dir) => {
    demoPage(dir);
    const recorded = joulemark(dir, [
      "demo",
      "--simulate",
      "-q",
      "--record",
      "rec",
      "--trace",
      "a.trace",
      ...["--cali", "a.cali"],
    ]);
    assertEquals(recorded.code, 0, recorded.stderr);
    const samples = Deno.readTextFileSync(`${dir}/rec/samples.csv`);
    Deno.writeTextFileSync(`${dir}/rec/samples.csv`, samples.slice(0, samples.length / 2 | 0));
    Deno.mkdirSync(`${dir}/job`);
    writeJob(`${dir}/job`, 2, { regions: 4 });
    const theirs = hostReport("n1", 1, { regions: 3, version: "3.1.0" });
    delete theirs.hosts[0].joulemark;
    const geopm = stringifyReport(theirs);
    Deno.writeTextFileSync(`${dir}/geopm.report`, geopm);
    Deno.writeTextFileSync(`${dir}/cut.report`, geopm.slice(0, 1500));
    const many = hostReport("n1", 1, { regions: 10_000 });
    many.hosts[0].regions![3].region = "</script><script>document.title = 'evil'</script>";
    Deno.writeTextFileSync(`${dir}/many.report`, stringifyReport(many));
    const report = `${dir}/joulemark.report`;
    const inputs: [string, string[], string][] = [
      ["job", [`${dir}/job`], "2 hosts"],
      ["geopm", [`${dir}/geopm.report`], "region_02"],
      ["cut", [`${dir}/cut.report`], "is truncated or damaged"],
      ["recording", [`${dir}/rec`], "Power over time"],
      ["traced", [report, `${dir}/a.trace`], "Power over time"],
      ["trace", [`${dir}/a.trace`], "maximum"],
      ["many", [`${dir}/many.report`], "100 of 10"],
      ["cali", [`${VECTORS}caliper/hatchet_profile.cali`], "Nested regions"],
      ["marks", [`${dir}/a.cali`], "Nested regions"],
      ["raw", [`${VECTORS}rawstats/rollover-a.raw`], "Job metrics"],
      ["pmc", [`${VECTORS}pmc/run-a.v4.3.0.pmc`], "Energy per step"],
    ];
    await using page = await Browser.open();
    const compared = joulemark(dir, [
      ...["compare", "--force", "--format", "html", "-o", `${dir}/compare.html`],
      ...[report, "--", report],
    ]);
    assertEquals(compared.code, 2, compared.stderr);
    await showOn(page, `${dir}/compare.html`, { width: 360, dark: true });
    const changed = await page.run<string>("document.body.innerText");
    assert(changed.includes("Blue: less than in A"), changed);
    assertEquals(await faultsOf(page), []);
    for (const [name, words, text] of inputs) {
      const html = `${dir}/${name}.html`;
      const out = joulemark(dir, ["show", "--html", "-o", html, ...words]);
      assertEquals(out.code, 0, `${name}: ${out.stderr}`);
      for (const width of [360, 1600]) {
        await showOn(page, html, { width, dark: width === 360 });
        assertEquals(await faultsOf(page), [], `${name}, ${width} px`);
      }
      const shown = await page.run<string>("document.body.innerText");
      assert(shown.includes(text), `${name}: ${shown.slice(0, 2000)}`);
      assert(await page.run<boolean>("document.title !== 'evil'"), name);
    }
    assert(page.requests.every((url) => url.startsWith("file:")));
  },
);

pageTest(
  "a page of a run with regions and functions has tables and stacks of both",
  async (dir) => {
    Deno.mkdirSync(`${dir}/functions`);
    const app = build("functions/regions", dir);
    const options = ["--simulate=rapl", "--functions", "-q", "--report", "x.report"];
    assertEquals(joulemark(dir, ["run", ...options, "--html", "x.html", "--", app]).code, 3);
    assertEquals(joulemark(dir, ["show", "--html", "-o", "y.html", "x.report"]).code, 0);
    await using page = await Browser.open();
    const names = (view: string) => {
      return page.run<string[]>(
        `[...document.querySelectorAll("#${view} .rn")].map((e) => e.textContent)`,
      );
    };
    const count = (selector: string) => {
      return page.run<number>(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
    };
    for (const html of ["x.html", "y.html"]) {
      await showOn(page, `${dir}/${html}`, { width: 1600, dark: false });
      const regions = await names("regions"), functions = await names("functions");
      assert(regions.includes("solve") && !regions.includes("heavy"), String(regions));
      assert(functions.includes("{solve}") && functions.includes("heavy"), String(functions));
      assert(await count("#nested rect[data-i]") >= 3);
      assert(await count("#stacks rect[data-i]") >= 6);
      // A selected function leaves the regions as they are, and is in the address.
      await page.run(
        "[...document.querySelectorAll('#functions .rn')].find((e) => e.textContent === 'heavy').click()",
      );
      await settle(page);
      const hash = await page.run<string>("location.hash");
      assert(/^#function=%2F.*heavy$/.test(hash), hash);
      assertEquals(await count("#functions tr[aria-selected=true]"), 1);
      assertEquals(await count("#regions tr[aria-selected=true]"), 0);
      assertEquals(await faultsOf(page), []);
    }
  },
);

pageTest(
  "functions of several hosts are in show; their page names the report to look at",
  async (dir) => {
    const app = joulemark(dir, ["run", "--simulate=rapl", "--functions", "-q", "--", ...BUSY]);
    assertEquals(app.code, 0, app.stderr);
    const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
    const [, host] = /^Hosts:\n {2}(.*):$/m.exec(report)!;
    Deno.writeTextFileSync(`${dir}/b.report`, report.replaceAll(`  ${host}:\n`, "  another:\n"));
    assertEquals(
      joulemark(dir, ["merge", "-o", "m.report", "joulemark.report", "b.report"]).code,
      0,
    );
    const samples = (file: string) => {
      const { stdout } = joulemark(dir, ["show", file]);
      return Number(/^(\d+) samples at 199 Hz; /m.exec(stdout)![1]);
    };
    assertEquals(samples("m.report"), 2 * samples("joulemark.report"));
    assertEquals(joulemark(dir, ["show", "--html", "-o", "m.html", "m.report"]).code, 0);
    await using page = await Browser.open();
    await showOn(page, `${dir}/m.html`, { width: 400, dark: false });
    const text = await page.run<string>("document.body.innerText");
    assert(text.includes("Functions of several hosts are not on this page"), text);
    assertEquals(await faultsOf(page), []);
  },
);
