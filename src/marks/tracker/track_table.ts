/**
 * Names of tracks: whose marks a region's begin and end are, "nvtx/solver".
 * @module
 */

/** Handles of tracks by their names. */
export class TrackTable {
  readonly #names: string[] = [""];
  readonly #handles = new Map<string, number>([["", 0]]);

  /** Handle of a name, made when it is new. The program's own marks, "", are 0. */
  add(name: string): number {
    return this.#handles.getOrInsertComputed(name, () => this.#names.push(name) - 1);
  }

  /** Name of a handle; "" for one without a name. */
  name(handle: number): string {
    return this.#names[handle] ?? "";
  }
}
