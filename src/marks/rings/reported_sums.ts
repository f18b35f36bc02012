/**
 * The interposition library's counts, which processes report at their end, one text per kind:
 *
 * ```
 * MPI_Send 100 8000     calls, and bytes that the process handed over by them; with it: peers 3
 * barrier 100 8000      visits of OpenMP's threads, and their ns; with it: threads 4
 * ```
 * @module
 */

/** One kind, over all processes. */
export interface ReportedSum {
  readonly name: string;
  /** Number of calls, within regions too. */
  count: number;
  /** Bytes, or ns. */
  amount: number;
}

/** More names than any standard has. */
const MAX_NAMES = 1000;

/** Adds up the processes' texts. */
export class ReportedSums {
  readonly #sums = new Map<string, ReportedSum>();
  readonly #others: string;
  /** Processes that reported something. */
  processes = 0;
  /** The most others that a process had to do with: peers, threads. */
  mostOthers = 0;

  /** @param others The word of the text before the number of other processes that a process communicated with. */
  constructor(others: string) {
    this.#others = others;
  }

  /** One text of a process. @returns False if it is none of them. */
  add(text: string): boolean {
    const [, name, first, second] = /^(\w+) (\d+)(?: (\d+))?$/.exec(text) ?? [];
    if (name === undefined) return false;
    if (name === this.#others) {
      this.processes++;
      this.mostOthers = Math.max(this.mostOthers, Number(first));
      return true;
    }
    let sum = this.#sums.get(name);
    if (sum === undefined) {
      if (this.#sums.size >= MAX_NAMES) return false;
      this.#sums.set(name, sum = { name, count: 0, amount: 0 });
    }
    sum.count += Number(first);
    sum.amount += Number(second ?? 0);
    return true;
  }

  /** In order of names. */
  get sums(): ReportedSum[] {
    return [...this.#sums.values()].sort((a, b) => a.name < b.name ? -1 : 1);
  }
}
