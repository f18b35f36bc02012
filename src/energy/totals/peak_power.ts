/**
 * Maximum power of each kind of counters: a mean over a second, from one change of the counter to
 * another, so that neither the counter's step nor the sampling step has an effect.
 * @module
 */
import type { EnergyKind } from "../../core/region_tree.ts";

/** Minimum time over which a power is taken, s; a window twice as long is not used. */
const WINDOW_S = 1;
/** Maximum power of a node, W. */
const MAX_W = 1e6;
/** Changes kept: those of a window, or it is left out. */
const CHANGES = 2048;

/** The changes of one kind's counters, in a ring. */
class Changes {
  readonly timeS = new Float64Array(CHANGES);
  readonly joules = new Float64Array(CHANGES);
  /** Numbers of the first one of the window and of the next one to come. */
  first = 0;
  next = 0;

  constructor(readonly kind: EnergyKind, readonly places: readonly number[]) {}

  /** Takes a sum of readings. @returns Mean power of the window that ends here; NaN: none. */
  take(timeS: number, joules: number): number {
    const last = (this.next - 1) % CHANGES;
    // A counter that fails, falls or leaps restarts here.
    const grew = this.next > 0 ? joules - this.joules[last] : 0;
    const elapsedS = this.next > 0 ? timeS - this.timeS[last] : 0;
    if (!(grew >= 0 && grew <= MAX_W * (elapsedS + 1))) this.first = this.next;
    if (!(joules >= 0) || (this.next > this.first && joules === this.joules[last])) return NaN;
    this.timeS[this.next % CHANGES] = timeS;
    this.joules[this.next % CHANGES] = joules;
    this.next++;
    if (this.next - this.first > CHANGES) this.first = this.next - CHANGES;
    while (
      this.first + 1 < this.next && timeS - this.timeS[(this.first + 1) % CHANGES] >= WINDOW_S
    ) this.first++;
    const at = this.first % CHANGES, seconds = timeS - this.timeS[at];
    const isSecond = seconds >= WINDOW_S && seconds < 2 * WINDOW_S;
    return isSecond ? (joules - this.joules[at]) / seconds : NaN;
  }
}

/** Follows readings of counters. */
export class PeakPower {
  /** Maximum power so far, W; kinds without a whole window are left out. */
  readonly watts = new Map<EnergyKind, number>();
  #kinds: Changes[] = [];
  readonly #of: readonly EnergyKind[];

  /** @param kinds Of each counter, in the order of its readings. */
  constructor(kinds: readonly EnergyKind[]) {
    this.#of = kinds;
    this.restart();
  }

  /** Takes the readings of a sample, J; NaN: none. */
  sample(timeS: number, joules: Float64Array): void {
    for (const kind of this.#kinds) {
      let sum = 0;
      for (let i = 0; i < kind.places.length; i++) sum += joules[kind.places[i]];
      const watts = kind.take(timeS, sum);
      if (watts > (this.watts.get(kind.kind) ?? -1)) this.watts.set(kind.kind, watts);
    }
  }

  /** Restarts: earlier values do not count. */
  restart(): void {
    this.watts.clear();
    this.#kinds = [...new Set(this.#of)].map((kind) =>
      new Changes(kind, this.#of.flatMap((other, place) => other === kind ? [place] : []))
    );
  }
}
