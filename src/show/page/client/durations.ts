/// <reference lib="dom" />
/**
 * Durations of visits: a histogram a region, on one logarithmic axis with units.
 * @module
 */
import { bucketFloorNs } from "../../../core/path_stats.ts";
import type { PageTable } from "../data.ts";
import { duration } from "../numbers.ts";
import { scaleLog } from "./d3.ts";
import { choice, section } from "./dom.ts";
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
  type Rule,
  rules,
} from "./plot.ts";
import { fitted } from "./text.ts";
import { timeTicks } from "./ticks.ts";

const MAX_DRAWN = 6, ROW = 46;

type Weight = "visits" | "time";

/** The section. */
export function durationsView(page: Page): void {
  const { model } = page;
  const { durations, name, p50_s, p99_s } = model.regions;
  const known = [...name.keys()].filter((i) => durations[i] !== null);
  if (known.length === 0) return;
  let weight: Weight = "visits";
  const pick = choice("Weight", [["visits", "visits"], ["time", "time spent"]], weight, (value) => {
    weight = value;
    page.changed();
  });
  const own = section("durations", "Durations of visits", "w6 u4", pick);
  const drawn = () => {
    const { selected: region } = model, { component } = page.state;
    const top = known.toSorted((a, b) => model.weight(b, component) - model.weight(a, component));
    const first = durations[region] ? [region] : [];
    return [...first, ...top.filter((i) => i !== region)].slice(0, MAX_DRAWN);
  };
  addPlot(page, own, {
    title: "Durations of visits",
    describe: () => {
      const parts = drawn().map((i) => {
        return `${name[i]}: median ${duration(p50_s[i])}, 99th percentile ${duration(p99_s[i])}`;
      });
      return `${parts.join("; ")}.`;
    },
    draw: (canvas, width) => draw(canvas, width, page, drawn(), weight),
    table: (): PageTable => ({
      title: "Durations of visits",
      columns: [
        { name: "region" },
        { name: "from", unit: "s" },
        { name: "to", unit: "s" },
        { name: "visits" },
      ],
      rows: drawn().flatMap((i) =>
        durations[i]!.map(([bucket, visits]) => {
          const [from, to] = edges(bucket);
          return [model.paths[i], Number(from.toPrecision(4)), Number(to.toPrecision(4)), visits];
        })
      ),
      more: 0,
    }),
  });
}

/** Shortest and longest duration of a bucket, s. */
function edges(bucket: number): [number, number] {
  return [Math.max(1, bucketFloorNs(bucket)) * 1e-9, bucketFloorNs(bucket + 1) * 1e-9];
}

function draw(
  canvas: Canvas,
  width: number,
  { model }: Page,
  drawn: readonly number[],
  weight: Weight,
): Drawing {
  const { durations, name, p50_s, p99_s } = model.regions;
  const isWide = width > 500;
  const left = Math.min(140, Math.max(70, width * 0.2)), right = isWide ? 176 : 64;
  const all = drawn.flatMap((i) => durations[i]!.map(([bucket]) => edges(bucket)));
  const low = Math.min(...all.map(([from]) => from)), high = Math.max(...all.map(([, to]) => to));
  const x = scaleLog().domain([low, high]).range([left, width - right]);
  const bottom = drawn.length * ROW + 4;
  bottomAxis(group(canvas, "x"), x, timeTicks(low, high, width - left - right), {
    y: bottom,
    width: width - right + 24,
    grid: bottom,
  });
  const list: Box[] = [], lines: Rule[] = [], names: Label[] = [];
  drawn.forEach((i, k) => {
    const base = (k + 1) * ROW;
    const counts = durations[i]!.map(([bucket, visits]) => {
      const [from, to] = edges(bucket);
      return { from, to, value: weight === "visits" ? visits : visits * Math.sqrt(from * to) };
    });
    const most = Math.max(...counts.map(({ value }) => value));
    for (const { from, to, value } of counts) {
      const height = value / most * (ROW - 10);
      list.push({
        x: x(from),
        y: base - height,
        width: Math.max(1, x(to) - x(from) - 0.5),
        height,
        fill: `var(${model.colour[i]})`,
        title: `${name[i]}: ${duration(from)} to ${duration(to)}`,
      });
    }
    lines.push({ x1: left, x2: width - right, y1: base, y2: base, class: "axis" });
    const quantiles = [[p50_s[i], undefined], [p99_s[i], "3 3"]] as const;
    for (const [value, dash] of quantiles) {
      if (value === null || !(value > 0)) continue;
      const at = x(Math.max(low, Math.min(value, high)));
      lines.push({ x1: at, x2: at, y1: base - ROW + 8, y2: base, dash });
    }
    names.push({
      x: left - 6,
      y: base - 12,
      text: fitted(name[i], left - 8),
      anchor: "end",
      class: i === model.selected ? "strong" : undefined,
    });
    const at = { x: width - right + 8, class: "dim" };
    if (isWide) {
      const text = `${duration(p50_s[i])}, p99 ${duration(p99_s[i])}`;
      names.push({ ...at, y: base - 12, text: fitted(text, right - 10) });
    } else {
      names.push(
        { ...at, y: base - 20, text: fitted(duration(p50_s[i], 2), right - 10) },
        { ...at, y: base - 4, text: fitted(duration(p99_s[i], 2), right - 10) },
      );
    }
  });
  boxes(group(canvas, "bars"), list);
  rules(group(canvas, "rules"), lines);
  names.push({
    x: Math.max(95, (left + width - right) / 2),
    y: bottom + 33,
    text: "duration of one visit (logarithmic)",
    anchor: "middle",
    class: "dim",
  });
  labels(group(canvas, "names"), names);
  const of = weight === "visits" ? "visits" : "time";
  return {
    height: bottom + 40,
    caption:
      `Height: share of the ${of} of that region. Lines: median (solid), 99th percentile (dashed). The ` +
      `${drawn.length} regions with the most energy${
        model.selected >= 0 ? ", the selected one first" : ""
      }.`,
  };
}
