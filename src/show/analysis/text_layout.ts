/**
 * Text on a terminal: widths, colours, line breaks, and bars, with UTF-8 or in ASCII alone.
 * @module
 */
import { printable } from "../../core/printable.ts";

/** Style of text on a terminal. */
export interface Look {
  /** Columns. */
  readonly width: number;
  /** True if no character may be above 127. */
  readonly ascii: boolean;
  readonly color: boolean;
}

/** Styles by their SGR codes: bold, dim, red, yellow, cyan; never blue, never a background. */
const STYLES = { bold: "1", dim: "2", failed: "1;31", bar: "33", next: "1;36" } as const;
/** Name of a style. */
export type Style = keyof typeof STYLES;

const MIN_WIDTH = 40, MAX_WIDTH = 120, USUAL_WIDTH = 80;
const EIGHTHS = " ▏▎▍▌▋▊▉█", LEVELS = "▁▂▃▄▅▆▇█", PLAIN_LEVELS = "_.,-~=*#";
/** ASCII for characters of our own texts. */
const PLAIN: Readonly<Record<string, string>> = {
  "±": "+-",
  "…": "...",
  "µ": "u",
  "×": "x",
  "÷": "/",
  "−": "-",
  "–": "-",
  "≥": ">=",
  "├": " ",
  "└": " ",
  "│": " ",
  "²": "2",
};
// deno-lint-ignore no-control-regex
const NOT_ASCII = /[^\x00-\x7f]/gu;
const COMBINING = /\p{M}/u;
/** Characters of two columns: East Asian wide ones and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/**
 * The look of a terminal: `COLUMNS`, else its width, else 80, at most 120; UTF-8 by the locale; colour on a terminal
 * that is not dumb, unless `NO_COLOR` is set.
 */
export function lookOf(
  { env, columns, isTerminal, color = "auto" }: {
    env: (name: string) => string | undefined;
    /** Width of the terminal; `undefined`: there is none. */
    columns?: number;
    isTerminal: boolean;
    color?: string;
  },
): Look {
  const given = /^[1-9]\d{0,5}$/.test(env("COLUMNS") ?? "") ? Number(env("COLUMNS")) : undefined;
  const width = given ?? (columns !== undefined && columns > 0 ? columns : USUAL_WIDTH);
  const locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(env).find((value) => value) ?? "";
  const isPlain = (env("NO_COLOR") ?? "") !== "" || env("TERM") === "dumb";
  return {
    width: Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, width)),
    ascii: !/utf-?8/i.test(locale),
    color: color === "always" || color === "auto" && isTerminal && !isPlain,
  };
}

/** Columns that a text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const c of text) {
    if (c < "\u0300") width++;
    else if (!COMBINING.test(c)) width += WIDE.test(c) ? 2 : 1;
  }
  return width;
}

/** Text in a style. */
export function painted(
  { color }: Pick<Look, "color">,
  style: Style | undefined,
  text: string,
): string {
  return color && style !== undefined && text !== ""
    ? `\x1b[${STYLES[style]}m${text}\x1b[0m`
    : text;
}

/** A text of ours, or another's name, as the terminal can show it. */
export function shownText({ ascii }: Pick<Look, "ascii">, text: string): string {
  const safe = printable(text);
  return ascii ? safe.replace(NOT_ASCII, (c) => PLAIN[c] ?? "?") : safe;
}

/** Lines of tables as the terminal can show them; their columns stay where they are. */
export function shownLines({ ascii }: Pick<Look, "ascii">, text: string): string {
  return ascii ? text.replaceAll("± ", "+-").replace(NOT_ASCII, (c) => PLAIN[c] ?? "?") : text;
}

/** A name in so many columns: a long one loses its end. */
export function cutText(look: Pick<Look, "ascii">, text: string, width: number): string {
  const shown = shownText(look, text);
  if (textWidth(shown) <= width) return shown + " ".repeat(width - textWidth(shown));
  let cut = "";
  for (const c of shown) {
    if (textWidth(cut + c) > width - 1) break;
    cut += c;
  }
  return cut + " ".repeat(width - 1 - textWidth(cut)) + (look.ascii ? ">" : "…");
}

