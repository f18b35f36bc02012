/**
 * The options that were given to a configuration, with what they come to: services, variables,
 * queries, globals.
 *
 * Pieces of queries follow each other in the order in which the options were given, each included
 * option behind the one that includes it; defaults come last.
 * @module
 */

import type { Option } from "./option.ts";
import { metadataOf, type ReadFile } from "./json_files.ts";
import { readBool, wordList, WordReader } from "./word_reader.ts";

/** Name and value, in the order given. */
export type Argument = readonly [name: string, value: string];

/** Level of a query: `local` over one process's records, `cross` over all processes' rows. */
export type Level = "local" | "cross";

export class ChosenOptions {
  /** Arguments as given; of several values for one name the first one counts. */
  readonly #args: readonly Argument[];
  readonly #specs: ReadonlyMap<string, Option>;
  /** Names of those that have an effect. */
  readonly enabled: readonly string[];
  /** Lines for people about those that cannot be had. */
  readonly remarks: readonly string[];
  readonly #whyNot: (service: string) => string | undefined;

  /** @param whyNot The reason why a service is not available; undefined if it is. */
  constructor(
    specs: ReadonlyMap<string, Option>,
    args: readonly Argument[],
    whyNot: (service: string) => string | undefined = () => undefined,
  ) {
    this.#specs = specs;
    this.#args = args;
    this.#whyNot = whyNot;
    const enabled = new Set<string>(), remarks: string[] = [];
    const enable = (name: string): void => {
      const spec = specs.get(name);
      if (spec === undefined) return;
      const missing = spec.services?.find((service) => whyNot(service) !== undefined);
      if (missing !== undefined) {
        remarks.push(`Option ${name} is left out: ${whyNot(missing)}`);
        return;
      }
      for (const service of spec.servicesIfAny ?? []) {
        const why = whyNot(service);
        if (why !== undefined) remarks.push(`Option ${name} goes without ${service}: ${why}`);
      }
      enabled.add(name);
      for (const included of spec.includes ?? []) enable(included);
    };
    for (const [name, value] of args) {
      if (specs.get(name)?.type !== "bool" || readBool(value) === true) enable(name);
    }
    this.enabled = [...enabled];
    this.remarks = remarks;
  }

  isSet(name: string): boolean {
    return this.#args.some(([given]) => given === name);
  }

  /** Names of the bools that are true. */
  enabledBools(): string[] {
    return this.enabled.filter((name) => this.#specs.get(name)?.type === "bool");
  }

  isEnabled(name: string): boolean {
    return this.enabled.includes(name);
  }

  get(name: string, otherwise = ""): string {
    return this.#args.find(([given]) => given === name)?.[1] ?? otherwise;
  }

  /** A bool as given, or else the caller's default. */
  isTrue(name: string, otherwise: boolean): boolean {
    return this.isSet(name) ? readBool(this.get(name)) === true : otherwise;
  }

  /** A list of services with those that the options need, sorted. */
  services(base: readonly string[]): string[] {
    const all = new Set(base);
    for (const spec of this.#specsInOrder()) {
      spec.services?.forEach((name) => all.add(name));
      spec.servicesIfAny?.filter((name) => this.#whyNot(name) === undefined)
        .forEach((name) => all.add(name));
    }
    return [...all].sort();
  }

  /** Variables that the options set. */
  variables(): Record<string, string> {
    const variables: Record<string, string> = {};
    for (const spec of this.#specsInOrder()) {
      for (const [name, value] of Object.entries(spec.variables ?? {})) {
        variables[name] = this.isSet(spec.name)
          ? value.replaceAll("{}", () => this.get(spec.name))
          : value;
      }
    }
    return variables;
  }

  /** A query with what the options add to it. */
  query(level: Level, base: string): string {
    const parts = [base];
    for (const spec of this.#specsInOrder()) {
      const part = spec[level];
      if (part !== undefined) parts.push(part.replaceAll("{}", () => this.get(spec.name)));
    }
    return parts.join(" ");
  }

  /** Values by name, for the globals. */
  values(): Record<string, string> {
    return Object.fromEntries(this.#args.filter(([name]) => name !== "metadata"));
  }

  /**
   * Pairs of the option `metadata`, from all its occurrences: the given ones, and chosen keys of
   * files.
   */
  metadata(read: ReadFile | undefined): Record<string, string> {
    const found: Record<string, string> = {};
    for (const [name, value] of this.#args) {
      if (name !== "metadata") continue;
      const { file, keys, ...pairs } = readPairs(value);
      if (file !== undefined) Object.assign(found, metadataOf(file, wordList(keys ?? ""), read));
      else if (keys !== undefined) found.keys = keys;
      Object.assign(found, pairs);
    }
    return found;
  }

  *#specsInOrder(): Iterable<Option> {
    for (const name of this.enabled) yield this.#specs.get(name)!;
  }
}

/** `KEY=VALUE,…`; reading ends where that form does. */
function readPairs(text: string): Record<string, string> {
  const reader = new WordReader(text), pairs: Record<string, string> = {};
  do {
    const key = reader.word("=");
    if (key === "" || reader.char() !== "=") break;
    const value = reader.word(",()");
    if (value !== "") pairs[key] = value;
  } while (reader.char() === ",");
  return pairs;
}
