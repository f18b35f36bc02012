/**
 * `joulemark man`: the manual page joulemark(1), made of the tables of options; in the mdoc(7)
 * macros.
 * @module
 */
import { UnknownNameError } from "../../core/errors.ts";
import { SETTINGS_TEXT } from "../../core/config_text.ts";
import { type Option, variableOf } from "../../core/option.ts";
import { filled, optionText, shownOptions } from "./help.ts";
import { finished } from "../io.ts";
import type { ListedVerb, Verb, VerbEntry } from "./verb.ts";
import { VERSION, VERSION_DATE } from "../../core/version.ts";

/** The verb that writes the manual page of all these. */
export function manOf(entries: readonly VerbEntry[]): Verb {
  const known = entries.map(({ name }) => name);
  return {
    name: "man",
    usage: ["[VERB]"],
    about: `Writes the manual page of joulemark, or of one verb, in the mdoc(7) macros.`,
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
      return finished(verbs.length === 1 ? verbPage(verbs[0]) : wholePage(verbs));
    },
  };
}

/** The longest line of text that mdoc's checkers accept. */
const WIDTH = 78;
const MONTHS =
  "January February March April May June July August September October November December"
    .split(" ");

/** The page of all verbs. */
function wholePage(verbs: readonly ListedVerb[]): string {
  return [
    ...titled("JOULEMARK"),
    ".Nm joulemark",
    ".Nd where the time and the joules went, region by region",
    ".Sh SYNOPSIS",
    ".Nm joulemark",
    ".Ar verb",
    ".Op Ar options",
    ".Sh DESCRIPTION",
    ...flowing(`Version ${VERSION}. The verbs, each with a section of its own below:`),
    ".Bl -tag -width Ds",
    ...verbs.flatMap((verb) => [`.It Cm ${word(verb.name)}`, ...flowing(verb.summary)]),
    ".El",
    ...verbs.flatMap((verb) => [
      `.Sh ${word(verb.name.toUpperCase())}`,
      ...described(verb, ".Ss"),
    ]),
    ".Sh FILES",
    ...flowing(SETTINGS_TEXT),
    "",
  ].join("\n");
}

/** The page of one verb. */
function verbPage(verb: ListedVerb): string {
  return [
    ...titled(`JOULEMARK-${verb.name.toUpperCase()}`),
    `.Nm joulemark-${verb.name}`,
    `.Nd ${words(verb.summary.replace(/[.?!]$/, ""))}`,
    ".Sh DESCRIPTION",
    ...described(verb, ".Sh"),
    "",
  ].join("\n");
}

function titled(title: string): string[] {
  const [year, month, day] = VERSION_DATE.split("-");
  return [
    `.Dd ${MONTHS[Number(month) - 1]} ${Number(day)}, ${year}`,
    `.Dt ${title} 1`,
    ".Os",
    ".Sh NAME",
  ];
}

/** Usage, description, options and examples, with headings of a level. */
function described(verb: Verb, heading: ".Sh" | ".Ss"): string[] {
  const called = verb.usage.map((words) => `joulemark ${verb.name} ${words}`);
  const lines = literal(called);
  for (const paragraph of verb.about.trim().split("\n\n")) lines.push(".Pp", ...flowing(paragraph));
  for (const [group, options] of Map.groupBy(shownOptions(verb), (o) => o.group ?? "Options")) {
    lines.push(`${heading} ${words(group)}`, ".Bl -tag -width Ds");
    for (const option of options) {
      lines.push(`.It ${flags(option)}`, ...flowing(optionText(option)));
      const variables = [...option.env === true ? [variableOf(option)] : [], option.foreign ?? []];
      const named = variables.flat();
      if (named.length > 0) lines.push("Environment:");
      named.forEach((name, i) => lines.push(`.Ev ${name}${i < named.length - 1 ? " ," : ""}`));
    }
    lines.push(".El");
  }
  if (verb.notes !== undefined) {
    lines.push(`${heading} Notes`);
    verb.notes.trim().split("\n\n").forEach((paragraph, i) => {
      lines.push(...i > 0 ? [".Pp"] : [], ...flowing(paragraph));
    });
  }
  // "EXAMPLES" has a place among mdoc's own sections, which these are not.
  lines.push(`${heading} Examples`, ...literal(verb.examples));
  return lines;
}

/** `Fl o , Fl -output Ar FILE`. */
function flags({ name, short, value, optionalValue }: Option): string {
  const long = `Fl -${word(name)}`;
  const whole = value === undefined
    ? long
    : optionalValue === true
    ? `${long} Ns Oo = Ns Ar ${words(value)} Oc`
    : `${long} Ar ${words(value)}`;
  return short === undefined ? whole : `Fl ${word(short)} , ${whole}`;
}

/** Lines that stay as they are. */
function literal(lines: readonly string[]): string[] {
  return [".Bd -literal", ...lines.map(escaped), ".Ed"];
}

/** A paragraph, a sentence a line; lines that are indented stay lines. */
function flowing(paragraph: string): string[] {
  const lines: string[] = [];
  const indented: string[] = [], plain: string[] = [];
  const close = () => {
    if (plain.length > 0) lines.push(...sentences(plain.splice(0).join(" ")));
    if (indented.length > 0) lines.push(...literal(indented.splice(0)));
  };
  for (const line of paragraph.split("\n")) {
    const isIndented = line.startsWith(" ");
    if ((isIndented ? plain : indented).length > 0) close();
    (isIndented ? indented : plain).push(line);
  }
  close();
  return lines;
}

function sentences(text: string): string[] {
  return text.split(/(?<=[.!?]\)?) +/).flatMap((sentence) => {
    return filled(sentence.split(/ +/), WIDTH, (part) => escaped(part).length).map(escaped);
  });
}

/** Text in which nothing is a request of roff. */
function escaped(text: string): string {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}

/** One argument of a macro: neither the name of another one nor punctuation. */
function word(text: string): string {
  const plain = escaped(text).replaceAll('"', "\\(dq");
  return /^[A-Z%][a-z1]{1,2}$|^[^\w\\]$/.test(text) ? `\\&${plain}` : plain;
}

function words(text: string): string {
  return text.split(" ").map(word).join(" ");
}
