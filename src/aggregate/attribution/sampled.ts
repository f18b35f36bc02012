/**
 * GEOPM's rule, by CPU: all energy between two steps goes to where the CPUs were at the first one.
 * geopm::SampleAggregator(3).
 * @module
 */
import type { EdgeLog } from "./edge_log.ts";
import { grown } from "./grown.ts";

/** See the module. */
export class Sampled {
  /** J by class. */
  energyJ = new Float64Array(16);
  readonly #log: EdgeLog;
  /** CPUs by class at the last step. */
  #cpus = new Float64Array(16);
  #owned = 0;
  #classes = 0;

  constructor(log: EdgeLog) {
    this.#log = log;
  }

  /** A step: what the counter grew since the step before, J. */
  step(growthJ: number): void {
    if (growthJ > 0 && this.#owned > 0) {
      for (let c = 0; c < this.#classes; c++) {
        if (this.#cpus[c] !== 0) this.energyJ[c] += growthJ * this.#cpus[c] / this.#owned;
      }
    }
    const { cpus, classes, owned } = this.#log;
    if (classes > this.#cpus.length) {
      this.#cpus = grown(this.#cpus, classes);
      this.energyJ = grown(this.energyJ, this.#cpus.length);
    }
    for (let c = 0; c < classes; c++) this.#cpus[c] = cpus[c];
    this.#classes = classes;
    this.#owned = owned;
  }
}
