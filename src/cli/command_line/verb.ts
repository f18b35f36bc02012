/**
 * Subcommand. Adding one: a file with a constant of this shape, and a line in `all.ts`.
 * @module
 */
import type { Option } from "../../core/option.ts";
import type { CommandLine, ParsedOptions } from "./options.ts";

/** A subcommand. Its command line, help, manual page and completions are made of these fields. */
export interface Verb extends CommandLine {
  readonly name: string;
  /** Usage after `joulemark NAME`, a line each. */
  readonly usage: readonly string[];
  /** Purpose; the first paragraph begins the help, the others follow the usage. */
  readonly about: string;
  /** In the order of the help. */
  readonly options: readonly Option[];
  /** Notes below the options. */
  readonly notes?: string;
  readonly examples: readonly [string, string, string];
  /** Kind of its words, for completions: files, or one of these. @default files */
  readonly words?: readonly string[];
  /** Reads the command line if another program's rules hold, as cali-query's. */
  runArgs?(args: readonly string[]): Promise<number> | number;
  /**
   * Does the work.
   *
   * @returns Exit status; errors for people are thrown and printed by `main`.
   */
  run(options: ParsedOptions): Promise<number> | number;
}

/** A verb that is loaded when it is called, so that no other one pays for it. */
export interface VerbEntry {
  readonly name: string;
  /** Heading in the list of verbs: its purpose. */
  readonly group: "Measure" | "Look" | "Site";
  /** One line for the list of verbs. */
  readonly summary: string;
  load(): Promise<ListedVerb>;
}

/** A loaded verb as the list has it. */
export type ListedVerb = Verb & Pick<VerbEntry, "summary">;
