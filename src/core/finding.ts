/**
 * Warnings about a run's values, as one list: the report, the summary and a replay print it.
 * @module
 */

/** Importance of a finding. */
export type Severity =
  /** The figures are right; this is how they came about. */
  | "info"
  /** A part of the figures is missing or less exact. */
  | "warning"
  /** Figures are wrong or cut. */
  | "error";

/** One thing to know. */
export interface Finding {
  /** Kind of finding, in kebab case; it stays the same over versions. */
  readonly code: string;
  readonly severity: Severity;
  /** Text of the finding, with its values. */
  readonly text: string;
  /** Advice on what to do. */
  readonly remedy?: string;
}

/** A finding as a line: what it is, then what to do. */
export function findingLine({ text, remedy }: Finding): string {
  return remedy === undefined ? text : `${text}; ${remedy}`;
}
