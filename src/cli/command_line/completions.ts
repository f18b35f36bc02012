/**
 * `joulemark completions`: completions for a shell, made of the tables of options.
 * @module
 */
import type { Option } from "../../core/option.ts";
import { finished } from "../io.ts";
import { allOptions, misused } from "./options.ts";
import { shownOptions } from "./help.ts";
import type { ListedVerb, Verb, VerbEntry } from "./verb.ts";

const SHELLS: Readonly<Record<string, (verbs: readonly ListedVerb[]) => string>> = {
  bash,
  zsh,
  fish,
};

/** The verb that writes completions for all these. */
export function completionsOf(entries: readonly VerbEntry[]): Verb {
  return {
    name: "completions",
    usage: ["bash|zsh|fish"],
    about: `Writes completions for a shell: verbs, options and their values.`,
    options: [],
    examples: [
      'eval "$(joulemark completions bash)"',
      "joulemark completions zsh > ~/.zfunc/_joulemark",
      "joulemark completions fish > ~/.config/fish/completions/joulemark.fish",
    ],
    words: Object.keys(SHELLS),
    async run({ words }) {
      const make = words.length === 1 && Object.hasOwn(SHELLS, words[0])
        ? SHELLS[words[0]]
        : undefined;
      if (make === undefined) {
        const expected = `one of ${Object.keys(SHELLS).join(", ")}`;
        throw misused("completions", expected, words.length === 0 ? "none" : words.join(" "));
      }
      return finished(make(await Promise.all(entries.map((entry) => entry.load()))));
    },
  };
}

/** Option words of a verb, as typed on a command line. */
function spellings({ name, short }: Option): string[] {
  return short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];
}

function needsValue({ value, optionalValue }: Option): boolean {
  return value !== undefined && optionalValue !== true;
}

/** Completions for bash: a function and its registration. */
export function bash(verbs: readonly Verb[]): string {
  const cases = verbs.map((verb) => {
    const options = shownOptions(verb).flatMap(spellings).join(" ");
    const valued = allOptions(verb).filter(needsValue).map((option) => {
      const words = option.words === undefined ? "-f" : `-W "${option.words.join(" ")}"`;
      return `        ${spellings(option).join("|")}) mapfile -t COMPREPLY < <(compgen ${words} ` +
        '-- "$current"); return ;;';
    });
    const words = verb.command === true
      ? '-A command -A file -- "$current"'
      : verb.words === undefined
      ? '-f -- "$current"'
      : `-W "${verb.words.join(" ")}" -- "$current"`;
    return [
      `    ${verb.name})`,
      ...(valued.length === 0 ? [] : ["      case $previous in", ...valued, "      esac"]),
      `      if [[ $current == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "${options}" ` +
      '-- "$current")',
      `      else mapfile -t COMPREPLY < <(compgen ${words}); fi ;;`,
    ].join("\n");
  });
  return `# bash completions of joulemark
_joulemark() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "${names(verbs)} --help --version" -- "$current")
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac
}
complete -F _joulemark joulemark
`;
}

/** Completions for zsh, a file of its function path. */
export function zsh(verbs: readonly ListedVerb[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const plain = (text: string) => text.replace(/[[\]:\\]/g, (c) => `\\${c}`);
  const list = verbs.map(({ name, summary }) => quoted(`${name}:${plain(summary)}`)).join(" ");
  const cases = verbs.map((verb) => {
    const specs = shownOptions(verb).flatMap((option) => {
      const action = option.words === undefined ? "_files" : `(${option.words.join(" ")})`;
      const value = needsValue(option) ? `:${plain(option.value!)}:${action}` : "";
      const repeats = option.repeats === true ? "*" : "";
      return spellings(option).map((word) => {
        return quoted(`${repeats}${word}[${plain(option.help.split(";")[0])}]${value}`);
      });
    });
    const words = verb.words === undefined ? "_files" : `(${verb.words.join(" ")})`;
    const rest = verb.command === true ? "'*::command:_normal'" : `'*:word:${words}'`;
    return `    ${verb.name})\n      _arguments ${[...specs, rest].join(" \\\n        ")} ;;`;
  });
  return `#compdef joulemark
_joulemark() {
  if ((CURRENT == 2)); then
    local -a verbs=(${list})
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  case $verb in
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _joulemark ]]; then _joulemark "$@"; else compdef _joulemark joulemark; fi
`;
}

/** Completions for fish: one line an option. */
export function fish(verbs: readonly ListedVerb[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = [
    "# fish completions of joulemark",
    `complete -c joulemark -f -n __fish_use_subcommand -l help -d ${quoted("the list of verbs")}`,
    ...verbs.map(({ name, summary }) => {
      return `complete -c joulemark -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`;
    }),
  ];
  for (const verb of verbs) {
    const here = `complete -c joulemark -n ${quoted(`__fish_seen_subcommand_from ${verb.name}`)}`;
    if (verb.words !== undefined) lines.push(`${here} -f -a ${quoted(verb.words.join(" "))}`);
    for (const option of shownOptions(verb)) {
      const short = option.short === undefined ? "" : ` -s ${option.short}`;
      const value = !needsValue(option)
        ? ""
        : option.words === undefined
        ? " -r"
        : ` -x -a ${quoted(option.words.join(" "))}`;
      lines.push(
        `${here} -l ${option.name}${short}${value} -d ${quoted(option.help.split(";")[0])}`,
      );
    }
  }
  return lines.join("\n") + "\n";
}

function names(verbs: readonly Verb[]): string {
  return verbs.map(({ name }) => name).join(" ");
}
