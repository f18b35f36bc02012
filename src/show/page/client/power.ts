/// <reference lib="dom" />
/**
 * Power over time: mean lines over areas from the lowest to the highest reading, strips of regions below, and a
 * time span that can be selected.
 * @module
 */
import type { HostTimeline, PageTable, TimeSeries } from "../data.ts";
import { grouped, joules, percent, seconds, watts } from "../numbers.ts";
import { css, inkOn, over, parsed, variable } from "./colours.ts";
import { area, line as d3Line, scaleLinear, select } from "./d3.ts";
import { button, el, section } from "./dom.ts";
import type { Model, Page, State } from "./model.ts";
import {
  addPlot,
  bottomAxis,
  boxes,
  type Canvas,
  type Drawing,
  group,
  type Label,
  labels,
  leftAxis,
} from "./plot.ts";
import { fitted, textWidth } from "./text.ts";
import { linearTicks } from "./ticks.ts";

const LEFT = 50, TOP = 22, STRIP = 18, GAP = 2, BOTTOM = 36;
/** Below it labels are above the plot instead of beside it. */
const NARROW = 500;
/** Height of the plot of power, and of each one below it. */
const POWER_HEIGHT = 210, NARROW_HEIGHT = 150, OTHER_HEIGHT = 64;
/** Lines are told apart by dashes: colours are the regions'. */
const DASHES: Readonly<Record<string, string>> = { package: "6 3", memory: "2 2", GPU: "8 2 2 2" };
/** Part of the shown time that a key moves, and the smallest span. */
const STEP = 0.1, MIN_PART = 1 / 200;
/** Regions in the sentence on a span. */
const MAX_NAMES = 4;
const LABEL_HEIGHT = 16;
/** Title of the axis. */
const POWER = "power (W)";

type Span = readonly [from: number, to: number];

/** Positions in the present drawing. */
interface Geometry {
  readonly whole: Span;
  readonly shown: Span;
  readonly left: number;
  readonly inner: number;
  readonly bottom: number;
  readonly width: number;
}

/** Name of a timeline for people. */
function nameOf({ data }: Page, host: string): string {
  return host === "" ? `all ${grouped(data.hosts?.name.length ?? 0)} hosts` : host;
}

/** The timeline that is shown. */
export function shownTimeline({ data, state }: Page): HostTimeline | undefined {
  return data.timelines.find(({ host }) => host === state.host) ?? data.timelines[0];
}

/** Seconds of each region in a span, by the strips; energy of the first series; times of the span. */
export interface SpanSums {
  readonly joules: number;
  readonly seconds: number;
  readonly regionS: ReadonlyMap<number, number>;
}

/** Time, energy and regions of a time span. */
export function spanSums(timeline: HostTimeline, [from, to]: Span): SpanSums {
  const { start_s, bucket_s, series: [first], strips } = timeline;
  const inside = (bucket: number, count: number) => {
    const start = start_s + bucket * bucket_s;
    return Math.max(0, Math.min(to, start + count * bucket_s) - Math.max(from, start));
  };
  let energy = 0, known = 0;
  first?.mean.forEach((value, i) => {
    const spentS = inside(i, 1);
    if (value === null || spentS === 0) return;
    energy += value * spentS;
    known += spentS;
  });
  const regionS = new Map<number, number>();
  for (const [bucket, count, region] of strips.flat()) {
    const spentS = inside(bucket, count);
    if (spentS > 0) regionS.set(region, (regionS.get(region) ?? 0) + spentS);
  }
  return { joules: known > 0 ? energy : NaN, seconds: to - from, regionS };
}

