/// <reference lib="dom" />
/**
 * The page's address names the view, host, region, function and time span that are shown.
 * @module
 */
import { find } from "./dom.ts";
import type { Model, Page } from "./model.ts";

function wordOf({ hasFunctions }: Model): string {
  return hasFunctions ? "function" : "region";
}

/** Takes over what the address says. */
export function readAddress({ data, model, functions, state }: Page): void {
  const words = new URLSearchParams(location.hash.slice(1));
  for (const  of of[model, functions]) {
    const path = words.get(wordOf(of)) ?? "", { parent } = of.regions;
    of.selected = of.paths.indexOf(path.replace(/^\//, ""));
    for (let at = parent[of.selected] ?? -1; at >= 0; at = parent[at]) of.open.add(at);
  }
  const host = words.get("host") ?? state.host;
  if (data.timelines.some((one) => one.host === host)) state.host = host;
  const [from, to] = (words.get("t") ?? "").split("-").map(Number);
  state.span = to > from ? [from, to] : undefined;
  state.view = words.get("view") ?? "";
}

/** Writes what is shown into the address. */
export function writeAddress({ data, model, functions, state }: Page): void {
  const words = [
    ...state.view === "" ? [] : [`view=${encodeURIComponent(state.view)}`],
    ...state.host === (data.timelines[0]?.host ?? "")
      ? []
      : [`host=${encodeURIComponent(state.host)}`],
    ...[model, functions].filter(({ selected }) => selected >= 0).map((of) =>
      `${wordOf(of)}=${encodeURIComponent(`/${of.paths[of.selected]}`)}`
    ),
    ...state.span === undefined ? [] : [`t=${state.span.join("-")}`],
  ];
  const address = words.length === 0 ? location.pathname + location.search : `#${words.join("&")}`;
  try {
    history.replaceState(null, "", address);
  } catch {
    // Some browsers refuse that for files.
  }
}

/** Links of the contents, which keep the rest of the address. */
export function listenToLinks(page: Page): void {
  find("nav.toc").addEventListener("click", (event) => {
    const { view } = (event.target as HTMLElement).dataset;
    if (view === undefined) return;
    event.preventDefault();
    page.state.view = view;
    writeAddress(page);
    scrollToView(page);
  });
  addEventListener("hashchange", () => {
    readAddress(page);
    page.changed();
    scrollToView(page);
  });
}

/** Scrolls to the view that the address names. */
export function scrollToView({ state }: Page): void {
  if (state.view !== "") document.getElementById(state.view)?.scrollIntoView();
}
