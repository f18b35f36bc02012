/**
 * Rows of `events.csv` that are calls of pm_mpi_lib. docs/formats/recording.md.
 * @module
 */
import type { PmEvent } from "../core/event.ts";
import type { RecordedEvent } from "../formats/recording.ts";

/** A row of `events.csv` as a call; `undefined`: none of the library's. */
export function pmEvent(event: RecordedEvent, value: string): PmEvent | undefined {
  const kind = event.startsWith("pm_") ? event.slice(3) : "";
  if (kind !== "open" && kind !== "record" && kind !== "close") return undefined;
  const words = value.trim() === "" ? [] : value.trim().split(/\s+/);
  const number = (i: number, otherwise: number) => {
    const n = Number(words[i] ?? otherwise);
    return Number.isInteger(n) ? n : otherwise;
  };
  return {
    kind,
    version: kind === "open" ? Math.round(10 * (parseFloat(words[0] ?? "") || 0)) : 0,
    step: number(0, 0),
    substep: number(1, 1),
    sync: number(2, 0) !== 0,
    initial: number(3, 0) !== 0,
  };
}
