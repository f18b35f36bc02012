/**
 * `docs/answered.md`: which calls of each dialect's public headers are answered, and which are not.
 * The names are data, read out of the headers: tests/client/dialect_names.json.
 * @module
 */

/** Names of one header. */
export interface Names {
  readonly answered: readonly string[];
  readonly notAnswered: readonly string[];
}

/** What is known of a dialect. */
export interface DialectNames extends Names {
  /** Where its names are from, and of which version. */
  readonly header: string;
  readonly version: string;
  readonly languages: string;
  /** The libraries that programs of the tests had. */
  readonly tried: string;
  /** Of OMPT: functions that the runtime calls. */
  readonly callbacks?: Names;
}

/** Dialects by the word of `--preload`. */
export function dialectNames(): Record<string, DialectNames> {
  const file = new URL("../client/dialect_names.json", import.meta.url);
  return JSON.parse(Deno.readTextFileSync(file));
}

/** Why whole groups of names are not answered. */
const REASONS: Readonly<Record<string, string>> = {
  mpi: "They work on the process alone, and take no time that is worth a region",
  ompt: "They wait for nobody, or OMPT tells of them by another callback",
  itt: "They are for other tools: locks, heaps, stacks, modules, the control of VTune",
  tau:
    "They configure TAU, ask for its own figures, or are for wrappers of its own; members of its C++ classes " +
    "are called by the library itself, and what they do to a timer is heard where the program starts it",
};

/** The whole page. */
export function answeredPage(): string {
  const lines = [
    "# What is answered",
    "",
    "Every function that the public header of a dialect can call is answered by the interposition library,",
    "or named here: a call that is not answered goes where it went without joulemark. The names come from the",
    "headers, `tests/client/answered_test.ts` holds the library to them, and this page is made of the same data.",
    "How to use each dialect: [mark regions](mark-regions.md).",
    "",
    "| word | names from | languages | tried with | answered | not |",
    "| --- | --- | --- | --- | --- | --- |",
  ];
  const dialects = Object.entries(dialectNames());
  for (const [word, d] of dialects) {
    const from = [d.header, d.version].filter((text) => text !== "").join(", ");
    lines.push(
      `| \`${word}\` | ${from} | ${d.languages} | ${d.tried} | ` +
        `${d.answered.length} | ${d.notAnswered.length} |`,
    );
  }
  for (const [word, d] of dialects) {
    const { callbacks } = d;
    if (d.notAnswered.length === 0 && callbacks === undefined) continue;
    lines.push("", `## ${word}`, "");
    if (REASONS[word] !== undefined) lines.push(`${REASONS[word]}.`, "");
    lines.push("Not answered:", "", ...wrapped(d.notAnswered));
    if (callbacks !== undefined) {
      lines.push("", "Callbacks that are set:", "", ...wrapped(callbacks.answered));
      lines.push("", "Not set:", "", ...wrapped(callbacks.notAnswered));
    }
  }
  return `${lines.join("\n")}\n`;
}

function wrapped(names: readonly string[]): string[] {
  const lines: string[] = [];
  let line = "";
  names.forEach((name, i) => {
    const word = `\`${name}\`${i < names.length - 1 ? "," : ""}`;
    if (line !== "" && line.length + word.length + 1 > 100) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  });
  return line === "" ? lines : [...lines, line];
}
