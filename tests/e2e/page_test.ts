/** The page of the executable in a real browser: each control, keyboard, print, themes, contrast. */
import { assert, assertEquals } from "@std/assert";
import { BROWSER, Browser } from "../_support/browser.ts";
import { stringifyReport } from "../../src/formats/report.ts";
import { hostReport, writeJob } from "../job/merge/_generated.ts";
import { joulemark, NO_BINARY } from "../_support/programs.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { skippedWithout, unless } from "../_support/skipped.ts";

const LIMIT_S = 120;
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
    ...skippedWithout(name, unless(BROWSER !== undefined, "no Chromium"), NO_BINARY),
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

/** Least contrast of text to what is behind it, over all elements with text of their own. */
const CONTRAST = `(() => {
  const parse = (c) => (c.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      if (e.matches("g.frame *, g.frame")) return parse(getComputedStyle(e.closest("g.frame").querySelector("rect")).fill);
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  let least = { ratio: 99, text: "" };
  for (const e of document.querySelectorAll("body *")) {
    if (!["SCRIPT", "STYLE", "NOSCRIPT", "title"].includes(e.tagName) && e.getClientRects().length > 0 &&
      [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "")) {
      const [a, b] = [luminance(parse(getComputedStyle(e).color)), luminance(behind(e))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < least.ratio) least = { ratio, text: e.tagName + " " + e.className + " " + e.textContent.slice(0, 40) };
    }
  }
  return least;
})()`;

