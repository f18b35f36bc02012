/**
 * Short visits of one thread that are added up as they are read, instead of being told one by one: the
 * outermost by region, those nested in them by path, so that every count stays.
 * @module
 */
import { bucketOf, type FoldedStats } from "../../core/path_stats.ts";
import { TRACK_SHIFT } from "../../core/events/ring_layout.ts";

/** The name in an enter's or exit's value. */
export const NAME_MASK = (1 << TRACK_SHIFT) - 1;
const TWO_32 = 4294967296;
/** Levels of a visit that is added up. */
export const SHORT_LEVELS = 64;

/** Visits of one outermost region, of one track. */
export interface ShortSum {
  firstNs: number;
  visits: number;
  ns: number;
}

/** Gives the sink's handle of a region, by its value in a record, within a path. */
export type PathWithin = (parent: number, value: number) => number;

/** Sums of visits, emptied when they are taken. */
export class ShortVisits {
  /** By the value in the region's records: the process's own numbers of its name and track. */
  readonly regions = new Map<number, ShortSum>();
  /** By the sink's handle; of an outermost region what its time in itself is too much by, alone. */
  paths = new Map<number, FoldedStats>();
  /** The sink's handles by those of the paths around them, and values. */
  readonly #handles = new Map<number, number>();
  #within: PathWithin = () => 0;
  #depth = 0;
  readonly #path = new Int32Array(SHORT_LEVELS);
  readonly #beganNs = new Float64Array(SHORT_LEVELS);

  /** Other numbers of names from here on, or the same again. */
  of(handles: { within: PathWithin }): void {
    if (this.#within === handles.within) return;
    this.#within = handles.within;
    this.#handles.clear();
  }

  /** A whole outermost visit. */
  add(value: number, ns: number, lengthNs: number): void {
    const sum = this.regions.get(value);
    if (sum === undefined) this.regions.set(value, { firstNs: ns, visits: 1, ns: lengthNs });
    else {
      sum.visits++;
      sum.ns += lengthNs;
    }
  }

  /** A visit with others nested in it begins: all of its marks follow. */
  enter(value: number, ns: number): void {
    const depth = this.#depth++;
    const path = this.#handle(depth === 0 ? 0 : this.#path[depth - 1], value);
    this.#path[depth] = path;
    this.#beganNs[depth] = ns;
  }

  /** The innermost visit ends. */
  exit(ns: number): void {
    const depth = --this.#depth, lengthNs = Math.max(0, ns - this.#beganNs[depth]);
    if (depth === 0) return;
    const sum = this.#sum(this.#path[depth]);
    sum.count++;
    sum.sumNs += lengthNs;
    sum.sumSquareNs2 += lengthNs * lengthNs;
    sum.selfNs += lengthNs;
    if (lengthNs < sum.minNs) sum.minNs = lengthNs;
    if (lengthNs > sum.maxNs) sum.maxNs = lengthNs;
    this.#sum(this.#path[depth - 1]).selfNs -= lengthNs;
  }

  #handle(parent: number, value: number): number {
    const key = parent * TWO_32 + value;
    let handle = this.#handles.get(key);
    if (handle === undefined) this.#handles.set(key, handle = this.#within(parent, value));
    return handle;
  }

  #sum(path: number): FoldedStats {
    let sum = this.paths.get(path);
    if (sum === undefined) {
      sum = { count: 0, sumNs: 0, sumSquareNs2: 0, minNs: Infinity, maxNs: -Infinity, selfNs: 0 };
      this.paths.set(path, sum);
    }
    return sum;
  }
}

/** The bucket of visits that are taken as equally long. */
export function meanBucket({ count, sumNs }: Readonly<FoldedStats>): number {
  return bucketOf(sumNs / count);
}
