/// <reference lib="dom" />
/**
 * Pictures with two axes: lines, bars and points with labels, as `--format svg` draws them for papers.
 * @module
 */
import uPlot from "uplot";
import type { PagePanel, PageSeries } from "../content.ts";
import { colour, make, type Redraw, seriesColour } from "./dom.ts";

const HEIGHT = 340;

/** A section with one picture. */
export function panelSection(
  panel: PagePanel,
  simulated: string | undefined,
  redraws: Redraw[],
): HTMLElement {
  const title = simulated === undefined ? panel.title : `${panel.title} [${simulated}]`;
  const series = panel.series.filter(({ x }) => x.length > 0).map(inOrder);
  const holder = make("div", {
    attributes: { class: "chart", role: "img", "aria-label": `${title}: ${described(panel)}` },
  });
  let plot: uPlot | undefined;
  redraws.push(() => {
    plot?.destroy();
    holder.replaceChildren();
    if (series.length === 0) return holder.append(make("p", { text: "no figures" }));
    plot = new uPlot(
      {
        width: Math.max(300, holder.clientWidth),
        height: HEIGHT,
        title,
        scales: {
          x: { time: false, range: (_, least, most) => padded(least, most) },
          y: {
            range: (_, least, most) =>
              panel.fromZero === false ? padded(least, most) : [0, most * 1.08 || 1],
          },
        },
        axes: [axis(panel.xTitle), axis(panel.yTitle)],
        legend: { live: false },
        series: [{ label: panel.xTitle }, ...series.map((one, i) => styled(one, one.colour ?? i))],
        hooks: { draw: [(u) => marks(u, series)] },
      },
      uPlot.join(series.map(({ x, y }) => [x, y] as unknown as uPlot.AlignedData)),
      holder,
    );
  });
  return make("section", {
    attributes: { "aria-label": panel.title },
    children: [make("h2", { text: panel.title }), holder],
  });
}

function described({ xTitle, yTitle, series }: PagePanel): string {
  return `${yTitle} against ${xTitle} of ${series.map(({ name }) => name).slice(0, 8).join(", ")}`;
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

function padded(least: number, most: number): [number, number] {
  const gap = 0.06 * (most - least || Math.abs(most) || 1);
  return [least - gap, most + gap];
}

/** An axis in the page's colours. */
export function axis(label: string): uPlot.Axis {
  return {
    label,
    stroke: colour("text"),
    grid: { stroke: colour("grid"), width: 1 },
    ticks: { stroke: colour("grid"), width: 1 },
  };
}

function styled({ name, kind }: PageSeries, i: number): uPlot.Series {
  const stroke = seriesColour(i);
  const base = { label: name, stroke, width: 2, spanGaps: true };
  if (kind === "bars") {
    return { ...base, width: 1, fill: `${stroke}88`, paths: uPlot.paths.bars!({ size: [1, 60] }) };
  }
  if (kind === "points") {
    return { ...base, paths: () => null, points: { show: true, size: 9, fill: stroke, stroke } };
  }
  return { ...base, points: { show: false } };
}

/** Labels beside points, and their error bars. */
function marks(u: uPlot, series: readonly PageSeries[]): void {
  const { ctx } = u;
  const ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.font = `${11 * ratio}px sans-serif`;
  ctx.textAlign = "left";
  series.forEach(({ kind, x, y, labels, xError, yError, colour: own }, k) => {
    if (kind !== "points") return;
    ctx.strokeStyle = seriesColour(own ?? k);
    ctx.fillStyle = colour("text");
    ctx.lineWidth = ratio;
    x.forEach((value, i) => {
      const [px, py] = [u.valToPos(value, "x", true), u.valToPos(y[i], "y", true)];
      const line = (x0: number, y0: number, x1: number, y1: number) => {
        ctx.beginPath();
        ctx.moveTo(x0, y0);
        ctx.lineTo(x1, y1);
        ctx.stroke();
      };
      if (yError !== undefined && yError[i] > 0) {
        line(
          px,
          u.valToPos(y[i] - yError[i], "y", true),
          px,
          u.valToPos(y[i] + yError[i], "y", true),
        );
      }
      if (xError !== undefined && xError[i] > 0) {
        line(
          u.valToPos(value - xError[i], "x", true),
          py,
          u.valToPos(value + xError[i], "x", true),
          py,
        );
      }
      if (labels !== undefined) ctx.fillText(labels[i], px + 8 * ratio, py - 6 * ratio);
    });
  });
  ctx.restore();
}
