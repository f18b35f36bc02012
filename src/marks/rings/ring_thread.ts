/**
 * One thread's records, from the ring file to events with times.
 *
 * The monitor copies new records out of the ring at once, so that the writer has room again, and
 * hands them on in the order of time when all threads' events up to a moment are known. Nothing in
 * a record is trusted: what cannot be is counted and skipped.
 * @module
 */
import type { RingPaths } from "./ring_paths.ts";
import { SHORT_LEVELS, type ShortVisits } from "./short_visits.ts";
import type { StampClock } from "./stamp_clock.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import {
  FLAG,
  KINDS_WITH_PAYLOAD,
  RECORD_BYTES,
  RING_KINDS,
} from "../../core/events/ring_layout.ts";

const TWO_32 = 4294967296;
const WORDS = RECORD_BYTES / 4;
/** A pause is as long as the visits in it, up to the differences of two clocks. */
const PAUSE_PART = 0.98;
const HAS_PAYLOAD = new Uint8Array(256), KNOWN = new Uint8Array(256);
for (const kind of KINDS_WITH_PAYLOAD) HAS_PAYLOAD[kind] = 1;
for (const kind of RING_KINDS) KNOWN[kind] = 1;

/** Records copied but not yet handed on. */
export class RingThread {
  /** Changes when another thread takes the ring over. */
  tid: number;
  /** CPUs it is bound to if these are fewer than its process's; empty otherwise. */
  boundTo: readonly number[];
  /** True once the thread has ended and all its records are read. */
  ended = false;
  /** True once the end of the thread was handed on, and no other thread's begin. */
  isOver = false;
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
  /** Visits of the thread that its client aggregated by path, if it does so. */
  paths?: RingPaths;
  readonly #clock: StampClock;
  #words = new Uint32Array(1024 * WORDS);
  #bytes = new Uint8Array(this.#words.buffer);
  #start = 0;
  #end = 0;
  #lastNs = -Infinity;
  #handedNs = NaN;
  /** Time when the visits ended that found no space during a pause that continues. */
  #pausedNs = -Infinity;
  /** True once `tid` is that of the first record. */
  #isNamed = false;
  /** Regions of a visit that may be folded. */
  readonly #open = new Uint32Array(SHORT_LEVELS);

  constructor(tid: number, boundTo: readonly number[], clock: StampClock) {
    this.tid = tid;
    this.boundTo = boundTo;
    this.#clock = clock;
  }

