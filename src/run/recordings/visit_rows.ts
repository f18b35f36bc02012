/**
 * The text after the time in rows of visits: nearly all rows of a recording, and the same few texts
 * again and again. docs/reference/formats/recording.md.
 * @module
 */
import type { EventRecord } from "../../core/events/event.ts";
import { KIND } from "../../core/events/event_kinds.ts";

/** Texts that are kept, a power of two. */
const KEPT_TEXTS = 1024;
/** Process, thread, region, and hint or end of each. */
const PARTS = 4;
const NO_HINT = -1, END = -2;

/** Texts of enters and exits of the program's own regions, by what they are made of. */
export class VisitRows {
  readonly #parts = new Int32Array(KEPT_TEXTS * PARTS);
  readonly #texts: string[] = new Array(KEPT_TEXTS).fill("");

  /** Has this event such a text? */
  static has({ kind, track }: EventRecord): boolean {
    return track === 0 && (kind === KIND.enter || kind === KIND.exit);
  }

  /** The text of an event, made if it is not at hand. */
  text(event: EventRecord, make: (event: EventRecord) => string): string {
    const { process, thread, region } = event;
    const what = event.kind === KIND.exit ? END : event.hint < 0 ? NO_HINT : event.hint;
    const at = (process * 31 + thread * 7 + region * 5 + what) & (KEPT_TEXTS - 1);
    const parts = this.#parts, from = at * PARTS;
    const text = this.#texts[at];
    const is = text !== "" && parts[from] === process && parts[from + 1] === thread &&
      parts[from + 2] === region && parts[from + 3] === what;
    if (is) return text;
    parts[from] = process;
    parts[from + 1] = thread;
    parts[from + 2] = region;
    parts[from + 3] = what;
    return this.#texts[at] = make(event);
  }

  /** Rows have other columns from here on. */
  clear(): void {
    this.#texts.fill("");
  }
}
