/**
 * Times of the records of one host that were read: a broker may deliver a record twice.
 *
 * @module
 */

/** Times in microseconds; nearly all of them ascend. */
export class SeenTimes {
  readonly #ascending: number[] = [];
  readonly #others = new Set<number>();

  /** Adds a time. @returns False if it is there already. */
  add(timeUs: number): boolean {
    const last = this.#ascending.at(-1);
    if (last === undefined || timeUs > last) {
      this.#ascending.push(timeUs);
      return true;
    }
    if (this.#hasAscending(timeUs) || this.#others.has(timeUs)) return false;
    this.#others.add(timeUs);
    return true;
  }

  #hasAscending(timeUs: number): boolean {
    let low = 0, high = this.#ascending.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ascending[middle] < timeUs) low = middle + 1;
      else high = middle;
    }
    return this.#ascending[low] === timeUs;
  }
}
