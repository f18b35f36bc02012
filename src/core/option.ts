/**
 * One option of a verb, as data: parsing, help, environment, docs/reference/cli.md, man page and completions
 * are all made of it.
 * @module
 */
import type { Environment } from "./environment.ts";

/** An option. Without `value` it is a switch. */
export interface Option {
  /** Long name, without dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** Placeholder of its value in the help: `FILE`. */
  readonly value?: string;
  /** The value may be left out; it is then empty, and otherwise follows `=`. */
  readonly optionalValue?: boolean;
  /** May come several times. */
  readonly repeats?: boolean;
  /** The values there are, or those of a list with commas; for completions. */
  readonly words?: readonly string[];
  /** Can be given as `JOULEMARK_NAME`. */
  readonly env?: boolean;
  /** Variable of another tool, GEOPM or CrayPat, with the same meaning, for if ours is unset. */
  readonly foreign?: string;
  /** Value if none is given, as the help shows it. */
  readonly default?: string;
  /** Heading in the help. @default "Options" */
  readonly group?: string;
  /** A sentence or two; an option without is not shown. */
  readonly help: string;
}

/** Colour of what people read. */
export const COLOR: Option = {
  name: "color",
  value: "WHEN",
  words: ["auto", "always", "never"],
  env: true,
  default: "auto",
  help: "colour: auto (on a terminal, unless NO_COLOR is set), always, never",
};

/**
 * Origin of a value: the command line, a joulemark variable, another tool's, the file of the user
 * or of the site.
 */
export type Origin = "flag" | "joulemark" | "foreign" | "user" | "site";

/** A value of an option. */
export interface OptionValue {
  readonly text: string;
  readonly origin: Origin;
  /** Name as the user wrote it: `--period`, the variable's name, or `FILE:LINE: period`. */
  readonly name: string;
}

/** Values by the names of their options; an option that was not given is absent. */
export type OptionValues = ReadonlyMap<string, OptionValue>;

/** Spellings of the options whose value is the next word: `--report`. */
export function spellingsWithValue(options: readonly Option[]): string[] {
  return options.filter(({ value, optionalValue }) => value !== undefined && optionalValue !== true)
    .flatMap(({ name, short }) => [`--${name}`, ...short === undefined ? [] : [`-${short}`]]);
}

/**
 * Index of the argument that ends the options of a verb with a command: "--", or the first word
 * that is neither an option nor the value of one. The guardian looks for it in the same way
 * (`find_end` in guardian.c).
 *
 * @param withValue Spellings of the options whose value is the next word.
 * @returns The index, or the number of arguments.
 */
export function endOfOptions(args: readonly string[], withValue: readonly string[]): number {
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--" || !isOption(args[i])) return i;
    if (withValue.includes(args[i]) && i + 1 < args.length && !isOption(args[i + 1])) i++;
  }
  return args.length;
}

/** Does a word look like an option? "-" stands for a stream. */
function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

/** The variable that an option can be given as. */
export function variableOf({ name }: Pick<Option, "name">): string {
  return `JOULEMARK_${name.toUpperCase().replaceAll("-", "_")}`;
}

/**
 * Values of options: from the command line, then from `JOULEMARK_` variables, then from those of
 * other tools, then from files. Empty variables count as unset.
 *
 * @param given By name, from the command line.
 * @param files Settings of configuration files; the first file wins over the others.
 */
export function optionValues(
  options: readonly Option[],
  given: Readonly<Record<string, string | undefined>>,
  env: Environment,
  files: readonly OptionValues[] = [],
): OptionValues {
  const values = new Map<string, OptionValue>();
  for (const option of options) {
    const { name, foreign } = option;
    const flag = given[name];
    if (flag !== undefined) {
      values.set(name, { text: flag, origin: "flag", name: `--${name}` });
      continue;
    }
    const variable = variableOf(option);
    const ours = option.env === true ? env(variable) : undefined;
    if (ours !== undefined && ours !== "") {
      values.set(name, { text: ours, origin: "joulemark", name: variable });
      continue;
    }
    const theirs = foreign === undefined ? undefined : env(foreign);
    if (theirs !== undefined && theirs !== "") {
      values.set(name, { text: theirs, origin: "foreign", name: foreign! });
      continue;
    }
    const setting = files.find((file) => file.has(name))?.get(name);
    if (setting !== undefined) values.set(name, setting);
  }
  return values;
}

/**
 * The values that no file gave, nor a variable of another program; the same map if none of them did.
 *
 * @param foreign Options whose values of such variables may be wrong.
 */
export function withoutFiles(values: OptionValues, foreign: readonly string[]): OptionValues {
  const own = [...values].filter(([name, { origin }]) => {
    return origin !== "user" && origin !== "site" &&
      !(origin === "foreign" && foreign.includes(name));
  });
  return own.length === values.size ? values : new Map(own);
}

/** True for a switch whose value is given and not `0`, `off`, `no` or `false`. */
export function isOn(text: string | undefined): text is string {
  return text !== undefined && !["0", "off", "no", "false"].includes(text.toLowerCase());
}
