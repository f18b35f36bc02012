/**
 * Clocks of a job's nodes, against one that all of them share: the file server's. Each node writes a
 * small file beside its part, at its start and at its end, and notes its own clock before and after,
 * and the time that the file got. Between the two the server's clock was at that time.
 *
 * So a node's offset is known to half of what the writing took, and again at the end: what changed
 * in between is drift. On a local disk the server is the node itself, and the offset is 0.
 * @module
 */
import { rounded } from "../../core/number_format.ts";
import type { Nested } from "../../core/report.ts";

/** One writing: the node's clock before and after it, the file's time; seconds since 1970. */
export interface ClockPair {
  readonly beforeS: number;
  readonly afterS: number;
  readonly sharedS: number;
}

/** Clock pairs of a node. */
export interface ClockFacts {
  readonly host: string;
  readonly clocks: readonly ClockPair[];
}

/** A node's clock minus the shared one. */
export interface ClockOffset {
  readonly host: string;
  readonly offsetS: number;
  /** The offset is known to this: half of the slowest writing, and the change over the job. */
  readonly residualS: number;
}

/** File times have a resolution; offsets below it mean nothing. */
const GRAIN_S = 0.01;
/** A clock that is off by more is named. */
const WORTH_NAMING_S = 0.5;

/** Offsets of the nodes that noted any pair. */
export function clockOffsets(facts: readonly ClockFacts[]): ClockOffset[] {
  return facts.filter(({ clocks }) => clocks.length > 0).map(({ host, clocks: pairs }) => {
    const offsets = pairs.map((p) => (p.beforeS + p.afterS) / 2 - p.sharedS);
    const half = Math.max(...pairs.map((p) => (p.afterS - p.beforeS) / 2));
    const drift = Math.max(...offsets) - Math.min(...offsets);
    const offsetS = offsets.reduce((sum, o) => sum + o, 0) / offsets.length;
    return { host, offsetS, residualS: Math.max(half, GRAIN_S) + drift };
  });
}

/** For the report: the spread, the residual, and which hosts are off. `undefined`: no host has notes. */
export function clockNotes(facts: readonly ClockFacts[]): { [key: string]: Nested } | undefined {
  const offsets = clockOffsets(facts).sort((a, b) => a.host < b.host ? -1 : 1);
  if (offsets.length === 0) return undefined;
  const all = offsets.map(({ offsetS }) => offsetS);
  const notes: { [key: string]: Nested } = {
    reference: "times of files in the directory of the parts",
    "residual (s)": rounded(Math.max(...offsets.map((o) => o.residualS)), 3),
    "spread (s)": rounded(Math.max(...all) - Math.min(...all), 3),
  };
  const off = offsets.filter((o) => Math.abs(o.offsetS) > WORTH_NAMING_S + o.residualS);
  if (off.length > 0) notes.off = off.slice(0, 100).map(clockLine);
  return notes;
}

/** `n2: its clock is 3600 s ahead (known to 0.01 s)`. */
export function clockLine({ host, offsetS, residualS }: ClockOffset): string {
  const size = Math.abs(offsetS).toPrecision(4);
  const side = offsetS > 0 ? "ahead" : "behind";
  return `${host}: its clock is ${size} s ${side} (known to ${residualS.toPrecision(2)} s)`;
}
