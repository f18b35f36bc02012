/**
 * CPU time and memory of the monitor itself, without the simulated counters.
 * @module
 */
import { cpuSeconds, maxResidentKib } from "../../os/clock.ts";
import { helpersCpuS } from "../../os/devices/library_helper.ts";
import type { LoopFigures } from "../outputs/loop_figures.ts";

/** Cost of the monitor until its last sample, and after it. */
export class OwnCost {
  readonly #startS = cpuSeconds();
  /** CPU time of making and reading simulated counters, s. */
  #simulatedS = 0;
  /** CPU time at the last sample, s; NaN before. */
  #endS = NaN;

  /** CPU time and moment of the loop's begin, then its cost and length, s; NaN before. */
  #loopBeginS = NaN;
  #loopFromS = NaN;
  #loopS = NaN;
  #loopWallS = NaN;

  /** CPU time since the start, s. */
  readonly cpuS = (): number => cpuSeconds() + helpersCpuS() - this.#startS - this.#simulatedS;

  /** Does work that makes or reads simulated counters. */
  simulate<T>(work: () => T): T {
    const beginS = cpuSeconds();
    const result = work();
    this.#simulatedS += cpuSeconds() - beginS;
    return result;
  }

  /** Begins the loop: the start of the monitor is no part of sampling. */
  beginLoop(nowS: number): void {
    this.#loopBeginS = this.cpuS();
    this.#loopFromS = nowS;
  }

  /** Ends the loop. */
  endLoop(nowS: number): void {
    this.#loopS = this.cpuS() - this.#loopBeginS;
    this.#loopWallS = nowS - this.#loopFromS;
  }

  /** Writes the cost into the loop's figures. @param wallS Time since the start, s. */
  note(loop: LoopFigures, wallS: number, isSimulated: boolean): void {
    const cpuS = this.cpuS();
    if (Number.isNaN(this.#endS)) {
      loop.cpuS = cpuS;
      loop.simulatedS = isSimulated ? this.#simulatedS : 0;
      loop.wallS = wallS;
    } else loop.afterS = cpuS - this.#endS;
    if (this.#loopWallS > 0) {
      loop.samplingS = this.#loopS;
      loop.samplingWallS = this.#loopWallS;
    }
    loop.memoryKib = maxResidentKib();
  }

  /** Ends the cost until the last sample: energies and report come after it. */
  end({ cpuS }: LoopFigures): void {
    this.#endS = cpuS;
  }
}
