/**
 * The help of a verb, made of its table of options: usage, options by group, three examples; under
 * 80 columns.
 * @module
 */
import type { Option } from "../../core/option.ts";
import { allOptions } from "./options.ts";
import type { Verb } from "./verb.ts";

const WIDTH = 79;
/** A longer option has its text on the next line. */
const MAX_LEFT = 26;

/** Help of one verb. */
export function helpText(verb: Verb): string {
  const [title, ...about] = verb.about.trim().split("\n\n");
  const left = `joulemark ${verb.name} `;
  const usage = verb.usage.map((words, i) => `${i === 0 ? "Usage:" : "      "} ${left}${words}`);
  const shown = shownOptions(verb);
  const width = Math.min(MAX_LEFT, Math.max(...shown.map((o) => optionWords(o).length))) + 4;
  const groups = [...Map.groupBy(shown, (option) => option.group ?? "Options")];
  return [
    wrapped(title, ""),
    usage.join("\n"),
    ...about.map((paragraph) => wrapped(paragraph, "")),
    ...groups.map(([name, options]) => {
      return [`${name}:`, ...options.map((option) => described(option, width))].join("\n");
    }),
    ...(verb.notes === undefined ? [] : verb.notes.trim().split("\n\n").map((p) => wrapped(p, ""))),
    ["Examples:", ...verb.examples.map((example) => `  ${example}`)].join("\n"),
  ].map((part) => `${part}\n`).join("\n");
}

/** Options that are shown, those that every verb takes last. */
export function shownOptions(verb: Verb): readonly Option[] {
  const all = allOptions(verb).filter(({ help }) => help !== "");
  const last = (option: Option) => ["quiet", "verbose", "help"].indexOf(option.name);
  const group = verb.options.find(({ name }) => last({ name, help: "" }) >= 0)?.group;
  return [
    ...all.filter((option) => last(option) < 0),
    ...all.filter((option) => last(option) >= 0).sort((a, b) => last(a) - last(b))
      .map((option) => ({ group, ...option })),
  ];
}

/** `-o, --output FILE`. */
export function optionWords({ name, short, value, optionalValue }: Option): string {
  const long = value === undefined
    ? `--${name}`
    : optionalValue === true
    ? `--${name}[=${value}]`
    : `--${name} ${value}`;
  return short === undefined ? long : `-${short}, ${long}`;
}

/** Description of an option, with its default. */
export function optionText(option: Option): string {
  return option.default === undefined ? option.help : `${option.help} (default: ${option.default})`;
}

function described(option: Option, width: number): string {
  const words = `  ${optionWords(option)}`;
  const text = wrapped(optionText(option), " ".repeat(width));
  return words.length > width - 2 ? `${words}\n${text}` : words.padEnd(width) + text.slice(width);
}

/** Lines below the width. Lines that are indented already stay as they are. */
export function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  for (const given of text.split("\n").reduce<string[]>(joinPlain, [])) {
    const own = given.startsWith(" ") ? [given] : filled(given.split(" "), WIDTH - indent.length);
    lines.push(...own.map((line) => indent + line));
  }
  return lines.join("\n");
}

/** Words in lines of so many columns, at most. @param columns That a text takes. @default its length */
export function filled(
  words: readonly string[],
  width: number,
  columns: (text: string) => number = (text) => text.length,
): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    if (line !== "" && columns(line) + 1 + columns(word) > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Plain lines of a paragraph flow into one; what is indented, and what follows it, does not. */
function joinPlain(lines: string[], next: string): string[] {
  const last = lines.at(-1);
  if (last === undefined || last.startsWith(" ") || next.startsWith(" ")) lines.push(next);
  else lines[lines.length - 1] = `${last} ${next}`;
  return lines;
}