/** A name of at most so many columns: a long one loses its middle. */
export function shortText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const characters = [...text], half = (width - 1) >> 1;
  const upTo = (list: readonly string[]) => {
    let columns = 0;
    return list.filter((c) => (columns += textWidth(c)) <= half);
  };
  return `${upTo(characters).join("")}…${upTo(characters.toReversed()).reverse().join("")}`;
}

/** A function without a name, whose end says which it is: "[libfftw3.so.3.6.10+0x18ed10]". */
const PLACE = /^\[.*\+0x[\da-f]+\]$/;

/**
 * Names of one column, cut: a long one loses its end, or its middle where it would look like another one or where its
 * end says which it is.
 *
 * @param loseEnd Cuts the end of a name that is too long.
 * @param loseMiddle Cuts its middle.
 */
export function cutNames(
  names: readonly string[],
  loseEnd: (name: string) => string,
  loseMiddle: (name: string) => string,
): string[] {
  const cut = names.map((name) => PLACE.test(name) ? loseMiddle(name) : loseEnd(name));
  const first = new Map<string, string>(), alike = new Set<string>();
  for (const [i, name] of names.entries()) {
    const other = first.get(cut[i]);
    if (other === undefined) first.set(cut[i], name);
    else if (other !== name) alike.add(cut[i]);
  }
  return names.map((name, i) => alike.has(cut[i]) ? loseMiddle(name) : cut[i]);
}

/** Names in one column of the summary, so many columns wide. */
export function shownNames(
  look: Pick<Look, "ascii">,
  names: readonly string[],
  width: number,
): string[] {
  const room = look.ascii ? width - 2 : width;
  return cutNames(
    names,
    (name) => cutText(look, name, width),
    (name) => cutText(look, shortText(shownText(look, name), room), width),
  );
}

/** The space between a number and its unit. */
const UNIT = /(\d) (?=(?:[kMGTPmµun]?(?:J s|J|W|s)|%)(?!\w))/g;

/**
 * A text in lines of at most so many columns, broken at spaces, but not between a number and its unit; later lines
 * begin with an indent.
 */
export function wrapText(text: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.replace(UNIT, "$1\u00a0").split(" ")) {
    const next = line === "" ? word : `${line} ${word}`;
    if (line.trim() !== "" && textWidth(next) > width) {
      lines.push(line);
      line = indent + word;
    } else line = next;
  }
  return [...lines, line].map((one) => one.replaceAll("\u00a0", " "))
    .flatMap((one) => hardBroken(one, width, indent));
}

/** A word longer than a line is broken where it ends. */
function hardBroken(line: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (textWidth(rest) > width) {
    let head = "";
    for (const c of rest) {
      if (textWidth(head + c) > width) break;
      head += c;
    }
    lines.push(head);
    rest = indent + rest.slice(head.length);
  }
  return [...lines, rest];
}

/** A bar for a share from 0 to 1, in eighths of a column. */
export function barText({ ascii }: Pick<Look, "ascii">, share: number, columns: number): string {
  const length = Math.max(0, Math.min(columns, (share || 0) * columns));
  if (ascii) return "#".repeat(Math.round(length));
  const eighths = Math.round(8 * length);
  return "█".repeat(eighths >> 3) + (eighths % 8 > 0 ? EIGHTHS[eighths % 8] : "");
}

/** Values as columns of eighths between two ends; blank: not known. */
export function curveText(
  { ascii }: Pick<Look, "ascii">,
  values: readonly number[],
  [from, to]: readonly [number, number],
): string {
  const shapes = ascii ? PLAIN_LEVELS : LEVELS;
  return values.map((value) => {
    if (!Number.isFinite(value)) return " ";
    const share = to > from ? (value - from) / (to - from) : 0.5;
    return shapes[Math.max(0, Math.min(shapes.length - 1, Math.floor(share * shapes.length)))];
  }).join("");
}