/** The section. */
export function powerView(page: Page): void {
  const { data, state } = page;
  if (data.timelines.length === 0) return;
  if (!data.timelines.some(({ host }) => host === state.host)) state.host = data.timelines[0].host;
  const hosts = data.timelines.length < 2 ? undefined : el("select", {
    "aria-label": "Host",
    onchange: (event) => {
      state.host = (event.target as HTMLSelectElement).value;
      page.changed();
    },
  }, ...data.timelines.map(({ host }) => el("option", { value: host, text: nameOf(page, host) })));
  const zoom = button("Zoom to selection", () => {
    if (state.span !== undefined) state.zoom = state.span;
    page.changed();
  });
  const reset = button("Whole run", () => {
    state.zoom = state.span = undefined;
    page.changed();
  });
  const title = titleOf(data.timelines);
  const own = section("power", title, "w12 u7", hosts, zoom, reset);
  let geometry: Geometry | undefined;
  const svg = addPlot(page, own, {
    title,
    describe: () => described(page),
    draw(canvas, width) {
      const drawn = drawTimeline(canvas, width, page);
      geometry = drawn.geometry;
      return drawn;
    },
    table: () => tableOf(page),
  });
  const sentence = el("p", { class: "hint", role: "status" });
  own.append(sentence);
  page.draws.push(() => {
    if (hosts !== undefined) hosts.value = state.host;
    sentence.textContent = spanSentence(page);
  });
  listen(svg, page, () => geometry);
}

/** Title by the lines; without a line there are strips of regions. */
function titleOf(timelines: readonly HostTimeline[]): string {
  const series = timelines.flatMap(({ series }) => series);
  if (series.length === 0) return "Regions over time";
  return series.some(({ unit }) => unit === "W") ? "Power over time" : "Counters over time";
}

function described(page: Page): string {
  const timeline = shownTimeline(page)!;
  const parts = timeline.series.map(({ name, unit, mean }) => {
    const known = mean.filter((value) => value !== null);
    const sum = known.reduce((all, value) => all + value, 0);
    return `${name}: mean ${grouped(sum / known.length, unit === "W" ? 0 : 2)} ${unit}, ` +
      `highest ${grouped(known.reduce((a, b) => Math.max(a, b), 0), unit === "W" ? 0 : 2)} ${unit}`;
  });
  return `${nameOf(page, timeline.host)}. ${parts.join("; ")}.`;
}

function tableOf(page: Page): PageTable {
  const { start_s, bucket_s, series } = shownTimeline(page)!;
  const length = Math.max(0, ...series.map(({ mean }) => mean.length));
  const columns = series.flatMap(({ name, unit, min }) => [
    { name, unit },
    ...min === undefined ? [] : [{ name: `${name} min.`, unit }, { name: `${name} max.`, unit }],
  ]);
  return {
    title: titleOf(page.data.timelines),
    columns: [{ name: "time", unit: "s" }, ...columns],
    rows: Array.from({ length }, (_, i) => [
      Number((start_s + i * bucket_s).toPrecision(7)),
      ...series.flatMap(({ mean, min, max }) => {
        return [mean[i] ?? null, ...min === undefined ? [] : [min[i] ?? null, max?.[i] ?? null]];
      }),
    ]),
    more: 0,
  };
}

/** One sentence on the selected time span. */
function spanSentence(page: Page): string {
  const { model, state: { span } } = page;
  const timeline = shownTimeline(page);
  if (span === undefined || timeline === undefined) return "";
  const sums = spanSums(timeline, span);
  const name = timeline.series[0]?.name;
  const energy = Number.isNaN(sums.joules)
    ? ""
    : `, ${joules(sums.joules)} (${name}), mean ${watts(sums.joules / sums.seconds)}`;
  const tops = [...sums.regionS].filter(([i]) => model.regions.parent[i] < 0)
    .sort((a, b) => b[1] - a[1]).slice(0, MAX_NAMES)
    .map(([i, spentS]) => `${model.regions.name[i]} ${percent(spentS / sums.seconds)}`);
  const regions = tops.length === 0
    ? ""
    : ` Regions of ${timeline.process} (≈ share of its time): ${tops.join(", ")}.`;
  const [from, to] = span.map((value) => value.toFixed(decimalsOf(sums.seconds)));
  return `Selected ${from}–${to} s on ${nameOf(page, timeline.host)}: ` +
    `${seconds(sums.seconds)}${energy}.${regions}`;
}

function decimalsOf(length: number): number {
  return Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(length || 1))));
}

