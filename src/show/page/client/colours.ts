/// <reference lib="dom" />
/**
 * Colours: variables of the style sheet, and the ink that can be read on a colour.
 * @module
 */
import { interpolateOrRd, interpolateRdBu } from "./d3.ts";

export type Rgb = readonly [red: number, green: number, blue: number];

/** The value of a variable in the present theme. */
export function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** `#rgb`, `#rrggbb` or `rgb(…)`. */
export function parsed(text: string): Rgb {
  if (text.startsWith("#")) {
    const digits = text.slice(1);
    const long = digits.length === 3 ? [...digits].map((d) => d + d).join("") : digits;
    return [0, 2, 4].map((i) => parseInt(long.slice(i, i + 2), 16)) as unknown as Rgb;
  }
  return (text.match(/[\d.]+/g) ?? ["0", "0", "0"]).slice(0, 3).map(Number) as unknown as Rgb;
}

/** A colour over another one. @param share Of the upper one, 0 to 1. */
export function over(upper: Rgb, lower: Rgb, share: number): Rgb {
  return upper.map((value, i) => {
    return Math.round(value * share + lower[i] * (1 - share));
  }) as unknown as Rgb;
}

/** Colour as CSS has it. */
export function css(colour: Rgb): string {
  return `rgb(${colour.join(",")})`;
}

/** Black or white, whichever has more contrast. */
export function inkOn(colour: Rgb): string {
  const [r, g, b] = colour.map((value) => value / 255).map((value) => {
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

/** An ordered scale from pale to dark. @param part 0 to 1. */
export function heat(part: number): Rgb {
  return parsed(interpolateOrRd(0.08 + 0.9 * Math.max(0, Math.min(1, part))));
}

/** Blue below, red above the middle. @param part −1 to 1. */
export function diverging(part: number): Rgb {
  return parsed(interpolateRdBu(0.5 - 0.45 * Math.max(-1, Math.min(1, part))));
}
