/**
 * Counted problems: by kind and by subject, with the first example of each. One class for readers'
 * values, application marks, refused calls, recordings and raw stats files.
 * @module
 */

/** One kind of trouble with one subject. */
export interface Diagnostic {
  /** Subject of the problem: a signal, a file; empty for the whole run. */
  readonly subject: string;
  /** `reset`, `stall`, `error`, …, or the whole phrase if there is no shorter word. */
  readonly kind: string;
  /** The first example, in words. */
  readonly text: string;
  /** Place of the first case: a line of the file, a process's number; −1 if there is no place. */
  readonly at: number;
  /** Number of cases. */
  count: number;
}

/** Options of {@linkcode Diagnostics}. */
export interface DiagnosticsOptions {
  /** Entries beyond this are only counted, in a last entry of their own. @default no limit */
  readonly maxEntries?: number;
  /** The kind of that last entry. */
  readonly others?: string;
}

/**
 * A list that grows by kind and subject. The first of a kind allocates its entry; from then on only a
 * number grows, so a source that fails at every sample costs nothing.
 *
 * @example
 * ```ts
 * import { Diagnostics } from "joulemark";
 *
 * const diagnostics = new Diagnostics();
 * for (const line of [3, 4]) diagnostics.add("a.csv", "row left out", "2 fields", line);
 * const [{ count, at }] = diagnostics.list;
 * if (count !== 2 || at !== 3) throw new Error("expected the first of two");
 * ```
 */
export class Diagnostics {
  /** All that were counted. */
  total = 0;
  /** Kind of the latest one. */
  last = "";
  readonly #entries: Diagnostic[] = [];
  readonly #maxEntries: number;
  readonly #others: string;
  #beyond = 0;

  /** An empty list. @param options A limit, for subjects that an application can make up. */
  constructor({ maxEntries = Infinity, others = "more of other kinds" }: DiagnosticsOptions = {}) {
    this.#maxEntries = maxEntries;
    this.#others = others;
  }

  /** Counts one more of a known kind; `false`: the kind is new, describe it by {@linkcode add}. */
  again(subject: string, kind: string): boolean {
    const entries = this.#entries;
    for (let i = 0; i < entries.length; i++) {
      if (entries[i].kind === kind && entries[i].subject === subject) {
        entries[i].count++;
        this.total++;
        this.last = kind;
        return true;
      }
    }
    return false;
  }

  /** Counts one, and keeps its text and place if it is the first of its kind. */
  add(subject: string, kind: string, text = "", at = -1): void {
    if (this.again(subject, kind)) return;
    this.total++;
    this.last = kind;
    if (this.#entries.length < this.#maxEntries) {
      this.#entries.push({ subject, kind, text, at, count: 1 });
    } else this.#beyond++;
  }

  /** Number of cases of a kind, 0 for none. */
  countOf(subject: string, kind: string): number {
    return this.#entries.find((e) => e.kind === kind && e.subject === subject)?.count ?? 0;
  }

  /** In the order of their first time. */
  get list(): Diagnostic[] {
    if (this.#beyond === 0) return this.#entries;
    const others = { subject: "", kind: this.#others, text: "", at: -1, count: this.#beyond };
    return [...this.#entries, others];
  }
}
