/** What follows a run beside the tracker: every event, and every settled sample. */
import type { EventSink } from "../core/event.ts";
import type { Batch } from "./batch.ts";

/** Receives every event, and the batch of every settled sample. */
export interface StepListener extends EventSink {
  samples(timeS: number, batch: Batch): void;
}
