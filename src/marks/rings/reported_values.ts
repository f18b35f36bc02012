/**
 * Values of events that programs trigger, TAU's user events and their kin: the intercepting library
 * adds them up, and each process reports them at its end, one text per event:
 *
 * ```
 * 3 0 3 4.5 11.25 tau bytes sent     count, minimum, maximum, sum, sum of squares, API, name
 * ```
 * @module
 */

/** The values of one event, over all processes. */
export interface ReportedValue {
  readonly name: string;
  readonly track: string;
  count: number;
  least: number;
  most: number;
  sum: number;
  squares: number;
}

/** A broken process can make up any number of names. */
const MAX_NAMES = 10_000;

const TEXT = /^(\d+) (\S+) (\S+) (\S+) (\S+) (\w+) (.+)$/s;

/** Puts the processes' texts together. */
export class ReportedValues {
  readonly #values = new Map<string, ReportedValue>();

  /** One text of a process. @returns False if it is none. */
  add(text: string): boolean {
    const found = TEXT.exec(text);
    if (found === null) return false;
    const [count, least, most, sum, squares] = found.slice(1, 6).map(Number);
    const [track, name] = found.slice(6);
    if (!(count > 0) || !(least <= most) || Number.isNaN(sum) || !(squares >= 0)) return false;
    const key = `${track} ${name}`, value = this.#values.get(key);
    if (value === undefined) {
      if (this.#values.size >= MAX_NAMES) return false;
      this.#values.set(key, { name, track, count, least, most, sum, squares });
      return true;
    }
    value.count += count;
    value.least = Math.min(value.least, least);
    value.most = Math.max(value.most, most);
    value.sum += sum;
    value.squares += squares;
    return true;
  }

  /** In order of names. */
  get values(): ReportedValue[] {
    return [...this.#values.values()].sort((a, b) =>
      a.name < b.name ? -1 : a.name > b.name ? 1 : a.track < b.track ? -1 : 1
    );
  }
}
