/**
 * What was wrong with a recording: an error at once, or in lenient mode counted and named.
 * @module
 */
import { Diagnostics } from "../core/diagnostics.ts";
import { FormatError } from "../core/errors.ts";

/** The repairs of one recording. */
export class Repairs {
  /** What was left out or repaired, by file. */
  readonly diagnostics = new Diagnostics();
  readonly #lenient: boolean;

  constructor(lenient: boolean) {
    this.#lenient = lenient;
  }

  /**
   * Something that makes a recording wrong.
   *
   * @param what What was done about it: `row with 5 fields left out`.
   * @throws {FormatError} Unless lenient.
   */
  wrong(
    at: { path: string; line: number },
    what: string,
    complaint: { expected: string; found?: string },
  ): void {
    if (!this.#lenient) {
      throw new FormatError(at.path, at.line, {
        action: "replay",
        ...complaint,
        remedy: "--lenient goes on without it",
      });
    }
    this.note(at, what);
  }

  /** Something that is counted in either mode. */
  note(at: { path: string; line: number }, what: string): void {
    this.diagnostics.add(at.path, what, "", at.line);
  }

  /** One line each: `DIR/events.csv:12: exit without entry (3 times)`. */
  lines(): string[] {
    return this.diagnostics.list.map(({ subject, kind, at, count }) =>
      `${subject}:${at}: ${kind}${count > 1 ? ` (${count} times)` : ""}`
    );
  }
}
