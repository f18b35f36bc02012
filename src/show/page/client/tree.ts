/// <reference lib="dom" />
/**
 * Regions inside each other: an energy flame graph with search, and the same as a table.
 * @module
 */
import flamegraph from "d3-flame-graph";
import { select } from "d3-selection";
import type { TreeNode } from "../content.ts";
import { button, colour, make, placeOf, type Redraw, regionVariable, shown } from "./dom.ts";

/** What the flame graph draws: widths are energies, or times where no energy is known. */
interface Frame {
  readonly name: string;
  readonly value: number;
  readonly node: TreeNode;
  readonly children: Frame[];
}

const ROW_PX = 22;

function depthOf({ children }: Frame): number {
  return children.reduce((most, child) => Math.max(most, 1 + depthOf(child)), 0);
}

/** Gives regions their colours, by energy. */
export function placeRegions(root: TreeNode): void {
  const all: TreeNode[] = [];
  const add = (node: TreeNode) => {
    for (const child of node.children ?? []) all.push(child), add(child);
  };
  add(root);
  const size = ({ energyJ, timeS }: TreeNode) => energyJ ?? timeS ?? 0;
  for (const { name } of all.sort((a, b) => size(b) - size(a))) placeOf(name);
}

/** The tree in both forms. */
export function treeSection(
  root: TreeNode,
  simulated: string | undefined,
  redraws: Redraw[],
): HTMLElement {
  const byEnergy = hasEnergy(root);
  const unit = byEnergy ? "energy" : "time";
  const holder = make("div", {
    attributes: {
      class: "flame",
      role: "group",
      "aria-label": `Flame graph: widths are ${unit}. Tab goes from frame to frame, Enter zooms.`,
    },
  });
  const reading = make("p", { attributes: { class: "reading", "aria-live": "polite" } });
  const search = make("input", {
    attributes: { type: "search", "aria-label": "Search regions", autocomplete: "off" },
  });
  let chart: Chart | undefined;
  const draw = () => {
    holder.replaceChildren();
    const made = flamegraph() as Chart;
    chart = made;
    made.width(Math.max(300, holder.clientWidth)).cellHeight(ROW_PX).transitionDuration(0)
      .inverted(true).minFrameSize(1).sort(false)
      .setLabelHandler((d) => tell(d.data.node, root))
      .setColorMapper((d) => d.highlight ? colour("found") : frameColour(d))
      .setSearchMatch((d, term) =>
        term !== "" && d.data.name.toLowerCase().includes(term.toLowerCase())
      )
      .setSearchHandler((found, sum, total) => {
        reading.textContent = `${found.length} regions found, ${
          shown(100 * sum / total, 3)
        } % of the ${unit}`;
      })
      .onClick((d) => {
        reading.textContent = tell(d.data.node, root);
        touch(holder);
      });
    const top = frames(root, byEnergy);
    made.height((depthOf(top) + 1) * ROW_PX);
    select(holder).datum(top).call(made);
    const svg = holder.querySelector("svg");
    svg?.setAttribute("role", "presentation");
    // Paper has another width.
    svg?.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
    touch(holder);
  };
  redraws.push(draw);
  search.addEventListener("input", () => {
    if (search.value === "") {
      chart?.clear();
      reading.textContent = "";
    } else chart?.search(search.value);
    touch(holder);
  });
  const label = make("label", { text: "Search " });
  label.append(search);
  const title = root.changeJ !== undefined
    ? "Energy by region of B: blue is less than A, orange more"
    : byEnergy
    ? "Energy by region"
    : "Time by region";
  return make("section", {
    attributes: { "aria-label": title },
    children: [
      make("h2", { text: simulated === undefined ? title : `${title} [${simulated}]` }),
      make("p", {
        attributes: { class: "controls" },
        children: [
          label,
          button("Reset", () => {
            search.value = "";
            chart?.clear();
            chart?.resetZoom();
            reading.textContent = "";
            touch(holder);
          }, "Reset the flame graph"),
        ],
      }),
      holder,
      reading,
      treeTable(root),
    ],
  });
}

/** The part of d3-flame-graph that is used; it has no types of its own. */
interface Chart {
  (selection: unknown): void;
  width(px: number): Chart;
  height(px: number): Chart;
  cellHeight(px: number): Chart;
  transitionDuration(ms: number): Chart;
  inverted(on: boolean): Chart;
  minFrameSize(px: number): Chart;
  sort(on: boolean): Chart;
  setLabelHandler(label: (d: Drawn) => string): Chart;
  setColorMapper(mapper: (d: Drawn) => string): Chart;
  setSearchMatch(match: (d: Drawn, term: string) => boolean): Chart;
  setSearchHandler(handler: (found: Drawn[], sum: number, total: number) => void): Chart;
  onClick(handler: (d: Drawn) => void): Chart;
  search(term: string): void;
  clear(): void;
  resetZoom(): void;
}

interface Drawn {
  readonly data: Frame;
  readonly depth: number;
  readonly highlight?: boolean;
}

/**
 * Frames get the keyboard, again after each drawing; and their widths and names at once, which the
 * library sets a moment later: a page that is printed does not wait.
 */
