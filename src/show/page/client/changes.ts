/// <reference lib="dom" />
/**
 * Changes of a comparison: a point and its interval a row, on one logarithmic axis.
 * @module
 */
import type { PageChanges, PageTable } from "../data.ts";
import { scaleLinear } from "./d3.ts";
import { section } from "./dom.ts";
import type { Page } from "./model.ts";
import {
  addPlot,
  bottomAxis,
  boxes,
  type Canvas,
  type Drawing,
  group,
  type Label,
  labels,
  type Rule,
  rules,
} from "./plot.ts";
import { fitted, textWidth } from "./text.ts";

type Row = PageChanges["rows"][number];

const TOP = 22, ROW = 24, BOTTOM = 30, GAP = 10, SQUARE = 9, CAP = 5;
/** Widest names, and the width of a plot from which changes stand beside their lines. */
const MAX_NAME = 220, WIDE = 620;
/** The axis ends at a fifth and at five times; it is no shorter than ± 1 %. */
const MAX_LN = Math.log(5), MIN_LN = Math.log(1.01);
/** Steps of the axis as parts; a decrease has the step of the inverse ratio. */
const STEPS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
/** Steps on each side. */
const MAX_STEPS = 3;

/** Changes of the whole run. */
export function runChangesViews(page: Page): void {
  changesViews(page, true);
}

/** Changes of the regions. */
export function regionChangesViews(page: Page): void {
  changesViews(page, false);
}

function changesViews(page: Page, isWhole: boolean): void {
  page.data.changes?.forEach((changes, k) => {
    if (changes.isWhole !== isWhole) return;
    const own = section(`changes-${k + 1}`, changes.title, isWhole ? "w6" : "w12");
    addPlot(page, own, {
      title: changes.title,
      describe: () => `${changes.rows.map(({ name, text }) => `${name}: ${text}`).join("; ")}.`,
      draw: (canvas, width) => draw(canvas, width, changes),
      table: () => tableOf(changes),
    });
  });
}

function tableOf({ title, rows }: PageChanges): PageTable {
  const percent = (part: number | null) => part === null ? null : 100 * part;
  return {
    title,
    columns: [
      { name: "name" },
      { name: "change", unit: "%" },
      { name: "from", unit: "%" },
      { name: "to", unit: "%" },
    ],
    rows: rows.map(({ name, change, low, high }) => {
      return [name, percent(change), percent(low), percent(high)];
    }),
    more: 0,
  };
}

/** Does the interval exclude no change? */
function isClear({ low, high }: Row): boolean {
  return low !== null && low > 0 || high !== null && high < 0;
}

function draw(canvas: Canvas, width: number, { rows, caption, of }: PageChanges): Drawing {
  const isWide = width >= WIDE;
  const room = isWide ? Math.max(...rows.map(({ text }) => textWidth(text))) + GAP : GAP;
  const left = Math.min(
    isWide ? MAX_NAME : width / 3,
    Math.max(...rows.map(({ name }) => textWidth(name))),
  ) + GAP;
  const right = width - room - GAP, bottom = TOP + ROW * rows.length;
  const ends = rows.flatMap(({ change, low, high }) =>
    [change, low ?? change, high ?? change].map((part) => Math.abs(Math.log1p(part)))
  );
  const end = Math.min(MAX_LN, Math.max(MIN_LN, 1.05 * Math.max(...ends)));
  const x = scaleLinear().domain([-end, end]).range([left, right]).clamp(true);
  bottomAxis(group(canvas, "x"), x, ticksOf(end), { y: bottom, width, grid: bottom - TOP });
  const yOf = (i: number) => TOP + ROW * (i + 0.5);
  const colourOf = (row: Row) =>
    !isClear(row) ? "var(--dim)" : row.change > 0 ? "var(--bad)" : "var(--good)";
  rules(group(canvas, "zero"), [{ x1: x(0), x2: x(0), y1: TOP, y2: bottom, class: "axis" }]);
  const lines = rows.flatMap((row, i) => linesOf(row, x, yOf(i), end));
  rules(group(canvas, "intervals"), lines);
  boxes(
    group(canvas, "points"),
    rows.map((row, i) => ({
      x: x(Math.log1p(row.change)) - SQUARE / 2,
      y: yOf(i) - SQUARE / 2,
      width: SQUARE,
      height: SQUARE,
      fill: colourOf(row),
      title: `${row.name}: ${row.text}`,
    })),
  );
  labels(group(canvas, "names"), [
    { x: x(0) - GAP, y: 12, text: `← ${of} lower`, anchor: "end", class: "dim" },
    { x: x(0) + GAP, y: 12, text: `${of} higher →`, class: "dim" },
    ...rows.flatMap((row, i): Label[] => [
      { x: left - GAP, y: yOf(i) + 4, text: fitted(row.name, left - GAP), anchor: "end" },
      ...isWide ? [{ x: right + GAP, y: yOf(i) + 4, text: row.text }] : [],
    ]),
  ]);
  const colours = rows.some(isClear) ? ` Red: ${of} is higher; green: ${of} is lower.` : "";
  return {
    height: bottom + BOTTOM,
    caption: `${caption}${colours} Grey: the interval contains 0.`,
  };
}

/** The interval and its ends; an end beyond the axis, or one that is not known, has an arrow. */
function linesOf({ low, high }: Row, x: (ln: number) => number, y: number, end: number): Rule[] {
  if (low === null && high === null) return [];
  const ends = [low ?? -1, high ?? Infinity].map(Math.log1p);
  const [x1, x2] = ends.map((ln) => x(Math.max(-end, Math.min(end, ln))));
  return [
    { x1, x2, y1: y, y2: y },
    ...ends.flatMap((ln, k): Rule[] => {
      const at = k === 0 ? x1 : x2, inward = k === 0 ? CAP : -CAP;
      if (Math.abs(ln) <= end) return [{ x1: at, x2: at, y1: y - CAP, y2: y + CAP }];
      return [-CAP, CAP].map((dy) => ({ x1: at, x2: at + inward, y1: y, y2: y + dy }));
    }),
  ];
}

function ticksOf(end: number) {
  const steps = STEPS.filter((step) => Math.log1p(step) <= end).slice(-MAX_STEPS);
  const values = steps.map(Math.log1p);
  const text = (ln: number) => {
    if (Math.abs(ln) < 1e-9) return "0";
    const percent = 100 * Math.abs(Math.expm1(ln));
    return `${ln < 0 ? "−" : "+"}${Number(percent.toPrecision(2))}\u202f%`;
  };
  return { values: [...values.map((ln) => -ln).reverse(), 0, ...values], text };
}
