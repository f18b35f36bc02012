/**
 * One option of a verb, as data: parsing, help, environment, docs/cli.md, man page and completions
 * are all made of it.
 * @module
 */
import type { Environment } from "./environment.ts";

/** An option. Without `value` it is a switch. */
export interface Option {
  /** Long name, without dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** What stands for its value in the help: `FILE`. */
  readonly value?: string;
  /** The value may be left out; it is then empty, and otherwise follows `=`. */
  readonly optionalValue?: boolean;
  /** May come several times. */
  readonly repeats?: boolean;
  /** The values there are, or those of a list with commas; for completions. */
  readonly words?: readonly string[];
  /** Can be given as `JOULEMARK_NAME`. */
  readonly env?: boolean;
  /** Variable of GEOPM with the same meaning, for where ours is unset. */
  readonly geopm?: string;
  /** Value where none is given, as the help shows it. */
  readonly default?: string;
  /** Heading in the help. @default "Options" */
  readonly group?: string;
  /** A sentence or two; an option without is not shown. */
  readonly help: string;
}

/** Where a value came from. */
export type Origin = "flag" | "joulemark" | "geopm";

/** A value of an option. */
export interface OptionValue {
  readonly text: string;
  readonly origin: Origin;
  /** What the user wrote: `--period` or the variable's name. */
  readonly name: string;
}

/** Values by the names of their options; an option that nobody gave is absent. */
export type OptionValues = ReadonlyMap<string, OptionValue>;

/** The variable that an option can be given as. */
export function variableOf({ name }: Pick<Option, "name">): string {
  return `JOULEMARK_${name.toUpperCase().replaceAll("-", "_")}`;
}

/**
 * Values of options: what the command line gave, then `JOULEMARK_`, then `GEOPM_` variables. Empty
 * variables are unset, but for options whose value may be left out.
 *
 * @param given By name, from the command line.
 */
export function optionValues(
  options: readonly Option[],
  given: Readonly<Record<string, string | undefined>>,
  env: Environment,
): OptionValues {
  const values = new Map<string, OptionValue>();
  for (const option of options) {
    const { name, geopm } = option;
    const flag = given[name];
    if (flag !== undefined) {
      values.set(name, { text: flag, origin: "flag", name: `--${name}` });
      continue;
    }
    const variable = variableOf(option);
    const ours = option.env === true ? env(variable) : undefined;
    if (ours !== undefined && (ours !== "" || option.optionalValue === true)) {
      values.set(name, { text: ours, origin: "joulemark", name: variable });
      continue;
    }
    const theirs = geopm === undefined ? undefined : env(geopm);
    if (theirs !== undefined && theirs !== "") {
      values.set(name, { text: theirs, origin: "geopm", name: geopm! });
    }
  }
  return values;
}