function touch(holder: HTMLElement): void {
  for (const frame of holder.querySelectorAll<SVGGElement>("g.frame")) {
    const label = frame.querySelector(".d3-flame-graph-label");
    if (label !== null) label.textContent = frame.getAttribute("name");
    frame.querySelector("rect")?.setAttribute("width", frame.getAttribute("width") ?? "0");
    frame.setAttribute("tabindex", "0");
    frame.setAttribute("role", "button");
    frame.setAttribute("aria-label", frame.querySelector("title")?.textContent ?? "");
    frame.onkeydown = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      frame.dispatchEvent(new MouseEvent("click"));
    };
  }
}

/** Less of the change is taken for none. */
const MIN_CHANGE = 0.005;
/** From here on the colour is full. */
const FULL_CHANGE = 0.1;

/** Blue for less, orange for more, the stronger the more of it. */
function changeColour({ energyJ, changeJ }: TreeNode): string {
  const before = (energyJ ?? 0) - (changeJ ?? 0);
  const share = before > 0 ? (changeJ ?? 0) / before : 1;
  if (Math.abs(share) < MIN_CHANGE) return colour("other");
  const strength = Math.min(1, 0.25 + 0.75 * Math.abs(share) / FULL_CHANGE);
  const name = share > 0 ? "fill-1" : "fill-0";
  return `color-mix(in srgb, ${colour(name)} ${Math.round(100 * strength)}%, ${colour("other")})`;
}

function frameColour({ data, depth }: Drawn): string {
  if (data.node.changeJ !== undefined) return changeColour(data.node);
  return colour(depth === 0 ? "other" : regionVariable(data.name));
}

function hasEnergy({ energyJ, children = [] }: TreeNode): boolean {
  return (energyJ ?? 0) > 0 || children.some(hasEnergy);
}

function frames(node: TreeNode, byEnergy: boolean): Frame {
  const children = (node.children ?? []).map((child) => frames(child, byEnergy))
    .filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  const inside = children.reduce((sum, { value }) => sum + value, 0);
  const own = Math.max(0, (byEnergy ? node.energyJ : node.timeS) ?? 0);
  return { name: node.name, value: Math.max(own, inside), node, children };
}

function tell(node: TreeNode, root: TreeNode): string {
  const { name, energyJ, errorJ, changeJ, timeS, count } = node;
  const change = changeJ === undefined || changeJ === null
    ? ""
    : `, ${changeJ < 0 ? "" : "+"}${shown(changeJ)} J`;
  const error = errorJ === undefined ? "" : ` ± ${shown(errorJ, 2)}`;
  const share = energyJ === null || !root.energyJ
    ? ""
    : `, ${shown(100 * energyJ / root.energyJ, 3)} %`;
  const visits = count === undefined ? "" : `, ${shown(count)} visits`;
  return `${name}: ${shown(energyJ)}${error} J${share}${change}, ${shown(timeS)} s${visits}`;
}

const COLUMNS: readonly { title: string; of: (node: TreeNode) => number | null | undefined }[] = [
  { title: "energy (J)", of: ({ energyJ }) => energyJ },
  { title: "± (J)", of: ({ errorJ }) => errorJ },
  { title: "change (J)", of: ({ changeJ }) => changeJ },
  { title: "time (s)", of: ({ timeS }) => timeS },
  { title: "count", of: ({ count }) => count },
  { title: "p50 (s)", of: ({ p50S }) => p50S },
  { title: "p99 (s)", of: ({ p99S }) => p99S },
];

function hasFigure(node: TreeNode, of: typeof COLUMNS[number]["of"]): boolean {
  const value = of(node);
  return value !== null && value !== undefined ||
    (node.children ?? []).some((child) => hasFigure(child, of));
}

/** A tree that is opened and closed row by row. */
function treeTable(root: TreeNode): HTMLElement {
  const body = make("tbody");
  const closed = new Set<TreeNode>();
  const columns = COLUMNS.filter(({ of }) => hasFigure(root, of));
  const fill = (focus?: TreeNode) => {
    body.replaceChildren();
    const add = (node: TreeNode, level: number) => {
      const hasInside = (node.children?.length ?? 0) > 0;
      const isOpen = hasInside && !closed.has(node);
      const name = make("th", { attributes: { scope: "row" } });
      name.style.paddingLeft = `${0.5 + 1.2 * level}rem`;
      if (hasInside) {
        const toggle = button(isOpen ? "▾" : "▸", () => {
          if (isOpen) closed.add(node);
          else closed.delete(node);
          fill(node);
        }, `${isOpen ? "Close" : "Open"} ${node.name}`);
        toggle.setAttribute("aria-expanded", String(isOpen));
        toggle.className = "toggle";
        name.append(toggle);
        if (node === focus) queueMicrotask(() => toggle.focus());
      }
      name.append(node.name);
      const cells = columns.map(({ of }) =>
        make("td", { text: shown(of(node)), attributes: { class: "number" } })
      );
      body.append(make("tr", { children: [name, ...cells] }));
      if (isOpen) { for (const child of node.children!) add(child, level + 1); }
    };
    add(root, 0);
  };
  fill();
  const heading = (text: string, type: string) =>
    make("th", { text, attributes: { scope: "col", class: type } });
  return make("div", {
    attributes: { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tree of regions" },
    children: [make("table", {
      children: [
        make("caption", { text: "Tree of regions: with all inside" }),
        make("thead", {
          children: [make("tr", {
            children: [
              heading("region", ""),
              ...columns.map(({ title }) => heading(title, "number")),
            ],
          })],
        }),
        body,
      ],
    })],
  });
}
