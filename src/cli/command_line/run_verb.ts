/**
 * From the words behind a verb to its work, or to its help.
 * @module
 */
import { finished } from "../io.ts";
import type { Environment } from "../../core/environment.ts";
import type { OptionValues } from "../../core/option.ts";
import { parseOptions } from "./options.ts";
import type { Verb } from "./verb.ts";

/**
 * Runs a verb on a command line.
 *
 * @param args What follows the verb.
 * @param settings Settings of configuration files for a verb. @default nothing
 * @returns Exit status.
 * @throws {UsageError} On a mistake in the command line.
 */
export async function runVerb(
  verb: Verb,
  args: readonly string[],
  settings: (verb: Verb, env: Environment) => OptionValues[] = () => [],
): Promise<number> {
  if (verb.runArgs !== undefined) return await verb.runArgs(args);
  const env = (name: string) => Deno.env.get(name);
  const options = parseOptions(verb, args, env, settings(verb, env));
  if (!options.flags.has("help")) return await verb.run(options);
  const { helpText } = await import("./help.ts");
  return finished(helpText(verb));
}
