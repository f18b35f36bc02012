/**
 * One stack of regions: of a process, or of a thread with regions of its own.
 *
 * Counts visits and their exact time, and keeps the records of the current window, with visits that
 * begin and end within one window folded into one short-region record, as GEOPM's record log does
 * (docs/explanation/aggregation.md, "Short regions"). All times are whole nanoseconds, so that sums are exact.
 * @module
 */
import { grown, lengthened } from "../../core/grow.ts";
import { ROOT } from "../../core/path_stats.ts";
import { EVENT, RecordList } from "../../core/record.ts";
import type { RegionPaths } from "./region_paths.ts";

/** Hints are kept to this depth; deeper levels share the last one. */
const MAX_HINT_DEPTH = 1024;
const FIRST_SLOTS = 8;
/** A track that grew beyond this is not kept for another thread. */
const SMALL_REGIONS = 1024, SMALL_RECORDS = 256;
/** Maximum number of regions that are searched one by one. */
const MAX_SEARCHED_REGIONS = 16;

/** Facts about a visit that begins. Reused. */
export interface Visit {
  /** GEOPM's hash of the region's name. */
  hash: number;
  hint: number;
  /** Track of the begin and end calls: ends match begins within one track. 0: the program's own. */
  track: number;
}

/** A list of tracks. */
export interface TrackList extends Iterable<Track> {
  readonly size: number;
  leave(track: Track): void;
}

/** One stack and its times. */
export class Track {
  /** Process id, or thread id; changes when another thread has it: see {@linkcode Track.begin}. */
  id: number;
  /** CPUs that entering and leaving sets the hash of. */
  cpus: Int32Array;
  /** Records of the current window. */
  readonly records = new RecordList();
  /** Regions that are open, the outermost included. */
  depth = 0;
  /** Handle of the outermost open region; −1: none. */
  region = -1;
  /** Hint of the innermost open level. */
  hint = 0;
  /** Order of the last change of hash or hint, over the whole node; 0: never. */
  changed = 0;
  /** Order of the entry into the outermost open region. */
  entered = 0;
  /** Time of the last event. */
  lastNs = 0;
  /** All of its visits are reported by path, folded: visits in order are included there. */
  folds = false;
  /** Path of the innermost open region; 0: none is open. */
  path = ROOT;
  /** Owner number of this track's CPUs: see `RegionTracker`. Also the number of its lane. */
  owner: number;
  /** True while the track's lane lives: see `LaneListener`. */
  isLane = false;
  /** Open tracks on the same CPUs, and its neighbours among them; `undefined`: it is not open. */
  openAmong: TrackList | undefined;
  before: Track | undefined;
  behind: Track | undefined;
  readonly #paths: RegionPaths;
  /** Since when it is in its path. */
  #pathNs = 0;
  #hints = new Uint8Array(16);
  /** Regions that are open, the outermost first, and their tracks. */
  #openRegion = new Int32Array(16);
  #openTrack = new Int32Array(16);
  #openPath = new Int32Array(16);
  #openNs = new Float64Array(16);
  #window = 0;
  /**
   * Slot of a region handle, −1 for none. Slots keep the tables as small as the regions used; this
   * one is as long as the highest handle, so a track of few regions beyond `SMALL_REGIONS` searches
   * for them: 100,000 threads, each with a region of its own, took 0.4 MB each.
   */
  #slotOf = new Int32Array(0);
  #slots = 0;
  #slotRegion = new Int32Array(FIRST_SLOTS);
  #entryNs = new Float64Array(FIRST_SLOTS);
  #count = new Float64Array(FIRST_SLOTS);
  #runtimeNs = new Float64Array(FIRST_SLOTS);
  /** Window in which the region has a record that further visits may add to; −1: none. */
  #known = new Int32Array(FIRST_SLOTS);
  #record = new Int32Array(FIRST_SLOTS);
  /** 1: the open visit has no entry record, since the region was already folded in its window. */
  #silent = new Uint8Array(FIRST_SLOTS);

  constructor(id: number, cpus: Int32Array, paths: RegionPaths) {
    this.id = id;
    this.cpus = cpus;
    this.#paths = paths;
    this.owner = paths.nextOwner();
  }

