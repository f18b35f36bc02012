/**
 * Everything that can be explained: the rows that help, pages and reports are made of.
 * @module
 */
import { variableOf } from "../../core/option.ts";
import { TIDY_COLUMNS } from "../../core/tidy_rows.ts";
import { SERIES_COLUMNS } from "../../show/analysis/tidy_text.ts";
import { type Domain, DOMAINS } from "../../core/machine/domain.ts";
import type { SignalRow } from "../../core/signal.ts";
import { JOB_METRICS } from "../../rawstats/analysis/metrics.ts";
import { READERS } from "../../sources/readers/with_raw.ts";
import { TRACKER_ALIASES, TRACKER_SIGNALS } from "../../marks/tracker/tracker_signals.ts";
import { aliasesWith } from "../../sources/signals/alias.ts";
import { DERIVED } from "../../sources/signals/derived.ts";
import { optionText, optionWords, shownOptions } from "../command_line/help.ts";
import type { ListedVerb, Verb } from "../command_line/verb.ts";
import {
  type FieldRow,
  GEOPM_FIELDS,
  HEADER_FIELDS,
  OWN_FIELDS,
  OWN_KEYS,
  TREE_FIELDS,
} from "./fields_table.ts";
import { GLOSSARY } from "./glossary_table.ts";
import { SHOWN_WORDS } from "./shown_words_table.ts";
import { WARNINGS } from "./warnings_table.ts";

/** One explanation. */
export interface Entry {
  readonly kind: "verb" | "option" | "field" | "signal" | "word" | "warning" | "column" | "metric";
  readonly name: string;
  /** Other spellings. */
  readonly names: readonly string[];
  /** Paragraphs. */
  readonly text: readonly string[];
}

/** All of them. @param verbs Loaded. */
export function allEntries(verbs: readonly ListedVerb[]): Entry[] {
  return [
    ...SHOWN_WORDS.map(([[name, ...names], meaning]): Entry => {
      return { kind: "word", name, names, text: [meaning] };
    }),
    ...verbs.map(verbEntry),
    ...GLOSSARY.map(([word, meaning, source]): Entry => {
      return {
        kind: "word",
        name: word,
        names: [],
        text: [meaning, `Source: ${sourceText(source)}.`],
      };
    }),
    ...[...HEADER_FIELDS, ...GEOPM_FIELDS, ...OWN_FIELDS].flatMap((row) => fieldEntries(row)),
    ...TREE_FIELDS.flatMap((row) => fieldEntries(row, ", under tree")),
    ...OWN_KEYS.flatMap((row) => fieldEntries(row)),
    ...columnEntries(),
    ...JOB_METRICS.map(({ name, unit, formula }): Entry => {
      const inUnit = unit === "" ? "" : ` Unit: ${unit}.`;
      const where = "dt is the time of the job on a node. This is a metric of joulemark stats.";
      return { kind: "metric", name, names: [], text: [`${formula}.${inUnit}`, where] };
    }),
    ...optionEntries(verbs),
    ...WARNINGS.map(({ name, means, todo }): Entry => {
      return { kind: "warning", name, names: [], text: [means, `What to do: ${todo}`] };
    }),
    ...signalEntries(),
  ];
}

/** Entries for a word, a key, an option or a whole note of a summary; the best fits first. */
export function entriesFor(asked: string, all: readonly Entry[]): Entry[] {
  const word = asked.trim().replace(/^note: /, "");
  const plain = word.replace(/^-+/, "").toLowerCase();
  const withoutUnit = plain.replace(/ \([^)]*\)$/, "");
  const exact = all.filter(({ name, names, kind }) => {
    return [name, ...names].some((one) =>
      one === word || one.toLowerCase() === plain ||
      kind === "word" && one.toLowerCase() === withoutUnit
    );
  });
  const isAsIs = ({ name, names, kind }: Entry) =>
    name === word || kind === "word" && (names.includes(word) || withoutUnit !== plain);
  const pattern = fieldPattern(word);
  const fields = all.filter(({ kind, name }) => kind === "field" && fieldPattern(name) === pattern);
  const general = fields.filter(({ name }) => STANDS_FOR_ALL.test(name));
  if (exact.length > 0) {
    const more = exact.some(({ kind }) => kind === "field")
      ? general.filter((e) => !exact.includes(e))
      : [];
    return [...exact.filter(isAsIs), ...exact.filter((e) => !isAsIs(e)), ...more];
  }
  const instance = instanceOf(word);
  if (instance !== undefined) {
    const signals = all.filter(({ kind, name }) => kind === "signal" && name === instance.signal);
    if (signals.length > 0) {
      return signals.map((entry) => ({
        ...entry,
        name: word,
        text: [instance.about, ...entry.text],
      }));
    }
  }
  if (general.length > 0) return general;
  if (fields.length > 0) return fields;
  const bare = word.replace(/(,? coarse|, sampled)?( \([^)]*\))?$/, "");
  if (bare !== word && bare !== "") return entriesFor(bare, all);
  const warning = WARNINGS.find(({ pattern }) => pattern.test(word));
  return all.filter(({ kind, name }) => kind === "warning" && name === warning?.name);
}

/** A signal at a domain, `NAME@package-0` or `NAME@package`; `undefined`: it is none. */
function instanceOf(word: string): { signal: string; about: string } | undefined {
  const [, signal, domain, index] = /^([^@]+)@([a-z_]+)(?:-(\d+))?$/.exec(word) ?? [];
  if (!DOMAINS.includes(domain as Domain)) return undefined;
  const about = index === undefined
    ? `${signal}, one value for each ${domain}.`
    : `${signal} of ${domain} ${index}.`;
  return { signal, about };
}

