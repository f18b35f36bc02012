/**
 * Configuration strings, as `CALI_CONFIG` and ConfigManager take them, to channels.
 *
 *     string := item {, item}
 *     item   := config [ ( option {, option} ) ] | option
 *     option := name [ = value | ( text ) ]
 *
 * An option outside of parentheses is for all configurations of the string, those before it, too.
 * A bool may go without a value. Double quotes protect commas and blanks:
 *
 *     runtime-report(region.count,output="my report.txt"),event-trace
 *
 * Truth: Caliper manual, ConfigManager API; the texts of errors are Caliper's.
 * @module
 */

import { nearest } from "../../../core/errors.ts";
import { ABSENT_CONFIGS } from "./absent_table.ts";
import { allOptionNames, CONFIGS, findConfig, optionsOf } from "./all.ts";
import type { ChannelSpec, ConfigFacts, Configuration } from "./channel_spec.ts";
import { type Argument, ChosenOptions } from "./chosen_options.ts";
import { ConfigError } from "./config_error.ts";
import { ChannelDraft, type Config } from "./config.ts";
import { JsonFileError, type ReadFile } from "./json_files.ts";
import { loadConfigs } from "./loaded_configs.ts";
import { ABSENT_SERVICES } from "./services.ts";
import { readBool, WordReader } from "./word_reader.ts";

const METADATA = "metadata", LOAD = "load";

/**
 * Makes channels of a configuration string.
 *
 * @throws {ConfigError} With Caliper's message, its place, and known words that are near.
 */
export function parseConfigString(text: string, facts: ConfigFacts): Configuration {
  const { chosen, shared } = new Parser(text, facts.readFile).parse();
  const channels: ChannelSpec[] = [], remarks: string[] = [];
  for (const one of chosen) {
    if ("service" in one) {
      remarks.push(`Configuration ${one.name} is left out: ${ABSENT_SERVICES.get(one.service)}`);
      continue;
    }
    const draft = draftOf({ ...one, args: withDefaults(one.args, shared) }, text, facts);
    const made = inFile(text, one.offset, () => draft.finish());
    channels.push(made.channel);
    remarks.push(...made.remarks);
  }
  return { channels, remarks: [...new Set(remarks)] };
}

/** A file that the text names is wrong: that is an error of the text. */
function inFile<T>(text: string, offset: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    throw new ConfigError({ text, offset, reason: error.message });
  }
}

/** Begins a channel, with what its options are by default. */
function draftOf({ config, args, offset }: ChosenConfig, text: string, facts: ConfigFacts) {
  const fail = (reason: string): never => {
    throw new ConfigError({ text, offset, reason });
  };
  const specs = optionsOf(config);
  const all = withDefaults(args, Object.entries(config.defaults ?? {}));
  for (const [name, value] of all) {
    if (specs.get(name)?.type === "bool" && readBool(value) === null) {
      fail(`Invalid value "${value}" for ${name}`);
    }
  }
  const options = new ChosenOptions(specs, all, (service) => whyNot(service, facts));
  const wrong = config.check?.(options);
  if (wrong !== undefined) fail(wrong);
  return new ChannelDraft(config, {
    options,
    facts,
    nest(inner: Config, list: string): ChannelDraft {
      const innerText = `(${list})`;
      const args = new Parser(innerText).arguments(inner);
      return draftOf({ config: inner, args, offset: 0 }, innerText, facts);
    },
  });
}

/** Why a service cannot be had; undefined if it can. */
function whyNot(service: string, facts: ConfigFacts): string | undefined {
  if (facts.hasService?.(service) ?? !ABSENT_SERVICES.has(service)) return undefined;
  return ABSENT_SERVICES.get(service) ?? `service ${service} is not available`;
}

/** Arguments, and those of a further list that are not among them; `metadata` adds up. */
function withDefaults(args: readonly Argument[], further: readonly Argument[]): Argument[] {
  const all = [...args];
  for (const [name, value] of further) {
    if (name === METADATA || !all.some(([given]) => given === name)) all.push([name, value]);
  }
  return all;
}

