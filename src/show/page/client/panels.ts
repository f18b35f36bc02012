/// <reference lib="dom" />
/**
 * Plots of other files: lines, bars and points with labels on two axes.
 * @module
 */
import type { PagePanel, PageSeries, PageTable } from "../data.ts";
import { cellText } from "../numbers.ts";
import { line as d3Line, scaleLinear, select } from "./d3.ts";
import { section } from "./dom.ts";
import type { Page } from "./model.ts";
import {
  addPlot,
  bottomAxis,
  type Box,
  boxes,
  type Canvas,
  type Drawing,
  group,
  type Label,
  labels,
  leftAxis,
  type Rule,
  rules,
} from "./plot.ts";
import { fitted, textWidth } from "./text.ts";
import { linearTicks } from "./ticks.ts";

const LEFT = 62, RIGHT = 16, TOP = 10, HEIGHT = 260, BOTTOM = 40, LEGEND_ROW = 18;
const COLOURS = 7, MAX_LEGEND = 24, MAX_BAR = 60;
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4"];

/** Sections of plots, one each. */
export function panelViews(page: Page): void {
  page.data.panels.forEach((panel, k) => {
    const series = panel.series.filter(({ x }) => x.length > 0).map(inOrder);
    if (series.length === 0) return;
    const own = section(`plot-${k + 1}`, panel.title, "w6 u4");
    addPlot(page, own, {
      title: panel.title,
      describe: () => described(panel, series),
      draw: (canvas, width) => draw(canvas, width, panel, series),
      table: () => tableOf(panel, series),
    });
  });
}

function inOrder(series: PageSeries): PageSeries {
  const order = [...series.x.keys()].sort((a, b) => series.x[a] - series.x[b]);
  const by = <T>(list: readonly T[] | undefined) => list && order.map((i) => list[i]);
  return {
    ...series,
    x: by(series.x)!,
    y: by(series.y)!,
    labels: by(series.labels),
    xError: by(series.xError),
    yError: by(series.yError),
  };
}

function described({ xTitle, yTitle }: PagePanel, series: readonly PageSeries[]): string {
  const parts = series.slice(0, 6).map(({ name, y }) => {
    const [low, high] = [Math.min(...y), Math.max(...y)];
    return `${name}: ${cellText(low)} to ${cellText(high)}`;
  });
  return `${yTitle} against ${xTitle}. ${parts.join("; ")}.`;
}

function tableOf({ title, xTitle, yTitle }: PagePanel, series: readonly PageSeries[]): PageTable {
  const hasLabels = series.some(({ labels }) => labels !== undefined);
  const hasError = series.some(({ yError }) => yError !== undefined);
  return {
    title,
    columns: [
      { name: "series" },
      ...hasLabels ? [{ name: "name" }] : [],
      { name: xTitle },
      { name: yTitle },
      ...hasError ? [{ name: "±" }] : [],
    ],
    rows: series.flatMap(({ name, x, y, labels, yError }) =>
      x.map((value, i) => [
        name,
        ...hasLabels ? [labels?.[i] ?? ""] : [],
        value,
        y[i],
        ...hasError ? [yError?.[i] ?? null] : [],
      ])
    ),
    more: 0,
  };
}

