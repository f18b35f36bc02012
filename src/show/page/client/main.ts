/// <reference lib="dom" />
/**
 * The page's script: reads the data in the page, and draws it.
 * @module
 */
import "uplot/dist/uPlot.min.css";
import { isDark, onSystemTheme, setTheme, theme } from "./theme.ts";
import "./page.css";
import type { Nested } from "../../../core/report.ts";
import type { PageContent } from "../content.ts";
import { button, make, type Redraw } from "./dom.ts";
import { panelSection } from "./panel.ts";
import { tableSection } from "./table.ts";
import { timelineSection } from "./timeline.ts";
import { placeRegions, treeSection } from "./tree.ts";

const REDRAW_MS = 150;
const HIDDEN_MS = 500;

function start(): void {
  const text = document.getElementById("data")!.textContent!;
  const content: PageContent = JSON.parse(text);
  const { simulated, tables, timelines, tree, panels, provenance } = content;
  const redraws: Redraw[] = [];
  if (tree !== undefined) placeRegions(tree);
  const [totals, ...others] = tables;
  const main = document.querySelector("main")!;
  main.append(
    ...totals === undefined ? [] : [tableSection(totals, simulated)],
    ...timelines.map((timeline) => timelineSection(timeline, simulated, redraws)),
    ...tree === undefined ? [] : [treeSection(tree, simulated, redraws)],
    ...others.map((table) => tableSection(table, simulated)),
    ...panels.map((panel) => panelSection(panel, simulated, redraws)),
    ...provenance === undefined ? [] : [provenanceSection(provenance)],
  );
  document.querySelector("header .controls")!.append(
    themeButton(redraws),
    button("Download data", () => download(text, content.title), "Download the data as JSON"),
    button("Print", () => print()),
  );
  const redraw = () => redraws.forEach((draw) => draw());
  redraw();
  let width = main.clientWidth;
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (main.clientWidth === width) return;
      width = main.clientWidth;
      redraw();
    }, REDRAW_MS);
  });
  // Paper is white: pictures are drawn in the light colours for it.
  let before = theme();
  let closed: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    before = theme();
    closed = [...document.querySelectorAll("details")].filter((details) => !details.open);
    for (const details of closed) details.open = true;
    setTheme("light");
    redraw();
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
    setTheme(before);
    redraw();
  });
  onSystemTheme(redraw);
}

function themeButton(redraws: Redraw[]): HTMLElement {
  const toggle = button("", () => {
    setTheme(isDark() ? "light" : "dark");
    name();
    redraws.forEach((draw) => draw());
  });
  const name = () => toggle.textContent = isDark() ? "Light" : "Dark";
  name();
  return toggle;
}

function download(text: string, title: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = make("a", {
    attributes: { href: url, download: `${title.replace(/[^\w.-]+/g, "_")}.json` },
  });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** A mapping as lines, one inside the other by blanks. */
function linesOf(value: Nested, indent: string): string[] {
  if (value === null || typeof value !== "object") return [`${indent}${value}`];
  if (Array.isArray(value)) return value.flatMap((one) => linesOf(one, `${indent}- `));
  return Object.entries(value).flatMap(([key, inner]) => {
    const isLeaf = inner === null || typeof inner !== "object";
    if (isLeaf) return [`${indent}${key}: ${inner}`];
    return [`${indent}${key}:`, ...linesOf(inner, `${indent.replace("-", " ")}  `)];
  });
}

/** Keys and values, one inside the other, closed at first. */
function provenanceSection(provenance: NonNullable<PageContent["provenance"]>): HTMLElement {
  return make("section", {
    attributes: { "aria-label": "Provenance" },
    children: [
      make("h2", { text: "Coverage and provenance" }),
      ...Object.entries(provenance).map(([key, value]) =>
        make("details", {
          children: [
            make("summary", { text: key }),
            make("pre", { text: linesOf(value, "").join("\n") }),
          ],
        })
      ),
    ],
  });
}

// The page's text is painted first; nothing is painted in a page that is hidden.
let isStarted = false;
const once = () => {
  if (isStarted) return;
  isStarted = true;
  start();
  document.documentElement.dataset.ready = "";
};
requestAnimationFrame(() => setTimeout(once, 0));
setTimeout(once, HIDDEN_MS);
