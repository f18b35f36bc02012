/// <reference lib="dom" />
/**
 * The script of a page: reads the data, makes the views, and draws them again when something changes.
 * @module
 */
import "./page.css";
import type { PageData } from "../data.ts";
import { listenToLinks, readAddress, scrollToView, writeAddress } from "./address.ts";
import { regionChangesViews, runChangesViews } from "./changes.ts";
import { find } from "./dom.ts";
import { durationsView } from "./durations.ts";
import { hostsView } from "./hosts.ts";
import { icicleView } from "./icicle.ts";
import { Model, type Page } from "./model.ts";
import { aboutView, notesView, sourcesView, tableViews, toolbar } from "./notes.ts";
import { panelViews } from "./panels.ts";
import { powerView } from "./power.ts";
import { processesView } from "./processes.ts";
import { regionsView } from "./regions.ts";

const RESIZE_MS = 100;

/** In the order of the questions that a reader has. */
const VIEWS: readonly ((page: Page) => void)[] = [
  powerView,
  icicleView,
  regionsView,
  (page) => icicleView(ofFunctions(page)),
  (page) => regionsView(ofFunctions(page)),
  hostsView,
  processesView,
  durationsView,
  panelViews,
  tableViews,
  sourcesView,
  notesView,
  aboutView,
];

/** Views of a comparison: its table of changes is in place of that of regions. */
const COMPARISON_VIEWS: readonly ((page: Page) => void)[] = [
  runChangesViews,
  panelViews,
  regionChangesViews,
  icicleView,
  tableViews,
  notesView,
];

/** The page with functions in place of regions. */
function ofFunctions(page: Page): Page {
  return { ...page, model: page.functions };
}

/** JSON, or base64 of raw deflate of it. */
async function readData(): Promise<PageData> {
  const element = find<HTMLScriptElement>("#data");
  const text = element.textContent!;
  if (element.type === "application/json") return JSON.parse(text);
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(plain).text());
}

function start(data: PageData): void {
  const measures: (() => void)[] = [], draws: (() => void)[] = [];
  let isAsked = false;
  const drawAll = () => {
    isAsked = false;
    for (const measure of measures) measure();
    for (const draw of draws) draw();
  };
  const page: Page = {
    data,
    model: new Model(data, false),
    functions: new Model(data, true),
    state: {
      component: data.component,
      span: undefined,
      zoom: undefined,
      host: data.timelines[0]?.host ?? "",
      view: "",
    },
    measures,
    draws,
    changed() {
      writeAddress(page);
      if (isAsked) return;
      isAsked = true;
      requestAnimationFrame(drawAll);
    },
  };
  readAddress(page);
  const root = document.documentElement;
  toolbar(page, () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    drawAll();
  });
  for (const view of data.changes === undefined ? VIEWS : COMPARISON_VIEWS) view(page);
  drawAll();
  listenToLinks(page);
  scrollToView(page);
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(drawAll, RESIZE_MS);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  listenToPrinter(drawAll);
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined
    ? matchMedia("(prefers-color-scheme: dark)").matches
    : theme === "dark";
}

/** Paper is white, and shows all that is closed. */
function listenToPrinter(drawAll: () => void): void {
  const root = document.documentElement;
  let theme: string | undefined;
  let closed: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    closed = [...document.querySelectorAll("details")].filter(({ open }) => !open);
    for (const details of closed) details.open = true;
    drawAll();
  });
  addEventListener("afterprint", () => {
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const details of closed) details.open = false;
    drawAll();
  });
}

readData().then(start).catch((error) => {
  const line = document.createElement("p");
  line.className = "banner warn";
  line.textContent =
    `This browser cannot show the plots (${error}). The summary above is complete.`;
  find("main").append(line);
}).finally(() => {
  document.documentElement.dataset.ready = "1";
});