/** Draws a timeline. */
function drawTimeline(
  canvas: Canvas,
  width: number,
  page: Page,
): Drawing & { geometry: Geometry } {
  const { model, state } = page;
  const timeline = shownTimeline(page)!;
  const { start_s, bucket_s, series, strips } = timeline;
  const isNarrow = width < NARROW;
  const right = isNarrow ? 10 : 74;
  const count = Math.max(
    1,
    ...series.map(({ mean }) => mean.length),
    ...strips.flat().map(([from, length]) => Math.ceil(from + length)),
  );
  const whole: Span = [start_s, start_s + count * bucket_s];
  const shown = state.zoom ?? whole;
  const x = scaleLinear().domain([...shown]).range([LEFT, width - right]);
  const units = [...new Set(series.map(({ unit }) => unit))].sort((a) => a === "W" ? -1 : 1);
  const inner = width - right - LEFT;
  let top = TOP;
  const panels = units.map((unit) => {
    const height = unit !== "W" ? OTHER_HEIGHT : isNarrow ? NARROW_HEIGHT : POWER_HEIGHT;
    const panel = { unit, top, bottom: top + height };
    top += height + TOP + 4;
    return panel;
  });
  const plots = canvas.selectAll<SVGGElement, typeof panels[number]>(":scope > g.panel")
    .data(panels, ({ unit }) => unit).join("g").attr("class", "panel");
  plots.each(function ({ unit, top, bottom }) {
    drawLines(select(this) as unknown as Canvas, {
      timeline,
      list: series.filter((one) => one.unit === unit),
      top,
      bottom,
      x,
      shown,
      width,
      right,
    });
  });
  const end = panels.at(-1)?.bottom ?? TOP - 4;
  drawStrips(group(canvas, "strips"), { timeline, model, x, shown, end, width });
  const bottom = end + strips.length * (STRIP + GAP) + 6;
  bottomAxis(group(canvas, "time"), x, linearTicks(shown[0], shown[1], inner / 80), {
    y: bottom,
    width,
  });
  labels(group(canvas, "names"), [
    {
      x: LEFT + inner / 2,
      y: bottom + BOTTOM - 3,
      text: "time since start (s)",
      anchor: "middle",
      class: "dim",
    },
    ...strips.length === 0
      ? []
      : [{ x: LEFT - 6, y: end + 17, text: "region", anchor: "end", class: "dim" } as const],
  ]);
  const span = state.span;
  boxes(
    group(canvas, "brush"),
    span === undefined ? [] : [{
      x: x(Math.max(shown[0], Math.min(shown[1], span[0]))),
      y: TOP,
      width: Math.max(1, x(Math.min(shown[1], span[1])) - x(Math.max(shown[0], span[0]))),
      height: bottom - TOP,
      fill: "var(--sel)",
      stroke: "var(--link)",
    }],
  ).attr("pointer-events", "none");
  const step = bucket_s * Math.max(1, Math.floor((shown[1] - shown[0]) / bucket_s / inner));
  const areas = series.some(({ min }) => min !== undefined)
    ? " Area: lowest and highest reading in it."
    : "";
  const line = series.length === 0 ? "" : `Line: mean of ${seconds(Number(step.toPrecision(3)))}.`;
  const whose = strips.length === 0
    ? ""
    : ` Strips: regions of ${timeline.process}, outermost above.`;
  return {
    height: bottom + BOTTOM,
    caption: `${line}${areas}${whose} Drag to select a time ` +
      "span, double-click to reset. Keys: ← → move, + − zoom, Shift with ← → selects, Esc resets.",
    geometry: { whole, shown, left: LEFT, inner, bottom, width },
  };
}

interface Lines {
  readonly timeline: HostTimeline;
  readonly list: readonly TimeSeries[];
  readonly top: number;
  readonly bottom: number;
  readonly x: (value: number) => number;
  readonly shown: Span;
  readonly width: number;
  readonly right: number;
}

