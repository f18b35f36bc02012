/** The configurations and the groups of options, one line each. */

import { ABSENT_OPTIONS } from "./absent_table.ts";
import { COMMON_OPTIONS } from "./common_options_table.ts";
import type { Config } from "./config.ts";
import { eventTrace } from "./event_trace.ts";
import { loopReport } from "./loop_report.ts";
import { MEMORY_IO_OPTIONS } from "./memory_io_options_table.ts";
import { MPI_OPTIONS } from "./mpi_options_table.ts";
import { mpiReport } from "./mpi_report.ts";
import { OPENMP_OPTIONS } from "./openmp_options_table.ts";
import { openmpReport } from "./openmp_report.ts";
import type { Option, OptionTable } from "./option.ts";
import { runtimeProfile } from "./runtime_profile.ts";
import { runtimeReport } from "./runtime_report.ts";
import { sampleProfile, sampleReport } from "./sample_configs.ts";
import { SIGNAL_OPTIONS } from "./signals.ts";
import { spot } from "./spot.ts";

/** All configurations. */
export const CONFIGS: readonly Config[] = [
  eventTrace,
  loopReport,
  mpiReport,
  openmpReport,
  runtimeProfile,
  runtimeReport,
  sampleProfile,
  sampleReport,
  spot,
];

const OPTION_TABLES: readonly OptionTable[] = [
  COMMON_OPTIONS,
  MPI_OPTIONS,
  MEMORY_IO_OPTIONS,
  OPENMP_OPTIONS,
  ABSENT_OPTIONS,
];

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
