/// <reference lib="dom" />
/**
 * Widths of texts in plots, and texts that fit.
 * @module
 */

const FAMILY = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
/** Size of texts in plots, px: the style sheet's. */
const TEXT_PX = 12;
const pen = document.createElement("canvas").getContext("2d")!;
const widths = new Map<string, number>();
const MAX_KNOWN = 20_000;

/** Width of a text, px. */
export function textWidth(text: string, weight = 400): number {
  const key = `${weight} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  pen.font = `${weight} ${TEXT_PX}px ${FAMILY}`;
  const { width } = pen.measureText(text);
  if (widths.size > MAX_KNOWN) widths.clear();
  widths.set(key, width);
  return width;
}

/** The text, or its begin with `…`; empty where not even that fits. */
export function fitted(text: string, roomPx: number, weight = 400): string {
  if (textWidth(text, weight) <= roomPx) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(text.slice(0, middle) + "…", weight) <= roomPx) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? text.slice(0, low) + "…" : "";
}
