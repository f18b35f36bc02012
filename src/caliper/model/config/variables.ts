/**
 * Caliper's variables, from the environment and from files, to channels.
 *
 * `CALI_SERVICES_ENABLE` makes the channel `default`, `CALI_CONFIG` those of its configuration
 * string; with neither there are none. The environment beats chosen groups of files, the last one
 * first (`CALI_CONFIG_PROFILE`), and these the group `default`.
 *
 * Truth: Caliper manual, Configuration.
 * @module
 */

import { nearest } from "../../../core/errors.ts";
import { builtinGroups } from "./builtin_groups.ts";
import type { ChannelSpec, ConfigFacts, Configuration } from "./channel_spec.ts";
import { addGroups, DEFAULT_GROUP } from "./config_file.ts";
import { parseConfigString } from "./config_string.ts";
import { ABSENT_SERVICES, remarkOnService } from "./services.ts";
import { wordList } from "./word_reader.ts";

/** Variables by name. */
export type Variables = Readonly<Record<string, string>>;

/** Selects where configuration is read, and is no variable of a channel. */
const ABOUT_CONFIG = ["CALI_CONFIG", "CALI_CONFIG_FILE", "CALI_CONFIG_PROFILE"];

/** Files to read, of which those that do not exist are passed over. */
export function configFileNames(environment: Variables): string[] {
  return wordList(environment.CALI_CONFIG_FILE ?? "caliper.config");
}

/**
 * Variables in force.
 *
 * @param fileTexts Contents of the files named by {@linkcode configFileNames}, in that order.
 */
export function variablesInForce(
  environment: Variables,
  fileTexts: Iterable<string>,
): { variables: Record<string, string>; remarks: string[] } {
  const groups = builtinGroups(), remarks: string[] = [];
  for (const text of fileTexts) addGroups(groups, text);
  const variables = { ...groups.get(DEFAULT_GROUP) };
  const chosen = environment.CALI_CONFIG_PROFILE ?? variables.CALI_CONFIG_PROFILE ?? DEFAULT_GROUP;
  for (const name of wordList(chosen)) {
    if (groups.has(name)) Object.assign(variables, groups.get(name));
    else if (name !== DEFAULT_GROUP) {
      const near = nearest(name, groups.keys(), 2);
      remarks.push(
        `Configuration profile "${name}" is not defined` +
          (near.length > 0 ? `; did you mean ${near.join(" or ")}?` : ""),
      );
    }
  }
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith("CALI_")) variables[name] = value;
  }
  return { variables, remarks };
}

/**
 * Channels of the environment and of files.
 *
 * @throws {ConfigError} If `CALI_CONFIG` cannot be understood.
 */
export function readConfiguration(
  environment: Variables,
  { fileTexts = [], facts }: { fileTexts?: Iterable<string>; facts: ConfigFacts },
): Configuration {
  const { variables, remarks } = variablesInForce(environment, fileTexts);
  const channels: ChannelSpec[] = [];
  const byVariables = defaultChannel(variables, facts);
  if (byVariables !== null) {
    channels.push(byVariables.channel);
    remarks.push(...byVariables.remarks);
  }
  // Caliper takes it from the environment alone.
  const made = parseConfigString(environment.CALI_CONFIG ?? "", facts);
  return {
    channels: [...channels, ...made.channels],
    remarks: [...new Set([...remarks, ...made.remarks])],
  };
}

/**
 * A channel of variables as they are, for `CALI_SERVICES_ENABLE`; null if no services are named.
 * Services that cannot be had are left out.
 */
export function defaultChannel(
  variables: Variables,
  facts: Pick<ConfigFacts, "hasService">,
): { channel: ChannelSpec; remarks: string[] } | null {
  const wanted = wordList(variables.CALI_SERVICES_ENABLE ?? "", ",:");
  if (wanted.length === 0) return null;
  const has = (service: string) => facts.hasService?.(service) ?? !ABSENT_SERVICES.has(service);
  const remarks: string[] = [], services: string[] = [];
  for (const service of new Set(wanted)) {
    const absent = has(service) ? undefined : remarkOnService(service);
    if (absent === undefined) services.push(service);
    else remarks.push(absent);
  }
  const kept = Object.entries(variables).filter(([key]) => !ABOUT_CONFIG.includes(key));
  return {
    channel: {
      name: "default",
      variables: { ...Object.fromEntries(kept), CALI_SERVICES_ENABLE: services.join(",") },
      options: {},
      metadata: {},
      managed: false,
    },
    remarks,
  };
}
