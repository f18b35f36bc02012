/**
 * `joulemark man`: the manual page joulemark(1), made of the tables of options; in the man(7)
 * macros.
 * @module
 */
import { UnknownNameError } from "../../core/errors.ts";
import { variableOf } from "../../core/option.ts";
import { EXIT } from "../exit_codes.ts";
import { optionText, optionWords, shownOptions } from "./help.ts";
import { writeStdout } from "../io.ts";
import type { Verb, VerbEntry } from "./verb.ts";
import { VERSION } from "../../core/version.ts";

/** The verb that writes the manual page of all these. */
export function manOf(entries: readonly VerbEntry[]): Verb {
  const known = entries.map(({ name }) => name);
  return {
    name: "man",
    summary: "write the manual page joulemark(1)",
    usage: ["[VERB]"],
    about: `Writes the manual page of joulemark, or of one verb, in the man(7) macros.`,
    options: [],
    examples: [
      "joulemark man > joulemark.1",
      "joulemark man | man -l -",
      "joulemark man run > joulemark-run.1",
    ],
    words: known,
    async run({ words }) {
      const unknown = words.find((name) => !known.includes(name));
      if (unknown !== undefined) throw new UnknownNameError("verb", unknown, known);
      const wanted = entries.filter(({ name }) => words.length === 0 || words.includes(name));
      const verbs = await Promise.all(wanted.map((entry) => entry.load()));
      writeStdout(verbs.length === 1 ? verbPage(verbs[0]) : wholePage(verbs));
      return EXIT.done;
    },
  };
}

/** The page of all verbs. */
export function wholePage(verbs: readonly Verb[]): string {
  return [
    `.TH JOULEMARK 1 "" "joulemark ${VERSION}"`,
    ".SH NAME",
    "joulemark \\- where the time and the joules went, region by region",
    ".SH SYNOPSIS",
    ".B joulemark",
    ".I VERB",
    "[options]",
    ".SH VERBS",
    ...verbs.flatMap((verb) => [".TP", `.B ${escaped(verb.name)}`, escaped(verb.summary)]),
    ...verbs.flatMap((verb) => [
      `.SH ${escaped(verb.name.toUpperCase())}`,
      ...described(verb, ".SS"),
    ]),
    "",
  ].join("\n");
}

/** The page of one verb. */
export function verbPage(verb: Verb): string {
  return [
    `.TH JOULEMARK\\-${verb.name.toUpperCase()} 1 "" "joulemark ${VERSION}"`,
    ".SH NAME",
    `joulemark\\-${escaped(verb.name)} \\- ${escaped(verb.summary)}`,
    ".SH DESCRIPTION",
    ...described(verb, ".SH"),
    "",
  ].join("\n");
}

/** Usage, description, options and examples, with headings of a level. */
function described(verb: Verb, heading: ".SH" | ".SS"): string[] {
  const lines: string[] = [];
  for (const words of verb.usage) lines.push(`.B joulemark ${verb.name}`, escaped(words), ".br");
  for (const paragraph of verb.about.trim().split("\n\n")) lines.push(".PP", ...flowing(paragraph));
  for (const [group, options] of Map.groupBy(shownOptions(verb), (o) => o.group ?? "Options")) {
    lines.push(`${heading} ${escaped(group)}`);
    for (const option of options) {
      lines.push(".TP", `.B ${escaped(optionWords(option))}`, escaped(optionText(option)));
      const variables = [...option.env === true ? [variableOf(option)] : [], option.geopm ?? []];
      if (variables.flat().length > 0) lines.push(`Environment: ${variables.flat().join(", ")}.`);
    }
  }
  if (verb.notes !== undefined) {
    lines.push(`${heading} Notes`);
    for (const paragraph of verb.notes.trim().split("\n\n")) {
      lines.push(".PP", ...flowing(paragraph));
    }
  }
  lines.push(`${heading} Examples`, ".nf", ...verb.examples.map(escaped), ".fi");
  return lines;
}

/** A paragraph; lines that are indented stay lines. */
function flowing(paragraph: string): string[] {
  return paragraph.split("\n").flatMap((line) => {
    return line.startsWith(" ") ? [".br", escaped(line)] : [escaped(line)];
  });
}

/** Text in which nothing is a request of roff. */
function escaped(text: string): string {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
