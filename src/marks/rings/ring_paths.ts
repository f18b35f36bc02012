/**
 * One thread's visits that its client folded by path: what they add from sample to sample.
 *
 * The client only adds; what is above the values of the last time is new. The time of the look is
 * taken first, and the position counts if it is the same before and after the paths were read. What one
 * look misses the next one finds, and takes back what it counted twice. docs/reference/formats/ring.md, "Paths".
 * @module
 */
import { grown } from "../../core/grow.ts";
import {
  CHUNK_PATHS,
  PATH,
  PATH_BUCKETS,
  PATH_CHUNKS,
  PATH_SINCE_NS,
  THREAD,
  TRACK_SHIFT,
} from "../../core/events/ring_layout.ts";
import { type ThreadPlace, wordAt } from "./stamp_clock.ts";

const TWO_32 = 4294967296;
const PATHS_MAX = CHUNK_PATHS * ((1 << PATH_CHUNKS) - 1);
/** Some paths at a time, of any thread: nothing in it outlives a look. */
const BLOCK_PATHS = 1024;
const BLOCK = new Uint8Array(BLOCK_PATHS * PATH.bytes);
const BLOCK_WORDS = new Uint32Array(BLOCK.buffer);
const BLOCK_FLOATS = new Float64Array(BLOCK.buffer);
const PATH_WORDS = PATH.bytes / 4, PATH_FLOATS = PATH.bytes / 8;
/** The thread's position: from `THREAD.path` on. */
const POSITION = new Uint8Array(16);
const POSITION_VIEW = new DataView(POSITION.buffer);
const SINCE = THREAD.pathSince - THREAD.path;
const HISTOGRAM = new Uint8Array(8 * PATH_BUCKETS);
const HISTOGRAM_WORDS = new Uint32Array(HISTOGRAM.buffer);
/** A region within itself counts its time again: as deep as visits nest. */
const NESTED = 64;
/** Figures of a path that only grow. */
const READ = 4;

/** Gets what was added to a path. */
export type AddToPath = (
  path: number,
  added: { count: number; ns: number; squares: number; selfNs: number },
) => void;

/** The paths of one thread. */
export class RingPaths {
  /** All visits of the thread are folded; else only those that found no room in the ring. */
  folding = false;
  /** Visits whose path found no room. */
  lost = 0;
  /** Paths known so far. */
  count = 0;
  /** Parent, region and attribute of each path, by its number. */
  parent = new Int32Array(16);
  region = new Uint32Array(16);
  attribute = new Uint32Array(16);
  /** Minimum and maximum visit length so far, by path. */
  least = new Float64Array(16);
  most = new Float64Array(16);
  /** The path that the thread is in; 0: outside of all regions, or nothing is known of it. */
  position = 0;
  /** Time when the thread came there, ns since the origin; 0: not known. */
  sinceNs = 0;
  readonly #place: ThreadPlace;
  readonly #chunks = new Float64Array(PATH_CHUNKS);
  #published = 0;
  /** Position, and number of paths, as they were just before all paths were read. */
  #seenLow = -1;
  #seenHigh = -1;
  #seenCount = 0;
  /** Visits without room that have begun: of a thread that keeps the order, what shows changes. */
  #skipped = 0;
  #seenSkipped = 0;
  /** By path: visits, ns, squares and time in the path itself, as read from the file, and as emitted. */
  #read = new Float64Array(16 * READ);
  #emitted = new Float64Array(16 * READ);
  readonly #added = { count: 0, ns: 0, squares: 0, selfNs: 0 };

  constructor(place: ThreadPlace) {
    this.#place = place;
  }

  /** Reads the thread's entry; before `read`. */
  look(view: DataView, at: number): void {
    this.folding = view.getUint32(at + THREAD.folding, true) === 1;
    this.#skipped = view.getUint32(at + THREAD.skippedNested, true);
    this.#published = Math.min(view.getUint32(at + THREAD.paths, true), PATHS_MAX);
    for (let k = 0; k < PATH_CHUNKS; k++) {
      this.#chunks[k] = wordAt(view, at + THREAD.pathChunks + 8 * k);
    }
    const lost = wordAt(view, at + THREAD.lostPaths);
    this.lost = this.#place.limits.next(this.lost, lost, "visits without a path");
  }

  /** Reads what is new up to a moment, ns since the origin, taken before. */
  read(nowNs: number, add: AddToPath): void {
    this.position = this.sinceNs = 0;
    if (this.#published === 0 || !this.#readPosition()) return;
    const hasMoved = !this.#stayed() || this.#seenCount !== this.#published ||
      this.#seenSkipped !== this.#skipped;
    if (hasMoved) {
      this.#seenSkipped = this.#skipped;
      this.#seenLow = POSITION_VIEW.getUint32(SINCE, true);
      this.#seenHigh = POSITION_VIEW.getUint32(SINCE + 4, true);
      this.#seenCount = this.#published;
      if (!this.#readAll() || !this.#readPosition()) return;
    }
    const openNs = this.#openNs(nowNs), open = this.position;
    if (!hasMoved) return this.#emit(open, openNs, add);
    for (let path = 0; path < this.count; path++) this.#emit(path, path === open ? openNs : 0, add);
  }

  /** Is the position just read that of the look before? */
  #stayed(): boolean {
    return POSITION_VIEW.getUint32(SINCE, true) === this.#seenLow &&
      POSITION_VIEW.getUint32(SINCE + 4, true) === this.#seenHigh;
  }

  #readPosition(): boolean {
    return this.#place.memory.read(this.#place.entry + THREAD.path, POSITION) === POSITION.length;
  }

