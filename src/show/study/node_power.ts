/**
 * Power of the node between runs: it is read by this program's own `read`, in a process of its own.
 * @module
 */
import { monotonicNanoseconds } from "../../os/clock.ts";
import { readFoundText } from "../../os/user_file.ts";
import { runLogged } from "./runner.ts";

/** Signals, the most inclusive first. */
const SIGNALS = ["BOARD_POWER", "CPU_POWER"];
/** Powers that differ by less are equal. */
const NEAR = 0.02;
const MAX_WAIT_NS = 60e9;

/** Waits until the node draws what it drew before. */
export class NodePower {
  readonly #read: readonly string[];
  readonly #file: string;
  #signal: string | undefined;
  #beforeW = NaN;

  /** @param read This program and its verb `read`. @param directory Where its output goes. */
  constructor(read: readonly string[], directory: string) {
    this.#read = read;
    this.#file = `${directory}/power.out`;
  }

  /** Reads the power to wait for; without a counter there is no wait. */
  async remember(): Promise<void> {
    for (const signal of SIGNALS) {
      this.#signal = signal;
      this.#beforeW = await this.#power();
      if (Number.isFinite(this.#beforeW)) return;
    }
  }

  /** Returns when the power is near enough, or after a minute. @param wait The time between two looks. */
  async settle(wait: () => Promise<void>): Promise<void> {
    if (Number.isNaN(this.#beforeW)) return;
    const startNs = monotonicNanoseconds();
    while (monotonicNanoseconds() - startNs < MAX_WAIT_NS) {
      const nowW = await this.#power();
      if (Number.isNaN(nowW) || Math.abs(nowW - this.#beforeW) <= NEAR * this.#beforeW) return;
      await wait();
    }
  }

  async #power(): Promise<number> {
    const status = await runLogged([...this.#read, this.#signal!, "board", "0"], this.#file);
    const value = status === 0 ? Number(readFoundText(this.#file).trim() || NaN) : NaN;
    return value > 0 ? value : NaN;
  }
}
