/**
 * Times in a ring file: stamps of cycles or of the clock, and the offsets of a thread's figures.
 * @module
 */
import type { RingMemory } from "../core/events/ring_memory.ts";
import type { ClockLimits } from "./clock_limits.ts";

const TWO_32 = 4294967296;

/** How the stamps of one process become nanoseconds since an origin. */
export class StampClock {
  readonly #originHigh: number;
  readonly #originLow: number;
  /** First pair of the process. */
  #cyclesHigh = 0;
  #cyclesLow = 0;
  #pairNs = 0;
  /** Latest pair. */
  #lateHigh = 0;
  #lateLow = 0;
  #lateNs = 0;
  /** NaN until a second pair is known. */
  nsPerCycle = NaN;

  /** @param originNs CLOCK_MONOTONIC_RAW that counts as 0. */
  constructor(originNs: bigint) {
    this.#originHigh = Number(originNs >> 32n);
    this.#originLow = Number(originNs & 0xffffffffn);
  }

  /** A stamp that is CLOCK_MONOTONIC_RAW in ns, since the origin. */
  fromClock(low: number, high: number): number {
    return (high - this.#originHigh) * TWO_32 + (low - this.#originLow);
  }

  /** Is it still unknown how long a cycle is? */
  get unrated(): boolean {
    return Number.isNaN(this.nsPerCycle);
  }

  /** The pair taken when the process attached. */
  setFirst(cyclesLow: number, cyclesHigh: number, ns: number): void {
    this.#cyclesLow = cyclesLow;
    this.#cyclesHigh = cyclesHigh;
    this.#pairNs = ns;
    this.#keep(cyclesLow, cyclesHigh, ns);
  }

  /** A stamp of the cycle counter, by the latest pair; NaN until the rate is known. */
  fromCycles(low: number, high: number): number {
    return this.#lateNs +
      ((high - this.#lateHigh) * TWO_32 + (low - this.#lateLow)) * this.nsPerCycle;
  }

  /** A later pair: the longer the time between, the better the rate is known. */
  refine(cyclesLow: number, cyclesHigh: number, ns: number): void {
    const cycles = (cyclesHigh - this.#cyclesHigh) * TWO_32 + (cyclesLow - this.#cyclesLow);
    const rate = (ns - this.#pairNs) / cycles;
    // 10 MHz (some Arm counters) to 10 GHz; anything else is nonsense in the file.
    if (!(rate >= 0.1 && rate <= 1000)) return;
    this.nsPerCycle = rate;
    this.#keep(cyclesLow, cyclesHigh, ns);
  }

  #keep(cyclesLow: number, cyclesHigh: number, ns: number): void {
    this.#lateLow = cyclesLow;
    this.#lateHigh = cyclesHigh;
    this.#lateNs = ns;
  }
}

/** The offsets of a thread's figures, and the view that reads them. */
export interface ThreadPlace {
  readonly memory: RingMemory;
  /** Offset of its entry. */
  readonly entry: number;
  readonly clock: StampClock;
  readonly limits: ClockLimits;
}

/** A 64-bit number. */
export function wordAt(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * TWO_32 + view.getUint32(at, true);
}
