/**
 * Configuration files: the site's and the user's, and their settings for a verb. docs/reference/cli.md.
 * @module
 */
import { type ConfigFile, parseConfig, settingsFor } from "../../core/config_text.ts";
import type { Environment } from "../../core/environment.ts";
import { UsageError } from "../../core/errors.ts";
import { type OptionValues, optionValues } from "../../core/option.ts";
import { isElevated } from "../../os/confinement/caller_rights.ts";
import { readTrusted } from "../../os/trusted_file.ts";
import { say } from "../io.ts";
import { allOptions, type CommandLine } from "./options.ts";

const SITE_FILE = "/etc/joulemark.conf";
const USER_FILE = "joulemark.conf";
const HINT = 'see "joulemark doctor"';

/** A place where a file may be. */
export interface ConfigPlace {
  readonly path: string;
  /** Absent if there is no such file, or it is not taken. */
  readonly file?: ConfigFile;
  /** Why it is not taken. */
  readonly refused?: string;
}

/** Reads the files, the user's first: it is preferred. @param verbs Names of all verbs. */
function readSettings(env: Environment, verbs: readonly string[]): ConfigPlace[] {
  const places = [["user", userFile(env)], ["site", SITE_FILE]] as const;
  const found: ConfigPlace[] = [];
  for (const [origin, path] of places) {
    if (path === undefined) continue;
    const { text, refused } = readTrusted(path);
    if (text === undefined) found.push({ path, refused });
    else if (origin === "user" && isElevated()) {
      found.push({ path, refused: "joulemark has more rights here than its user (setcap)" });
    } else found.push({ path, file: parseConfig(text, { path, origin }, verbs) });
  }
  return found;
}

/** The XDG base directory specification. */
function userFile(env: Environment): string | undefined {
  const base = env("XDG_CONFIG_HOME") ?? "", home = env("HOME") ?? "";
  if (base.startsWith("/")) return `${base}/${USER_FILE}`;
  return home.startsWith("/") ? `${home}/.config/${USER_FILE}` : undefined;
}

/**
 * The files' settings for a verb. An error in them is a line on stderr for a verb with a command, which must
 * run with any file; other verbs end with it.
 *
 * @throws {UsageError} On a mistake, to verbs without a command.
 */
export function settingsOf(
  verb: CommandLine,
  env: Environment,
  verbs: readonly string[],
): OptionValues[] {
  const values: OptionValues[] = [];
  const mistakes: string[] = [];
  const refusals: string[] = [];
  for (const { path, file, refused } of readSettings(env, verbs)) {
    if (refused !== undefined) refusals.push(`${path} is ignored: ${refused}`);
    if (file === undefined) continue;
    const found = settingsFor(file, verb.section ?? verb.name, allOptions(verb));
    values.push(found.values);
    mistakes.push(...file.mistakes, ...found.mistakes);
  }
  if (verb.showsSettings === true) return values;
  for (const line of refusals) say(line);
  if (verb.command === true) {
    for (const line of mistakes) say(`${line}. The line is ignored`);
  } else if (mistakes.length > 0) {
    throw new UsageError({ action: "use the settings", found: mistakes[0], remedy: HINT });
  }
  return values;
}

/** One setting in force. */
export interface SettingInForce {
  readonly verb: string;
  readonly option: string;
  readonly value: string;
  /** The variable, or `FILE:LINE`. */
  readonly from: string;
}

/** The settings of files and variables, for `doctor`. */
export interface SettingsFound {
  readonly files: readonly { readonly path: string; readonly state: string }[];
  readonly inForce: readonly SettingInForce[];
  readonly mistakes: readonly string[];
}

/** The files' settings for each verb, and variables' for `run`. */
export function examineSettings(verbs: readonly CommandLine[], env: Environment): SettingsFound {
  const places = readSettings(env, verbs.map(({ name }) => name));
  const files = places.flatMap(({ file }) => file ?? []);
  const inForce: SettingInForce[] = [];
  const mistakes = files.flatMap((file) => file.mistakes);
  for (const verb of verbs.filter(({ section }) => section === undefined)) {
    const options = allOptions(verb);
    const found = files.map((file) => settingsFor(file, verb.name, options));
    mistakes.push(...found.flatMap((each) => each.mistakes));
    const values = optionValues(options, {}, env, found.map((each) => each.values));
    for (const [option, { text, name }] of values) {
      const from = name.replace(/: [^:]*$/, "");
      inForce.push({ verb: verb.name, option, value: text, from });
    }
  }
  return {
    files: places.map(({ path, file, refused }) => {
      const state = refused === undefined ? "not there" : `not taken: ${refused}`;
      return { path, state: file === undefined ? state : `${file.settings.length} settings` };
    }),
    inForce,
    mistakes,
  };
}
