/**
 * Stands for `@std/cli` where JSR does not answer: `parseArgs`, with the meaning of @std/cli 1.0.
 *
 * Written out, not handed to `parseArgs` of `node:util`: the command line is read before a node's
 * monitor is elected, and the first `node:` import costs every process of a job 15 ms and 10 MB.
 * Left out, because nothing here uses them: dotted keys (`--a.b 1`) as nested objects.
 * `tests/airgap/conformance_test.ts` holds this file and the real package to the same answers.
 */

type Names = string | readonly string[];

/** What `parseArgs` knows about the flags; see the options of `@std/cli/parse-args`. */
export interface ParseOptions<
  S extends string = string,
  B extends string = string,
  C extends string = string,
  D extends Record<string, unknown> = Record<string, unknown>,
> {
  /** Keep what follows `--` in `"--"` instead of in `_`. @default {false} */
  "--"?: boolean;
  /** Other names of a flag; each gets the same value. */
  alias?: Record<string, Names>;
  /** Flags without a value; `true`: every flag that has no `=`. @default {false} */
  boolean?: boolean | B | readonly B[];
  /** Values of flags that were not given. */
  default?: D;
  /** The first argument that is no flag ends the flags. @default {false} */
  stopEarly?: boolean;
  /** Flags whose value stays text, `"123"` too; `_` does the same for the rest. */
  string?: S | readonly S[];
  /** Flags that may be repeated: their value is an array. */
  collect?: C | readonly C[];
  /** Flags that `--no-NAME` turns off. */
  negatable?: Names;
  /** Called for what no option names; `false` drops it. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

type Value<K, T, C> = K extends C ? T[] : T;

/** What `parseArgs` answers: the flags by name, and in `_` what was no flag. */
export type Args<
  S extends string = never,
  B extends string = never,
  C extends string = never,
  D extends Record<string, unknown> = Record<never, never>,
> =
  // deno-lint-ignore no-explicit-any
  & { [key: string]: any }
  & { [K in Exclude<S, C | keyof D>]?: string }
  & { [K in S & C]: string[] }
  & { [K in S & keyof D]: K extends C ? string[] : string | D[K] }
  & { [K in B]: Value<K, boolean, C> }
  & { _: (string | number)[]; "--"?: string[] };

/** One flag as it stood on the command line. */
const FLAG = /^-(?:(-)(no-)?)?(.+?)(?:=(.*))?$/s;
const NUMBER_TAIL = /-?\d+(\.\d*)?(e-?\d+)?$/;

/**
 * Reads a command line into flags.
 *
 * @param args The arguments, without the program's name.
 * @param options What is known about the flags.
 * @returns Flags by name; `_` holds the rest, as numbers where they look like numbers.
 */
export function parseArgs<
  S extends string = never,
  B extends string = never,
  C extends string = never,
  D extends Record<string, unknown> = Record<never, never>,
>(
  args: readonly string[],
  options: ParseOptions<S, B, C, D> = {},
): Args<S, B, C, D> {
  return new Parser(options as ParseOptions).parse(args) as Args<S, B, C, D>;
}

class Parser {
  readonly #aliases = new Map<string, string[]>();
  readonly #booleans: Set<string>;
  readonly #strings: Set<string>;
  readonly #collected: Set<string>;
  readonly #negatable: Set<string>;
  readonly #allBooleans: boolean;
  readonly #options: ParseOptions;
  readonly #out: Record<string, unknown> & { _: (string | number)[] } = {
    _: [],
  };

  constructor(options: ParseOptions) {
    this.#options = options;
    for (const [key, value] of Object.entries(options.alias ?? {})) {
      const all = [key, ...listOf(value)];
      for (const name of all) {
        this.#aliases.set(
          name,
          all.filter((other) => other !== name),
        );
      }
    }
    this.#allBooleans = options.boolean === true;
    this.#booleans = this.#withAliases(
      typeof options.boolean === "boolean" ? undefined : options.boolean,
    );
    this.#strings = this.#withAliases(options.string);
    this.#collected = this.#withAliases(options.collect);
    this.#negatable = this.#withAliases(options.negatable);
  }

  parse(args: readonly string[]): Record<string, unknown> {
    const end = args.indexOf("--");
    const rest = end < 0 ? [] : args.slice(end + 1);
    const flags = end < 0 ? args : args.slice(0, end);
    for (let i = 0; i < flags.length; i++) {
      const match = FLAG.exec(flags[i]);
      if (match?.[1]) i += this.#long(flags[i], match, flags[i + 1]);
      else if (match) i += this.#short(flags[i], flags[i + 1]);
      else {
        if (this.#options.unknown?.(flags[i]) !== false) {
          this.#positional(flags[i]);
        }
        if (this.#options.stopEarly) {
          this.#out._.push(...flags.slice(i + 1));
          break;
        }
      }
    }
    this.#fillIn();
    if (this.#options["--"]) this.#out["--"] = rest;
    else this.#out._.push(...rest);
    return this.#out;
  }

  /** `--key`, `--key=value`, `--key value`, `--no-key`; returns how many further arguments it took. */
  #long(arg: string, match: RegExpExecArray, next: string | undefined): number {
    const [, , negated, name, value] = match;
    if (value !== undefined) {
      this.#set(
        name,
        this.#booleans.has(name) ? value !== "false" : value,
        arg,
        true,
      );
      return 0;
    }
    if (negated && this.#negatable.has(name)) {
      this.#set(name, false, arg, false);
      return 0;
    }
    const key = negated ? `no-${name}` : name;
    if (
      next && !this.#isBoolean(key) && !this.#allBooleans &&
      !next.startsWith("-")
    ) {
      this.#set(key, next, arg, true);
      return 1;
    }
    if (next === "true" || next === "false") {
      this.#set(key, next === "true", arg, true);
      return 1;
    }
    this.#set(key, this.#strings.has(key) ? "" : true, arg, true);
    return 0;
  }

  /** `-x`, `-xyz`, `-n5`, `-x=value`, `-x value`; returns how many further arguments it took. */
  #short(arg: string, next: string | undefined): number {
    const letters = arg.slice(1, -1);
    for (let j = 0; j < letters.length; j++) {
      const letter = letters[j];
      const tail = arg.slice(j + 2);
      if (tail === "-") {
        this.#set(letter, tail, arg, true);
        continue;
      }
      if (tail === "=") return this.#set(letter, "", arg, true);
      if (/[A-Za-z]/.test(letter)) {
        const value = /=(.+)/.exec(tail)?.[1];
        if (value !== undefined) return this.#set(letter, value, arg, true);
        if (NUMBER_TAIL.test(tail)) return this.#set(letter, tail, arg, true);
      }
      if (j + 1 < letters.length && /\W/.test(letters[j + 1])) {
        return this.#set(letter, tail, arg, true);
      }
      this.#set(letter, this.#strings.has(letter) ? "" : true, arg, true);
    }
    const key = arg.slice(-1);
    if (key === "-") return 0;
    if (next && !/^(-|--)[^-]/.test(next) && !this.#isBoolean(key)) {
      this.#set(key, next, arg, true);
      return 1;
    }
    if (next === "true" || next === "false") {
      this.#set(key, next === "true", arg, true);
      return 1;
    }
    return this.#set(key, this.#strings.has(key) ? "" : true, arg, true);
  }

  /** Stores a flag under its name and its aliases. Always 0, so that callers can end with it. */
  #set(key: string, value: string | boolean, arg: string, collect: boolean): 0 {
    const known = this.#booleans.has(key) || this.#strings.has(key) ||
      this.#aliases.has(key) ||
      this.#collected.has(key) || (this.#allBooleans && /^--[^=]+$/.test(arg));
    if (!known && this.#options.unknown?.(arg, key, value) === false) return 0;
    const stored = typeof value === "string" && !this.#strings.has(key) ? numeric(value) : value;
    const many = collect && this.#collected.has(key);
    this.#store(key, stored, many);
    for (const alias of this.#aliases.get(key) ?? []) {
      this.#store(alias, stored, many);
    }
    return 0;
  }

  #store(key: string, value: unknown, many: boolean): void {
    if (key === "__proto__") return; // a flag never reaches the prototype
    const before = this.#out[key];
    if (!many) this.#out[key] = value;
    else if (Array.isArray(before)) before.push(value);
    else this.#out[key] = before ? [before, value] : [value];
  }

  #positional(arg: string): void {
    this.#out._.push(this.#strings.has("_") ? arg : numeric(arg));
  }

  #fillIn(): void {
    for (const [key, value] of Object.entries(this.#options.default ?? {})) {
      if (Object.hasOwn(this.#out, key)) continue;
      this.#store(key, value, false);
      for (const alias of this.#aliases.get(key) ?? []) {
        this.#store(alias, value, false);
      }
    }
    for (const key of this.#booleans) {
      if (!Object.hasOwn(this.#out, key)) {
        this.#out[key] = this.#collected.has(key) ? [] : false;
      }
    }
    for (const key of this.#strings) {
      if (this.#collected.has(key) && !Object.hasOwn(this.#out, key)) {
        this.#out[key] = [];
      }
    }
  }

  #isBoolean(key: string): boolean {
    return this.#booleans.has(key) ||
      (this.#aliases.get(key) ?? []).some((alias) => this.#booleans.has(alias));
  }

  #withAliases(names: Names | undefined): Set<string> {
    const all = new Set<string>();
    for (const name of listOf(names ?? [])) {
      if (!name) continue;
      all.add(name);
      for (const alias of this.#aliases.get(name) ?? []) all.add(alias);
    }
    return all;
  }
}

function listOf(names: Names): readonly string[] {
  return typeof names === "string" ? [names] : names;
}

function numeric(text: string): string | number {
  return /\S/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}
