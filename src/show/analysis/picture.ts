/**
 * Pictures as SVG: panels with axes, bars, lines and points. Colours are those of M. Okabe and K. Ito
 * (2008), which people with any colour vision distinguish; every series has a dash or a mark of its
 * own too, and a name in the legend.
 *
 * Our own code, since the pictures need little, and a plotting library would have to be on npm and on JSR,
 * work without a browser, and be carried by every start of the executable.
 * @module
 */

/** Bars, a line through points, or points with marks and error bars. */
export interface Series {
  readonly name: string;
  /** Mean and standard deviation for the legend. @default none */
  readonly about?: string;
  readonly kind: "bars" | "line" | "points";
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  /** Width of the bars. */
  readonly width?: number;
  /** Beside each point. */
  readonly labels?: readonly string[];
  readonly xError?: ArrayLike<number>;
  readonly yError?: ArrayLike<number>;
  /** Colour of this number instead of the next one: two series that belong together. */
  readonly colour?: number;
}

/** One pair of axes. */
export interface Panel {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly series: readonly Series[];
  /** Is 0 on the y axis? @default true */
  readonly fromZero?: boolean;
}

const PALETTE = [
  "#0072B2",
  "#E69F00",
  "#009E73",
  "#D55E00",
  "#CC79A7",
  "#56B4E9",
  "#000000",
  "#F0E442",
];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "1 2", "5 5"];
const SIZE = { width: 640, height: 400, left: 74, right: 20, top: 36, bottom: 52 };

/**
 * Panels one above the other.
 *
 * @param note Printed below: `simulated`, for example.
 * @param inPairs Two panels in a row.
 */
export function svg(panels: readonly Panel[], note = "", inPairs = false): string {
  const columns = inPairs ? 2 : 1;
  const room = SIZE.width + (panels.some(hasOwnLegend) ? LEGEND_WIDTH : 0);
  const width = columns * room;
  const height = Math.ceil(panels.length / columns) * SIZE.height + (note === "" ? 0 : 24);
  const body = panels.map((panel, i) => {
    const own = drawn(panel, Math.floor(i / columns) * SIZE.height);
    return i % columns === 0 ? own : `<g transform="translate(${room} 0)">\n${own}</g>\n`;
  }).join("");
  const foot = note === "" ? "" : text(SIZE.left, height - 8, note, "start");
  return `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">\n` +
    `<rect width="100%" height="100%" fill="white"/>\n${body}${foot}</svg>\n`;
}

interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

function drawn(panel: Panel, top: number): string {
  const x = scale(extent(panel.series, "x"), false);
  const y = scale(extent(panel.series, "y"), panel.fromZero ?? true);
  const plotWidth = SIZE.width - SIZE.left - SIZE.right;
  const plotHeight = SIZE.height - SIZE.top - SIZE.bottom;
  const px = (v: number) => round(SIZE.left + (v - x.low) / (x.high - x.low) * plotWidth);
  const py = (v: number) => {
    return round(top + SIZE.top + (1 - (v - y.low) / (y.high - y.low)) * plotHeight);
  };
  const [left, right] = [SIZE.left, SIZE.width - SIZE.right];
  const [up, down] = [top + SIZE.top, top + SIZE.height - SIZE.bottom];
  let out = text(SIZE.width / 2, top + 20, panel.title, "middle", 'font-weight="bold"');
  for (const tick of y.ticks) {
    out += line(left, py(tick), right, py(tick), 'stroke="#ddd"');
    out += text(left - 6, py(tick) + 4, number(tick), "end");
  }
  for (const tick of x.ticks) {
    out += line(px(tick), down, px(tick), down + 5, 'stroke="black"');
    out += text(px(tick), down + 18, number(tick), "middle");
  }
  panel.series.forEach((series, i) => out += seriesSvg(series, series.colour ?? i, i, px, py));
  out += line(left, down, right, down, 'stroke="black"') +
    line(left, up, left, down, 'stroke="black"');
  out += text((left + right) / 2, down + 38, panel.xTitle, "middle");
  const middle = (up + down) / 2;
  const upwards = `transform="translate(16 ${middle}) rotate(-90)"`;
  out += `<text ${upwards} text-anchor="middle">${escaped(panel.yTitle)}</text>\n`;
  if (!hasOwnLegend(panel)) return out + legend(panel.series, right - 150, up, LEGEND_PITCH);
  const pitch = Math.min(LEGEND_PITCH, plotHeight / panel.series.length);
  return out + legend(panel.series, SIZE.width, up, pitch);
}

type Place = (value: number) => number;

