/**
 * Marks that were not in order, by kind, with the culprits of each: which process and thread, and
 * both regions' names.
 * @module
 */

/** Kinds and texts beyond this are only counted. */
const TEXTS_MAX = 50;

/** One mistake, as often as it was made by the same process, thread and regions. */
export interface Mistake {
  readonly text: string;
  count: number;
}

/** See the module. */
export class Mistakes {
  /** All of them. */
  total = 0;
  readonly #byText = new Map<string, Mistake>();
  /** Those that had no room in the list. */
  #others = 0;

  note(text: string): void {
    this.total++;
    const known = this.#byText.get(text);
    if (known !== undefined) known.count++;
    else if (this.#byText.size < TEXTS_MAX) this.#byText.set(text, { text, count: 1 });
    else this.#others++;
  }

  /** In the order of their first time. */
  get list(): Mistake[] {
    const list = [...this.#byText.values()];
    if (this.#others > 0) {
      list.push({ text: "more of other names and threads", count: this.#others });
    }
    return list;
  }
}
