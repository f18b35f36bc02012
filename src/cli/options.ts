/**
 * Command lines of verbs: which options there are, and a clear line for any other.
 *
 * One table per verb says everything; the parsing itself is @std/cli's.
 * @module
 */
import { parseArgs } from "@std/cli/parse-args";
import { nearest, UsageError } from "../core/errors.ts";

/** Options of a verb by name, without dashes. */
export interface OptionTable {
  /** Options with a value. */
  text?: readonly string[];
  /** Options without. */
  flags?: readonly string[];
  /** One-letter names. */
  alias?: Readonly<Record<string, string>>;
  /** The first word that is no option ends them: a command follows. */
  command?: boolean;
}

/** Options that every verb takes. */
const COMMON_FLAGS = ["help", "quiet", "verbose", "debug"] as const;
const COMMON_ALIAS = { h: "help", q: "quiet", v: "verbose" } as const;

/** A command line, read. */
export interface ParsedOptions {
  /** Values of the options with one. */
  readonly text: Readonly<Record<string, string | undefined>>;
  /** Those without, when given. */
  readonly flags: ReadonlySet<string>;
  /** What is no option, in order. */
  readonly words: readonly string[];
  /** Was a "--" given? */
  readonly separated: boolean;
}

/**
 * Reads a command line.
 *
 * @throws {UsageError} On an unknown option, a missing value, or an option given twice.
 */
export function parseOptions(verb: string, args: string[], table: OptionTable): ParsedOptions {
  const text = table.text ?? [];
  const flags = [...COMMON_FLAGS, ...(table.flags ?? [])];
  const alias = { ...COMMON_ALIAS, ...table.alias };
  const own = args.indexOf("--");
  const mine = own < 0 || table.command !== true ? args : args.slice(0, own);
  const seen = new Map<string, string>();
  // Tables are known at run time only: what the types make of them helps nobody.
  const parsed: Given = parseArgs(joinDashes(mine, new Set(names(text, alias))), {
    string: [...text],
    boolean: flags,
    alias,
    stopEarly: table.command === true,
    "--": true,
    collect: [...text],
    unknown: (arg, key) => {
      if (key === undefined) return true;
      throw new UsageError({
        action: `run "joulemark ${verb}"`,
        expected: suggestion(key, [...text, ...flags]),
        found: `unknown option ${arg.split("=")[0]}`,
        remedy: `see joulemark ${verb} --help`,
      });
    },
  });
  const values: Record<string, string | undefined> = {};
  for (const name of text) {
    const given = (parsed[name] ?? []) as string[];
    if (given.length > 1 || (given.length === 1 && given[0] === "")) {
      throw new UsageError({
        action: `run "joulemark ${verb}"`,
        expected: `--${name} once, with a value`,
        found: given.length > 1 ? `--${name} ${given.length} times` : `--${name} without a value`,
        remedy: `see joulemark ${verb} --help`,
      });
    }
    values[name] = given[0];
  }
  for (const name of flags) if (parsed[name] === true) seen.set(name, "");
  const words = [...parsed._.map(String), ...(parsed["--"] ?? [])];
  if (mine !== args) words.push(...args.slice(own + 1));
  return { text: values, flags: new Set(seen.keys()), words, separated: own >= 0 };
}

/** Words and options as they were given. */
interface Given {
  readonly [name: string]: unknown;
  readonly _: readonly (string | number)[];
  readonly "--"?: readonly string[];
}

/** Option words that take a value, as they stand on the command line. */
function names(text: readonly string[], alias: Readonly<Record<string, string>>): string[] {
  const short = Object.entries(alias).filter(([, long]) => text.includes(long));
  return [...text.map((name) => `--${name}`), ...short.map(([letter]) => `-${letter}`)];
}

/** A lone "-" after an option is its value, as in `--stats -`: joined, so that it is no option. */
function joinDashes(args: readonly string[], withValue: ReadonlySet<string>): string[] {
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const takes = withValue.has(args[i]) && args[i + 1] === "-";
    joined.push(takes ? `${args[i++]}=-` : args[i]);
  }
  return joined;
}

function suggestion(key: string, known: string[]): string {
  const near = nearest(key, known, 1);
  return near.length > 0 ? `an option such as --${near[0]}` : "a known option";
}

/**
 * A number of seconds.
 *
 * @throws {UsageError} If it is no number above zero.
 */
export function parseSeconds(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value <= 0) {
    throw new UsageError({
      action: "use",
      target: `${name}=${text}`,
      expected: "a number of seconds above 0",
      found: text.trim() === "" ? "nothing" : text,
    });
  }
  return value;
}
