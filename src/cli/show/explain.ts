/**
 * `joulemark explain`: a field, signal, warning, verb, option or word, on one screen.
 * @module
 */
import { nearest, UnknownNameError } from "../../core/errors.ts";
import { jsonText, printable } from "../../core/printable.ts";
import { finished } from "../io.ts";
import { JSON_SWITCH, TEXT_OR_JSON } from "../command_line/common_options.ts";
import { wrapped } from "../command_line/help.ts";
import { misused, type ParsedOptions, parseFormat } from "../command_line/options.ts";
import type { Verb, VerbEntry } from "../command_line/verb.ts";
import { allEntries, entriesFor, type Entry } from "../explanations/entries.ts";

/** Lines of a terminal, less the prompt. */
const SCREEN_LINES = 23;
const INDENT = "  ";

/** Explains what the other verbs show. @param verbs All of them. */
export function explainOf(verbs: readonly VerbEntry[]): Verb {
  return {
    name: "explain",
    usage: ["WORD..."],
    anyWords: true,
    about:
      `Explains a word: a field of the report, a signal, a note of the summary, a verb (subcommand), an
option or its variable, or a word of the glossary.

Several words are read as one name, such as "samples missed". You can also give a whole note.`,
    options: [TEXT_OR_JSON, JSON_SWITCH],
    examples: [
      "joulemark explain sync-runtime",
      "joulemark explain CPU_ENERGY",
      "joulemark explain rest of the node",
    ],
    run: (options) => run(options, verbs),
  };
}

async function run(options: ParsedOptions, verbs: readonly VerbEntry[]): Promise<number> {
  const asked = options.words.join(" ");
  if (asked.trim() === "") throw misused("explain", "a word", "none");
  const format = parseFormat(options, ["text", "json"]);
  const all = allEntries(await Promise.all(verbs.map((verb) => verb.load())));
  const found = entriesFor(asked, all);
  if (found.length === 0) {
    const names = all.flatMap(({ name, names }) => [name, ...names]);
    const list = 'see "joulemark read --list" for signals, "joulemark --help" for verbs';
    throw new UnknownNameError("word", asked, nearest(asked, new Set(names)), list);
  }
  if (format === "text") return finished(screen(found));
  const rows = found.map(({ kind, name, text }) => ({ kind, name, text }));
  return finished(jsonText(rows, 2) + "\n");
}

/** Text of explanations that fit on a screen, the others by name. */
export function screen(entries: readonly Entry[]): string {
  const lines: string[] = [];
  const others: string[] = [];
  for (const entry of entries) {
    const own = [`${entry.name} (${entry.kind})`, ...entry.text.flatMap(paragraph)];
    const gap = lines.length > 0 ? 1 : 0;
    const room = SCREEN_LINES - 1 - lines.length - gap;
    if (gap > 0 && own.length > room) others.push(`${entry.name} (${entry.kind})`);
    else lines.push(...Array(gap).fill(""), ...own.slice(0, room));
  }
  if (others.length > 0) lines.push(`also: ${others.join(", ")}`.slice(0, 79));
  return lines.map((line) => `${printable(line)}\n`).join("");
}

function paragraph(text: string): string[] {
  return text.split("\n").flatMap((line) => wrapped(line, INDENT).split("\n"));
}
