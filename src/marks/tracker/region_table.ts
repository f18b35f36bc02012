/**
 * Names of regions, node-wide: one small handle for each, with its hash.
 * @module
 */
import { HASH_UNMARKED, regionHash } from "../../core/hash.ts";

/** The names of a run's regions. Handles count from 0 in order of registration. */
export class RegionTable {
  readonly #handles = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #hashes: number[] = [];
  /** By hash, and by handle: the first handle with this hash. */
  readonly #firstOf = new Map<number, number>();
  readonly #firsts: number[] = [];

  /** Number of names. */
  get length(): number {
    return this.#names.length;
  }

  /** The handle of a name, made when it is new. */
  add(name: string): number {
    const handle = this.#handles.getOrInsert(name, this.#names.length);
    if (handle < this.#names.length) return handle;
    this.#names.push(name);
    // The marker calls turn the empty name's hash, 0, into "unmarked".
    const hash = regionHash(name) || HASH_UNMARKED;
    this.#hashes.push(hash);
    this.#firsts.push(this.#firstOf.getOrInsert(hash, handle));
    return handle;
  }

  /** The handle of a name, −1 when it is not registered. */
  find(name: string): number {
    return this.#handles.get(name) ?? -1;
  }

  name(handle: number): string {
    return this.#names[handle];
  }

  hash(handle: number): number {
    return this.#hashes[handle];
  }

  /** The first handle with the same hash: GEOPM adds up what has one hash. */
  first(handle: number): number {
    return this.#firsts[handle];
  }
}
