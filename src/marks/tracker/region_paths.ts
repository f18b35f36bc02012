/**
 * Nested regions by path, over all threads and processes of a run: counts, times and lengths of the
 * visits of each. What owns CPUs, and GEOPM's totals, know the outermost regions only.
 * @module
 */
import { grown } from "../../core/grow.ts";
import {
  bucketOf,
  type FoldedStats,
  PathStats,
  type PathTable,
  ROOT,
} from "../../core/path_stats.ts";
import type { RegionTable } from "./region_table.ts";
import type { TrackTable } from "./track_table.ts";

/** Paths kept; a region nested in one for which there is no room counts as the one around it. */
const MAX_NESTED = 65_536;
/** Answers kept at hand, a power of two. */
const FOUND = 1024;
/** Tracks by which a region is distinguished. */
const MAX_TRACKS = 4096;

/** The paths of a run and what their visits add up to. */
export class RegionPaths {
  stats = new PathStats();
  readonly #regions: RegionTable;
  readonly #tracks: TrackTable;
  /** By path: the numbers of those inside it, by region and track. */
  readonly #inside: (Map<number, number> | undefined)[] = [];
  /** Answers of `within` that were given before, by a number made of path, region and track. */
  readonly #foundIn = new Int32Array(FOUND).fill(-1);
  readonly #foundRegion = new Int32Array(FOUND);
  readonly #foundTrack = new Int32Array(FOUND);
  readonly #found = new Int32Array(FOUND);
  /** By path: time that came folded, of threads whose other visits came in order. */
  #foldedNs = new Float64Array(16);
  #owners = 0;

  constructor(readonly table: PathTable, regions: RegionTable, tracks: TrackTable) {
    this.#regions = regions;
    this.#tracks = tracks;
  }

  /** The number of an owner of CPUs; 0: no owner. */
  nextOwner(): number {
    return ++this.#owners;
  }

  /** Path of a region within another path. */
  within(path: number, region: number, track: number): number {
    const at = (path * 37 + region * 5 + track) & (FOUND - 1);
    const is = this.#foundIn[at] === path && this.#foundRegion[at] === region &&
      this.#foundTrack[at] === track;
    if (is) return this.#found[at];
    const found = this.#within(path, region, track);
    this.#foundIn[at] = path;
    this.#foundRegion[at] = region;
    this.#foundTrack[at] = track;
    this.#found[at] = found;
    return found;
  }

  #within(path: number, region: number, track: number): number {
    const inside = this.#inside[path] ??= new Map();
    const key = region * MAX_TRACKS + Math.min(track, MAX_TRACKS - 1);
    const known = inside.get(key);
    if (known !== undefined) return known;
    const isFull = path !== ROOT && this.table.length >= MAX_NESTED;
    const made = isFull
      ? path
      : this.table.add(path, this.#regions.name(region), this.#tracks.name(track));
    inside.set(key, made);
    return made;
  }

  /** Visits that came folded into a count and a time: their lengths are taken as equal. */
  addShort(path: number, count: number, totalNs: number): void {
    const meanNs = totalNs / count;
    this.stats.addFolded(path, {
      count,
      sumNs: totalNs,
      sumSquareNs2: totalNs * meanNs,
      minNs: meanNs,
      maxNs: meanNs,
      selfNs: totalNs,
    });
    this.stats.addBucket(path, bucketOf(meanNs), count);
  }

  /**
   * Visits that clients folded by path.
   *
   * @param isDivided The time by edges of what is around them is divided among them, sample by sample.
   */
  addFolded(path: number, folded: Readonly<FoldedStats>, isDivided: boolean): void {
    if (path === ROOT) return;
    this.stats.addFolded(path, folded);
    if (isDivided) return;
    if (path >= this.#foldedNs.length) this.#foldedNs = grown(this.#foldedNs, path + 1);
    this.#foldedNs[path] += folded.selfNs;
  }

  /**
   * True if more than a hundredth of a path's time came aggregated and undivided, so that its
   * moments are not known.
   */
  isFolded(path: number): boolean {
    return (this.#foldedNs[path] ?? 0) > this.stats.selfNs[path] / 100;
  }

  /** Another process took the command's place: what was before does not count. */
  restart(): void {
    this.stats = new PathStats();
    this.#foldedNs.fill(0);
  }
}