function draw(
  canvas: Canvas,
  width: number,
  { xTitle, yTitle, fromZero }: PagePanel,
  series: readonly PageSeries[],
): Drawing {
  const legend = series.length < 2 && series[0].about === undefined ? [] : legendOf(series, width);
  const top = TOP + (legend.at(-1)?.y ?? 0) + 14, bottom = top + HEIGHT;
  const xs = series.flatMap(({ x, xError }) =>
    x.flatMap((value, i) => [value - (xError?.[i] ?? 0), value + (xError?.[i] ?? 0)])
  );
  const ys = series.flatMap(({ y, yError }) =>
    y.flatMap((value, i) => [value - (yError?.[i] ?? 0), value + (yError?.[i] ?? 0)])
  );
  const bar = series.filter(({ kind }) => kind === "bars").map(({ x, width }) => width ?? gapOf(x));
  const half = Math.max(0, ...bar) / 2;
  const [x0, x1] = padded(
    least(xs) - half,
    most(xs) + half,
    series.some(({ kind }) => kind === "points") ? 0.06 : 0.01,
  );
  const [low, high] = padded(least(ys), most(ys), 0.06);
  const [y0, y1] = fromZero === false
    ? [low, high]
    : [Math.min(0, least(ys)), Math.max(0, most(ys)) * 1.06 || 1];
  const x = scaleLinear().domain([x0, x1]).range([LEFT, width - RIGHT]);
  const y = scaleLinear().domain([y0, y1]).range([bottom, top]);
  bottomAxis(group(canvas, "x"), x, linearTicks(x0, x1, (width - LEFT) / 80), { y: bottom, width });
  leftAxis(group(canvas, "y"), y, linearTicks(y0, y1, 6), { x: LEFT, right: width - RIGHT });
  const holder = canvas.selectAll<SVGGElement, PageSeries>(":scope > g.series").data(
    series as PageSeries[],
  )
    .join("g").attr("class", "series");
  const taken: { x: number; y: number; width: number }[] = [];
  holder.each(function (one, k) {
    const at = select(this) as unknown as Canvas;
    const colour = `var(--c${(one.colour ?? k) % COLOURS})`;
    const px = one.x.map((value) => x(value)), py = one.y.map((value) => y(value));
    const wide = Math.abs(x(one.width ?? gapOf(one.x)) - x(0));
    boxes(
      group(at, "bars"),
      one.kind !== "bars" ? [] : px.map((value, i): Box => ({
        x: value - Math.min(MAX_BAR, Math.max(1, wide * 0.92)) / 2,
        y: Math.min(py[i], y(0)),
        width: Math.min(MAX_BAR, Math.max(1, wide * 0.92)),
        height: Math.abs(py[i] - y(0)),
        fill: colour,
      })),
    );
    const path = d3Line<number>().x((i) => px[i]).y((i) => py[i]);
    group(at, "line").selectAll("path").data(one.kind === "line" ? [one] : []).join("path")
      .attr("class", "series-line").style("stroke", colour)
      .attr("stroke-dasharray", DASHES[Math.floor(k / COLOURS) % DASHES.length] || null)
      .attr("d", path([...px.keys()]));
    group(at, "points").selectAll("circle").data(one.kind === "points" ? [...px.keys()] : [])
      .join("circle").attr("r", 4.5).attr("cx", (i) => px[i]).attr("cy", (i) => py[i])
      .attr("fill", colour);
    rules(group(at, "errors"), one.kind === "points" ? errorsOf(one, x, y) : []);
    labels(
      group(at, "names"),
      (one.labels ?? []).flatMap((text, i): Label[] =>
        placed(text, px[i], py[i], { width, top, taken })
      ),
    );
  });
  boxes(
    group(canvas, "swatches"),
    legend.map(({ x, y, k }) => ({
      x,
      y: y - 9,
      width: 10,
      height: 10,
      fill: `var(--c${(series[k].colour ?? k) % COLOURS})`,
    })),
  );
  labels(group(canvas, "titles"), [
    { x: 4, y: top - 6, text: fitted(yTitle, width - 8), class: "dim" },
    {
      x: (LEFT + width - RIGHT) / 2,
      y: bottom + BOTTOM - 6,
      text: fitted(xTitle, width - LEFT),
      anchor: "middle",
      class: "dim",
    },
    ...legend.map(({ x, y, text }) => ({ x: x + 14, y, text })),
  ]);
  return {
    height: bottom + BOTTOM,
    caption: legend.length < series.length && series.length > 1
      ? `${series.length} series; the table names all.`
      : "",
  };
}

function errorsOf(
  { x, y, xError, yError }: PageSeries,
  xOf: (value: number) => number,
  yOf: (value: number) => number,
): Rule[] {
  return x.flatMap((value, i) => {
    const [dx, dy] = [xError?.[i] ?? 0, yError?.[i] ?? 0];
    return [
      ...dy > 0 ? [{ x1: xOf(value), x2: xOf(value), y1: yOf(y[i] - dy), y2: yOf(y[i] + dy) }] : [],
      ...dx > 0 ? [{ x1: xOf(value - dx), x2: xOf(value + dx), y1: yOf(y[i]), y2: yOf(y[i]) }] : [],
    ];
  });
}

/** A name beside its point, where it hides no other one. */
function placed(
  text: string,
  x: number,
  y: number,
  { width, top, taken }: {
    width: number;
    top: number;
    taken: { x: number; y: number; width: number }[];
  },
): Label[] {
  const shown = fitted(text, 140), room = textWidth(shown);
  if (shown === "") return [];
  for (const [dx, dy] of [[8, -6], [8, 14], [-8 - room, -6], [-8 - room, 14]]) {
    const at = { x: x + dx, y: y + dy, width: room };
    const isFree = at.x >= 2 && at.x + room <= width - 2 && at.y > top + 8 &&
      taken.every((other) => {
        return Math.abs(other.y - at.y) > 13 || other.x > at.x + room + 3 ||
          other.x + other.width < at.x - 3;
      });
    if (!isFree) continue;
    taken.push(at);
    return [{ x: at.x, y: at.y, text: shown }];
  }
  return [];
}

/** Names of the series in rows above the plot. */
function legendOf(
  series: readonly PageSeries[],
  width: number,
): { x: number; y: number; k: number; text: string }[] {
  let x = 4, y = 12;
  return series.slice(0, MAX_LEGEND).map(({ name, about }, k) => {
    const text = fitted(about === undefined ? name : `${name}: ${about}`, width - 24);
    const room = textWidth(text) + 30;
    if (x > 4 && x + room > width) [x, y] = [4, y + LEGEND_ROW];
    const at = { x, y, k, text };
    x += room;
    return at;
  });
}

function gapOf(x: readonly number[]): number {
  const gaps = x.slice(1).map((value, i) => value - x[i]).filter((gap) => gap > 0);
  return gaps.length === 0 ? 1 : least(gaps);
}

function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function most(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

function padded(low: number, high: number, part: number): [number, number] {
  const gap = part * (high - low || Math.abs(high) || 1);
  return [low - gap, high + gap];
}
