/**
 * Options that mean the same with several verbs.
 * @module
 */
import type { Option } from "../../core/option.ts";

/** The tree that stands for the machine. */
export const ROOT: Option = {
  name: "root",
  value: "DIR",
  help:
    'read counters from this directory instead of the machine; "joulemark capture" makes such ' +
    "a directory",
};

/** Sources that are left out. */
export const WITHOUT: Option = {
  name: "without",
  value: "READERS",
  help: "do not use these sources of signals, comma-separated",
};

/** Helper that reads restricted counters. */
export const COLLECTOR: Option = {
  name: "collector",
  value: "SOCKET|off",
  env: true,
  help: "socket of the helper that reads restricted counters for you; off: do not use the helper",
};

/** Options of verbs that read the node. */
export const NODE_OPTIONS: readonly Option[] = [ROOT, WITHOUT, COLLECTOR];

/** JSON on stdout. */
export const JSON_SWITCH: Option = { name: "json", help: "print the result as JSON" };

/** JSON on stdout, if there are several formats. */
export const JSON_FORMAT: Option = { name: "json", help: "the same as --format json" };

/** `--format text` and `json`, for scripts that use it with every verb. */
export const TEXT_OR_JSON: Option = {
  name: "format",
  value: "F",
  words: ["text", "json"],
  help: "",
};

/** `--format` and `--json`. @param words The default first. */
export function formatOptions([first, ...others]: readonly string[]): Option[] {
  const help = `output format: ${first} (default), ${others.join(", ")}`;
  return [{ name: "format", value: "F", words: [first, ...others], help }, JSON_FORMAT];
}

/** The file that is written. */
export function outputOption(help: string): Option {
  return { name: "output", short: "o", value: "FILE", help };
}

/** `-q`, with what it leaves out. */
export function quietOption(help: string): Option {
  return { name: "quiet", short: "q", help };
}
