/// <reference lib="dom" />
/**
 * Files that a reader takes along: plots as SVG and PNG, tables as CSV, the data as JSON.
 * @module
 */
import type { PageTable } from "../data.ts";
import { el } from "./dom.ts";
import { variable } from "./colours.ts";

const KEEP_URL_MS = 10_000;
/** Properties of the style sheet that a plot needs outside of the page. */
const PROPERTIES = [
  "fill",
  "fill-opacity",
  "font-size",
  "font-weight",
  "opacity",
  "stroke",
  "stroke-dasharray",
  "stroke-width",
  "text-anchor",
];
const FONT = "system-ui, 'DejaVu Sans', sans-serif";
const PNG_SCALE = 2;

/** A name for a file. */
export function fileName(title: string, suffix: string): string {
  return `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.${suffix}`;
}

/** Hands a file to the browser. */
export function save(name: string, content: string | Blob, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_URL_MS);
}

/** The plot as a file of its own. */
export function svgText(svg: SVGSVGElement, title: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of PROPERTIES) to[i].setAttribute(name, style.getPropertyValue(name));
    to[i].removeAttribute("class");
    to[i].removeAttribute("style");
    to[i].removeAttribute("tabindex");
  });
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("font-family", FONT);
  for (const name of ["tabindex", "class"]) copy.removeAttribute(name);
  const make = (tag: string) => document.createElementNS(svg.namespaceURI, tag);
  const name = make("title"), ground = make("rect");
  name.textContent = title;
  ground.setAttribute("width", String(width));
  ground.setAttribute("height", String(height));
  ground.setAttribute("fill", variable("--card"));
  copy.prepend(name, ground);
  return new XMLSerializer().serializeToString(copy);
}

/** Saves the plot as pixels. */
export function savePng(svg: SVGSVGElement, title: string): void {
  const { width, height } = svg.viewBox.baseVal;
  const image = new Image();
  image.onload = () => {
    const canvas = el("canvas", { width: PNG_SCALE * width, height: PNG_SCALE * height });
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob !== null && save(fileName(title, "png"), blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg, title))}`;
}

/** A table as CSV. */
export function csvText({ columns, rows }: PageTable): string {
  const head = columns.map(({ name, unit }) => unit === undefined ? name : `${name} (${unit})`);
  return [head, ...rows].map((row) => row.map(csvCell).join(",") + "\n").join("");
}

function csvCell(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
