/// <reference lib="dom" />
/**
 * Times of processes by region: one row a region, one column a process, coloured by the distance from the mean.
 * @module
 */
import type { PageTable } from "../data.ts";
import { grouped, percent, seconds } from "../numbers.ts";
import { css, diverging } from "./colours.ts";
import { section } from "./dom.ts";
import { type Page, selectRegion } from "./model.ts";
import {
  addPlot,
  type Box,
  boxes,
  type Canvas,
  type Drawing,
  group,
  type Label,
  labels,
} from "./plot.ts";
import { fitted } from "./text.ts";

const MAX_ROWS = 12, ROW = 22, TOP = 18;
/** A column is at least so wide, px: beyond that columns are means of several processes. */
const MIN_COLUMN = 3;
/** Distance from the mean at the ends of the scale. */
const REACH = 0.3;

interface Row {
  readonly name: string;
  readonly times: readonly number[];
  readonly mean: number;
  /** Place of the slowest process. */
  readonly slowest: number;
}

/** The section. */
export function processesView(page: Page): void {
  const { data, model } = page;
  const { processes } = data;
  if (processes === undefined || processes.label.length < 2) return;
  const rows = processes.region.map((name, k): Row => {
    const times = processes.time_s[k];
    return {
      name,
      times,
      mean: times.reduce((sum, time) => sum + time, 0) / times.length,
      slowest: times.reduce((most, time, i) => time > times[most] ? i : most, 0),
    };
  }).filter(({ mean }) => mean > 0);
  if (rows.length === 0) return;
  const own = section("processes", "Processes", "w6 u4");
  const svg = addPlot(page, own, {
    title: "Time of processes by region",
    describe: () => {
      const parts = rows.slice(0, 4).map(({ name, times, slowest, mean }) => {
        return `${name}: slowest ÷ mean ${(times[slowest] / mean).toFixed(2)}, ${
          processes.label[slowest]
        }`;
      });
      return `${grouped(processes.label.length)} processes. ${parts.join("; ")}.`;
    },
    draw: (canvas, width) => draw(canvas, width, page, rows.slice(0, MAX_ROWS)),
    table: (): PageTable => ({
      title: "Time of processes by region",
      columns: [{ name: "process" }, ...rows.map(({ name }) => ({ name, unit: "s" }))],
      rows: processes.label.map((label, i) => [label, ...rows.map(({ times }) => times[i])]),
      more: 0,
    }),
  });
  svg.addEventListener("click", (event) => {
    const { name } = (event.target as SVGElement).dataset;
    const i = name === undefined ? -1 : model.named(name);
    if (i >= 0) selectRegion(page, i);
  });
}

function draw(canvas: Canvas, width: number, page: Page, rows: readonly Row[]): Drawing {
  const { model } = page;
  const { label } = page.data.processes!;
  const isWide = width > 500;
  const left = Math.min(150, Math.max(64, width * 0.22)), right = isWide ? 160 : 52;
  const inner = width - left - right;
  const columns = Math.min(label.length, Math.max(1, Math.floor(inner / MIN_COLUMN)));
  const each = inner / columns;
  const list: (Box & { name: string })[] = [];
  const marks: { x: number; y: number }[] = [];
  const names: Label[] = [
    { x: left, y: 11, text: fitted(`process 0 … ${label.length - 1}`, inner - 4), class: "dim" },
    isWide
      ? { x: width - right + 8, y: 11, text: "slowest ÷ mean", class: "dim" }
      : { x: width - 2, y: 11, text: "÷ mean", anchor: "end", class: "dim" },
  ];
  rows.forEach(({ name, times, mean, slowest }, k) => {
    const y = TOP + k * ROW;
    const isSelected = model.selected >= 0 && model.regions.name[model.selected] === name;
    names.push({
      x: left - 6,
      y: y + 14,
      text: fitted(name, left - 8, isSelected ? 600 : 400),
      anchor: "end",
      class: isSelected ? "strong" : undefined,
    }, {
      x: width - right + 8,
      y: y + 14,
      text: fitted(
        (times[slowest] / mean).toFixed(2) + (isWide ? `  ${label[slowest]}` : ""),
        right - 10,
      ),
    });
    for (let column = 0; column < columns; column++) {
      const first = Math.floor(column * times.length / columns);
      const last = Math.max(first + 1, Math.floor((column + 1) * times.length / columns));
      const own = times.slice(first, last);
      const value = own.reduce((sum, time) => sum + time, 0) / own.length;
      if (own.length > 1 && slowest >= first && slowest < last) {
        marks.push({ x: left + (column + 0.5) * each, y });
      }
      list.push({
        name,
        x: left + column * each,
        y,
        width: Math.max(0.8, each - (each > 5 ? 1 : 0)),
        height: ROW - 3,
        fill: css(diverging((value / mean - 1) / REACH)),
        title: `${name}, ${label[first]}${own.length > 1 ? ` … ${label[last - 1]}` : ""}: ${
          seconds(value)
        }, ${value >= mean ? "+" : ""}${percent(value / mean - 1)} from the mean`,
      });
    }
  });
  boxes(group(canvas, "times"), list).attr("data-name", ({ name }) => name);
  group(canvas, "marks").selectAll("path").data(marks).join("path").attr("class", "solid")
    .attr("d", ({ x, y }) => `M${x.toFixed(1)},${y}l-4,-5h8z`);
  const bottom = TOP + rows.length * ROW;
  const room = Math.min(220, inner);
  boxes(
    group(canvas, "scale"),
    Array.from({ length: 41 }, (_, k) => ({
      x: left + k * room / 41,
      y: bottom + 6,
      width: room / 41 + 0.5,
      height: 9,
      fill: css(diverging(k / 20 - 1)),
    })),
  );
  names.push(
    { x: left, y: bottom + 29, text: "−30 %", class: "dim" },
    { x: left + room / 2, y: bottom + 29, text: "mean", anchor: "middle", class: "dim" },
    { x: left + room, y: bottom + 29, text: "+30 %", anchor: "end", class: "dim" },
  );
  labels(group(canvas, "names"), names);
  const many = columns < label.length
    ? ` Each column is the mean of ${
      Math.ceil(label.length / columns)
    } processes; the triangle marks the slowest.`
    : "";
  return {
    height: bottom + 34,
    caption:
      `Blue: less time than the mean of the processes; red: more.${many} A region that is red where a ` +
      "later MPI region is blue makes others wait.",
  };
}
