/**
 * A domain instance that signals are attributed by: its own region hash and epoch count, sampled
 * once a step however many signals share it.
 * @module
 */
import type { Domain } from "../core/machine/domain.ts";
import { HASH_INVALID } from "../core/hash.ts";
import type { SignalSource } from "../core/signal.ts";

/** One domain instance, sampled once a sample for all of its signals. */
export class Scope {
  /** Place of the region among the regions seen, by the caller's count. */
  region = -1;
  epoch = 0;
  readonly #hashHandle: number;
  readonly #epochHandle: number;
  #hash = NaN;

  constructor(source: SignalSource, domain: Domain, index: number) {
    this.#hashHandle = source.pushSignal("REGION_HASH", domain, index);
    this.#epochHandle = source.pushSignal("EPOCH_COUNT", domain, index);
  }

  /** @param placeOf Finds or makes the place of a region hash. */
  sample(source: SignalSource, placeOf: (hash: number) => number): void {
    const sampled = source.sample(this.#hashHandle);
    const hash = sampled === sampled ? sampled : HASH_INVALID;
    if (hash !== this.#hash) {
      this.#hash = hash;
      this.region = placeOf(hash);
    }
    const epoch = source.sample(this.#epochHandle);
    // A scope without a process has no epochs. GEOPM converts its NaN to a whole number, with a
    // result that differs from one processor to the next.
    this.epoch = epoch === epoch ? epoch : 0;
  }
}
