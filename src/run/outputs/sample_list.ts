/**
 * Samples one by one, where an output shows them so.
 * @module
 */
import { grown } from "../../core/grow.ts";

/** One sample: when, where, and its stack. */
export interface ListedSample {
  readonly timeNs: number;
  readonly cpu: number;
  readonly process: number;
  readonly thread: number;
  /** Of the profile's tree. */
  readonly node: number;
}

/** Samples in the order of their times: 24 bytes each. */
export class SampleList {
  count = 0;
  #times = new Float64Array(1024);
  #numbers = new Int32Array(4096);

  add(timeNs: number, cpu: number, process: number, thread: number, node: number): void {
    if (this.count === this.#times.length) {
      this.#times = grown(this.#times);
      this.#numbers = grown(this.#numbers);
    }
    this.#times[this.count] = timeNs;
    this.#numbers.set([cpu, process, thread, node], 4 * this.count++);
  }

  forEach(action: (sample: ListedSample) => void): void {
    for (let i = 0; i < this.count; i++) {
      const [cpu, process, thread, node] = this.#numbers.subarray(4 * i, 4 * i + 4);
      action({ timeNs: this.#times[i], cpu, process, thread, node });
    }
  }
}
