/// <reference lib="dom" />
/**
 * A plot: an SVG that is drawn again when its data, width or theme change, with its numbers as a table, and as
 * files.
 * @module
 */
import type { PageTable } from "../data.ts";
import { axisBottom, axisLeft, select, type Selection } from "./d3.ts";
import { addControls, button, el } from "./dom.ts";
import type { Page } from "./model.ts";
import { fileName, save, savePng, svgText } from "./save.ts";
import { tableBlock } from "./table.ts";
import { textWidth } from "./text.ts";

/** An SVG or a group in it. */
export type Canvas = Selection<SVGSVGElement | SVGGElement, unknown, null, undefined>;

/** Result of a drawing. */
export interface Drawing {
  readonly height: number;
  /** One or two sentences below the plot. */
  readonly caption: string;
}

/** One plot. */
export interface PlotSpec {
  readonly title: string;
  /** Sentence with its main numbers, for screen readers. */
  describe(): string;
  draw(svg: Canvas, width: number): Drawing;
  /** All of its numbers. */
  table(): PageTable;
}

const MIN_WIDTH = 240;
/** Room between two labels of an axis, px. */
const LABEL_GAP = 8;

/** Puts a plot into a section. @returns Its SVG, for listeners. */
export function addPlot(page: Page, section: HTMLElement, spec: PlotSpec): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("role", "img");
  const caption = el("figcaption", { class: "cap" });
  const numbers = el("div", { hidden: true });
  const figure = el("figure", {}, svg, caption, numbers);
  const toggle = button("Table", () => {
    numbers.hidden = !numbers.hidden;
    toggle.setAttribute("aria-expanded", String(!numbers.hidden));
    fill();
  }, `Numbers of "${spec.title}" as a table`);
  toggle.setAttribute("aria-expanded", "false");
  const fill = () => {
    if (!numbers.hidden) numbers.replaceChildren(tableBlock(spec.table()));
  };
  addControls(
    section,
    el(
      "span",
      { class: "seg" },
      button("SVG", () => {
        save(fileName(spec.title, "svg"), svgText(svg, spec.title), "image/svg+xml");
      }, `Save "${spec.title}" as SVG`),
      button("PNG", () => savePng(svg, spec.title), `Save "${spec.title}" as PNG`),
      toggle,
    ),
  );
  section.append(figure);
  let width = MIN_WIDTH;
  page.measures.push(() => width = Math.max(MIN_WIDTH, Math.floor(figure.clientWidth)));
  page.draws.push(() => {
    const drawn = spec.draw(select(svg) as unknown as Canvas, width);
    svg.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(drawn.height)}`);
    svg.setAttribute("aria-label", `${spec.title}. ${spec.describe()}`);
    caption.textContent = drawn.caption;
    fill();
  });
  return svg;
}

/** The group with a name, made once. */
export function group(at: Canvas, name: string): Canvas {
  return at.selectAll<SVGGElement, string>(`:scope > g.${name}`).data([name]).join("g")
    .attr("class", name) as unknown as Canvas;
}

/** One text of a plot. */
export interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor?: "start" | "middle" | "end";
  readonly class?: string;
  readonly fill?: string;
}

/** Draws texts. */
export function labels(at: Canvas, list: readonly Label[]): void {
  at.selectAll<SVGTextElement, Label>(":scope > text").data(list).join("text")
    .attr("x", ({ x }) => x.toFixed(1)).attr("y", ({ y }) => y.toFixed(1))
    .attr("text-anchor", ({ anchor = "start" }) => anchor)
    .attr("class", (label) => label.class ?? null)
    .style("fill", ({ fill }) => fill ?? null)
    .attr("pointer-events", "none")
    .text(({ text }) => text);
}

/** One rectangle of a plot. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fill: string;
  readonly opacity?: number;
  readonly stroke?: string;
  /** Text on hovering. */
  readonly title?: string;
}

/** Draws rectangles. */
export function boxes<B extends Box>(
  at: Canvas,
  list: readonly B[],
  key?: (box: B) => string | number,
): Selection<SVGRectElement, B, SVGElement, unknown> {
  const made = at.selectAll<SVGRectElement, B>(":scope > rect").data(list, key as never)
    .join("rect")
    .attr("x", ({ x }) => x.toFixed(2)).attr("y", ({ y }) => y.toFixed(2))
    .attr("width", ({ width }) => Math.max(0, width).toFixed(2))
    .attr("height", ({ height }) => Math.max(0, height).toFixed(2))
    .attr("fill", ({ fill }) => fill).attr("fill-opacity", ({ opacity }) => opacity ?? null)
    .attr("stroke", ({ stroke }) => stroke ?? null);
  made.each(function ({ title }) {
    if (title === undefined) return this.replaceChildren();
    const known = this.firstChild ??
      this.appendChild(document.createElementNS(this.namespaceURI, "title"));
    known.textContent = title;
  });
  return made as unknown as Selection<SVGRectElement, B, SVGElement, unknown>;
}

/** One line of a plot. */
export interface Rule {
  readonly x1: number;
  readonly x2: number;
  readonly y1: number;
  readonly y2: number;
  readonly class?: string;
  readonly dash?: string;
}

/** Draws straight lines. */
export function rules(at: Canvas, list: readonly Rule[]): void {
  at.selectAll<SVGLineElement, Rule>(":scope > line").data(list).join("line")
    .attr("x1", ({ x1 }) => x1).attr("x2", ({ x2 }) => x2)
    .attr("y1", ({ y1 }) => y1).attr("y2", ({ y2 }) => y2)
    .attr("class", (rule) => rule.class ?? "mark")
    .attr("stroke-dasharray", ({ dash }) => dash ?? null);
}

/** A scale that an axis can be drawn of. */
export interface AxisScale {
  (value: number): number;
  domain(): number[];
  range(): number[];
  copy(): this;
}

/** Ticks that have room, and their texts. */
export interface Ticks {
  readonly values: readonly number[];
  text(value: number): string;
}

/** An axis along the bottom; labels that would overlap or leave the plot are left out. */
export function bottomAxis(
  at: Canvas,
  scale: AxisScale,
  ticks: Ticks,
  { y, width, grid = 0 }: { y: number; width: number; grid?: number },
): void {
  let end = -Infinity;
  const kept = ticks.values.filter((value) => {
    const half = textWidth(ticks.text(value)) / 2, x = scale(value);
    if (x - half < 0 || x + half > width || x - half < end + LABEL_GAP) return false;
    end = x + half;
    return true;
  });
  const axis = axisBottom(scale as never).tickValues(kept as never)
    .tickFormat(((value: number) => ticks.text(value)) as never).tickSizeOuter(0)
    .tickSizeInner(4).tickPadding(5);
  at.attr("transform", `translate(0,${y})`).call(axis as never);
  plain(at);
  rules(
    group(at, "lines"),
    grid === 0 ? [] : kept.map((value) => ({
      x1: scale(value),
      x2: scale(value),
      y1: -grid,
      y2: 0,
      class: "grid",
    })),
  );
}

/** An axis along the left side, with lines across the plot. */
export function leftAxis(
  at: Canvas,
  scale: AxisScale,
  ticks: Ticks,
  { x, right }: { x: number; right: number },
): void {
  let last = Infinity;
  const kept = ticks.values.filter((value) => {
    const y = scale(value);
    if (Math.abs(last - y) < 14) return false;
    last = y;
    return true;
  });
  const axis = axisLeft(scale as never).tickValues(kept as never)
    .tickFormat(((value: number) => ticks.text(value)) as never).tickSizeOuter(0)
    .tickSizeInner(0).tickPadding(6);
  at.attr("transform", `translate(${x},0)`).call(axis as never);
  plain(at);
  at.selectAll(".domain").remove();
  rules(
    group(at, "lines"),
    kept.map((value) => ({
      x1: 0,
      x2: right - x,
      y1: scale(value),
      y2: scale(value),
      class: "grid",
    })),
  );
}

/** Sizes and colours are the style sheet's. */
function plain(at: Canvas): void {
  at.attr("font-size", null).attr("font-family", null).attr("fill", null);
  at.selectAll("text").attr("class", "dim").attr("fill", null);
  at.selectAll(".tick > line, .domain").attr("stroke", null).classed("axis", true);
}