  /**
   * Serves another thread, as a new one would. Programs may make ten thousand threads a second, and a
   * track has twenty arrays.
   */
  begin(id: number, cpus: Int32Array): void {
    this.id = id;
    this.cpus = cpus;
    this.owner = this.#paths.nextOwner();
    this.changed = this.entered = 0;
    this.folds = this.isLane = false;
    this.#pathNs = 0;
    this.records.length = 0;
    for (let slot = 0; slot < this.#slots; slot++) {
      const region = this.#slotRegion[slot];
      if (region < this.#slotOf.length) this.#slotOf[region] = -1;
      this.#count[slot] = this.#runtimeNs[slot] = 0;
    }
    this.#slots = 0;
  }

  /** May it wait for another thread? Not if it is large. */
  get isSmall(): boolean {
    return this.#slotOf.length <= SMALL_REGIONS && this.records.event.length <= SMALL_RECORDS;
  }

  /** Enters a region; only the outermost entry counts, inner ones set the hint. */
  enter(timeNs: number, region: number, visit: Visit): void {
    const { hash, hint, track } = visit;
    if (this.depth === 0) this.#own(timeNs, region, hash);
    this.hint = hint;
    const level = this.depth++;
    if (level >= this.#openRegion.length) {
      this.#openRegion = grown(this.#openRegion);
      this.#openTrack = grown(this.#openTrack);
      this.#openPath = grown(this.#openPath);
      this.#openNs = grown(this.#openNs);
    }
    this.#openRegion[level] = region;
    this.#openTrack[level] = track;
    this.#openNs[level] = timeNs;
    this.#moveTo(this.#openPath[level] = this.#paths.within(this.path, region, track), timeNs);
    this.#setHint(level, hint);
  }

  /**
   * Level of a track's innermost region; −1: it has none open.
   *
   * @param region The innermost of this region; below 0: of any.
   */
  levelOf(track: number, region = -1): number {
    let level = this.depth - 1;
    while (
      level >= 0 &&
      (this.#openTrack[level] !== track || (region >= 0 && this.#openRegion[level] !== region))
    ) level--;
    return level;
  }

  /**
   * Leaves a level. If it was the outermost, and others are open, the one that was begun
   * earliest owns the CPUs from here on: see {@linkcode Track.takeOver}.
   *
   * @returns Whether that was the outermost one.
   */
  exit(timeNs: number, hash: number, level = this.depth - 1): boolean {
    if (!this.folds) this.#paths.stats.add(this.#openPath[level], timeNs - this.#openNs[level]);
    this.depth--;
    if (level < this.depth) this.#closeGap(level);
    this.#moveTo(this.depth === 0 ? ROOT : this.#openPath[this.depth - 1], timeNs);
    this.hint = this.depth === 0 ? 0 : this.#hints[Math.min(this.depth, MAX_HINT_DEPTH) - 1];
    if (level > 0) return false;
    this.#countVisit(timeNs, hash);
    return true;
  }

  /** The region that the outermost one left behind, and the earliest begun: it counts from here. */
  get heir(): number {
    return this.depth === 0 ? -1 : this.#openRegion[0];
  }

  /** The heir's visit begins to count. */
  takeOver(timeNs: number, hash: number): void {
    this.#own(timeNs, this.#openRegion[0], hash);
  }

  #own(timeNs: number, region: number, hash: number): void {
    const slot = this.#slot(region);
    this.#entryNs[slot] = timeNs;
    if (this.#known[slot] === this.#window) {
      this.#silent[slot] = 1;
    } else {
      this.#silent[slot] = 0;
      this.#known[slot] = this.#window;
      this.#record[slot] = this.records.push(timeNs, this.id, EVENT.REGION_ENTRY, hash);
    }
    this.region = region;
  }

  #moveTo(path: number, timeNs: number): void {
    if (this.path !== ROOT && !this.folds) {
      this.#paths.stats.addSelf(this.path, timeNs - this.#pathNs);
    }
    this.path = path;
    this.#pathNs = timeNs;
  }