function seriesSvg(series: Series, colour: number, n: number, px: Place, py: Place): string {
  const paint = PALETTE[colour % PALETTE.length];
  const { x, y } = series;
  if (series.kind === "bars") {
    const half = (series.width ?? 0) / 2;
    return Array.from(x, (at, i) => {
      const [left, right] = [px(at - half), px(at + half)];
      const high = round(py(0) - py(y[i]));
      return high <= 0 ? "" : `<rect x="${left}" y="${py(y[i])}" ` +
        `width="${round(Math.max(1, right - left))}" height="${high}" fill="${paint}" ` +
        'fill-opacity="0.55" stroke="white" stroke-width="0.3"/>\n';
    }).join("");
  }
  const points = Array.from(x, (at, i) => `${px(at)},${py(y[i])}`).join(" ");
  const dash = DASHES[n % DASHES.length];
  if (series.kind === "line") {
    return `<polyline points="${points}" fill="none" stroke="${paint}" stroke-width="1.8"` +
      `${dash === "" ? "" : ` stroke-dasharray="${dash}"`}/>\n`;
  }
  return Array.from(x, (at, i) => {
    const [dx, dy] = [series.xError?.[i] ?? 0, series.yError?.[i] ?? 0];
    let out = dx > 0 ? line(px(at - dx), py(y[i]), px(at + dx), py(y[i]), `stroke="${paint}"`) : "";
    if (dy > 0) out += line(px(at), py(y[i] - dy), px(at), py(y[i] + dy), `stroke="${paint}"`);
    out += mark(n, px(at), py(y[i]), paint);
    const label = series.labels?.[i];
    if (label === undefined) return out;
    const isRight = px(at) > SIZE.width - SIZE.right - 8 * label.length;
    return out + text(px(at) + (isRight ? -8 : 8), py(y[i]) - 6, label, isRight ? "end" : "start");
  }).join("");
}

/** Circle, square, triangle, in turn. */
function mark(n: number, x: number, y: number, paint: string): string {
  if (n % 3 === 0) return `<circle cx="${x}" cy="${y}" r="4.5" fill="${paint}"/>\n`;
  if (n % 3 === 1) {
    return `<rect x="${round(x - 4)}" y="${round(y - 4)}" width="8" height="8" fill="${paint}"/>\n`;
  }
  return `<path d="M${x} ${round(y - 5)} l5 9 h-10 z" fill="${paint}"/>\n`;
}

/** Series up to which the legend is inside the plot; width of one beside it, and pixels from line to line. */
const MAX_INSIDE = 6, LEGEND_WIDTH = 260, LEGEND_PITCH = 16;

/** Would the legend hide what is plotted? */
function hasOwnLegend({ series }: Panel): boolean {
  return series.length > MAX_INSIDE;
}

function legend(series: readonly Series[], x: number, top: number, pitch: number): string {
  if (series.length < 2) return "";
  return series.map(({ name, kind, colour, about }, i) => {
    const paint = PALETTE[(colour ?? i) % PALETTE.length];
    const y = top + 8 + pitch * i;
    const dash = DASHES[i % DASHES.length];
    const sample = kind === "line"
      ? line(
        x,
        y,
        x + 24,
        y,
        `stroke="${paint}" stroke-width="1.8" stroke-dasharray="${dash || "none"}"`,
      )
      : kind === "bars"
      ? `<rect x="${x}" y="${y - 5}" width="24" height="10" fill="${paint}" fill-opacity="0.55"/>\n`
      : mark(i, x + 12, y, paint);
    const shown = about === undefined ? name : `${name}: ${about}`;
    return sample + text(x + 30, y + 4, shown, "start");
  }).join("");
}

function extent(series: readonly Series[], axis: "x" | "y"): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const one of series) {
    const error = axis === "x" ? one.xError : one.yError;
    const half = axis === "x" ? (one.width ?? 0) / 2 : 0;
    Array.from(one[axis], (value, i) => {
      if (!Number.isFinite(value)) return;
      low = Math.min(low, value - half - (error?.[i] || 0));
      high = Math.max(high, value + half + (error?.[i] || 0));
    });
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Round numbers, about six of them. */
function scale([low, high]: [number, number], fromZero: boolean): Scale {
  if (fromZero) low = Math.min(0, low);
  if (high <= low) high = low + (Math.abs(low) * 0.1 || 1);
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((f) => f * power >= rough) ?? 10);
  const pad = fromZero ? 0 : (high - low) * 0.04;
  const first = Math.floor((low - pad) / step) * step;
  const ticks: number[] = [];
  for (let i = 0; first + i * step <= high + pad + step * 0.999; i++) ticks.push(first + i * step);
  return { low: ticks[0], high: ticks[ticks.length - 1], ticks };
}

function line(x1: number, y1: number, x2: number, y2: number, style: string): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" ${style}/>\n`;
}

function text(x: number, y: number, content: string, anchor: string, more = ""): string {
  const style = more === "" ? "" : ` ${more}`;
  const place = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"`;
  return `<text ${place}${style}>${escaped(content)}</text>\n`;
}

function escaped(content: string): string {
  return content.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

const PREFIXES = [[1e9, 1e9, "G"], [1e6, 1e6, "M"], [1e4, 1e3, "k"]] as const;

/** Short: `50M`, `0.25`. */
function number(value: number): string {
  const [, factor, prefix] = PREFIXES.find(([least]) => Math.abs(value) >= least) ?? [0, 1, ""];
  return `${Number((value / factor).toPrecision(6))}${prefix}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
