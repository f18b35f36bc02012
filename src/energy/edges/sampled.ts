/**
 * GEOPM's rule, by CPU: all energy between two steps goes to where the CPUs were at the first one.
 * geopm::SampleAggregator(3).
 * @module
 */
import type { EdgeLog } from "./intervals/edge_log.ts";
import { grown } from "../../core/grow.ts";

/** The sampled energies of one counter. Costs by the classes that CPUs are in, not by all that were ever seen. */
export class Sampled {
  /** J by class. */
  energyJ = new Float64Array(16);
  readonly #log: EdgeLog;
  /** Classes with CPUs at the last step, and how many. */
  #classes = new Int32Array(16);
  #cpus = new Float64Array(16);
  #length = 0;
  #owned = 0;

  constructor(log: EdgeLog) {
    this.#log = log;
  }

  /** A step: what the counter grew since the step before, J. */
  step(growthJ: number): void {
    if (growthJ > 0 && this.#owned > 0) {
      for (let i = 0; i < this.#length; i++) {
        this.energyJ[this.#classes[i]] += growthJ * this.#cpus[i] / this.#owned;
      }
    }
    const { cpus, present, presentCount, owned, classes } = this.#log;
    if (classes > this.energyJ.length) this.energyJ = grown(this.energyJ, classes);
    if (presentCount > this.#classes.length) {
      this.#classes = grown(this.#classes, presentCount);
      this.#cpus = grown(this.#cpus, presentCount);
    }
    for (let i = 0; i < presentCount; i++) {
      const c = present[i];
      this.#classes[i] = c;
      this.#cpus[i] = cpus[c];
    }
    this.#length = presentCount;
    this.#owned = owned;
  }
}
