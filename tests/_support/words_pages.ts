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
  const rows = GLOSSARY.map((row) => `| ${row.join(" | ")} |`);
  const shown = SHOWN_WORDS.map(([[name], meaning]) => `| ${name} | ${meaning} |`);
  return `# Glossary

The first table has the terms of the pages. The second table has the words that joulemark prints in summaries,
tables and pages. \`joulemark explain WORD\` prints the same. Made by \`deno task docs\`.

## Terms

| word | meaning | source |
| --- | --- | --- |
${rows.join("\n")}

## Words in the output

| word | meaning |
| --- | --- |
${shown.join("\n")}
`;
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