  #closeGap(level: number): void {
    this.#openNs.copyWithin(level, level + 1, this.depth + 1);
    this.#openRegion.copyWithin(level, level + 1, this.depth + 1);
    this.#openTrack.copyWithin(level, level + 1, this.depth + 1);
    if (level < MAX_HINT_DEPTH) {
      this.#hints.copyWithin(level, level + 1, Math.min(this.depth + 1, MAX_HINT_DEPTH));
    }
    let path = level === 0 ? ROOT : this.#openPath[level - 1];
    for (let at = level; at < this.depth; at++) {
      path = this.#paths.within(path, this.#openRegion[at], this.#openTrack[at]);
      this.#openPath[at] = path;
    }
  }

  /** The outermost visit ends: it counts, and has its record. */
  #countVisit(timeNs: number, hash: number): void {
    const slot = this.#find(this.region);
    const lengthNs = timeNs - this.#entryNs[slot];
    this.#count[slot]++;
    this.#runtimeNs[slot] += lengthNs;
    if (this.#known[slot] === this.#window) {
      this.#fold(slot, 1, lengthNs);
    } else if (this.#silent[slot] === 1) {
      // The visit began in an earlier window that has no share of it: its whole length counts here.
      this.#openShort(slot, timeNs, hash);
      this.#fold(slot, 1, lengthNs);
    } else {
      this.records.push(timeNs, this.id, EVENT.REGION_EXIT, hash);
    }
    this.region = -1;
  }

  /** Adds visits that were folded before they came here. @returns Their path. */
  addShort(
    timeNs: number,
    { region, track, visits }: Readonly<{ region: number; track: number; visits: number }>,
    hash: number,
    totalNs: number,
  ): number {
    const slot = this.#slot(region), path = this.#paths.within(ROOT, region, track);
    this.#count[slot] += visits;
    this.#runtimeNs[slot] += totalNs;
    if (!this.folds) this.#paths.addShort(path, visits, totalNs);
    if (this.#known[slot] !== this.#window) this.#openShort(slot, timeNs, hash);
    this.#fold(slot, visits, totalNs);
    return path;
  }

  /** Takes over the totals of a track that is gone. */
  absorb(other: Track): void {
    for (let k = 0; k < other.#slots; k++) {
      const slot = this.#slot(other.#slotRegion[k]);
      this.#count[slot] += other.#count[k];
      this.#runtimeNs[slot] += other.#runtimeNs[k];
    }
  }

  /** The process is gone: open regions stay uncounted. */
  abandon(timeNs: number): void {
    this.#moveTo(ROOT, Math.max(timeNs, this.#pathNs));
    this.depth = 0;
    this.region = -1;
    this.hint = 0;
  }

  /** Begins the next window; the caller has taken the records. */
  nextWindow(): void {
    if (this.records.length === 0) return; // nothing is known of this window
    this.records.length = 0;
    this.#window++;
  }

  /** Adds completed outermost visits and their time, by region. */
  addTotals(counts: Float64Array, runtimesNs: Float64Array): void {
    for (let slot = 0; slot < this.#slots; slot++) {
      const region = this.#slotRegion[slot];
      counts[region] += this.#count[slot];
      runtimesNs[region] += this.#runtimeNs[slot];
    }
  }

  #openShort(slot: number, timeNs: number, hash: number): void {
    this.#known[slot] = this.#window;
    this.#record[slot] = this.records.push(timeNs, this.id, EVENT.SHORT_REGION, hash);
  }

  /** The record keeps its place and time; the first visit turns an entry into a short region. */
  #fold(slot: number, count: number, totalNs: number): void {
    const i = this.#record[slot];
    this.records.event[i] = EVENT.SHORT_REGION;
    this.records.visits[i] += count;
    this.records.totalNs[i] += totalNs;
  }

  #setHint(level: number, hint: number): void {
    if (level >= MAX_HINT_DEPTH) level = MAX_HINT_DEPTH - 1;
    if (level >= this.#hints.length) this.#hints = grown(this.#hints);
    this.#hints[level] = hint;
  }

  /** −1: none. */
  #find(region: number): number {
    if (region < this.#slotOf.length) return this.#slotOf[region];
    // All of more than a few are in the table.
    let slot = this.#slots <= MAX_SEARCHED_REGIONS ? this.#slots - 1 : -1;
    while (slot >= 0 && this.#slotRegion[slot] !== region) slot--;
    return slot;
  }

  #slot(region: number): number {
    const known = this.#find(region);
    if (known >= 0) return known;
    if (
      region >= this.#slotOf.length &&
      (region < SMALL_REGIONS || this.#slots >= MAX_SEARCHED_REGIONS)
    ) {
      this.#lengthenTable(region);
    }
    return this.#newSlot(region);
  }

  /** All regions that it has, and one more, are in the table from here on. */
  #lengthenTable(region: number): void {
    let most = region;
    if (this.#slots >= MAX_SEARCHED_REGIONS) {
      for (let slot = 0; slot < this.#slots; slot++) most = Math.max(most, this.#slotRegion[slot]);
    }
    this.#slotOf = grown(this.#slotOf, most + 1, -1);
    for (let slot = 0; slot < this.#slots; slot++) {
      const other = this.#slotRegion[slot];
      if (other < this.#slotOf.length) this.#slotOf[other] = slot;
    }
  }

  #newSlot(region: number): number {
    const slot = this.#slots++;
    if (slot === this.#slotRegion.length) {
      const capacity = slot * 2;
      this.#slotRegion = lengthened(this.#slotRegion, capacity);
      this.#entryNs = lengthened(this.#entryNs, capacity);
      this.#count = lengthened(this.#count, capacity);
      this.#runtimeNs = lengthened(this.#runtimeNs, capacity);
      this.#known = lengthened(this.#known, capacity);
      this.#record = lengthened(this.#record, capacity);
      this.#silent = lengthened(this.#silent, capacity);
    }
    if (region < this.#slotOf.length) this.#slotOf[region] = slot;
    this.#slotRegion[slot] = region;
    this.#known[slot] = -1;
    return slot;
  }
}
