/**
 * The progress of a benchmark: one line on a terminal, elsewhere a line a block.
 * @module
 */
import { difference } from "../show/analysis/difference.ts";
import { changeText } from "../show/analysis/print_comparison.ts";
import { MAX_BLOCKS, type SessionBlock, type SessionPlan } from "../show/study/session.ts";
import { monotonicNanoseconds } from "../os/clock.ts";
import { writeStderr, writeTerminal } from "./io.ts";

const WIDTH = 79;
const MIN_PERIOD_MS = 200;

/** Block, best estimate, interval and time left. */
export class BenchProgress {
  readonly #plan: SessionPlan;
  readonly #isQuiet: boolean;
  readonly #metric: string;
  readonly #isTerminal = Deno.stderr.isTerminal();
  readonly #startS = seconds();
  #shownMs = 0;
  #count = 0;
  #firstS = NaN;
  #estimate = "";

  constructor(plan: SessionPlan, { isQuiet, metric }: { isQuiet: boolean; metric: string }) {
    this.#plan = plan;
    this.#isQuiet = isQuiet;
    this.#metric = metric;
  }

  /** While a command runs. */
  tick(): void {
    const now = performance.now();
    if (!this.#isTerminal || this.#isQuiet || now - this.#shownMs < MIN_PERIOD_MS) return;
    this.#shownMs = now;
    const begin = Number.isNaN(this.#firstS) && this.#plan.warmup > 0
      ? "warm-up, or first block"
      : `block ${this.#count + 1}`;
    writeTerminal(
      `\r${
        `${begin}${this.#total()}${this.#estimate}${this.#left()}`.padEnd(WIDTH).slice(0, WIDTH)
      }`,
    );
  }

  /** A block is done. */
  done(blocks: readonly SessionBlock[]): void {
    this.#count++;
    if (Number.isNaN(this.#firstS)) {
      this.#firstS = (seconds() - this.#startS) / (1 + this.#plan.warmup);
    }
    this.#estimate = this.#estimated(blocks);
    if (this.#isQuiet || this.#isTerminal) return;
    writeStderr(`block ${this.#count}${this.#total()}${this.#estimate}${this.#left()}\n`);
  }

  /** Clears the line. */
  end(): void {
    if (this.#isTerminal && !this.#isQuiet) writeTerminal(`\r${" ".repeat(WIDTH)}\r`);
  }

  #total(): string {
    return this.#plan.blocks === undefined ? "" : ` of ${this.#plan.blocks}`;
  }

  #estimated(blocks: readonly SessionBlock[]): string {
    const { sets, level } = this.#plan;
    if (sets < 2 || blocks.length === 0) return "";
    const of = (set: number) => blocks.map(({ values }) => values[set]);
    const shown = Array.from({ length: Math.min(2, sets - 1) }, (_, i) => {
      const found = difference(of(0), of(i + 1), { level, blocks: true });
      if (Number.isNaN(found.change)) return "";
      return `, ${String.fromCharCode(66 + i)} ÷ A ${this.#metric} ${changeText(found)}`;
    });
    return shown.join("");
  }

  #left(): string {
    if (this.#count === 0) return "";
    const { blocks, maxTimeS = Infinity, precision } = this.#plan;
    const elapsedS = seconds() - this.#startS;
    const all = blocks ?? (precision === undefined ? MAX_BLOCKS : Infinity);
    const blockS = elapsedS / (this.#count + this.#plan.warmup);
    const leftS = Math.max(0, Math.min(blockS * (all - this.#count), maxTimeS - elapsedS));
    if (!Number.isFinite(leftS)) return "";
    return `, at most ${
      leftS < 100 ? `${leftS.toFixed(0)} s` : `${(leftS / 60).toFixed(0)} min`
    } left`;
  }
}

function seconds(): number {
  return monotonicNanoseconds() * 1e-9;
}
