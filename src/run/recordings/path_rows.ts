/**
 * Rows of `events.csv` that define paths, before the first row that names one.
 * docs/reference/formats/recording.md.
 * @module
 */
import type { EventSink } from "../../core/events/event.ts";
import { DESCRIBING_ROWS } from "../../core/events/event_kinds.ts";
import { type PathTable, ROOT } from "../../core/path_stats.ts";

/** A row without time and process; what is left out is empty. */
export interface PlainRow {
  readonly event: string;
  readonly region?: string;
  readonly value?: string;
  readonly thread?: number;
  readonly track?: string;
  readonly span?: number;
}

/** Describes paths that were not described yet. */
export class PathRowsWriter {
  readonly #paths: PathTable;
  readonly #known = new Set<number>([ROOT]);

  constructor(paths: PathTable) {
    this.#paths = paths;
  }

  /** Writes the rows of a path, and those of its parents, once. */
  describe(path: number, write: (row: PlainRow) => void): void {
    if (this.#known.has(path)) return;
    this.#known.add(path);
    const paths = this.#paths, parent = paths.parent(path), attribute = paths.attribute(path);
    this.describe(parent, write);
    const value = `${path} ${parent}${attribute === "" ? "" : ` ${attribute}`}`;
    const { event } = DESCRIBING_ROWS.path;
    write({ event, region: paths.name(path), value, track: paths.track(path) });
  }
}

/** Reads the descriptions back. */
export class PathRows {
  /** Handles of the sink by the recording's numbers. */
  readonly #handles = new Map<number, number>([[ROOT, ROOT]]);

  /** The sink's handle of a path; `undefined`: no row described it. */
  handle(path: number): number | undefined {
    return this.#handles.get(path);
  }

  /** A description. @returns False if its value makes no sense. */
  describe(
    sink: Pick<EventSink, "regionPath">,
    { region, value, track }: { region: string; value: string; track: string },
  ): boolean {
    const found = /^(\d+) (\d+)(?: (.*))?$/.exec(value);
    const parent = this.#handles.get(Number(found?.[2]));
    if (found === null || parent === undefined) return false;
    const handle = sink.regionPath(parent, region, track, found[3] ?? "");
    this.#handles.set(Number(found[1]), handle);
    return true;
  }
}
