/**
 * docs/reference/glossary.md and the field tables of docs/reference/formats/report.md, made from the
 * rows of `explain`.
 */
import {
  type FieldRow,
  GEOPM_FIELDS,
  OWN_FIELDS,
  OWN_KEYS,
  TREE_FIELDS,
} from "../../src/cli/explanations/fields_table.ts";
import { GLOSSARY } from "../../src/cli/explanations/glossary_table.ts";
import { SHOWN_WORDS } from "../../src/cli/explanations/shown_words_table.ts";

/** The glossary. */
export function glossaryPage(): string {
  const rows = GLOSSARY.map(([word, meaning, source]) => {
    const [, path, page] = /^docs\/(?:reference\/)?((?:.*\/)?([^/]+)\.md)$/.exec(source) ?? [];
    const place = source.startsWith("docs/reference/") ? path : `../${path}`;
    return `| ${word} | ${meaning} | ${page === undefined ? source : `[${page}](${place})`} |`;
  });
  const shown = SHOWN_WORDS.map(([[name], meaning]) => `| ${cell(name)} | ${cell(meaning)} |`);
  return `# Glossary

This page explains the words of the documentation, and then the words of joulemark's output. \`joulemark explain WORD\`
prints the same text. \`deno task docs\` makes this page from the tables of the program.

## Words of the documentation

The column *source* names the manual or the page that has more about a word. A name with a number, such as geopm(7) or
landlock(7), is a manual page. Names that begin with geopm are manual pages of GEOPM.

| word | meaning | source |
| --- | --- | --- |
${rows.join("\n")}

## Words of the output

These words are in the summary, in tables, on HTML pages, and in \`joulemark top\` and \`joulemark compare\`.

| word | meaning |
| --- | --- |
${shown.join("\n")}
`;
}

/** A text in a table of Markdown, with no letter that has a meaning there. */
function cell(text: string): string {
  return text.replace(/[|\\_*<>[\]~`]/g, "\\$&");
}

/** The page with its tables of fields as they are in the program. */
export function reportPage(): string {
  const page = Deno.readTextFileSync(
    new URL("../../docs/reference/formats/report.md", import.meta.url),
  );
  const tables = {
    "geopm-fields": GEOPM_FIELDS,
    "own-fields": OWN_FIELDS,
    "tree-fields": TREE_FIELDS,
    "own-keys": OWN_KEYS,
  };
  return Object.entries(tables).reduce((text, [name, rows]) => {
    const block = new RegExp(`(<!-- ${name}: [^>]*-->\n)[^]*?(<!-- end -->)`);
    return text.replace(block, (_, begin, end) => begin + table(rows) + end);
  }, page);
}

function table(rows: readonly FieldRow[]): string {
  const lines = rows.map(({ keys, about }) => {
    return `| ${keys.map((key) => `\`${key}\``).join(", ")} | ${about} |\n`;
  });
  return `| key | value |\n| --- | --- |\n${lines.join("")}`;
}
