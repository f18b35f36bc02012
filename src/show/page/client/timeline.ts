/// <reference lib="dom" />
/**
 * Power over time with bands of regions, one chart a host: means as lines, extremes as an area.
 * @module
 */
import uPlot from "uplot";
import type { Timeline } from "../content.ts";
import {
  button,
  colour,
  COLOURED,
  make,
  placeOf,
  type Redraw,
  regionVariable,
  seriesColour,
  shown,
} from "./dom.ts";
import { axis } from "./panel.ts";

const HEIGHT = 320;
/** Room for the bands below the lines, as a share of the plot. */
const BAND_SHARE = 0.09;

/** A chart of one host. */
export function timelineSection(
  timeline: Timeline,
  simulated: string | undefined,
  redraws: Redraw[],
): HTMLElement {
  const { host, startS, bucketS, domains, names, region } = timeline;
  const endS = startS + bucketS * region.length;
  const holder = make("div", {
    attributes: {
      class: "chart",
      tabindex: "0",
      role: "img",
      "aria-label":
        `Power of ${host} from ${shown(startS)} to ${shown(endS)} s. Arrow keys move the ` +
        "cursor, plus and minus zoom, 0 shows all.",
    },
  });
  const reading = make("p", { attributes: { class: "reading", "aria-live": "polite" } });
  const times = region.map((_, i) => startS + (i + 0.5) * bucketS);
  let plot: uPlot | undefined;
  const tell = (i: number | null | undefined) => {
    if (i === null || i === undefined) return reading.textContent = hint(bucketS);
    const values = domains.map(({ name, unit, mean, min, max }) =>
      `${name} ${shown(mean[i], 4)} ${unit} (${shown(min[i], 4)} to ${shown(max[i], 4)})`
    );
    const name = region[i] < 0 ? "no region" : names[region[i]];
    reading.textContent = `${shown(times[i])} s: ${name}; ${values.join("; ")}`;
  };
  const draw = () => {
    const range = plot === undefined ? undefined : { ...plot.scales.x };
    plot?.destroy();
    holder.replaceChildren();
    plot = new uPlot(
      {
        width: Math.max(300, holder.clientWidth),
        height: HEIGHT,
        title: `${host}${simulated === undefined ? "" : ` [${simulated}]`}`,
        scales: {
          x: { time: false },
          y: { range: (_, __, most) => belowZero(Math.max(1, most * 1.05)) },
        },
        axes: [axis("time (s)"), { ...axis("power (W)"), values: (_, ticks) => ticks.map(watts) }],
        cursor: { drag: { x: true, y: false } },
        legend: { show: false },
        series: [
          { label: "s" },
          ...domains.flatMap(({ name }, i) => [
            { label: name, stroke: seriesColour(i), width: 1.5, dash: DASHES[i % DASHES.length] },
            { label: `${name} min`, stroke: "transparent", points: { show: false } },
            { label: `${name} max`, stroke: "transparent", points: { show: false } },
          ]),
        ],
        bands: domains.map((_, i) => ({
          series: [3 * i + 3, 3 * i + 2] as [number, number],
          fill: translucent(seriesColour(i)),
        })),
        hooks: {
          draw: [(u) => drawBands(u, timeline)],
          setCursor: [(u) => tell(u.cursor.idx)],
        },
      },
      [times, ...domains.flatMap(({ mean, min, max }) => [mean, min, max])] as uPlot.AlignedData,
      holder,
    );
    if (range?.min !== undefined && range.max !== undefined && range.min !== null) {
      plot.setScale("x", { min: range.min, max: range.max! });
    }
  };
  holder.addEventListener("keydown", (event) => plot && onKey(plot, event));
  redraws.push(draw);
  tell(null);
  const controls = [
    button("Zoom in", () => plot && zoom(plot, 0.5), `Zoom in, ${host}`),
    button("Zoom out", () => plot && zoom(plot, 2), `Zoom out, ${host}`),
    button("All", () => plot && zoom(plot, Infinity), `Show all of ${host}`),
  ];
  return make("section", {
    attributes: { "aria-label": `Power of ${host} over time` },
    children: [
      make("h2", { text: `Power over time: ${host}` }),
      make("p", { attributes: { class: "controls" }, children: controls }),
      holder,
      reading,
      legend(domains.map(({ name }) => name), names),
    ],
  });
}

