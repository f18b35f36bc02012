/**
 * `docs/answered.md`: which calls of each dialect's public headers are answered, and which are not.
 * The names are data, read out of the headers: tests/marks/client/dialect_names.json.
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
  const file = new URL("../marks/client/dialect_names.json", import.meta.url);
  return JSON.parse(Deno.readTextFileSync(file));
}

/** A dialect in a language: what a test ran it with. */
export type Trial = readonly [
  word: string,
  language: string,
  ranWith: string,
  file: string,
  /** Text of the test's name there. */
  name: string,
];

/** All of them: tests/marks/client/dialect_trials.json. */
export function dialectTrials(): Trial[] {
  const file = new URL("../marks/client/dialect_trials.json", import.meta.url);
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

/** Functions of public headers that no word of `--preload` answers. */
export const UNHEARD: Readonly<Record<string, { why: string; names: readonly string[] }>> = {
  "adiak.h, adiak_tool.h, 0.5": {
    why: "Adiak keeps facts about a run and marks nothing: all its calls go to its own library. " +
      "In outputs of Caliper's kind the option `metadata(KEY=VALUE)` has them",
    names: [
      "adiak_adiakversion",
      "adiak_clean",
      "adiak_clustername",
      "adiak_cmdline",
      "adiak_collect_all",
      "adiak_cputime",
      "adiak_executable",
      "adiak_executablepath",
      "adiak_fini",
      "adiak_flush",
      "adiak_get_nameval",
      "adiak_get_nameval_with_info",
      "adiak_get_subval",
      "adiak_hostlist",
      "adiak_hostname",
      "adiak_init",
      "adiak_job_size",
      "adiak_launchdate",
      "adiak_launchday",
      "adiak_libraries",
      "adiak_list_namevals",
      "adiak_list_namevals_with_info",
      "adiak_mpi_library",
      "adiak_mpi_library_version",
      "adiak_mpi_version",
      "adiak_namevalue",
      "adiak_new_datatype",
      "adiak_num_hosts",
      "adiak_num_subvals",
      "adiak_numerical_from_type",
      "adiak_raw_namevalue",
      "adiak_register_cb",
      "adiak_register_cb_with_info",
      "adiak_systime",
      "adiak_type_to_string",
      "adiak_uid",
      "adiak_user",
      "adiak_walltime",
      "adiak_workdir",
    ],
  },
};

/** The whole page. */
export function answeredPage(): string {
  const lines = [
    "# What is answered",
    "",
    "Every function that the public header of a dialect can call is answered by the interposition library,",
    "or named here: a call that is not answered goes where it went without joulemark. The names come from the",
    "headers, `tests/marks/client/answered_test.ts` holds the library to them, `headers_test.ts` beside it the headers of this",
    "machine to the data, and this page is made of the same data.",
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
  lines.push(...trialLines());
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
  for (const [header, { why, names }] of Object.entries(UNHEARD)) {
    lines.push("", `## ${header}`, "", `${why}.`, "", "Not answered:", "", ...wrapped(names));
  }
  return `${lines.join("\n")}\n`;
}

/** Dialects by languages: what tests of this repository ran. */
function trialLines(): string[] {
  const trials = dialectTrials();
  const languages = ["C", "C++", "Fortran", "Python", "Go", "Rust", "shell"];
  const words = [...new Set(trials.map(([word]) => word))];
  return [
    "",
    "## What tests run",
    "",
    "Each cell is a test of this repository, `tests/marks/client/dialect_trials.json` says which; versions are those of",
    "Debian 12's packages, in the table above. *Its calls* are the dialect's functions, called by a program of ours",
    "without its library; empty cells were not tried.",
    "",
    `| | ${languages.join(" | ")} |`,
    `| --- |${" --- |".repeat(languages.length)}`,
    ...words.map((word) => {
      const cells = languages.map((language) =>
        trials.find(([w, l]) => w === word && l === language)?.[2] ?? ""
      );
      return `| ${word} | ${cells.join(" | ")} |`;
    }),
  ];
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
