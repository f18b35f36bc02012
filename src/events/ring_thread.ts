/**
 * One thread's records, from the ring file to events with times.
 *
 * The monitor copies new records out of the ring at once, so that the writer has room again, and
 * hands them on in the order of time when all threads' events up to a moment are known. Nothing in
 * a record is trusted: what cannot be is counted and skipped.
 * @module
 */
import type { RingPaths } from "./ring_paths.ts";
import type { StampClock } from "./stamp_clock.ts";
import { KIND } from "../core/events/event_kinds.ts";
import {
  FLAG,
  KINDS_WITH_PAYLOAD,
  RECORD_BYTES,
  RING_KINDS,
  TRACK_SHIFT,
} from "../core/events/ring_layout.ts";

const TWO_32 = 4294967296;
/** The name in an enter's or exit's value. */
export const NAME_MASK = (1 << TRACK_SHIFT) - 1;
const WORDS = RECORD_BYTES / 4;
const HAS_PAYLOAD = Uint8Array.from({ length: 256 }, (_, k) => {
  return KINDS_WITH_PAYLOAD.includes(k) ? 1 : 0;
});
const KNOWN = Uint8Array.from({ length: 256 }, (_, k) => {
  return RING_KINDS.includes(k) ? 1 : 0;
});

/** Records copied but not yet handed on. */
export class RingThread {
  /** Changes when another thread takes the ring over. */
  tid: number;
  /** CPUs it is bound to where these are fewer than its process's; empty otherwise. */
  boundTo: readonly number[];
  /** Its thread ended, and nothing came after that. */
  ended = false;
  /** Time of the next event since the origin; Infinity when there is none. */
  nextNs = Infinity;
  /** Fields of the next event. */
  kind = 0;
  flags = 0;
  cpu = 0;
  value = 0;
  payloadLow = 0;
  payloadHigh = 0;
  /** Second half of the payload. */
  extraLow = 0;
  extraHigh = 0;
  /** Records that made no sense. */
  garbage = 0;
  /** Its visits that were folded by path, where its client does so. */
  paths?: RingPaths;
  readonly #clock: StampClock;
  #words = new Uint32Array(1024 * WORDS);
  #bytes = new Uint8Array(this.#words.buffer);
  #start = 0;
  #end = 0;
  /** The thread's last clock pair. */
  #cyclesLow = 0;
  #cyclesHigh = 0;
  #pairNs = NaN;
  #lastNs = -Infinity;
  /** Regions of a visit that may be folded. */
  readonly #open = new Uint32Array(64);

  constructor(tid: number, boundTo: readonly number[], clock: StampClock) {
    this.tid = tid;
    this.boundTo = boundTo;
    this.#clock = clock;
  }

  /** Room for `records` more at the end; where to put them. Grows only when it must. */
  reserve(records: number): Uint8Array {
    const need = (this.#end + records) * WORDS;
    if (need > this.#words.length) {
      const kept = this.#end - this.#start;
      const wanted = (kept + records) * WORDS;
      if (wanted <= this.#words.length) {
        this.#words.copyWithin(0, this.#start * WORDS, this.#end * WORDS);
      } else {
        const grown = new Uint32Array(Math.max(wanted, this.#words.length * 2));
        grown.set(this.#words.subarray(this.#start * WORDS, this.#end * WORDS));
        this.#words = grown;
        this.#bytes = new Uint8Array(grown.buffer);
      }
      this.#end = kept;
      this.#start = 0;
    }
    return this.#bytes.subarray(this.#end * RECORD_BYTES, (this.#end + records) * RECORD_BYTES);
  }

  /** Says that `records` were put where `reserve` told. */
  filled(records: number): void {
    this.#end += records;
    if (this.nextNs === Infinity) this.advance();
  }

  /**
   * Takes the visits at the head of what is buffered that are complete, short and without anything
   * but regions inside, and adds them up instead of handing on their events.
   *
   * @param mostNs Longer visits stay. @param add Gets number, time of the begin and length of each.
   * @returns Visits taken.
   */
  foldShort(mostNs: number, add: (region: number, ns: number, lengthNs: number) => void): number {
    let taken = 0;
    while (this.nextNs !== Infinity && this.kind === KIND.enter) {
      const behind = this.#endOfVisit();
      if (behind < 0) break;
      const at = (behind - 1) * WORDS;
      const endNs = this.#nsOf(at, this.#words[at + 2]);
      const lengthNs = endNs - this.nextNs;
      if (!(lengthNs >= 0 && lengthNs <= mostNs)) break;
      add(this.value & NAME_MASK, this.nextNs, lengthNs);
      taken++;
      this.#lastNs = endNs;
      this.#start = behind;
      this.advance();
    }
    return taken;
  }

  /** Place behind the exit of the visit that the next event begins; −1: not in order, or not here. */
  #endOfVisit(): number {
    const words = this.#words;
    const open = this.#open;
    open[0] = this.value;
    let depth = 1;
    for (let i = this.#start; i < this.#end; i++) {
      const kind = words[i * WORDS + 2] & 0xff;
      const value = words[i * WORDS + 3];
      if (kind === KIND.enter && depth < open.length) open[depth++] = value;
      else if (kind !== KIND.exit || open[--depth] !== value) return -1;
      if (depth === 0) return i + 1;
    }
    return -1;
  }

  #nsOf(at: number, word: number): number {
    const low = this.#words[at];
    const high = this.#words[at + 1];
    if ((word >>> 8 & FLAG.nanoseconds) !== 0) return this.#clock.fromClock(low, high);
    // Before the thread's first pair, for which there may have been no room, the process's serve.
    if (this.#pairNs !== this.#pairNs) return this.#clock.fromCycles(low, high);
    return this.#pairNs +
      ((high - this.#cyclesHigh) * TWO_32 + (low - this.#cyclesLow)) * this.#clock.nsPerCycle;
  }

  /** Moves to the next event that makes sense. */
  advance(): void {
    const words = this.#words;
    while (this.#start < this.#end) {
      const at = this.#start * WORDS;
      const word = words[at + 2];
      const kind = word & 0xff;
      const payload = HAS_PAYLOAD[kind];
      // The payload is published with its record or right after it: wait for it.
      if (payload === 1 && this.#start + 1 >= this.#end) break;
      this.#start += 1 + payload;
      if (KNOWN[kind] === 0) {
        this.garbage++;
        continue;
      }
      const low = words[at];
      const high = words[at + 1];
      if (kind === KIND.clock) {
        this.#cyclesLow = low;
        this.#cyclesHigh = high;
        this.#pairNs = this.#clock.fromClock(words[at + 4], words[at + 5]);
        this.#clock.refine(low, high, this.#pairNs);
        continue;
      }
      const flags = (word >>> 8) & 0xff;
      let ns = this.#nsOf(at, word);
      if (!(ns < 1e18 && ns > -1e18)) {
        this.garbage++;
        continue;
      }
      // Two pairs can disagree by some ten ns; a thread's own events never go back.
      if (ns < this.#lastNs) ns = this.#lastNs;
      this.#lastNs = ns;
      this.nextNs = ns;
      this.kind = kind;
      this.flags = flags;
      this.cpu = word >>> 16;
      this.value = words[at + 3];
      if (payload === 1) {
        this.payloadLow = words[at + 4];
        this.payloadHigh = words[at + 5];
        this.extraLow = words[at + 6];
        this.extraHigh = words[at + 7];
      }
      return;
    }
    if (this.#start === this.#end) {
      this.#start = 0;
      this.#end = 0;
    }
    this.nextNs = Infinity;
  }
}
