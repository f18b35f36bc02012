/**
 * `docs/reference/annotation-apis.md` and `.csv`: functions of public headers, intercepted or not.
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

/** Why whole groups of names are not intercepted. */
const REASONS: Readonly<Record<string, string>> = {
  mpi: "Calls that do not communicate. They are too short for a region",
  ompt: "Calls that do not wait, and events that joulemark already receives by another callback",
  itt: "Calls that have nothing to do with regions: locks, heaps, stacks, modules, and the " +
    "control of Intel's profiler VTune",
  tau: "Calls that configure TAU, calls that read TAU's values, and calls that only TAU's own " +
    "wrappers make. Also methods of TAU's C++ classes, because TAU's library calls these " +
    "methods itself",
};

/** Functions of public headers that no word of `--preload` intercepts. */
export const UNHEARD: Readonly<Record<string, { why: string; names: readonly string[] }>> = {
  "adiak.h, adiak_tool.h, 0.5": {
    why:
      "The library Adiak stores properties of a run and has no regions. To add such properties " +
      "to Caliper outputs, use the option `metadata(KEY=VALUE)`",
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

/** The page, with counts and tested combinations. */
export function answeredPage(): string {
  const lines = [
    "# Annotation APIs",
    "",
    "With `run --preload WORD` joulemark intercepts the calls of an *annotation API*: a library interface that reports regions",
    "of a program, such as Caliper or NVTX. This page lists how many functions of each API joulemark intercepts, and how many",
    "other functions the headers of the API have. [annotation-apis.csv](annotation-apis.csv) has the names of all functions. If",
    "joulemark does not intercept a function, a call of this function works as without " +
    "joulemark.",
    "",
    "Two other pages have more about this topic. [Use existing " +
    "annotations](../how-to/preload.md) explains how to use an API. [What",
    "--preload records](preload.md) describes the results.",
    "",
    "The column *tested with* names the libraries of joulemark's tests. *Test program* means that the test calls the functions",
    "of the API without the original library.",
    "",
    "| word of `--preload` | headers, version | languages | tested with | number of functions intercepted | number of functions not intercepted |",
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
  lines.push(
    "",
    "## Functions that are not intercepted",
    "",
    "| API | functions, and the reason |",
    "| --- | --- |",
  );
  for (const [word, why] of Object.entries(REASONS)) lines.push(`| \`${word}\` | ${why} |`);
  for (const [header, { why }] of Object.entries(UNHEARD)) lines.push(`| ${header} | ${why} |`);
  return `${lines.join("\n")}\n`;
}

/** The table of all functions, as CSV. */
export function answeredTable(): string {
  const rows: string[] = [];
  const add = (api: string, names: readonly string[], intercepted: string) => {
    for (const name of names) rows.push(`${api},${name},${intercepted}\n`);
  };
  for (const [word, { answered, notAnswered, callbacks }] of Object.entries(dialectNames())) {
    add(word, answered, "yes");
    add(word, notAnswered, "no");
    add(`${word} callback`, callbacks?.answered ?? [], "yes");
    add(`${word} callback`, callbacks?.notAnswered ?? [], "no");
  }
  for (const [header, { names }] of Object.entries(UNHEARD)) add(header.split(".")[0], names, "no");
  return `api,function,intercepted\n${rows.join("")}`;
}

/** Dialects by languages: what tests of this repository ran. */
function trialLines(): string[] {
  const trials = dialectTrials();
  const languages = ["C", "C++", "Fortran", "Python", "Go", "Rust", "shell"];
  const words = [...new Set(trials.map(([word]) => word))];
  return [
    "",
    "## Tested combinations",
    "",
    "The table shows which libraries and compilers were tested, by API and language. The table above has the versions of",
    "the libraries. Compilers and most libraries are packages of Debian 12. *If installed* means that the test uses this",
    "library only on a machine that has it. An empty cell means that the combination was not tested. `joulemark client`",
    "stands for joulemark's own calls.",
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
