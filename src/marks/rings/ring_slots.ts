/**
 * One thread's outermost visits that found no room in its ring: a slot for each region.
 * @module
 */
import type { FoldedStats } from "../../core/path_stats.ts";
import { CHUNK_NAMES, FLAG, SLOT, THREAD } from "../../core/events/ring_layout.ts";
import type { RingThread } from "./ring_thread.ts";
import { type ThreadPlace, wordAt } from "./stamp_clock.ts";

/** Visits that the process folded since they were last asked for. */
export interface FoldedVisits {
  readonly thread: RingThread;
  readonly region: number;
  /** The process's own number of its track, if it is known; slots have those of all together. */
  readonly track?: number;
  /** Start of the first of them, ns since the origin. */
  readonly firstNs: number;
  readonly visits: number;
  readonly ns: number;
  /** Visits nested in these and others, by the sink's handles of their paths. */
  readonly nested?: ReadonlyMap<number, Readonly<FoldedStats>>;
}

/** A region within itself counts its time again: as deep as visits nest. */
const NESTED = 64;

/** The slots of one thread. */
export class RingSlots {
  /** Slots that could not be read. */
  garbage = 0;
  readonly #place: ThreadPlace;
  readonly #thread: RingThread;
  /** Visits and times already emitted, by region. */
  readonly #emitted = new Map<number, { visits: number; ns: number; cycles: number }>();

  constructor(place: ThreadPlace, thread: RingThread) {
    this.#place = place;
    this.#thread = thread;
  }

  /**
   * Reads what is new.
   *
   * @param view The thread's entry, at `at`. @param names How many names have slots.
   * @returns False if not all of it can be emitted yet.
   */
  read(view: DataView, at: number, names: number, folds: FoldedVisits[]): boolean {
    let whole = true;
    for (let chunk = 0, first = 0; first < names; first += CHUNK_NAMES << chunk, chunk++) {
      const offset = wordAt(view, at + THREAD.slotChunks + 8 * chunk);
      if (offset === 0) continue;
      const slots = new Uint8Array(Math.min(CHUNK_NAMES << chunk, names - first) * SLOT.bytes);
      if (this.#place.memory.read(offset, slots) !== slots.length) {
        this.garbage++;
        continue;
      }
      const slot = new DataView(slots.buffer);
      for (let i = 0; i * SLOT.bytes < slots.length; i++) {
        if (!this.#readSlot(first + i, slot, i * SLOT.bytes, folds)) whole = false;
      }
    }
    return whole;
  }

  #readSlot(region: number, view: DataView, at: number, folds: FoldedVisits[]): boolean {
    const { clock, limits } = this.#place;
    const visits = wordAt(view, at + SLOT.visits);
    const before = this.#emitted.get(region) ?? { visits: 0, ns: 0, cycles: 0 };
    if (visits <= before.visits) return true;
    const ns = wordAt(view, at + SLOT.ns);
    const cycles = wordAt(view, at + SLOT.cycles);
    // Before the length of a cycle is known nothing can be emitted; nothing is lost, only delayed.
    if (clock.unrated && cycles > before.cycles) return false;
    const rate = clock.unrated ? 0 : clock.nsPerCycle;
    const spent = ns - before.ns + (cycles - before.cycles) * rate;
    this.#emitted.set(region, { visits, ns, cycles });
    const more = visits - before.visits;
    if (!limits.allows(more, "visits") || !limits.allows(spent, "ns", NESTED)) return true;
    const inNs = (view.getUint32(at + SLOT.firstFlags, true) & FLAG.nanoseconds) !== 0;
    const low = view.getUint32(at + SLOT.first, true);
    const high = view.getUint32(at + SLOT.first + 4, true);
    folds.push({
      thread: this.#thread,
      region,
      firstNs: inNs ? clock.fromClock(low, high) : clock.fromCycles(low, high),
      visits: more,
      ns: Math.max(0, spent),
    });
    return true;
  }
}
