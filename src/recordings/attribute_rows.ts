/**
 * Rows of `events.csv` about attributes: `attribute` tells type and properties, `begin`, `set` and
 * `end` change the value. docs/formats/recording.md.
 * @module
 */
import type { AttributeEvent, EventSink } from "../core/event.ts";
import { TYPE } from "../core/ring_layout.ts";

/** Types by name, as rows have them; a number stands for itself. */
const TYPES = new Map<string, number>(Object.entries(TYPE));

/** What rows have told about attributes so far. */
export class AttributeRows {
  readonly #known = new Map<string, { type: number; properties: number }>();

  /** Takes the description of an attribute. @returns False where it is none. */
  describe(name: string, text: string): boolean {
    const found = /^(\w+) (\d+)$/.exec(text);
    const type = found === null ? NaN : TYPES.get(found[1]) ?? Number(found[1]);
    if (found === null || !Number.isInteger(type)) return false;
    this.#known.set(name, { type, properties: Number(found[2]) });
    return true;
  }

  /** Tells a change. @returns False where nothing described the attribute. */
  tell(
    sink: Pick<EventSink, "attribute">,
    at: { timeS: number; process: number; thread: number },
    kind: AttributeEvent["kind"],
    { name, value }: { name: string; value: string },
  ): boolean {
    const known = this.#known.get(name);
    if (known === undefined && kind !== "end") return false;
    const { type, properties } = kind === "end" || known === undefined
      ? { type: 0, properties: 0 }
      : known;
    sink.attribute?.(at.timeS, at.process, at.thread, { kind, name, type, properties, value });
    return true;
  }
}
