/**
 * One file of HTML that needs no other file: the summary as text, then the script that draws the plots, and its
 * data. The page's policy allows this script and this style sheet by their hashes, and no request.
 * @module
 */
import { printable } from "../../core/printable.ts";
import type { PageData } from "./data.ts";
import { deflated, loadDeflate } from "./deflate.ts";
import script from "./made/page.js.txt" with { type: "text" };
import sums from "./made/page.sum.txt" with { type: "text" };
import style from "./made/page.css.txt" with { type: "text" };
import { cellText, joules, NOT_AVAILABLE, percent, watts } from "./numbers.ts";
import { withoutShortest } from "./functions.ts";

/** Data of more bytes is compressed. */
const PLAIN_BYTES = 300_000;
/** A page has no more bytes. */
const MAX_BYTES = 1_000_000;
/** Digits of numbers: fewer where the page would be too large; if that is not enough, functions are fewer. */
const DIGITS = [7, 5, 4, 3];
/** Rows of the table for browsers without scripts. */
const STATIC_ROWS = 25;

const [SCRIPT_SUM, STYLE_SUM] = sums.trim().split("\n");
const POLICY = `default-src 'none'; script-src 'sha256-${SCRIPT_SUM}'; ` +
  `style-src 'sha256-${STYLE_SUM}'; img-src data: blob:; base-uri 'none'; form-action 'none'`;

/** The page's text, when there is time to load what a large one is compressed by. */
export async function loadedPageHtml(data: PageData): Promise<string> {
  await loadDeflate();
  return pageHtml(data);
}

/** The page's text. */
export function pageHtml(data: PageData): string {
  let text = "";
  for (const digits of DIGITS) {
    text = withDigits(data, digits);
    if (text.length <= MAX_BYTES) return text;
  }
  let { functions } = data;
  while (functions !== undefined && functions.rest > 0 && text.length > MAX_BYTES) {
    functions = withoutShortest(functions, functions.rest >> 1);
    text = withDigits({ ...data, functions }, DIGITS[0]);
  }
  return text;
}

function withDigits(data: PageData, digits: number): string {
  const { title, lead, made_by } = data;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><h1>${escaped(title)}</h1><p class="meta">${
    escaped(lead)
  }</p><p class="tools noprint"></p></header>
<nav class="toc noprint" aria-label="Sections"></nav>
<div id="summary">
${banners(data)}${verdicts(data)}${tiles(data)}${components(data)}${findings(data)}</div>
<main id="main"></main>
<noscript>${
    regionTable(data)
  }<p>The plots and tables need JavaScript; the summary does not.</p></noscript>
<footer><p>Made by ${escaped(made_by)}. The page needs no network and sends nothing.</p></footer>
${dataElement(data, digits)}
<script>${script}</script>
</body>
</html>
`;
}

function banners({ simulated, failed, missing }: PageData): string {
  const banner = (kind: string, text: string) => {
    return `<p class="banner ${kind}" role="note">${escaped(text)}</p>\n`;
  };
  return (failed === undefined ? "" : banner("bad", failed)) +
    (simulated === undefined
      ? ""
      : banner("warn", `Simulated (${simulated}): no value on this page is a measurement.`)) +
    missing.map((text) => banner("info", text)).join("");
}

function verdicts({ verdicts = [] }: PageData): string {
  return verdicts.map(({ kind, title, lines }) => {
    const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`);
    return `<div class="verdict ${kind}" role="note"><h2>${escaped(title)}</h2>${
      paragraphs.join("\n")
    }</div>\n`;
  }).join("");
}

function tiles({ tiles }: PageData): string {
  if (tiles.length === 0) return "";
  const all = tiles.map(({ name, value, about }) => {
    return `<div class="tile"><span class="k">${escaped(name)}</span><b>${escaped(value)}</b>` +
      `<span>${escaped(about)}</span></div>`;
  });
  return `<div class="tiles">${all.join("\n")}</div>\n`;
}

/** Energy of each component; the bar beside it is drawn by the script. */
function components({ components }: PageData): string {
  const total = components[0]?.energy_j ?? null;
  if (components.length === 0 || total === null) return "";
  const rows = components.map(({ name, energy_j, mean_w, peak_w, peak_at_most_w, source }) => {
    const share = energy_j === null ? NOT_AVAILABLE : percent(energy_j / total);
    return `<tr><th scope="row">${escaped(name)}</th><td>${
      joules(energy_j)
    }</td><td>${share}</td>` +
      `<td>${watts(mean_w)}</td><td class="opt">${watts(peak_w ?? peak_at_most_w)}</td>` +
      `<td class="wrap opt">${escaped(source)}</td></tr>`;
  });
  return `<div class="scroll"><table class="components"><caption>Energy by component</caption>` +
    `<thead><tr><th scope="col">component</th><th scope="col">energy</th><th scope="col">share</th>` +
    `<th scope="col">mean power</th><th scope="col" class="opt">peak power</th>` +
    `<th scope="col" class="l opt">source</th></tr></thead><tbody>${
      rows.join("")
    }</tbody></table></div>\n`;
}

function findings({ findings }: PageData): string {
  if (findings.length === 0) return "";
  const items = findings.map(({ text, next }) => {
    return `<li><p>${escaped(text)}</p><p class="do"><b>Next:</b> ${escaped(next)}</p></li>`;
  });
  return `<ul class="find" aria-label="Findings">${items.join("\n")}</ul>\n`;
}

/** Outermost regions, for browsers without scripts. */
function regionTable({ regions, components, component }: PageData): string {
  if (regions === undefined) return "";
  const tops = [...regions.name.keys()].filter((i) => regions.parent[i] < 0).slice(0, STATIC_ROWS);
  const rows = tops.map((i) => {
    const se = regions.se_j[component][i];
    return `<tr><th scope="row">${escaped(regions.name[i])}</th>` +
      `<td>${cellText(regions.energy_j[component][i], se)}</td>` +
      `<td>${cellText(se, undefined, 2)}</td><td>${cellText(regions.time_s[i])}</td></tr>`;
  });
  const of = components[component]?.name ?? "";
  return `<table><caption>Outermost regions</caption><thead><tr><th>region</th>` +
    `<th>${escaped(of)} energy (J)</th><th>± (J)</th><th>time (s)</th></tr></thead>` +
    `<tbody>${rows.join("")}</tbody></table>`;
}

/** JSON, or raw deflate of it as base64 if it is long. */
function dataElement(data: PageData, digits: number): string {
  const json = jsonText(data, digits);
  const packed = json.length > PLAIN_BYTES ? deflated(json) : undefined;
  return packed === undefined
    ? `<script type="application/json" id="data">${json}</script>`
    : `<script type="application/octet-stream" id="data">${packed}</script>`;
}

/** JSON without text that HTML or a terminal would obey. */
function jsonText(data: PageData, digits: number): string {
  const text = JSON.stringify(data, (_, value) => {
    if (typeof value === "string") return printable(value);
    if (typeof value !== "number" || Number.isInteger(value)) return value;
    return Number(value.toPrecision(digits));
  });
  return text.replaceAll("<", "\\u003c");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (c) => ENTITIES[c]);
}
