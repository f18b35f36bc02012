/**
 * Command lines of verbs, read by a verb's table of options: values, switches, words, and one clear
 * line for any mistake. The splitting itself is @std/cli's.
 * @module
 */
import { parseArgs } from "@std/cli/parse-args";
import type { Environment } from "../../core/environment.ts";
import { nearest, UnknownNameError, unusable, UsageError } from "../../core/errors.ts";
import {
  endOfOptions,
  isOn,
  type Option,
  type OptionValues,
  optionValues,
  spellingsWithValue,
} from "../../core/option.ts";

/** Options that every verb takes; a verb with more text for one has it in its own table. */
const COMMON_OPTIONS: readonly Option[] = [
  { name: "quiet", short: "q", help: "" },
  { name: "verbose", short: "v", help: "" },
  { name: "debug", help: "" },
  { name: "help", short: "h", help: "this text" },
];

/** The parts of a verb that define how its command line is read. */
export interface CommandLine {
  readonly name: string;
  readonly options: readonly Option[];
  /** The first word that is no option ends them: a command follows. */
  readonly command?: boolean;
  /** The verb whose settings in configuration files are its own too. @default itself */
  readonly section?: string;
  /** True if it shows the contents of files, with their errors, and no error ends it. */
  readonly showsSettings?: boolean;
  /** True if unknown options are words. */
  readonly anyWords?: boolean;
  /** Words are on both sides of `--`, and options on either. */
  readonly sides?: boolean;
}

/** A command line, read. */
export interface ParsedOptions {
  /** Values of the options with one, from any source. */
  readonly text: Readonly<Record<string, string | undefined>>;
  /** Values of the options with their origins. */
  readonly values: OptionValues;
  /** Every value of the options that may come several times. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Switches that are on. */
  readonly flags: ReadonlySet<string>;
  /** Words that are not options, in order. */
  readonly words: readonly string[];
  /** Words after `--`; absent: no `--`, or a verb with a command. */
  readonly rest?: readonly string[];
  /** Number of words before `--`, for a verb with two sides; absent: no `--`. */
  readonly left?: number;
}

/** All options of a verb: its own, and those that every verb takes. */
export function allOptions({ options }: Pick<CommandLine, "options">): readonly Option[] {
  const own = new Set(options.map(({ name }) => name));
  return [...options, ...COMMON_OPTIONS.filter(({ name }) => !own.has(name))];
}

/**
 * Reads a command line.
 *
 * @param env For the options that can be given as variables. @default none of them is set
 * @param files Settings of configuration files for this verb. @default nothing
 * @throws {UsageError} On an unknown option, a missing value, a value too many, or an option given twice.
 */
export function parseOptions(
  verb: CommandLine,
  args: readonly string[],
  env: Environment = () => undefined,
  files: readonly OptionValues[] = [],
): ParsedOptions {
  const table = allOptions(verb);
  const own = args.indexOf("--");
  if (verb.sides === true && own >= 0) {
    const one = { ...verb, sides: false };
    const before = args.slice(0, own);
    const left = parseOptions(one, before).words.length;
    return { ...parseOptions(one, [...before, ...args.slice(own + 1)], env), left };
  }
  const mine = verb.command === true
    ? args.slice(0, endOfOptions(args, spellingsWithValue(table)))
    : args;
  const ahead = own < 0 ? mine : mine.slice(0, own);
  const valued = table.filter(({ value }) => value !== undefined).map(({ name }) => name);
  const switches = table.filter(({ value }) => value === undefined).map(({ name }) => name);
  const short = table.filter((option) => option.short !== undefined);
  const others: string[] = [];
  // Tables are known at run time only: their static types are of no use.
  const parsed: Given = parseArgs(withValues(mine, table), {
    string: [...valued, "_"],
    boolean: switches,
    alias: Object.fromEntries(short.map((option) => [option.short!, option.name])),
    "--": true,
    collect: valued,
    unknown: (arg, key) => {
      if (key === undefined) return true;
      if (verb.anyWords === true) {
        others.push(arg);
        return false;
      }
      const known = table.map(({ name }) => `--${name}`),
        help = `see joulemark ${verb.name} --help`;
      throw new UnknownNameError("option", arg.split("=")[0], nearest(`--${key}`, known, 1), help);
    },
  });
  const given: Record<string, string | undefined> = {};
  const lists: Record<string, readonly string[]> = {};
  for (const { name, optionalValue, repeats, value } of table) {
    if (value === undefined) {
      const withValue = ahead.find((arg) => arg.startsWith(`--${name}=`));
      if (withValue !== undefined) throw misused(verb.name, `--${name} without a value`, withValue);
      if (parsed[name] === true) given[name] = "1";
      continue;
    }
    const all = (parsed[name] ?? []) as string[];
    lists[name] = all;
    if (all.includes("") && optionalValue !== true) {
      throw misused(verb.name, `a value for --${name}`, "none");
    }
    if (ahead.includes(`--${name}=`)) {
      throw misused(verb.name, `--${name}=${value} or --${name}`, `--${name}= without a value`);
    }
    if (all.length > 1 && repeats !== true) {
      throw misused(verb.name, `--${name} once`, `--${name} ${all.length} times`);
    }
    given[name] = all[0];
  }
  const values = optionValues(table, given, env, files);
  const text: Record<string, string | undefined> = {};
  for (const name of valued) text[name] = values.get(name)?.text;
  const flags = switches.filter((name) => isOn(values.get(name)?.text));
  const words = [...others, ...parsed._.map(String), ...(parsed["--"] ?? [])];
  if (mine !== args) words.push(...args.slice(mine.length + (args[mine.length] === "--" ? 1 : 0)));
  const rest = mine.includes("--") ? { rest: parsed["--"] } : {};
  return { text, values, lists, flags: new Set(flags), words, ...rest };
}

