/**
 * What was wrong with a recording: an error at once, or in lenient mode counted and named.
 * @module
 */
import { FormatError } from "../core/errors.ts";

/** One kind of trouble, where it came first. */
export interface Repair {
  readonly what: string;
  readonly path: string;
  readonly line: number;
  count: number;
}

/** See the module. */
export class Repairs {
  /** What was left out or mended. */
  readonly list: Repair[] = [];
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
    const known = this.list.find((repair) => repair.what === what && repair.path === at.path);
    if (known !== undefined) known.count++;
    else this.list.push({ what, path: at.path, line: at.line, count: 1 });
  }

  /** One line each: `DIR/events.csv:12: exit without entry (3 times)`. */
  lines(): string[] {
    return this.list.map(({ what, path, line, count }) =>
      `${path}:${line}: ${what}${count > 1 ? ` (${count} times)` : ""}`
    );
  }
}
