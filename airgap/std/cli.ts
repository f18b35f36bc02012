/**
 * Stands for `@std/cli` if JSR does not answer: `parseArgs` with the options that the program gives it.
 *
 * `parseArgs` of `node:util` is not used: the command line is read before a node's monitor is elected,
 * and the first `node:` import costs every process of a job 15 ms and 10 MB.
 */

/** Options of @std that are given here. */
export interface ParseOptions {
  /** Options whose value stays text; `_` keeps the words text too. */
  string: readonly string[];
  /** Options without a value. */
  boolean: readonly string[];
  /** Options that may be repeated: their value is a list. */
  collect: readonly string[];
  /** One other name of an option. */
  alias: Record<string, string>;
  /** Keeps what follows `--` apart. */
  "--": true;
  /** Called for what no option names; `false` drops it. */
  unknown(arg: string, key?: string, value?: unknown): unknown;
}

/** Values by the options' names and aliases; `_`: the words; `--`: what follows it. */
export interface Args {
  _: (string | number)[];
  "--"?: string[];
  // deno-lint-ignore no-explicit-any
  [name: string]: any;
}

/** `--key`, `-keys`; its value behind "=". */
const FLAG = /^-(-?)(.+?)(?:=(.*))?$/s;
const NUMBER_TAIL = /-?\d+(\.\d*)?(e-?\d+)?$/;

/** Reads a command line, without the program's name. */
export function parseArgs(args: readonly string[], options: ParseOptions): Args {
  const names = new Map(Object.entries(options.alias).flatMap(([a, b]) => [[a, b], [b, a]]));
  const withAliases = (list: readonly string[]) => {
    return new Set(list.flatMap((name) => [name, names.get(name) ?? name]));
  };
  const strings = withAliases(options.string), booleans = withAliases(options.boolean);
  const lists = withAliases(options.collect);
  const end = args.indexOf("--");
  const out: Args = { _: [], "--": end < 0 ? [] : args.slice(end + 1) };
  for (const name of booleans) out[name] = lists.has(name) ? [] : false;
  for (const name of lists) if (strings.has(name)) out[name] = [];

  const set = (key: string, value: string | boolean, arg: string) => {
    const isKnown = strings.has(key) || booleans.has(key) || lists.has(key);
    if (!isKnown && options.unknown(arg, key, value) === false) return;
    if (key === "__proto__") return; // an option never reaches the prototype
    for (const name of new Set([key, names.get(key) ?? key])) {
      if (lists.has(key)) out[name] = [...out[name] ?? [], value];
      else out[name] = value;
    }
  };
  /** Sets an option by what follows it. @returns How many further arguments it took. */
  const setByNext = (key: string, next: string | undefined, isWord: boolean, arg: string) => {
    if (next && isWord && !booleans.has(key)) set(key, next, arg);
    else if (next === "true" || next === "false") set(key, next === "true", arg);
    else {
      set(key, strings.has(key) ? "" : true, arg);
      return 0;
    }
    return 1;
  };
  /** The letters of `-xyz`, `-n5`, `-x=value`; the last one may take the next argument. */
  const short = (arg: string, next: string | undefined): number => {
    for (let j = 1; j < arg.length - 1; j++) {
      const letter = arg[j], tail = arg.slice(j + 1);
      const value = tail.startsWith("=") ? tail.slice(1) : undefined;
      if (value !== undefined || NUMBER_TAIL.test(tail) || /^\W/.test(tail)) {
        set(letter, value ?? tail, arg);
        return 0;
      }
      set(letter, strings.has(letter) ? "" : true, arg);
    }
    return setByNext(arg.slice(-1), next, next !== undefined && !/^--?[^-]/.test(next), arg);
  };
  const words = end < 0 ? args : args.slice(0, end);
  for (let i = 0; i < words.length; i++) {
    const arg = words[i], next = words[i + 1];
    const [, isLong, key, value] = FLAG.exec(arg) ?? [];
    if (key === undefined) {
      if (options.unknown(arg) !== false) out._.push(arg);
    } else if (!isLong) i += short(arg, next);
    else if (value === undefined) i += setByNext(key, next, !next?.startsWith("-"), arg);
    else set(key, booleans.has(key) ? value !== "false" : value, arg);
  }
  return out;
}
