/**
 * What went wrong with a reader's values, counted by signal and kind.
 *
 * The first of a kind allocates its entry; from then on only a number grows, so a source that
 * fails at every tick costs nothing.
 * @module
 */
import type { Trouble } from "./signal.ts";

/** A growing list of troubles. */
export class Troubles {
  readonly list: Trouble[] = [];

  /** Counts one more of a known trouble; `false`: it is new, say why by `add`. */
  again(signal: string, kind: string): boolean {
    const list = this.list;
    for (let i = 0; i < list.length; i++) {
      if (list[i].signal === signal && list[i].kind === kind) {
        list[i].count++;
        return true;
      }
    }
    return false;
  }

  /** Adds the first of a kind. */
  add(signal: string, kind: string, reason: string): void {
    if (!this.again(signal, kind)) this.list.push({ signal, kind, reason, count: 1 });
  }
}
