/**
 * Rows of `events.csv` with type and properties of an attribute, before the first row that
 * changes it. docs/reference/formats/recording.md.
 * @module
 */
import type { EventRecord } from "../../core/events/event.ts";
import { DESCRIBING_ROWS, KIND } from "../../core/events/event_kinds.ts";
import { TYPE } from "../../core/events/ring_layout.ts";
import type { PlainRow } from "./path_rows.ts";

/** Types by name, as rows have them; a number stands for itself. */
const TYPES = new Map<string, number>(Object.entries(TYPE));
const TYPE_NAMES = new Map<number, string>(Object.entries(TYPE).map(([name, n]) => [n, name]));

/** Describes attributes whose type or properties were not described yet. */
export class AttributeRowsWriter {
  readonly #known = new Map<string, string>();

  /** Before a change: writes the attribute's row, if it is new. */
  describe({ kind, name, type, properties }: EventRecord, write: (row: PlainRow) => void): void {
    if (kind === KIND.attributeEnd) return;
    const value = `${TYPE_NAMES.get(type) ?? type} ${properties}`;
    if (this.#known.get(name) === value) return;
    this.#known.set(name, value);
    write({ event: DESCRIBING_ROWS.attribute.event, region: name, value });
  }
}

/** The attributes of the rows so far. */
export class AttributeRows {
  readonly #known = new Map<string, { type: number; properties: number }>();

  /** A description. @returns False if it is none. */
  describe(name: string, text: string): boolean {
    const found = /^(\w+) (\d+)$/.exec(text);
    const type = found === null ? NaN : TYPES.get(found[1]) ?? Number(found[1]);
    if (found === null || !Number.isInteger(type)) return false;
    this.#known.set(name, { type, properties: Number(found[2]) });
    return true;
  }

  /** Sets type and properties of a change. @returns False if no row described the attribute. */
  complete(event: EventRecord): boolean {
    const isEnd = event.kind === KIND.attributeEnd;
    const known = isEnd ? { type: 0, properties: 0 } : this.#known.get(event.name);
    if (known === undefined) return false;
    event.type = known.type;
    event.properties = known.properties;
    return true;
  }
}
