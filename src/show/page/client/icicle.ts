/// <reference lib="dom" />
/**
 * Nested regions from the top: widths are energies or times, colours regions, powers or changes.
 * @module
 */
import type { PageTable } from "../data.ts";
import { joules, percent, seconds, watts } from "../numbers.ts";
import { css, diverging, heat, inkOn, over, parsed, type Rgb, variable } from "./colours.ts";
import { hierarchy, partition, select } from "./d3.ts";
import { button, choice, el, section } from "./dom.ts";
import { type Page, selectRegion } from "./model.ts";
import { addPlot, boxes, type Canvas, type Drawing, group, labels } from "./plot.ts";
import { fitted } from "./text.ts";

const ROW = 24;
/** Regions below this width are one grey box, px. */
const MIN_WIDTH = 1;
/** Steps of a legend. */
const LEGEND_STEPS = 40;
/** Share of the colour of what is not selected. */
const PALE = 0.3;

type Width = "energy" | "time";
type Colour = "region" | "power" | "change";

/** A region, or the root (−1). */
interface Cell {
  readonly i: number;
  readonly children: Cell[];
}

interface Frame {
  readonly i: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fill: string;
  readonly stroke?: string;
  readonly title: string;
  readonly label: string;
  readonly ink: string;
}

/** The section. */
export function icicleView(page: Page): void {
  const { model } = page;
  const { regions } = model;
  if (
    regions.name.length === 0 ||
    model.tops.every((i) => !(weightOf(page, i, "time") > 0) && !(weightOf(page, i, "energy") > 0))
  ) {
    return;
  }
  const hasChange = regions.change_j !== undefined;
  const view = {
    width: (model.hasEnergy && !model.hasFunctions ? "energy" : "time") as Width,
    colour: (hasChange ? "change" : "region") as Colour,
    root: -1,
  };
  const hasTime = model.tops.some((i) => (regions.time_s[i] ?? 0) > 0);
  const widths = choice("Width", [["energy", "energy"], ["time", "time"]], view.width, (value) => {
    view.width = value;
    page.changed();
  });
  const hasPower = regions.power_w.some((column) => column.some((value) => value !== null));
  const options: [Colour, string][] = [
    ["region", model.hasFunctions ? "function" : "region"],
    ...hasPower ? [["power", "power"] as [Colour, string]] : [],
    ...hasChange ? [["change", "change"] as [Colour, string]] : [],
  ];
  const colours = choice("Colour", options, view.colour, (value) => {
    view.colour = value;
    page.changed();
  });
  const title = model.hasFunctions
    ? "Stacks of functions"
    : page.data.changes?.[0] === undefined
    ? "Nested regions"
    : `Nested regions of ${page.data.changes[0].of}, and their change`;
  const own = section(
    model.hasFunctions ? "stacks" : "nested",
    title,
    "w12 u5",
    ...model.hasEnergy && hasTime ? [el("span", { class: "hint", text: "width" }), widths] : [],
    ...options.length > 1 ? [el("span", { class: "hint", text: "colour" }), colours] : [],
    button("Whole run", () => {
      view.root = -1;
      page.changed();
    }),
  );
  let focused = -1;
  const svg = addPlot(page, own, {
    title,
    describe: () => described(page, view.width),
    draw: (canvas, width) => draw(canvas, width, page, view, focused),
    table: () => tableOf(page),
  });
  svg.setAttribute("role", "group");
  const regionAt = (event: Event) => {
    const { i } = (event.target as SVGElement).dataset;
    return i === undefined ? -1 : Number(i);
  };
  svg.addEventListener("click", (event) => {
    const i = regionAt(event);
    if (i >= 0) selectRegion(page, focused = i);
  });
  svg.addEventListener("dblclick", (event) => {
    const i = regionAt(event);
    if (i < 0) return;
    view.root = view.root === i ? regions.parent[i] : i;
    page.changed();
  });
  svg.addEventListener("focusin", (event) => {
    const i = regionAt(event);
    if (i >= 0) focused = i;
  });
  svg.addEventListener("keydown", (event) => {
    const i = regionAt(event);
    if (i < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") selectRegion(page, i);
    else if (event.key === " ") {
      view.root = view.root === i ? regions.parent[i] : i;
      page.changed();
    } else if (event.key === "Escape") {
      view.root = -1;
      page.changed();
    } else {
      const next = neighbour(svg, event.key, i, regions.parent);
      if (next === undefined) return;
      svg.querySelector('rect[tabindex="0"]')?.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    }
    event.preventDefault();
  });
}

/** The frame that an arrow key leads to. */
function neighbour(
  svg: SVGSVGElement,
  key: string,
  i: number,
  parent: readonly number[],
): SVGElement | undefined {
  const frames = [...svg.querySelectorAll<SVGElement>("rect[data-i]")];
  const numberOf = (frame: SVGElement) => Number(frame.dataset.i);
  if (key === "ArrowUp") return frames.find((frame) => numberOf(frame) === parent[i]);
  const left = (frame: SVGElement) => Number(frame.getAttribute("x"));
  if (key === "ArrowDown") {
    return frames.filter((frame) => parent[numberOf(frame)] === i)
      .sort((a, b) => left(a) - left(b))[0];
  }
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const own = frames.find((frame) => numberOf(frame) === i)!;
  const row = frames.filter((frame) => frame.getAttribute("y") === own.getAttribute("y"))
    .sort((a, b) => left(a) - left(b));
  return row[row.indexOf(own) + (key === "ArrowLeft" ? -1 : 1)];
}

function weightOf({ model, state }: Page, i: number, width: Width): number {
  const { energy_j, time_s } = model.regions;
  const value = width === "energy" ? energy_j[state.component]?.[i] : time_s[i];
  return Math.max(0, value ?? 0);
}

function described(page: Page, width: Width): string {
  const { model, state } = page;
  const total = width === "energy" ? model.total(state.component) : model.seconds;
  const names = model.tops.slice(0, 5).map((i) => {
    return `${model.regions.name[i]} ${percent(weightOf(page, i, width) / total)}`;
  });
  return `Share of the ${width}: ${names.join(", ")}.`;
}

function tableOf({ model, state, data }: Page): PageTable {
  const { regions } = model;
  const column = (list: readonly (number | null)[][]) => list[state.component] ?? [];
  const name = data.components[state.component]?.name ?? "";
  return {
    title: model.hasFunctions ? "Stacks of functions" : "Nested regions",
    columns: [
      { name: model.hasFunctions ? "function" : "region" },
      { name: `${name} energy`.trim(), unit: "J" },
      { name: "own energy", unit: "J" },
      { name: model.hasFunctions ? "CPU time" : "time", unit: "s" },
      { name: "power", unit: "W" },
      ...regions.change_j === undefined ? [] : [{ name: "change", unit: "J" }],
    ],
    rows: regions.name.map((_, i) => [
      model.paths[i],
      column(regions.energy_j)[i] ?? null,
      column(regions.own_energy_j)[i] ?? null,
      regions.time_s[i],
      column(regions.power_w)[i] ?? null,
      ...regions.change_j === undefined ? [] : [regions.change_j[i]],
    ]),
    more: 0,
  };
}

interface View {
  readonly width: Width;
  readonly colour: Colour;
  readonly root: number;
}

function draw(canvas: Canvas, width: number, page: Page, view: View, focused: number): Drawing {
  const { model, state } = page;
  const { regions } = model;
  const cellOf = (i: number): Cell => ({ i, children: model.children[i].map(cellOf) });
  const root: Cell = view.root < 0
    ? { i: -1, children: model.tops.map(cellOf) }
    : cellOf(view.root);
  const total = view.width === "energy" ? model.total(state.component) : model.seconds;
  const value = ({ i }: Cell) => i < 0 ? total : weightOf(page, i, view.width);
  const inside = ({ children }: Cell) => children.reduce((sum, child) => sum + value(child), 0);
  // Estimates of nested regions may add up to more than the region around them.
  const tree = hierarchy(root).sum((cell) => Math.max(0, value(cell) - inside(cell)))
    .sort((a, b) => b.value! - a.value!);
  const drawn = partition<Cell>().size([width, tree.height + 1])(tree);
  const power = powerRange(page);
  const change = Math.max(...(regions.change_j ?? []).map((value) => Math.abs(value ?? 0)), 1e-12);
  const ground = parsed(variable("--card"));
  const colourOf = (i: number, depth: number): Rgb => {
    if (i < 0) return ground;
    const watt = regions.power_w[state.component]?.[i] ?? null;
    const own = view.colour === "power" && watt !== null
      ? heat((watt - power.low) / (power.high - power.low || 1))
      : view.colour === "change"
      ? diverging((regions.change_j?.[i] ?? 0) / change)
      : view.colour === "power"
      ? parsed(variable("--cx"))
      : over(parsed(variable(model.colour[i])), ground, Math.max(0.45, 1 - (depth - 1) * 0.2));
    return model.isLit(i) ? own : over(own, ground, PALE);
  };
  const frames: Frame[] = [];
  const small: { x: number; y: number; width: number; height: number; fill: string }[] = [];
  let deepest = 0;
  // Regions below a region that is too small are not looked at.
  const visit = (node: typeof drawn) => {
    deepest = Math.max(deepest, node.depth);
    const room = node.x1 - node.x0, { i } = node.data;
    const colour = colourOf(i, node.depth);
    const name = i < 0 ? rootName(page, view.width, total) : regions.name[i];
    const share = i >= 0 && room > 110 ? ` ${percent(value(node.data) / total)}` : "";
    frames.push({
      i,
      x: node.x0,
      y: node.depth * ROW,
      width: Math.max(0.6, room - 1),
      height: ROW - 2,
      fill: css(colour),
      stroke: i < 0 ? "var(--rule)" : model.selected === i ? "var(--ink)" : "none",
      title: i < 0 ? name : titleOf(page, i),
      label: room > 26 ? fitted(name + share, room - 12) : "",
      ink: i < 0 ? "var(--ink)" : inkOn(colour),
    });
    let skipped = 0, at = 0;
    for (const child of node.children ?? []) {
      if (child.x1 - child.x0 >= MIN_WIDTH) visit(child);
      else if (skipped === 0) [skipped, at] = [child.x1 - child.x0, child.x0];
      else skipped += child.x1 - child.x0;
    }
    if (skipped > 0.6) {
      deepest = Math.max(deepest, node.depth + 1);
      const y = (node.depth + 1) * ROW + 6;
      small.push({ x: at, y, width: skipped, height: ROW - 14, fill: "var(--edge)" });
    }
  };
  visit(drawn);
  boxes(group(canvas, "small"), small);
  const known = frames.some(({ i }) => i === focused) ? focused : frames[1]?.i ?? -1;
  boxes(group(canvas, "frames"), frames, ({ i }) => i).attr("rx", 2).attr("stroke-width", 2)
    .each(function ({ i, title }) {
      const frame = select(this);
      frame.attr("data-i", i < 0 ? null : i).attr("role", i < 0 ? null : "button")
        .attr("aria-label", i < 0 ? null : title).attr(
          "tabindex",
          i < 0 ? null : i === known ? 0 : -1,
        );
    });
  labels(
    group(canvas, "names"),
    frames.filter(({ label }) => label !== "").map(({ x, y, label, ink }) => ({
      x: x + 5,
      y: y + 16,
      text: label,
      fill: ink,
    })),
  );
  const height = (deepest + 1) * ROW + 2, noun = model.hasFunctions ? "function" : "region";
  const more = drawLegend(group(canvas, "legend"), height, width, view.colour, { power, change });
  return {
    height: height + more,
    caption:
      `Click or Enter selects a ${noun} in all views; double-click or the space bar enlarges it; arrow ` +
      `keys move. Grey: ${noun}s below one pixel.${
        view.colour === "change" ? " Blue: less than in A; red: more." : ""
      }`,
  };
}

function rootName({ data, state }: Page, width: Width, total: number): string {
  const whole = data.changes?.[0]?.of ?? data.title;
  if (width === "time") return `${whole}: ${seconds(total)}`;
  const name = data.components[state.component]?.name ?? "";
  return `${whole}: ${joules(total)} ${name}`.trim();
}

function titleOf({ model, state }: Page, i: number): string {
  const { energy_j, se_j, time_s, power_w, change_j } = model.regions;
  const energy = energy_j[state.component]?.[i] ?? null, se = se_j[state.component]?.[i] ?? null;
  const watt = power_w[state.component]?.[i] ?? null;
  const change = change_j?.[i] ?? null;
  const total = model.total(state.component);
  return [
    model.paths[i],
    ...energy === null ? [] : [
      `${joules(energy, se)}${se === null ? "" : ` ± ${joules(se)}`}, ${percent(energy / total)}`,
    ],
    ...change === null ? [] : [`change ${joules(change)}`],
    ...time_s[i] === null ? [] : [seconds(time_s[i])],
    ...watt === null ? [] : [watts(watt)],
  ].join("; ");
}

interface Range {
  readonly low: number;
  readonly high: number;
}

function powerRange({ model, state }: Page): Range {
  let [low, high] = [Infinity, -Infinity];
  for (const value of model.regions.power_w[state.component] ?? []) {
    if (value === null || !(value > 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { low, high };
}

/** @returns Its height. */
function drawLegend(
  at: Canvas,
  top: number,
  width: number,
  colour: Colour,
  { power, change }: { power: Range; change: number },
): number {
  const isShown = colour === "change" || colour === "power" && Number.isFinite(power.low);
  const room = Math.min(240, width * 0.6);
  const of = (part: number) => colour === "power" ? heat(part) : diverging(2 * part - 1);
  boxes(
    group(at, "scale"),
    !isShown ? [] : Array.from({ length: LEGEND_STEPS }, (_, k) => ({
      x: k * room / LEGEND_STEPS,
      y: top + 6,
      width: room / LEGEND_STEPS + 0.5,
      height: 10,
      fill: css(of(k / (LEGEND_STEPS - 1))),
    })),
  );
  const ends = colour === "power"
    ? [watts(power.low), watts(power.high)]
    : [joules(-change), `+${joules(change)}`];
  labels(
    group(at, "names"),
    !isShown ? [] : [
      { x: 0, y: top + 30, text: ends[0], class: "dim" },
      { x: room, y: top + 30, text: ends[1], anchor: "end", class: "dim" },
    ],
  );
  return isShown ? 36 : 0;
}
