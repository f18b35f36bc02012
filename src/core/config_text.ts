/**
 * Text of a configuration file: settings of verbs, one a line.
 *
 * ```
 * # settings of every run on this node
 * period = 0.01
 * [monitor]
 * interval = 60
 * ```
 *
 * Keys are the long names of a verb's options; `[VERB]` begins the settings of another verb, and
 * what precedes the first of them belongs to `run`. `#` begins a comment at the start of a line. An
 * empty value counts as unset, except for options whose value may be left out.
 * @module
 */
import { nearest, quote } from "./errors.ts";
import type { Option, OptionValue, Origin } from "./option.ts";

/** The pages' description of the files. */
export const SETTINGS_TEXT =
  `Options can also be set in two files. The file of the site is /etc/joulemark.conf. The file of the user is
$XDG_CONFIG_HOME/joulemark.conf or ~/.config/joulemark.conf. A line has the form KEY = VALUE, and KEY is the long
name of an option. Lines before the first line in brackets are for run. A line such as [monitor] begins the
settings of another verb. If an option is set in several places, joulemark uses the first of these: the command
line, the JOULEMARK_ variable, GEOPM's variable, the user's file, the site's file. A file is read only if no
other user can write to the file or to its directory. If a line is wrong, joulemark prints the line number. A run
ignores this line; other verbs end with status 2. "joulemark doctor --sources" prints all settings and their
origin.`;

/** The verb whose settings need no heading. */
export const FIRST_SECTION = "run";
/** Options that belong to one call. */
const NOT_SETTINGS = ["help", "debug"];

/** A line of a file. */
export interface Setting {
  readonly line: number;
  /** The verb that it is for. */
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** A file as it was read. */
export interface ConfigFile {
  readonly path: string;
  readonly origin: Extract<Origin, "user" | "site">;
  readonly settings: readonly Setting[];
  /** Errors in its lines, each as `PATH:LINE: error`. */
  readonly mistakes: readonly string[];
}

/** Reads the lines of a file. @param verbs Names of all verbs. */
export function parseConfig(
  text: string,
  { path, origin }: Pick<ConfigFile, "path" | "origin">,
  verbs: readonly string[],
): ConfigFile {
  const settings: Setting[] = [];
  const mistakes: string[] = [];
  let section: string | undefined = FIRST_SECTION;
  text.split("\n").forEach((given, i) => {
    const line = given.trim(), place = `${path}:${i + 1}`;
    if (line === "" || line.startsWith("#")) return;
    const heading = /^\[([^\]]*)\]$/.exec(line)?.[1].trim();
    if (heading !== undefined) {
      section = verbs.includes(heading) ? heading : undefined;
      if (section === undefined) mistakes.push(unknown(place, "verb", heading, verbs));
      return;
    }
    const equals = line.indexOf("=");
    if (equals < 1) mistakes.push(`${place}: expected KEY = VALUE or [VERB], found ${line}`);
    else if (section !== undefined) {
      const [key, value] = [line.slice(0, equals).trim(), line.slice(equals + 1).trim()];
      settings.push({ line: i + 1, section, key, value });
    }
  });
  return { path, origin, settings, mistakes };
}

/** A file's settings for a verb. */
export interface VerbSettings {
  /** By the names of options. */
  readonly values: ReadonlyMap<string, OptionValue>;
  readonly mistakes: readonly string[];
}

/** Holds a file to a verb's table of options. */
export function settingsFor(
  { path, origin, settings }: ConfigFile,
  section: string,
  options: readonly Option[],
): VerbSettings {
  const known = options.filter((o) => o.repeats !== true && !NOT_SETTINGS.includes(o.name));
  const values = new Map<string, OptionValue>();
  const mistakes: string[] = [];
  for (const { line, key, value } of settings.filter((s) => s.section === section)) {
    const place = `${path}:${line}`;
    const option = known.find(({ name }) => name === key);
    if (option === undefined) {
      mistakes.push(unknown(place, `option of ${section}`, key, known.map(({ name }) => name)));
    } else if (values.has(key)) mistakes.push(`${place}: ${quote(key)} is set more than once`);
    else if (value !== "" || option.optionalValue === true) {
      values.set(key, { text: value, origin, name: `${place}: ${key}` });
    }
  }
  return { values, mistakes };
}

function unknown(place: string, kind: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known, 1);
  const hint = near.length > 0 ? ` (did you mean "${near[0]}"?)` : "";
  return `${place}: unknown ${kind} ${quote(name)}${hint}`;
}
