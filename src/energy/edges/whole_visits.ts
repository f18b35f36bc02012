/**
 * Visits without edges among others that have edges: by edges their time is that of the class that their CPUs
 * show meanwhile, and it is divided by theirs. Of whole outermost visits that is `unmarked` or another thread's
 * region; of those inside others, the region around them.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { FoldedTimes } from "./folded_splits.ts";
import type { EdgeLog } from "./intervals/edge_log.ts";

/** A class whose time is divided. */
interface Divided {
  readonly index: number;
  /** CPU-seconds of the class at the last sample; NaN: it was not in the list then. */
  exposureS: number;
  /** CPU-seconds that other classes took of it since. */
  tookS: number;
}

/** Whole visits of one domain. */
export class WholeVisits {
  readonly times = new FoldedTimes();
  readonly #log: EdgeLog;
  readonly #divided: Divided[] = [{ index: 0, exposureS: 0, tookS: 0 }];
  /** By class that came folded: the class that it was last in place of + 1. */
  #aroundOf = new Int32Array(16);

  constructor(log: EdgeLog) {
    this.#log = log;
  }

  /**
   * Adds CPU time that visits took since the last sample.
   *
   * @param shown The class of those CPUs now; for visits inside others, the innermost one around
   * them.
   * @param otherwise The class that the time is taken from if `shown` is a passing one.
   */
  add(path: number, cpuSeconds: number, shown: number, otherwise: number): void {
    if (path >= this.#aroundOf.length) this.#aroundOf = grown(this.#aroundOf, path + 1);
    // One that comes folded too, perhaps itself, is there for a moment only.
    const isPassing = shown < 0 || shown === path ||
      (shown < this.#aroundOf.length && this.#aroundOf[shown] > 0);
    const around = !isPassing
      ? shown
      : this.#aroundOf[path] > 0
      ? this.#aroundOf[path] - 1
      : shown < 0 && this.#aroundOf[otherwise] > 0
      ? this.#aroundOf[otherwise] - 1
      : otherwise;
    this.#aroundOf[path] = around + 1;
    this.times.add(path, around, cpuSeconds);
    let divided = this.#divided.find(({ index }) => index === around);
    if (divided === undefined) {
      divided = { index: around, exposureS: NaN, tookS: 0 };
      this.#divided.push(divided);
    }
    divided.tookS += cpuSeconds;
  }

  /** A sample: what is left of a class's time stays its own. */
  sample(timeS: number): void {
    for (const divided of this.#divided) {
      const { index, exposureS, tookS } = divided, nowS = this.#log.exposure(index, timeS);
      const leftS = nowS - exposureS - tookS;
      if (this.times.length > 0 && leftS === leftS) this.times.add(index, index, leftS);
      divided.exposureS = nowS;
      divided.tookS = 0;
    }
    this.times.sample(timeS);
  }
}
