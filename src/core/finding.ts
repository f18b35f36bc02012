/**
 * What a reader of a run's figures must know, as one list: the report, the card and a replay print it.
 * @module
 */

/** How much it weighs. */
export type Severity =
  /** The figures are right; this is how they came about. */
  | "info"
  /** A part of the figures is missing or less exact. */
  | "warning"
  /** Figures are wrong or cut. */
  | "error";

/** One thing to know. */
export interface Finding {
  /** Which kind it is, in kebab case; it stays the same over versions. */
  readonly code: string;
  readonly severity: Severity;
  /** What it is, with its figures. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** A finding as a line: what it is, then what to do. */
export function findingLine({ text, remedy }: Finding): string {
  return remedy === undefined ? text : `${text}; ${remedy}`;
}
