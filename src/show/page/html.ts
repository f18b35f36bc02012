/**
 * One file of HTML that needs nothing else: style, script, and the data as JSON, in which nothing can
 * end its element. A policy in the page allows that one script by its sum, and no request at all.
 * @module
 */
import { printable } from "../../core/printable.ts";
import type { PageContent } from "./content.ts";
import script from "./made/page.js.txt" with { type: "text" };
import sum from "./made/page.sum.txt" with { type: "text" };
import style from "./made/page.css.txt" with { type: "text" };

const POLICY = `default-src 'none'; script-src 'sha256-${sum.trim()}'; ` +
  "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** The page's text. */
export function pageHtml(content: PageContent): string {
  const { title, lead, simulated, notes, madeBy } = content;
  const banner = simulated === undefined
    ? ""
    : `<p class="simulated">Simulated: ${escaped(simulated)}. No figure is a measurement.</p>\n`;
  const list = notes.map((note) => `<li>${escaped(note)}</li>`).join("");
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
<header>
<h1>${escaped(title)}</h1>
<p>${escaped(lead)}</p>
${banner}${list === "" ? "" : `<ul class="notes">${list}</ul>\n`}<p class="controls"></p>
</header>
<main></main>
<noscript><p>Tables and pictures need JavaScript; the data stands in this file as JSON.</p></noscript>
<footer><p>Made by ${
    escaped(madeBy)
  }; this file needs no network. Charts by uPlot (MIT), flame graph by
d3-flame-graph (Apache-2.0) and D3 (ISC).</p></footer>
<script type="application/json" id="data">${jsonText(content)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON without anything that HTML or a terminal would obey. */
function jsonText(content: PageContent): string {
  const text = JSON.stringify(content, (_, value) => {
    return typeof value === "string" ? printable(value) : value;
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
