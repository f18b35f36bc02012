/** The configurations and the groups of options, one line each. */

import { COMMON_OPTIONS } from "./common_options_table.ts";
import type { Config } from "./config.ts";
import { eventTrace } from "./event_trace.ts";
import type { Option, OptionTable } from "./option.ts";
import { runtimeReport } from "./runtime_report.ts";
import { SIGNAL_OPTIONS } from "./signals.ts";

/** All configurations. */
export const CONFIGS: readonly Config[] = [
  eventTrace,
  runtimeReport,
];

const OPTION_TABLES: readonly OptionTable[] = [COMMON_OPTIONS];

/** A configuration by one of its names. */
export function findConfig(name: string): Config | undefined {
  return CONFIGS.find((config) => config.name === name || config.aliases?.includes(name));
}

/** Options of a configuration by name: its own, then those of its groups. */
export function optionsOf(config: Config): ReadonlyMap<string, Option> {
  const groups = OPTION_TABLES.flatMap((table) =>
    config.categories.flatMap((category) => table[category] ?? [])
  );
  const all = new Map<string, Option>();
  for (const option of [...config.options ?? [], ...SIGNAL_OPTIONS, ...groups]) {
    if (!all.has(option.name)) all.set(option.name, option);
  }
  return all;
}

/** Names of the options of all configurations and groups. */
export function allOptionNames(): string[] {
  const options = [
    ...CONFIGS.flatMap((config) => config.options ?? []),
    ...SIGNAL_OPTIONS,
    ...OPTION_TABLES.flatMap((table) => Object.values(table).flat()),
  ];
  return [...new Set(options.map(({ name }) => name))];
}
