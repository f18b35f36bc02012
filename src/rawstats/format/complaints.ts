/**
 * Errors in a raw stats file: one line per kind of error, not one per wrong line.
 *
 * @module
 */
import { Diagnostics } from "../../core/diagnostics.ts";
import { FormatError } from "../../core/errors.ts";

/** After this many of one kind only their number is logged. */
const MAX_LOGGED = 20;

/** Complaints about one file; neighbouring lines with the same trouble become one. */
export class RawComplaints {
  readonly #path: string;
  readonly #emit: (error: FormatError) => void;
  #first = -1;
  #last = 0;
  #expected = "";
  #found = "";
  #counts = new Diagnostics();

  constructor(path: string, emit: (error: FormatError) => void) {
    this.#path = path;
    this.#emit = emit;
  }

  /** A trouble at a line; lines come in ascending order. */
  add(line: number, expected: string, found: string): void {
    if (this.#first >= 0 && expected === this.#expected && found === this.#found) {
      // an empty line in between makes no difference
      if (line <= this.#last + 2) {
        this.#last = line;
        return;
      }
    }
    this.#log();
    this.#first = this.#last = line;
    this.#expected = expected;
    this.#found = found;
  }

  /** Logs what is pending, and the number of lines that were not logged. */
  flush(): void {
    this.#log();
    this.#first = -1;
    for (const { kind: expected, count } of this.#counts.list) {
      if (count <= MAX_LOGGED) continue;
      const found = `${count - MAX_LOGGED} more problems of this kind`;
      this.#emit(new FormatError(this.#path, 0, { action: "read", expected, found }));
    }
    this.#counts = new Diagnostics();
  }

  #log(): void {
    if (this.#first < 0) return;
    this.#counts.add(this.#path, this.#expected, this.#found, this.#first);
    if (this.#counts.countOf(this.#path, this.#expected) > MAX_LOGGED) return;
    const lines = this.#last > this.#first ? ` (lines ${this.#first} to ${this.#last})` : "";
    const expected = this.#expected, found = this.#found + lines;
    this.#emit(new FormatError(this.#path, this.#first, { action: "read", expected, found }));
  }
}
