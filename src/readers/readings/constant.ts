/**
 * Rows whose values are known when they are opened and never change.
 *
 * @module
 */
import type { SignalReading } from "../../core/signal.ts";

/** Answers the same values at every tick. */
export class ConstantReading implements SignalReading {
  readonly isConstant = true;
  readonly #values: Float64Array;

  /** @param values All instances of all requested rows, in order. */
  constructor(values: readonly number[]) {
    this.#values = Float64Array.from(values);
  }

  readInto(out: Float64Array): void {
    for (let i = 0; i < this.#values.length; i++) out[i] = this.#values[i];
  }

  [Symbol.dispose](): void {}
}