/** Power begins above the bands. */
function belowZero(most: number): [number, number] {
  return [-most * BAND_SHARE / (1 - BAND_SHARE), most];
}

function watts(value: number): string | null {
  return value < 0 ? null : String(value);
}

const DASHES = [[], [8, 3], [2, 3], [10, 3, 2, 3]];

function hint(bucketS: number): string {
  return `Each point is ${
    shown(bucketS, 3)
  } s: the line is its mean, the area its least and greatest ` +
    "sample. Drag to zoom.";
}

function translucent(hex: string): string {
  return `${hex}55`;
}

/** A strip below the lines; wide bands have their name in them. */
function drawBands(u: uPlot, { startS, bucketS, names, region }: Timeline): void {
  const { ctx } = u;
  const ratio = devicePixelRatio || 1;
  const { left, top, width, height: plotHeight } = u.bbox;
  const height = plotHeight * BAND_SHARE;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, plotHeight);
  ctx.clip();
  ctx.font = `${11 * ratio}px sans-serif`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const y = top + plotHeight - height;
  for (let from = 0; from < region.length;) {
    let to = from + 1;
    while (to < region.length && region[to] === region[from]) to++;
    const at = region[from];
    if (at >= 0) {
      const x0 = Math.max(left, u.valToPos(startS + from * bucketS, "x", true));
      const x1 = Math.min(left + width, u.valToPos(startS + to * bucketS, "x", true));
      if (x1 > left && x0 < left + width) {
        ctx.fillStyle = colour(regionVariable(names[at]));
        ctx.fillRect(x0, y, Math.max(1, x1 - x0), height);
        if (ctx.measureText(names[at]).width + 8 < x1 - x0) {
          ctx.fillStyle = colour("on-series");
          ctx.fillText(names[at], x0 + 4, y + height / 2);
        }
      }
    }
    from = to;
  }
  ctx.restore();
}

function legend(
  domains: readonly string[],
  names: readonly string[],
): HTMLElement {
  const entry = (text: string, variable: string, kind: string) => {
    const swatch = make("span", { attributes: { class: `swatch ${kind}`, "aria-hidden": "true" } });
    swatch.style.background = `var(--${variable})`;
    return make("li", { children: [swatch, document.createTextNode(text)] });
  };
  const top = names.filter((name) => placeOf(name) < COLOURED)
    .sort((a, b) => placeOf(a) - placeOf(b));
  const rest = names.length - top.length;
  return make("ul", {
    attributes: { class: "legend", "aria-label": "Lines and bands" },
    children: [
      ...domains.map((name, i) => entry(`${name} (line)`, `series-${i % 7}`, "line")),
      ...top.map((name) => entry(name, regionVariable(name), "band")),
      rest > 0 ? entry(`${rest} other regions`, "other", "band") : undefined,
    ],
  });
}

/** Around the cursor, or the middle. */
function zoom(u: uPlot, factor: number): void {
  const all = u.data[0];
  const [first, last] = [all[0], all[all.length - 1]];
  const { min = first, max = last } = u.scales.x as { min: number; max: number };
  const centre = u.cursor.idx == null ? (min + max) / 2 : all[u.cursor.idx];
  const half = (max - min) * factor / 2;
  if (!(half < (last - first) / 2)) return u.setScale("x", { min: first, max: last });
  u.setScale("x", { min: Math.max(first, centre - half), max: Math.min(last, centre + half) });
}

function onKey(u: uPlot, event: KeyboardEvent): void {
  const step = { ArrowLeft: -1, ArrowRight: 1, PageDown: -20, PageUp: 20 }[event.key];
  if (step !== undefined) {
    const all = u.data[0];
    const at = Math.min(
      all.length - 1,
      Math.max(0, (u.cursor.idx ?? Math.floor(all.length / 2)) + step),
    );
    u.setCursor({ left: u.valToPos(all[at], "x"), top: 10 });
  } else if (event.key === "+" || event.key === "=") zoom(u, 0.5);
  else if (event.key === "-") zoom(u, 2);
  else if (event.key === "0") zoom(u, Infinity);
  else return;
  event.preventDefault();
}
