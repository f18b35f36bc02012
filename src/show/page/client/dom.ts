/// <reference lib="dom" />
/**
 * Elements made of data: every name that an application gave goes in as text, never as markup.
 * @module
 */

/** Attributes, handlers and children of an element. */
export interface ElementOptions {
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly click?: (event: MouseEvent) => void;
  readonly children?: readonly (Node | undefined)[];
}

/** Makes an element. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { text, attributes = {}, click, children = [] }: ElementOptions = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (click !== undefined) element.addEventListener("click", click as EventListener);
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

/** A button. */
export function button(text: string, click: () => void, label?: string): HTMLButtonElement {
  const attributes: Record<string, string> = { type: "button" };
  if (label !== undefined) attributes["aria-label"] = label;
  return make("button", { text, attributes, click });
}

/** A colour of the style sheet, as it is now: light or dark. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Colour number `i` of those that people with any colour vision distinguish, for lines. */
export function seriesColour(i: number): string {
  return colour(`series-${i % 7}`);
}

/** Regions by energy, the largest first: each has one colour everywhere on the page. */
const places = new Map<string, number>();

/** Gives a region its place, unless it has one. */
export function placeOf(name: string): number {
  const known = places.get(name);
  if (known !== undefined) return known;
  const place = places.size;
  places.set(name, place);
  return place;
}

/** Regions with a colour of their own; the others are grey. */
export const COLOURED = 7;

/** The style sheet's name of a region's colour. */
export function regionVariable(name: string): string {
  const place = placeOf(name);
  return place < COLOURED ? `fill-${place}` : "other";
}

/** A number for people: five digits, nothing for what is not known. */
export function shown(value: number | null | undefined, digits = 5): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(digits)));
}

/** What is drawn again when the theme, the width or the paper changes. */
export type Redraw = () => void;
