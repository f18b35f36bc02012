/**
 * What a subcommand is. Adding one: a file with a constant of this shape, and a line in `all.ts`.
 * @module
 */

/** A subcommand. */
export interface Verb {
  readonly name: string;
  /** One line for the list of verbs. */
  readonly summary: string;
  /** Whole help text: usage, options, and three examples at the end; under 80 columns. */
  readonly help: string;
  /**
   * Does the work.
   *
   * @param args What follows the verb, as given.
   * @returns Exit status; errors for people are thrown and printed by `main`.
   */
  run(args: string[]): Promise<number> | number;
}

/** A verb that is loaded when it is called, so that no other one pays for it. */
export interface VerbEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Verb>;
}
