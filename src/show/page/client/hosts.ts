/// <reference lib="dom" />
/**
 * Hosts: bars with names where they are few, else one square a host, coloured by the distance from the median.
 * @module
 */
import type { Column, PageTable } from "../data.ts";
import { grouped, joules, percent, seconds, type Value, watts } from "../numbers.ts";
import { css, diverging } from "./colours.ts";
import { choice, el, section } from "./dom.ts";
import { type Page } from "./model.ts";
import {
  addPlot,
  type Box,
  boxes,
  type Canvas,
  type Drawing,
  group,
  labels,
  rules,
} from "./plot.ts";
import { fitted, textWidth } from "./text.ts";

const MAX_BARS = 16, BAR = 22;
/** A square, px: of many hosts, and of few. */
const SQUARE = 11, LARGE_SQUARE = 18, MANY = 600;
/** Robust standard deviations from which a host stands out, and the smallest one, as a share of the median. */
const OUTLIER = 4, MIN_DEVIATION = 0.002;
/** Standard deviation of normal values ÷ their median absolute deviation. */
const MAD_SCALE = 1.4826;
const MAX_LISTED = 8;

type Metric = "energy" | "power" | "time";

/** Values of hosts, and how they differ. */
interface Spread {
  readonly values: Column;
  readonly title: string;
  text(value: Value): string;
  readonly median: number;
  readonly deviation: number;
  readonly low: number;
  readonly high: number;
}

/** The section. */
export function hostsView(page: Page): void {
  const { data } = page;
  const { hosts } = data;
  if (hosts === undefined || hosts.name.length < 2) return;
  const all: [Metric, Column][] = [
    ["energy", hosts.energy_j],
    ["power", hosts.power_w],
    ["time", hosts.time_s],
  ];
  const known = all.filter(([, column]) => column.some((value) => value !== null));
  if (known.length === 0) return;
  let metric = known[0][0];
  const pick = choice("Value", known.map(([name]) => [name, name] as const), metric, (value) => {
    metric = value;
    page.changed();
  });
  const own = section("hosts", "Hosts", "w6 u5", known.length > 1 ? pick : undefined);
  const spread = () => spreadOf(page, metric);
  addPlot(page, own, {
    title: "Hosts",
    describe: () => {
      const { median, low, high, text, title } = spread();
      return `${title} of ${grouped(hosts.name.length)} hosts: median ${text(median)}, ` +
        `from ${text(low)} to ${text(high)}.`;
    },
    draw: (canvas, width) => {
      return hosts.name.length <= MAX_BARS
        ? drawBars(canvas, width, hosts.name, spread())
        : drawSquares(canvas, width, hosts.name, spread());
    },
    table: (): PageTable => ({
      title: "Hosts",
      columns: [
        { name: "host" },
        { name: "energy", unit: "J" },
        { name: "time", unit: "s" },
        { name: "power", unit: "W" },
      ],
      rows: hosts.name.map((
        name,
        i,
      ) => [name, hosts.energy_j[i], hosts.time_s[i], hosts.power_w[i]]),
      more: 0,
    }),
  });
  const list = el("div");
  own.append(list);
  page.draws.push(() => list.replaceChildren(...outliers(hosts.name, spread())));
}

function spreadOf({ data, model }: Page, metric: Metric): Spread {
  const { hosts, host_energies } = data;
  const place = metric === "energy" ? host_energies?.region.indexOf(model.selected) ?? -1 : -1;
  const values = place >= 0
    ? host_energies!.energy_j[place]
    : { energy: hosts!.energy_j, power: hosts!.power_w, time: hosts!.time_s }[metric];
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const median = middle(sorted);
  const away = sorted.map((value) => Math.abs(value - median)).sort((a, b) => a - b);
  return {
    values,
    title: place >= 0 ? `energy of ${model.paths[model.selected]}` : metric,
    text: { energy: joules, power: watts, time: seconds }[metric],
    median,
    deviation: Math.max(MAD_SCALE * middle(away), Math.abs(median) * MIN_DEVIATION, 1e-12),
    low: sorted[0] ?? NaN,
    high: sorted.at(-1) ?? NaN,
  };
}

function middle(sorted: readonly number[]): number {
  const { length } = sorted;
  return (sorted[length >> 1] + sorted[(length - 1) >> 1]) / 2;
}

function isOutlier(value: Value, { median, deviation }: Spread): boolean {
  return value !== null && value !== undefined && Math.abs(value - median) / deviation > OUTLIER;
}

