/**
 * Errors in a recording: reported at once, or in lenient mode counted and named.
 * @module
 */
import { Diagnostics } from "../../core/diagnostics.ts";
import { FormatError } from "../../core/errors.ts";

type RowPlace = { readonly path: string; readonly line: number };

/** The repairs of one recording. */
export class Repairs {
  /** Omissions and repairs, by file. */
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
  wrong(at: RowPlace, what: string, expected: string, found?: string): void {
    if (this.#lenient) return this.note(at, what);
    const complaint = {
      action: "replay",
      expected,
      found,
      remedy: "to skip or repair wrong rows, use --lenient",
    };
    throw new FormatError(at.path, at.line, complaint);
  }

  /** Something that is counted in either mode. */
  note(at: RowPlace, what: string): void {
    this.diagnostics.add(at.path, what, "", at.line);
  }

  /** One line each: `DIR/events.csv:12: exit without entry (3 times)`. */
  lines(): string[] {
    return this.diagnostics.list.map(({ subject, kind, at, count }) =>
      `${subject}:${at}: ${kind}${count > 1 ? ` (${count} times)` : ""}`
    );
  }
}
