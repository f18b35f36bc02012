/**
 * A progress bar on a terminal; a line per step elsewhere.
 * @module
 */
import { printable } from "../core/printable.ts";
import { writeStderr, writeTerminal } from "./io.ts";

const WIDTH = 24;

/** The progress of a known number of runs. */
export class Progress {
  readonly #total: number;
  readonly #isTerminal = Deno.stderr.isTerminal();
  readonly #startedMs = performance.now();
  readonly #before: number;
  #shownMs = 0;

  /** @param before Steps that were done earlier: they do not count for the speed. */
  constructor(total: number, before: number) {
    this.#total = total;
    this.#before = before;
  }

  /** While step number `done` + 1 goes on. */
  show(done: number, label: string): void {
    const now = performance.now();
    if (!this.#isTerminal || now - this.#shownMs < 200) return;
    this.#shownMs = now;
    const filled = Math.round(WIDTH * done / this.#total);
    const bar = "#".repeat(filled).padEnd(WIDTH, ".");
    const line = `[${bar}] ${done}/${this.#total} ${label}${this.#left(done, now)}`;
    writeTerminal(`\r${printable(line).slice(0, 79).padEnd(79)}`);
  }

  step(done: number, text: string): void {
    if (this.#isTerminal) writeTerminal(`\r${" ".repeat(79)}\r`);
    writeStderr(`${done}/${this.#total} ${text}\n`);
  }

  #left(done: number, now: number): string {
    const own = done - this.#before;
    if (own < 1) return "";
    const seconds = (now - this.#startedMs) / 1000 / own * (this.#total - done);
    return seconds < 100
      ? `, ${seconds.toFixed(0)} s left`
      : `, ${(seconds / 60).toFixed(0)} min left`;
  }
}
