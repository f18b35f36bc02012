/**
 * What collating a PMC log needs of recordings: which ranks the nodes have, and when their clocks
 * stood at 0.
 * @module
 */
import type { PmEvent } from "../../core/event.ts";
import type { RecordedEvent, Recording } from "../../formats/recording.ts";
import type { NodeSteps } from "../../merge/steps.ts";
import type { PmcRecorder } from "./recorder.ts";

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

/** A replayed node's steps. */
export function nodeSteps(recording: Recording, recorder: PmcRecorder): NodeSteps {
  const records = recorder.records(epochSeconds(recording.startTime));
  return { host: recording.host, rank: 0, records };
}

/**
 * Ranks of nodes in the order of the job: blocks as large as each node's count of processes. Process
 * numbers that begin at 0 are no pids but ranks already.
 *
 * @param pids Of each node's processes.
 */
export function nodeRanks(pids: readonly (readonly number[])[]): number[] {
  const all = pids.flat();
  if (all.includes(0) && new Set(all).size === all.length) {
    return pids.map((own) => Math.min(...own));
  }
  let next = 0;
  return pids.map((own) => {
    const rank = next;
    next += Math.max(1, own.length);
    return rank;
  });
}

/** `2024-10-24T08:00:00.123456789-0700` in seconds since the epoch; 0 where it is no such text. */
export function epochSeconds(startTime: string): number {
  const found = /^(.{19})(\.[0-9]+)?([+-][0-9]{2}):?([0-9]{2})$/.exec(startTime);
  if (found === null) return 0;
  const whole = Date.parse(`${found[1]}${found[3]}:${found[4]}`) / 1000;
  return Number.isFinite(whole) ? whole + Number(found[2] ?? 0) : 0;
}