function drawBars(
  canvas: Canvas,
  width: number,
  names: readonly string[],
  spread: Spread,
): Drawing {
  const { values, text, median, high, title } = spread;
  const order = [...names.keys()].sort((a, b) => (values[b] ?? -1) - (values[a] ?? -1));
  const left = Math.min(150, width * 0.35, Math.max(...names.map((name) => textWidth(name))) + 8);
  const right = Math.max(...values.map((value) => textWidth(text(value)))) + 10;
  const room = Math.max(20, width - left - right);
  const x = (value: number) => left + Math.max(0, value) / (high || 1) * room;
  const bottom = names.length * BAR + 2;
  boxes(
    group(canvas, "bars"),
    order.map((i, k): Box => ({
      x: left,
      y: k * BAR + 4,
      width: Math.max(1, x(values[i] ?? 0) - left),
      height: BAR - 5,
      fill: isOutlier(values[i], spread) ? "var(--bad)" : "var(--c1)",
      title: `${names[i]}: ${text(values[i])}`,
    })),
  );
  labels(group(canvas, "names"), [
    ...order.flatMap((i, k) => [
      { x: left - 6, y: k * BAR + 17, text: fitted(names[i], left - 8), anchor: "end" as const },
      { x: width - 2, y: k * BAR + 17, text: text(values[i]), anchor: "end" as const },
    ]),
    {
      x: Math.min(Math.max(x(median), 24), width - 24),
      y: bottom + 14,
      text: "median",
      anchor: "middle",
      class: "dim",
    },
  ]);
  rules(group(canvas, "median"), [
    { x1: x(median), x2: x(median), y1: 0, y2: bottom, dash: "4 3" },
  ]);
  return { height: bottom + 18, caption: `Host ${title}, highest first.` };
}

function drawSquares(
  canvas: Canvas,
  width: number,
  names: readonly string[],
  spread: Spread,
): Drawing {
  const { values, text, median, low, high, title } = spread;
  const size = names.length > MANY ? SQUARE : LARGE_SQUARE;
  const row = Math.max(1, Math.floor(width / size));
  const reach = Math.max(high / median - 1, 1 - low / median, 0.01);
  boxes(
    group(canvas, "hosts"),
    names.map((name, i): Box => {
      const value = values[i], isFar = isOutlier(value, spread);
      const inset = isFar ? 1 : 0;
      return {
        x: i % row * size + inset,
        y: Math.floor(i / row) * size + inset,
        width: size - 1 - 2 * inset,
        height: size - 1 - 2 * inset,
        fill: value === null ? "var(--soft)" : css(diverging((value / median - 1) / reach)),
        stroke: isFar ? "var(--ink)" : "none",
        title: `${name}: ${text(value)}${
          value === null ? "" : `, ${percent(value / median - 1)} from the median`
        }`,
      };
    }),
  ).attr("stroke-width", 2);
  const top = Math.ceil(names.length / row) * size + 12;
  const left = 10, room = Math.min(300, width - 20);
  boxes(
    group(canvas, "scale"),
    Array.from({ length: 41 }, (_, k) => ({
      x: left + k * room / 41,
      y: top,
      width: room / 41 + 0.5,
      height: 10,
      fill: css(diverging(k / 20 - 1)),
    })),
  );
  labels(group(canvas, "names"), [
    { x: left, y: top + 24, text: text(median * (1 - reach)), class: "dim" },
    { x: left + room / 2, y: top + 24, text: text(median), anchor: "middle", class: "dim" },
    { x: left + room, y: top + 24, text: text(median * (1 + reach)), anchor: "end", class: "dim" },
  ]);
  return {
    height: top + 30,
    caption: `Host ${title}: one square per host, in the order of the names (${names[0]} … ${
      names.at(-1)
    }); the middle of the scale is the median. Framed: more than ${OUTLIER} robust standard deviations from it.`,
  };
}

/** Hosts that stand out, as a table. */
function outliers(names: readonly string[], spread: Spread): HTMLElement[] {
  const { values, median, deviation, text } = spread;
  const far = [...names.keys()].filter((i) => isOutlier(values[i], spread))
    .map((i) => ({ name: names[i], value: values[i]!, z: (values[i]! - median) / deviation }))
    .sort((a, b) => Math.abs(b.z) - Math.abs(a.z));
  const count = far.length === 0
    ? "No host differs"
    : far.length === 1
    ? `1 of ${grouped(names.length)} hosts differs`
    : `${far.length} of ${grouped(names.length)} hosts differ`;
  const sentence = el("p", {
    class: "hint",
    text: `${count} from the median (${
      text(median)
    }) by more than ${OUTLIER} robust standard deviations.`,
  });
  if (far.length === 0) return [sentence];
  const rows = far.slice(0, MAX_LISTED).map(({ name, value, z }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", class: "wrap", text: name }),
      el("td", { text: text(value) }),
      el("td", { text: `${value > median ? "+" : ""}${percent(value / median - 1)}` }),
      el("td", { class: "opt", text: `${z > 0 ? "+" : "−"}${Math.abs(z).toFixed(1)} σ` }),
    )
  );
  return [
    sentence,
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        {},
        el("caption", { class: "sr", text: "Hosts that differ" }),
        el("tbody", {}, ...rows),
      ),
    ),
  ];
}