  /** Time of the event that was handed on last, ns since the origin; NaN: there was none. */
  get handedNs(): number {
    return this.#handedNs;
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

  /** Commits `records` written at the place that `reserve` returned. */
  filled(records: number): void {
    this.#end += records;
    if (!this.#isNamed) this.#nameFirst();
    if (this.nextNs === Infinity) this.advance();
  }

  /** The entry names the thread that has it now; the first of its records may be of one before. */
  #nameFirst(): void {
    this.#isNamed = true;
    const words = this.#words;
    for (let i = this.#start; i < this.#end; i++) {
      const at = i * WORDS, kind = words[at + 2] & 0xff;
      if (kind === KIND.threadBegin) return;
      if (kind === KIND.threadEnd) {
        this.tid = words[at + 3];
        return;
      }
      i += HAS_PAYLOAD[kind];
    }
  }

  /**
   * Takes the visits at the head of what is buffered that are complete, short and without anything
   * but regions inside, and adds them up instead of handing on their events.
   *
   * A thread that took the ring over and ended too, with nothing but such visits, is taken whole: its
   * visits count as those of the thread before it, which ends when it did. So programs that make ten
   * thousand threads a second cost what their visits cost.
   *
   * @param mostNs Longer visits stay; below 0: all, and the thread is within a region. @param sums Gets them.
   * @param takeApart Takes the next record if that needs no order, between visits.
   * @returns Outermost visits taken.
   */
  foldShort(mostNs: number, sums: ShortVisits, takeApart?: () => boolean): number {
    let taken = 0;
    const isOutside = mostNs >= 0;
    while (this.nextNs !== Infinity) {
      if (isOutside && this.kind === KIND.threadBegin && this.isOver && this.payloadLow === 0) {
        this.begin([]);
        this.advance();
        continue;
      }
      if (isOutside && this.kind === KIND.threadEnd && this.#hasShortHeir(mostNs)) {
        // Its begin, then what comes first in it: its end at the latest.
        this.advance();
        this.advance();
        continue;
      }
      if (!isOutside || this.kind !== KIND.enter) {
        if (takeApart?.() !== true) break;
        this.advance();
        continue;
      }
      const behind = this.#endOfVisit();
      if (behind < 0) break;
      const at = (behind - 1) * WORDS;
      const endNs = this.#nsOf(at, this.#words[at + 2]);
      const lengthNs = endNs - this.nextNs;
      if (!(lengthNs >= 0 && lengthNs <= mostNs)) break;
      sums.add(this.value, this.nextNs, lengthNs);
      if (behind > this.#start + 1) this.#addNested(behind, sums);
      taken++;
      this.#lastNs = endNs;
      this.#start = behind;
      this.advance();
    }
    return taken;
  }

  /** Does the next record set an attribute that the one behind it sets again? */
  isSetAgain(): boolean {
    const at = this.#start * WORDS;
    return this.kind === KIND.attributeSet && this.#start + 1 < this.#end &&
      this.#words[at + 3] === this.value &&
      (this.#words[at + 2] & 0xffff) === (this.kind | this.flags << 8);
  }

  /** Is the next record the begin of a span, and the one behind it its end? */
  isWholeSpan(): boolean {
    const words = this.#words, at = this.#start * WORDS;
    return this.kind === KIND.spanBegin && this.#start + 1 < this.#end &&
      (words[at + 2] & 0xff) === KIND.spanEnd && words[at + 4] === this.payloadLow &&
      words[at + 5] === this.payloadHigh && words[at + 6] === this.extraLow;
  }

  /** The marks of the next visit, which has others in it. */
  #addNested(behind: number, sums: ShortVisits): void {
    const words = this.#words;
    sums.enter(this.value, this.nextNs);
    for (let i = this.#start; i < behind; i++) {
      const at = i * WORDS, word = words[at + 2], ns = this.#nsOf(at, word);
      if ((word & 0xff) === KIND.enter) sums.enter(words[at + 3], ns);
      else sums.exit(ns);
    }
  }

  /** Is all of the next thread here, unbound, and is there nothing but short visits in it? */
  #hasShortHeir(mostNs: number): boolean {
    const words = this.#words, open = this.#open;
    const first = this.#start * WORDS;
    if (this.#start + 1 >= this.#end || (words[first + 2] & 0xff) !== KIND.threadBegin) {
      return false;
    }
    if (words[first + 4] !== 0 || this.boundTo.length > 0) return false;
    let depth = 0, from = 0;
    for (let i = this.#start + 2; i < this.#end; i++) {
      const at = i * WORDS, kind = words[at + 2] & 0xff, value = words[at + 3];
      if (kind !== KIND.clock && (words[at + 2] >>> 8 & FLAG.process) !== 0) return false;
      if (kind === KIND.enter && depth < open.length) {
        if (depth === 0) from = at;
        open[depth++] = value;
      } else if (kind === KIND.exit && depth > 0 && open[--depth] === value) {
        if (depth === 0 && !(this.#between(from, at) <= mostNs)) return false;
      } else if (depth > 0) return false;
      else if (kind === KIND.threadEnd) return true;
      else if (kind === KIND.clock) i++;
      else return false;
    }
    return false;
  }

  /** ns between two records; NaN if their clocks differ, or the later one is earlier. */
  #between(from: number, to: number): number {
    const words = this.#words;
    const inNs = words[to + 2] >>> 8 & FLAG.nanoseconds;
    if ((words[from + 2] >>> 8 & FLAG.nanoseconds) !== inNs) return NaN;
    const units = (words[to + 1] - words[from + 1]) * TWO_32 + (words[to] - words[from]);
    return units < 0 ? NaN : inNs !== 0 ? units : units * this.#clock.nsPerCycle;
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
    const inNs = (word >>> 8 & FLAG.nanoseconds) !== 0;
    return inNs ? this.#clock.fromClock(low, high) : this.#clock.fromCycles(low, high);
  }

  /**
   * End of the pause in which visits came that found no room and were folded: nothing was written into
   * the ring meanwhile. The shortest pause that is long enough for them, before and between the events
   * that are not handed on; else the longest one.
   *
   * @param needNs Time that was spent in them.
   * @param nowNs A pause that has not ended is counted up to here.
   * @returns If it has not ended: when they were over, if they came right after the last record.
   */
  pauseEndNs(needNs: number, nowNs: number): number {
    const words = this.#words;
    const least = needNs * PAUSE_PART;
    let before = this.#handedNs, endNs = nowNs, lengthNs = 0;
    const look = (ns: number) => {
      const length = ns - before;
      before = ns;
      if (!(lengthNs < least ? length > lengthNs : length >= least && length < lengthNs)) return;
      lengthNs = length;
      endNs = ns;
    };
    if (this.nextNs !== Infinity) look(this.nextNs);
    for (let i = this.#start; i < this.#end; i++) {
      const at = i * WORDS, word = words[at + 2], kind = word & 0xff;
      if (HAS_PAYLOAD[kind] === 1 && ++i >= this.#end) break;
      if (kind === KIND.clock || KNOWN[kind] === 0) continue;
      const ns = this.#nsOf(at, word);
      if (ns >= before && ns < 1e18) look(ns);
    }
    const fromNs = before > this.#pausedNs ? before : this.#pausedNs;
    look(nowNs);
    if (endNs === nowNs && fromNs + needNs < nowNs) endNs = this.#pausedNs = fromNs + needNs;
    return endNs;
  }

  /** The next event, a thread's begin, takes place: it has taken the ring over. */
  begin(boundTo: readonly number[]): void {
    this.tid = this.value;
    this.ended = this.isOver = false;
    this.boundTo = boundTo;
  }

  /** Moves to the next event that makes sense. */
  advance(): void {
    const words = this.#words;
    if (this.nextNs !== Infinity) this.#handedNs = this.nextNs;
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
        this.#clock.pair(low, high, this.#clock.fromClock(words[at + 4], words[at + 5]));
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
