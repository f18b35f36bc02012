/**
 * Configurations of the user's own, in JSON files: `load(FILE)` in a configuration string.
 *
 * Truth: Caliper manual, ConfigManager API, "Custom config specs".
 * @module
 */
import { isMapping } from "../../../core/report.ts";
import type { Config } from "./config.ts";
import { plainOutput } from "./event_trace.ts";
import { fail, type Json, parsed, type ReadFile } from "./json_files.ts";
import { CATEGORIES, type Category, type Option } from "./option.ts";

/** The configurations of a file: one, a list, or a list under `configs`. */
export function loadConfigs(path: string, read: ReadFile | undefined): Config[] {
  const content = parsed(path, read);
  const list = isMapping<Json>(content) ? content.configs ?? [content] : content;
  if (!Array.isArray(list)) fail(path, "expected a configuration or a list of them");
  return list.map((spec) => {
    if (!isMapping<Json>(spec) || typeof spec.name !== "string" || spec.name === "") {
      fail(path, 'expected a configuration with a "name"');
    }
    return configOf(path, spec.name, spec);
  });
}

function configOf(path: string, name: string, spec: { [key: string]: Json }): Config {
  const options = spec.options ?? [];
  if (!Array.isArray(options)) fail(path, `${name}: expected a list of options`);
  const categories = texts(path, `${name}: categories`, spec.categories);
  return {
    name,
    about: typeof spec.description === "string" ? spec.description : "",
    categories: categories.filter((word): word is Category =>
      (CATEGORIES as readonly string[]).includes(word)
    ),
    services: texts(path, `${name}: services`, spec.services),
    variables: words(path, `${name}: config`, spec.config),
    defaults: words(path, `${name}: defaults`, spec.defaults),
    options: options.map((option) => optionOf(path, name, option)),
    signals: "none",
    finish: plainOutput,
  };
}

function optionOf(path: string, config: string, spec: Json): Option {
  if (!isMapping<Json>(spec) || typeof spec.name !== "string") {
    return fail(path, `${config}: expected options with a "name"`);
  }
  const what = `${config}: option ${spec.name}`;
  return {
    name: spec.name,
    type: spec.type === "bool" || spec.type === "int" ? spec.type : "string",
    about: typeof spec.description === "string" ? spec.description : "",
    services: texts(path, what, spec.services),
    includes: texts(path, what, spec.inherit),
    variables: words(path, what, spec.config),
  };
}

/** A list of texts; none if it is left out. */
function texts(path: string, what: string, value: Json | undefined): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) {
    fail(path, `${what}: expected a list of words`);
  }
  return value as string[];
}

/** Texts by name. */
function words(path: string, what: string, value: Json | undefined): Record<string, string> {
  if (value === undefined) return {};
  if (!isMapping<Json>(value)) fail(path, `${what}: expected an object`);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, typeof one === "string" ? one : String(one)]),
  );
}