/** Words and options as they were given. */
interface Given {
  readonly [name: string]: unknown;
  readonly _: readonly (string | number)[];
  readonly "--"?: readonly string[];
}

/** A lone "-" and a number below 0: values, and not options. */
const STREAM_OR_NUMBER = /^-(\.?\d.*)?$/;

/**
 * Joins values that @std/cli would not take for such: a lone "-", as in `--stats -`, a number below
 * 0, as in `--period -1`, and the empty one of an option whose value may be left out.
 */
function withValues(args: readonly string[], table: readonly Option[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === "--") return [...joined, ...args.slice(i)];
    const option = table.find(({ name, short }) => arg === `--${name}` || arg === `-${short}`);
    if (option?.optionalValue === true) joined.push(`${arg}=`);
    else if (option?.value === undefined || i + 1 === args.length) joined.push(arg);
    else if (STREAM_OR_NUMBER.test(args[i + 1])) joined.push(`${arg}=${args[++i]}`);
    else if (args[i + 1].startsWith("-")) joined.push(arg);
    else joined.push(arg, args[++i]);
  }
  return joined;
}

/** A command line that its verb cannot work with. */
export function misused(
  verb: string,
  expected: string,
  found: string,
  remedy = `see joulemark ${verb} --help`,
): UsageError {
  return new UsageError({ expected, found, remedy });
}

/**
 * The format that `--format` or `--json` ask for.
 *
 * @throws {UsageError} If it is none of those that the verb has, or if the two differ.
 */
export function parseFormat<F extends string>(
  { values, flags }: ParsedOptions,
  formats: readonly [F, ...F[]],
): F {
  const named = values.get("format"), json = flags.has("json") ? values.get("json") : undefined;
  if (named !== undefined && named.text !== "json" && named.origin === json?.origin) {
    throw new UsageError({ expected: "one format", found: `--json --format ${named.text}` });
  }
  // A configuration file may have one of them, and the command line the other.
  const isJson = json !== undefined && (named === undefined || json.origin === "flag");
  const given = isJson ? "json" : named?.text ?? formats[0];
  const format = formats.find((one) => one === given);
  if (format !== undefined) return format;
  throw unusable(`--format ${given}`, formats.join(", "), given);
}

/** A whole number from 1 to 1000. @throws {UsageError} If it is none. */
export function parseCount(name: string, text: string, remedy?: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1000) return value;
  throw unusable(`--${name} ${text}`, "a whole number from 1 to 1000", text, remedy);
}

/**
 * A number of seconds.
 *
 * @throws {UsageError} If it is no number above zero.
 */
export function parseSeconds(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  const found = text.trim() === "" ? "nothing" : text;
  throw unusable(`${name}=${text}`, "a number of seconds above 0", found);
}

/** A set that grows a thousandfold is a mistake. */
const MAX_PERCENT = 100_000;

/** `3`, `3%`, `0.5 %` as a share. @throws {UsageError} If it is none. */
export function parsePercent(name: string, text: string): number {
  const found = /^\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%?\s*$/.exec(text);
  if (found !== null && Number(found[1]) <= MAX_PERCENT) return Number(found[1]) / 100;
  throw unusable(`--${name} ${text}`, `per cent from 0 to ${MAX_PERCENT}`, text);
}
