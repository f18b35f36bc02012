/**
 * Times in a ring file: stamps of cycles or of the clock, and the offsets of a thread's figures.
 * @module
 */
import type { RingMemory } from "../../core/events/ring_memory.ts";
import type { ClockLimits } from "./clock_limits.ts";

const TWO_32 = 4294967296;

/** A correction is spread over so many times itself: the line rises on, and is right again soon. */
const SLEW = 10;
/** A larger correction is no error of a line, ns: the counter stalled, as in a machine that was suspended. */
const MAX_SHIFT_NS = 5e7;
/** Pairs that come sooner after another one are left out, ns. */
const PAIR_NS = 5e7;
/** Parts of the line that are kept for threads whose events are read late. */
const MAX_PARTS = 64;

/** A part of the line from cycles to ns, from one pair of both on. */
interface Part {
  /** Begin of the line, in cycles since the first pair. */
  readonly from: number;
  readonly pairCycles: number;
  readonly pairNs: number;
  readonly rate: number;
  /** By how much the line before it was below it where it begins, ns. */
  readonly shift: number;
}

/**
 * Conversion of one process's stamps to nanoseconds since an origin: one line for all of its
 * threads and annotation APIs. It never falls, and converted values stay: records keep the order of
 * their stamps.
 */
export class StampClock {
  readonly #originHigh: number;
  readonly #originLow: number;
  /** First pair of the process. */
  #cyclesHigh = 0;
  #cyclesLow = 0;
  #firstNs = NaN;
  /** The latest stamp that was converted, in cycles since the first pair. */
  #used = -Infinity;
  /** Parts of the line, the latest last. */
  readonly #parts: Part[] = [];
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

  /** A stamp of the cycle counter; NaN until the rate is known. */
  fromCycles(low: number, high: number): number {
    const parts = this.#parts, cycles = this.#since(low, high);
    if (cycles > this.#used) this.#used = cycles;
    let at = parts.length - 1;
    if (at < 0) return NaN;
    while (at > 0 && cycles < parts[at].from) at--;
    return nsBy(parts[at], cycles);
  }

  /**
   * A pair of both, which someone took who marks in the process. The first one is where the process attached; the
   * longer the time since then, the better the rate is known.
   */
  pair(cyclesLow: number, cyclesHigh: number, ns: number): void {
    // Who marks by the clock alone has no cycles.
    if (cyclesLow === 0 && cyclesHigh === 0) return;
    if (Number.isNaN(this.#firstNs)) {
      [this.#cyclesLow, this.#cyclesHigh, this.#firstNs] = [cyclesLow, cyclesHigh, ns];
      return;
    }
    const parts = this.#parts, last = parts.at(-1);
    if (!(ns - (last?.pairNs ?? this.#firstNs) >= PAIR_NS)) return;
    const cycles = this.#since(cyclesLow, cyclesHigh), rate = (ns - this.#firstNs) / cycles;
    // 10 MHz (some Arm counters) to 10 GHz; anything else is nonsense in the file.
    if (!(rate >= 0.1 && rate <= 1000)) return;
    this.nsPerCycle = rate;
    const from = last === undefined ? -Infinity : Math.max(this.#used, last.from);
    const part = { from, pairCycles: cycles, pairNs: ns, rate, shift: 0 };
    const shift = last === undefined || from === -Infinity
      ? 0
      : nsBy(part, from) - nsBy(last, from);
    parts.push({ ...part, shift: Math.abs(shift) < MAX_SHIFT_NS ? shift : 0 });
    if (parts.length > MAX_PARTS) parts.shift();
  }

  #since(low: number, high: number): number {
    return (high - this.#cyclesHigh) * TWO_32 + (low - this.#cyclesLow);
  }
}

function nsBy({ from, pairCycles, pairNs, rate, shift }: Part, cycles: number): number {
  const ns = pairNs + (cycles - pairCycles) * rate;
  if (shift === 0) return ns;
  const left = 1 - (cycles - from) * rate / (SLEW * Math.abs(shift));
  return left > 0 ? ns - shift * left : ns;
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