interface ChosenConfig {
  config: Config;
  args: Argument[];
  /** Offset of the configuration's name. */
  offset: number;
}

/** A configuration that needs a service which cannot be had. */
interface AbsentConfig {
  name: string;
  service: string;
}

class Parser {
  readonly #reader: WordReader;
  readonly #readFile: ReadFile | undefined;
  readonly #shared: Argument[] = [];
  /** The user's own, by `load(FILE)`. */
  readonly #loaded: Config[] = [];

  constructor(text: string, readFile?: ReadFile) {
    this.#reader = new WordReader(text);
    this.#readFile = readFile;
  }

  parse(): { chosen: (ChosenConfig | AbsentConfig)[]; shared: Argument[] } {
    const chosen: (ChosenConfig | AbsentConfig)[] = [];
    const reader = this.#reader;
    reader.skipBlanks();
    if (reader.atEnd) return { chosen, shared: [] };
    let c: string;
    do {
      const offset = reader.skipBlanks(), word = reader.word(",=()\n");
      const config = this.#loaded.findLast(({ name }) => name === word) ?? findConfig(word);
      if (word === LOAD) this.#load(offset);
      else if (config !== undefined) chosen.push({ config, args: this.arguments(config), offset });
      else if (ABSENT_CONFIGS.has(word)) {
        this.#value(word); // for any options
        chosen.push({ name: word, service: ABSENT_CONFIGS.get(word)! });
      } else this.#sharedOption(word, offset);
      c = reader.char();
    } while (c === ",");
    if (c !== "") this.#fail(`Unexpected '${c}'`, reader.offset - 1);
    return { chosen, shared: this.#shared };
  }

  #load(offset: number): void {
    const reader = new WordReader(this.#value(LOAD)), { text } = this.#reader;
    do {
      const path = reader.word(",");
      this.#loaded.push(...inFile(text, offset, () => loadConfigs(path, this.#readFile)));
    } while (reader.char() === ",");
  }

  #sharedOption(name: string, offset: number): void {
    const value = this.#value(name);
    if (name === METADATA) {
      this.#shared.push([name, value]);
      return;
    }
    const known = allOptionNames();
    if (!known.includes(name)) {
      const names = CONFIGS.flatMap((config) => [config.name, ...config.aliases ?? []]);
      this.#fail(
        `Unknown config or parameter: ${name}`,
        offset,
        name === "" ? [] : nearest(name, [...names, ...known], 2),
        CONFIGS.map((config) => config.name),
      );
    }
    this.#shared.push([name, value === "" ? "true" : value]);
  }

  /** A list in parentheses, or none. */
  arguments(config: Config): Argument[] {
    const reader = this.#reader, args: Argument[] = [];
    let c = reader.char();
    if (c !== "(") {
      if (c !== "") reader.unread();
      return args;
    }
    const specs = optionsOf(config);
    do {
      const offset = reader.skipBlanks(), name = reader.word(",=()\n");
      if (name !== "") {
        if (!specs.has(name) && name !== METADATA) {
          this.#fail(`Unknown option: ${name}`, offset, nearest(name, specs.keys(), 2));
        }
        const value = this.#value(name);
        args.push([name, value === "" ? "true" : value]);
      }
      c = reader.char();
    } while (c === ",");
    if (c !== ")") this.#fail("Expected ')'", c === "" ? reader.text.length : reader.offset - 1);
    return args;
  }

  /** `=VALUE` or `(TEXT)`; empty if there is neither. */
  #value(name: string): string {
    const reader = this.#reader, c = reader.char();
    if (c === "=") {
      const value = reader.word(",=()\n");
      if (value === "") this.#fail(`Expected value after "${name}="`, reader.offset);
      return value;
    }
    if (c === "(") {
      const text = reader.nested();
      if (reader.char() !== ")") this.#fail(`Missing ')' after "${name}"(`, reader.text.length);
      return text;
    }
    if (c !== "") reader.unread();
    return "";
  }

  #fail(
    reason: string,
    offset: number,
    near?: readonly string[],
    known?: readonly string[],
  ): never {
    throw new ConfigError({ text: this.#reader.text, offset, reason, near, known });
  }
}