  #readAll(): boolean {
    for (let first = 0; first < this.#published;) {
      const chunk = 31 - Math.clz32(Math.floor(first / CHUNK_PATHS) + 1);
      const begin = CHUNK_PATHS * ((1 << chunk) - 1);
      const some = Math.min(
        ...[BLOCK_PATHS, begin + (CHUNK_PATHS << chunk) - first, this.#published - first],
      );
      const bytes = BLOCK.subarray(0, some * PATH.bytes);
      const offset = this.#chunks[chunk] + (first - begin) * PATH.bytes;
      if (this.#place.memory.read(offset, bytes) !== bytes.length) return false;
      this.#reach(first + some);
      for (let i = 0; i < some; i++) this.#readPath(first + i, i);
      first += some;
    }
    return true;
  }

  #readPath(path: number, i: number): void {
    const word = i * PATH_WORDS, float = i * PATH_FLOATS;
    if (path >= this.count) {
      const parent = BLOCK_WORDS[word + PATH.parent / 4];
      this.parent[path] = path === 0 ? -1 : parent < path ? parent : 0;
      this.region[path] = BLOCK_WORDS[word + PATH.region / 4];
      this.attribute[path] = BLOCK_WORDS[word + PATH.attribute / 4];
      this.count = path + 1;
    }
    const file = path * READ;
    this.#read[file] = BLOCK_WORDS[word + 1] * TWO_32 + BLOCK_WORDS[word];
    this.#read[file + 1] = BLOCK_FLOATS[float + PATH.ns / 8];
    this.#read[file + 2] = BLOCK_FLOATS[float + PATH.squares / 8];
    this.#read[file + 3] = BLOCK_FLOATS[float + PATH.self / 8];
    this.least[path] = BLOCK_FLOATS[float + PATH.least / 8];
    this.most[path] = BLOCK_FLOATS[float + PATH.most / 8];
  }

  /** Time that the thread has been in the path of its position, which is noted, since it came. */
  #openNs(nowNs: number): number {
    const word = POSITION_VIEW.getUint32(0, true), path = word & (PATH_SINCE_NS - 1);
    const low = POSITION_VIEW.getUint32(SINCE, true),
      high = POSITION_VIEW.getUint32(SINCE + 4, true);
    if ((low === 0 && high === 0) || path >= this.count) return 0;
    this.position = path;
    // It moved while the paths were read: which of them know of it is not certain.
    if (!this.#stayed()) return 0;
    const { clock } = this.#place;
    const sinceNs = (word & PATH_SINCE_NS) !== 0
      ? clock.fromClock(low, high)
      : clock.fromCycles(low, high);
    this.sinceNs = sinceNs;
    return nowNs > sinceNs ? nowNs - sinceNs : 0;
  }

  /**
   * Emits what a path has more than was emitted. A thread that was interrupted between its clock and its
   * mark seemed to be where it was before: so time may have to be taken back.
   */
  #emit(path: number, openNs: number, add: AddToPath): void {
    const at = path * READ, added = this.#added;
    added.count = this.#read[at] - this.#emitted[at];
    added.ns = this.#read[at + 1] - this.#emitted[at + 1];
    added.squares = this.#read[at + 2] - this.#emitted[at + 2];
    added.selfNs = this.#read[at + 3] + openNs - this.#emitted[at + 3];
    if ((added.count === 0 && added.selfNs === 0) || !this.#makesSense(added)) return;
    this.#emitted[at] += added.count;
    this.#emitted[at + 1] += added.ns;
    this.#emitted[at + 2] += added.squares;
    this.#emitted[at + 3] += added.selfNs;
    add(path, added);
  }

  #makesSense({ count, ns, squares, selfNs }: { [key: string]: number }): boolean {
    const { limits } = this.#place;
    return count >= 0 && ns >= 0 && squares >= 0 && squares < Infinity &&
      limits.allows(count, "visits of a path") &&
      limits.allows(ns, "ns of a path", NESTED) && limits.allows(Math.abs(selfNs), "ns of a path");
  }

  /** Calls back with every bucket of a path's histogram that has visits, all visits so far. */
  readBuckets(path: number, call: (bucket: number, visits: number) => void): void {
    if (!(this.#emitted[path * READ] > 0)) return;
    const chunk = 31 - Math.clz32(Math.floor(path / CHUNK_PATHS) + 1);
    const begin = CHUNK_PATHS * ((1 << chunk) - 1);
    const offset = this.#chunks[chunk] + (CHUNK_PATHS << chunk) * PATH.bytes +
      (path - begin) * HISTOGRAM.length;
    if (this.#place.memory.read(offset, HISTOGRAM) !== HISTOGRAM.length) return;
    for (let i = 0; i < PATH_BUCKETS; i++) {
      const visits = HISTOGRAM_WORDS[2 * i + 1] * TWO_32 + HISTOGRAM_WORDS[2 * i];
      if (visits > 0 && visits <= this.#emitted[path * READ]) call(i, visits);
    }
  }

  /** Number of the name of a path's region, and of its track. */
  nameOf(path: number): number {
    return this.region[path] & ((1 << TRACK_SHIFT) - 1);
  }
  trackOf(path: number): number {
    return this.region[path] >>> TRACK_SHIFT;
  }

  #reach(count: number): void {
    if (count <= this.parent.length) return;
    this.parent = grown(this.parent, count);
    this.region = grown(this.region, count);
    this.attribute = grown(this.attribute, count);
    this.least = grown(this.least, count, Infinity);
    this.most = grown(this.most, count);
    this.#read = grown(this.#read, count * READ);
    this.#emitted = grown(this.#emitted, count * READ);
  }
}