pageTest("run --html: controls, keyboard, print; no error, no request", async (dir) => {
  const html = demoPage(dir);
  assert(Deno.statSync(html).size < 400_000, String(Deno.statSync(html).size));
  await using page = await Browser.open();
  await page.show(html);
  const text = await page.run<string>("document.body.innerText");
  for (
    const word of ["Simulated", "Power over time", "Energy by region", "assemble", "provenance"]
  ) {
    assert(text.includes(word), word);
  }
  assertEquals(await page.run("document.querySelectorAll('.chart canvas').length"), 3);
  const provenance = await page.run<string>(
    "[...document.querySelectorAll('pre')].map((e) => e.textContent).join('\\n')",
  );
  assert(provenance.includes("  source: /dev/cpu/0/msr, register 0x611\n"), provenance);
  assert(await page.run<number>("document.querySelectorAll('g.frame').length") >= 5);
  // Each button, where it is.
  const count = await page.run<number>("document.querySelectorAll('button').length");
  assert(count > 20, String(count));
  await page.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: dir });
  await page.run("window.print = () => window.printed = true");
  for (let i = 0; i < count; i++) {
    await page.run(`document.querySelectorAll("button")[${i}].click()`);
  }
  assertEquals(await page.run("window.printed"), true);
  // Sorted by its second column, from the largest down, then from the least up.
  const sorted = (way: string) =>
    page.run<boolean>(`(() => {
      const table = [...document.querySelectorAll("table")].find((t) => t.caption.textContent.startsWith("Regions, with"));
      table.querySelectorAll("thead button")[2].click();
      const values = [...table.querySelectorAll("tbody tr")].map((r) => Number(r.children[2].textContent))
        .filter((value) => !Number.isNaN(value)); // rows without a value come last
      return table.querySelectorAll("th")[2].ariaSort === "${way}" &&
        values.every((v, i) => i === 0 || (v - values[i - 1]) * ${
      way === "ascending" ? 1 : -1
    } >= 0);
    })()`);
  assertEquals([await sorted("descending"), await sorted("ascending")], [true, true]);
  // The search of the flame graph.
  const found = await page.run<string>(`(() => {
    const input = document.querySelector("input[aria-label='Search regions']");
    input.value = "STREAM";
    input.dispatchEvent(new Event("input"));
    return input.closest("section").querySelector(".reading").textContent;
  })()`);
  assert(found.startsWith("1 regions found"), found);
  // The keyboard: the chart's cursor, and a frame that is zoomed to.
  await page.run("document.querySelector('.chart').focus()");
  await page.press("ArrowRight");
  await page.press("ArrowRight");
  const reading = await page.run<string>("document.querySelector('.chart + .reading').textContent");
  assert(reading.includes(" W ("), reading);
  await page.run(
    "[...document.querySelectorAll('g.frame')].find((g) => g.getAttribute('name') === 'assemble').focus()",
  );
  await page.press("Enter");
  const zoomed = await page.run<string>("document.querySelector('.flame + .reading').textContent");
  assert(zoomed.startsWith("assemble:"), zoomed);
  // On paper nothing is cut off, and frames are there at once.
  await page.send("Emulation.setEmulatedMedia", { media: "print" });
  await page.send("Emulation.setDeviceMetricsOverride", {
    width: 700,
    height: 900,
    deviceScaleFactor: 1,
    mobile: false,
  });
  const isWhole = await page.run<boolean>(`(() => {
    const edge = document.body.getBoundingClientRect().right + 1;
    dispatchEvent(new Event("beforeprint"));
    return [...document.querySelectorAll("canvas, .flame svg")]
      .every((e) => e.getBoundingClientRect().right <= edge) &&
      [...document.querySelectorAll("details")].every((e) => e.open) &&
      [...document.querySelectorAll("g.frame rect")].every((e) => Number(e.getAttribute("width")) > 0);
  })()`);
  assert(isWhole);
  await page.run("dispatchEvent(new Event('afterprint'))");
  await page.send("Emulation.clearDeviceMetricsOverride");
  const pdf = await page.pdf();
  assertEquals(new TextDecoder().decode(pdf.subarray(0, 5)), "%PDF-");
  assert(pdf.length > 20_000);
  assertEquals(page.errors, []);
  assertEquals(
    page.requests.filter((url) => !url.startsWith("file:") && !url.startsWith("blob:")),
    [],
  );
  // The download is the data.
  const file = [...Deno.readDirSync(dir)].find(({ name }) => name.endsWith(".json"))?.name;
  assert(file !== undefined, "a download");
  assertEquals(JSON.parse(Deno.readTextFileSync(`${dir}/${file}`)).format, "joulemark-page/1");
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
      ["cut", [`${dir}/cut.report`], "is cut or damaged"],
      ["recording", [`${dir}/rec`], "Power over time: "],
      ["traced", [report, `${dir}/a.trace`], "Power over time: "],
      ["trace", [`${dir}/a.trace`], "greatest"],
      ["many", [`${dir}/many.report`], "9501 more rows"],
      ["cali", [`${VECTORS}caliper/hatchet_profile.cali`], "Time by region"],
      ["marks", [`${dir}/a.cali`], "Energy by region"],
      ["raw", [`${VECTORS}rawstats/rollover-a.raw`], "Job metrics"],
      ["pmc", [`${VECTORS}pmc/run-a.v4.3.0.pmc`], "Energy per step"],
    ];
    await using page = await Browser.open();
    const compared = joulemark(dir, [
      ...["compare", "--force", "--format", "html", "-o", `${dir}/compare.html`],
      ...[report, "--", report],
    ]);
    assertEquals(compared.code, 2, compared.stderr);
    await page.show(`${dir}/compare.html`);
    const changed = await page.run<string>("document.body.innerText");
    assert(changed.includes("blue is less than A"), changed);
    assertEquals(page.errors, []);
    for (const [name, words, text] of inputs) {
      const html = `${dir}/${name}.html`;
      const out = joulemark(dir, ["show", "--html", "-o", html, ...words]);
      assertEquals(out.code, 0, `${name}: ${out.stderr}`);
      await page.show(html);
      const shown = await page.run<string>("document.body.innerText");
      assert(shown.includes(text), `${name}: ${shown.slice(0, 2000)}`);
      assert(await page.run<boolean>("document.title !== 'evil'"), name);
      assertEquals(page.errors, [], name);
    }
    assert(page.requests.every((url) => url.startsWith("file:")));
  },
);

pageTest("pages are readable in light and dark, and narrow", async (dir) => {
  const html = demoPage(dir);
  for (const dark of [false, true]) {
    await using page = await Browser.open({ dark });
    await page.show(html);
    const first = await page.run<{ ratio: number; text: string }>(CONTRAST);
    assert(first.ratio >= 4.5, `${dark}: ${JSON.stringify(first)}`);
    await page.run("document.querySelector('header button').click()");
    const other = await page.run<{ ratio: number; text: string }>(CONTRAST);
    assert(other.ratio >= 4.5, `${dark}, other: ${JSON.stringify(other)}`);
    const unnamed = await page.run<string[]>(
      `[...document.querySelectorAll("button, input, [role=img], section")]
      .filter((e) => !(e.ariaLabel || e.textContent.trim())).map((e) => e.outerHTML)`,
    );
    assertEquals(unnamed, []);
  }
  await using narrow = await Browser.open({ width: 400 });
  await narrow.show(html);
  assert(await narrow.run<boolean>("document.documentElement.scrollWidth <= innerWidth + 1"));
});
