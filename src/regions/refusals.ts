/**
 * Calls that GEOPM answers with an error: they change nothing, but they are counted.
 * @module
 */

/** One kind of refused call. */
export interface Refusal {
  readonly what: string;
  /** Process that did it first; −1 where none is to blame. */
  readonly firstPid: number;
  count: number;
}

/** See the module. */
export class Refusals {
  /** All refused calls. */
  total = 0;
  /** What the latest one was. */
  last = "";
  readonly #byKind = new Map<string, Refusal>();

  note(what: string, pid: number): void {
    this.total++;
    this.last = what;
    const known = this.#byKind.get(what);
    if (known === undefined) this.#byKind.set(what, { what, firstPid: pid, count: 1 });
    else known.count++;
  }

  get list(): Refusal[] {
    return [...this.#byKind.values()];
  }
}