/** In a key: the word stands for each component, or for each hint. */
const STANDS_FOR_ALL = /PART|HINT/;

/** A key without its unit, and with the parts and hints that stand for all. */
function fieldPattern(key: string): string {
  return key.replace(/ \([^)]*\)$/, "").toLowerCase()
    .replace(
      /^(joulemark-|total-)?(package|dram|gpu|node|part)(?=-energy|-power|-\d+$|-n$| trusted at$)/,
      "$1PART",
    )
    .replace(/^PART-(\d+|n)$/, "PART-N")
    .replace(/^time-hint-\w+$/, "time-hint-HINT");
}

function verbEntry(verb: ListedVerb): Entry {
  const { name, summary, usage, examples } = verb;
  const own = shownOptions(verb).map((option) => `--${option.name}`);
  return {
    kind: "verb",
    name,
    names: [`joulemark ${name}`],
    text: [
      `${summary[0].toUpperCase()}${summary.slice(1).replace(/\?$/, "")}.`,
      usage.map((words) => `joulemark ${name} ${words}`).join("\n"),
      `Options: ${own.join(" ")}`,
      `Example: ${examples[0]}`,
      `joulemark ${name} --help prints the whole help.`,
    ],
  };
}

/** @param place Where in the report, after a comma. */
function fieldEntries({ keys, about }: FieldRow, place = ""): Entry[] {
  const which = keys.length > 1 ? `${keys.join("; ")}: ` : "";
  const parts = keys.some((key) => key.includes("PART"))
    ? " PART stands for package, dram, gpu or node."
    : "";
  const text = [
    `${which}${plainText(about).replace(/\.$/, "")}.${parts}`,
    `${keys.length > 1 ? "These are keys" : "This is a key"} of the report${place}.`,
  ];
  return keys.map((key) => {
    return { kind: "field", name: key, names: [key.replace(/ \([^)]*\)$/, "")], text };
  });
}

/** Columns of the long table, and of power over time. */
function columnEntries(): Entry[] {
  const all = new Map([...SERIES_COLUMNS, ...TIDY_COLUMNS].map((one) => [one.name, one]));
  return [...all.values()].map(({ name, unit, about }): Entry => {
    const inUnit = unit === undefined ? "" : ` Unit: ${unit}.`;
    const where = "This is a column of joulemark show --format csv and of joulemark query.";
    return { kind: "column", name, names: [], text: [`${about}.${inUnit}`, where] };
  });
}

/** One entry a name: an option of several verbs mostly means the same. */
function optionEntries(verbs: readonly Verb[]): Entry[] {
  const found = verbs.flatMap((verb) => shownOptions(verb).map((option) => ({ verb, option })));
  return [...Map.groupBy(found, ({ option }) => option.name)].map(([name, uses]): Entry => {
    const byText = Map.groupBy(
      uses,
      ({ option }) => `${optionWords(option)}: ${optionText(option)}`,
    );
    const variables = new Set(uses.flatMap(({ option }) => [
      ...option.env === true ? [variableOf(option)] : [],
      ...option.foreign === undefined ? [] : [option.foreign],
    ]));
    return {
      kind: "option",
      name: `--${name}`,
      names: [name, ...variables],
      text: [
        ...[...byText].map(([text, of]) =>
          `${text} (${of.map(({ verb }) => verb.name).join(", ")})`
        ),
        ...variables.size > 0 ? [`Environment: ${[...variables].join(", ")}.`] : [],
      ],
    };
  });
}

function signalEntries(): Entry[] {
  const entry = (row: SignalRow, more: readonly string[] = []): Entry => ({
    kind: "signal",
    name: row.name,
    names: [],
    text: [
      row.about.replace(/\.?$/, "."),
      `Domain: ${row.domain}. Unit: ${
        row.unit || "none"
      }. Behavior: ${row.behavior}. Aggregation: ${row.agg}.`,
      ...row.source === undefined ? [] : [`Source: ${row.source}.`],
      ...row.quirks === undefined ? [] : [`Note: ${row.quirks.replace(/\.$/, "")}.`],
      ...more,
      `joulemark read --info ${row.name} prints the source on this node.`,
    ],
  });
  return [
    ...aliasesWith(READERS).map(({ row, candidates }) =>
      entry(row, [
        `The name stands for the first of these that the node has: ${candidates.join(", ")}.`,
      ])
    ),
    ...Object.entries(TRACKER_ALIASES).map(([name, target]): Entry => {
      return { kind: "signal", name, names: [], text: [`Another name in GEOPM for ${target}.`] };
    }),
    ...TRACKER_SIGNALS.map((row) => entry(row)),
    ...DERIVED.map(({ row }) => entry(row)),
    ...READERS.flatMap((reader) => reader.signals.map((row) => entry(row))),
  ];
}

/** Source of a word; a page is named without its place, because the reader may not have the folder of pages. */
function sourceText(source: string): string {
  const [, page] = /^docs\/(?:.*\/)?([^/]+)\.md$/.exec(source) ?? [];
  return page === undefined ? source : `page "${page}" of the documentation`;
}

/** Markdown as it is read aloud. */
function plainText(markdown: string): string {
  const links = /\[([^\]]*)\]\([^)]*\)/g;
  return markdown.replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, "").replace(links, "$1").replaceAll("`", "")
    .replace(/(?<!\w)\*([a-z ]+)\*/g, "$1");
}
