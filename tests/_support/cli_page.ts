/** docs/reference/cli.md, made of the tables of options. */
import { SETTINGS_TEXT } from "../../src/core/config_text.ts";
import { variableOf } from "../../src/core/option.ts";
import { VERBS } from "../../src/cli/all.ts";
import { optionWords, shownOptions } from "../../src/cli/command_line/help.ts";
import type { Verb } from "../../src/cli/command_line/verb.ts";

/** The page. */
export async function cliPage(): Promise<string> {
  const verbs = await Promise.all(VERBS.map((entry) => entry.load()));
  return `# Command line

This page lists all subcommands of joulemark (*verbs*) and their options. \`joulemark VERB --help\` prints the same text.
\`joulemark man\` prints a manual page, and \`joulemark completions SHELL\` prints completions for a shell.

If an option is unknown, lacks its value, or is given twice, joulemark prints one line and ends with status 2. The same
holds for a value after an option that takes none. The [glossary](glossary.md) explains words such as signal, domain,
epoch and span. \`deno task docs\` makes this page from the tables of the program.

## Settings in files

${SETTINGS_TEXT.replaceAll(/(?<=^|[ ,])(\/etc|~|\$XDG)[^ ,\n]*[^ ,.\n]/gm, "`$&`")}

## Subcommands

| verb | what it does |
| --- | --- |
${verbs.map(({ name, summary }) => `| [${name}](#${name}) | ${cell(summary)} |`).join("\n")}

${verbs.map(section).join("\n")}`;
}

function section(verb: Verb): string {
  const usage = verb.usage.map((words) => `joulemark ${verb.name} ${words}`).join("\n");
  const tables = [...Map.groupBy(shownOptions(verb), (o) => o.group ?? "Options")]
    .map(([group, options]) => {
      const rows = options.map((option) => {
        const variables = [
          ...option.env === true ? [variableOf(option)] : [],
          option.foreign ?? [],
        ];
        const cells = [
          code(optionWords(option)),
          cell(option.help),
          option.default === undefined ? "" : cell(option.default),
          variables.flat().map(code).join(", "),
        ];
        return `| ${cells.join(" | ")} |`;
      });
      return `| ${group} | meaning | default | environment |\n| --- | --- | --- | --- |\n${
        rows.join("\n")
      }\n`;
    });
  const notes = verb.notes === undefined ? "" : `\n${text(verb.notes)}\n`;
  return `## ${verb.name}

\`\`\`
${usage}
\`\`\`

${text(verb.about)}

${tables.join("\n")}${notes}
\`\`\`
${verb.examples.join("\n")}
\`\`\`
`;
}

/** Paragraphs; lines that are indented become a block. */
function text(paragraphs: string): string {
  return paragraphs.trim().split("\n\n").map((paragraph) => {
    const lines = paragraph.split("\n");
    const first = lines.findIndex((line) => line.startsWith(" "));
    if (first < 0) return paragraph;
    return `${lines.slice(0, first).join("\n")}\n\n\`\`\`\n${
      lines.slice(first).join("\n")
    }\n\`\`\``;
  }).join("\n\n");
}

function code(words: string): string {
  return `\`${cell(words)}\``;
}

function cell(words: string): string {
  return words.replaceAll("|", "\\|");
}