interface Point {
  readonly x: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

/** Lines of one unit, with their names. */
function drawLines(
  at: Canvas,
  { timeline, list, top, bottom, x, shown, width, right }: Lines,
): void {
  const { start_s, bucket_s } = timeline;
  const first = Math.max(0, Math.floor((shown[0] - start_s) / bucket_s));
  const last = Math.ceil((shown[1] - start_s) / bucket_s);
  const inner = width - right - LEFT;
  const step = Math.max(1, Math.floor((last - first) / inner));
  const lines = list.map((series) => ({
    series,
    points: pointsOf(series, { first, last, step }, (bucket) => x(start_s + bucket * bucket_s)),
  }));
  const highest = Math.max(
    ...lines.flatMap(({ points }) => points.map((point) => point?.max ?? 0)),
    1e-9,
  );
  const y = scaleLinear().domain([0, highest * 1.06]).range([bottom, top]);
  const unit = list[0].unit;
  leftAxis(group(at, "y"), y, linearTicks(0, highest, (bottom - top) / 40), {
    x: LEFT,
    right: width - right,
  });
  const band = area<Point | undefined>().defined((point) => point !== undefined)
    .x((point) => point!.x).y0((point) => y(point!.min)).y1((point) => y(point!.max));
  const mean = d3Line<Point | undefined>().defined((point) => point !== undefined)
    .x((point) => point!.x).y((point) => y(point!.mean));
  const areas = lines.filter(({ series }) => series.min !== undefined);
  group(at, "areas").selectAll("path").data(areas).join("path").attr("class", "area")
    .attr("d", ({ points }) => band(points));
  group(at, "lines").selectAll("path").data(lines).join("path")
    .attr("class", ({ series }) => DASHES[series.name] === undefined ? "line main" : "line")
    .attr("stroke-dasharray", ({ series }) => DASHES[series.name] ?? null)
    .attr("d", ({ points }) => mean(points));
  const names = unit !== "W"
    ? []
    : width < NARROW
    ? namesAbove(list, top)
    : namesBeside(lines, y, { top, bottom, x: width - right + 5, room: right - 5 });
  const title = unit === "W" ? POWER : `${list.map(({ name }) => name).join(", ")} (${unit})`;
  const text = fitted(title, width - 8);
  labels(group(at, "names"), [{ x: 4, y: top - 9, text, class: "dim" }, ...names]);
}

function pointsOf(
  { mean, min, max }: TimeSeries,
  { first, last, step }: { first: number; last: number; step: number },
  x: (bucket: number) => number,
): (Point | undefined)[] {
  const points: (Point | undefined)[] = [];
  for (let from = first; from < last; from += step) {
    let [sum, count, low, high] = [0, 0, Infinity, -Infinity];
    for (let i = from; i < Math.min(last, from + step); i++) {
      const value = mean[i];
      if (value === null || value === undefined) continue;
      sum += value;
      count++;
      low = Math.min(low, min?.[i] ?? value);
      high = Math.max(high, max?.[i] ?? value);
    }
    points.push(
      count === 0 ? undefined : { x: x(from + step / 2), mean: sum / count, min: low, max: high },
    );
  }
  return points;
}

/** Names at the ends of their lines, moved apart. */
function namesBeside(
  lines: readonly { series: TimeSeries; points: readonly (Point | undefined)[] }[],
  y: (value: number) => number,
  { top, bottom, x, room }: { top: number; bottom: number; x: number; room: number },
): Label[] {
  const ends = lines.map(({ series, points }) => {
    const known = points.filter((point) => point !== undefined);
    const late = known.slice(-Math.max(1, Math.ceil(known.length / 8)));
    const mean = late.reduce((sum, point) => sum + point.mean, 0) / Math.max(1, late.length);
    return { name: series.name, y: y(mean) + 4 };
  }).sort((a, b) => a.y - b.y);
  for (let i = 0; i < ends.length; i++) {
    const above = i === 0 ? top + 4 : ends[i - 1].y + LABEL_HEIGHT;
    ends[i].y = Math.max(ends[i].y, above);
  }
  const over = Math.max(0, (ends.at(-1)?.y ?? 0) - bottom);
  return ends.map(({ name, y }) => ({
    x,
    y: y - over,
    text: fitted(name, room, 600),
    class: "strong",
  }));
}

/** Names in one row above a narrow plot. */
function namesAbove(list: readonly TimeSeries[], top: number): Label[] {
  let x = textWidth(POWER) + 18;
  return list.map(({ name }) => {
    const label = { x, y: top - 9, text: name, class: "strong" };
    x += textWidth(name, 600) + 14;
    return label;
  });
}

interface Strips {
  readonly timeline: HostTimeline;
  readonly model: Model;
  readonly x: (value: number) => number;
  readonly shown: Span;
  readonly end: number;
  readonly width: number;
}

/** Regions of one process by depth. */
function drawStrips(at: Canvas, { timeline, model, x, shown, end }: Strips): void {
  const { start_s, bucket_s, strips } = timeline;
  const ground = parsed(variable("--card"));
  const list: { x: number; y: number; width: number; height: number; fill: string }[] = [];
  const names: Label[] = [];
  strips.forEach((strip, depth) => {
    const top = end + 4 + depth * (STRIP + GAP);
    let last = -Infinity;
    for (const [from, count, region] of strip) {
      const start = Math.max(shown[0], start_s + from * bucket_s);
      const stop = Math.min(shown[1], start_s + (from + count) * bucket_s);
      if (stop <= start) continue;
      const [left, right] = [x(start), x(stop)];
      if (right - last < 0.4) continue;
      last = right;
      const share = model.isLit(region) ? Math.max(0.4, 1 - depth * 0.22) : 0.18;
      const colour = over(parsed(variable(model.colour[region])), ground, share);
      list.push({
        x: left,
        y: top,
        width: Math.max(0.4, right - left),
        height: STRIP,
        fill: css(colour),
      });
      const text = right - left > 34 ? fitted(model.regions.name[region], right - left - 6) : "";
      if (text !== "") names.push({ x: left + 3, y: top + 13, text, fill: inkOn(colour) });
    }
  });
  boxes(at, list);
  labels(group(at, "names"), names);
}

/** Dragging, double-clicking and keys. */
function listen(svg: SVGSVGElement, page: Page, geometry: () => Geometry | undefined): void {
  const { state } = page;
  svg.setAttribute("tabindex", "0");
  let from: number | undefined;
  const timeAt = (event: PointerEvent, { shown, left, inner, width }: Geometry) => {
    const box = svg.getBoundingClientRect();
    const part = ((event.clientX - box.left) / box.width * width - left) / inner;
    return shown[0] + Math.max(0, Math.min(1, part)) * (shown[1] - shown[0]);
  };
  svg.addEventListener("pointerdown", (event) => {
    const now = geometry();
    if (now === undefined || event.button !== 0) return;
    from = timeAt(event, now);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    const now = geometry();
    if (now === undefined || from === undefined) return;
    const to = timeAt(event, now);
    if (Math.abs(to - from) < MIN_PART * (now.shown[1] - now.shown[0])) return;
    selectSpan(state, Math.min(from, to), Math.max(from, to));
    page.changed();
  });
  svg.addEventListener("pointerup", () => from = undefined);
  svg.addEventListener("pointercancel", () => from = undefined);
  svg.addEventListener("dblclick", () => {
    state.span = state.zoom = undefined;
    page.changed();
  });
  svg.addEventListener("keydown", (event) => {
    const now = geometry();
    if (now === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!act(event, now, state)) return;
    event.preventDefault();
    page.changed();
  });
}

/** Selects a span, with the digits that the page's address keeps. */
function selectSpan(state: State, from: number, to: number): void {
  state.span = [Number(from.toPrecision(6)), Number(to.toPrecision(6))];
}

/** Action of a key. @returns True if the key does anything. */
function act({ key, shiftKey }: KeyboardEvent, { whole, shown }: Geometry, state: State): boolean {
  const length = shown[1] - shown[0];
  if (key === "Escape") {
    state.span = state.zoom = undefined;
    return true;
  }
  const way = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
  if (way !== 0 && shiftKey) {
    const [from, to] = state.span ?? [shown[0] + 0.45 * length, shown[0] + 0.5 * length];
    const end = Math.max(
      from + MIN_PART * length,
      Math.min(whole[1], to + way * STEP / 2 * length),
    );
    selectSpan(state, from, end);
    return true;
  }
  if (way !== 0) {
    const move = Math.max(whole[0] - shown[0], Math.min(whole[1] - shown[1], way * STEP * length));
    state.zoom = [shown[0] + move, shown[1] + move];
    return true;
  }
  if (key === "+" || key === "=" || key === "-") {
    const change = key === "-" ? length / 3 : -length / 5;
    const next: Span = [
      Math.max(whole[0], shown[0] - change),
      Math.min(whole[1], shown[1] + change),
    ];
    state.zoom = next[1] - next[0] >= whole[1] - whole[0] ? undefined : next;
    return true;
  }
  return false;
}
