/**
 * `rawDeltas`: the differences of a raw stats file as plain data, for programs.
 *
 * @module
 */
import type { FormatError } from "../../core/errors.ts";
import { type RawStats, stringifyRawStats } from "../format/rawstats.ts";
import { RawScanner } from "../format/scanner.ts";
import { SeenTimes } from "../format/seen_times.ts";
import type { RawKind } from "../format/schema.ts";
import type { RawCorrection } from "./differ.ts";
import { JobFilter, RawNode } from "./node.ts";
import { RawOutline } from "./outline.ts";
import type { Exact } from "./exact.ts";
import { type KeySeries, NodeSeries } from "./series.ts";

/** One key of one device over time; one entry per time, `undefined` if there is none. */
export interface RawDeltaSeries {
  /** Unit without its factor: `512B` gives `B`. */
  readonly unit: string;
  /** Value of one count in `unit`. */
  readonly scale: number;
  /** Counter or gauge. */
  readonly kind: RawKind;
  /** In counts: numbers below 2^53, bigints from there on. */
  readonly raw: readonly (Exact | undefined)[];
  /** In `unit`, since the sample before; nothing at all for gauges and control registers. */
  readonly delta: readonly (Exact | undefined)[] | undefined;
}

/** Result of `rawDeltas`. */
export interface RawDeltas {
  /** The host that the files are of. */
  readonly host: string;
  /** Seconds since the epoch. */
  readonly times: readonly number[];
  /** By type, device and key. */
  readonly series: Readonly<Record<string, Record<string, Record<string, RawDeltaSeries>>>>;
  /** Every step backwards, as it was taken. */
  readonly corrections: readonly RawCorrection[];
  /** Errors in the file; the rest was read. */
  readonly errors: readonly FormatError[];
}

/** Options of {@link rawDeltas}. */
export interface RawDeltaOptions {
  /** Job whose samples are read, its first one as the baseline. @default all */
  readonly job?: string;
  /** For messages. @default "raw stats" */
  readonly path?: string;
}

/**
 * Differences the counters of one node: wraps at the declared width are added up, dips repaired,
 * resets distinguished from both, gauges not changed. Exact to 64 bits. Never throws.
 *
 * @param data Text or bytes of a raw stats file, not compressed, or what `parseRawStats` gave.
 * @see judgeStep for the rules
 *
 * @example
 * ```ts
 * import { rawDeltas } from "./deltas.ts";
 * const text = "$hpcperfstats 2.3.5\n!x a,E,W=32\n\n1.0 - h\nx 0 4294967290\n\n2.0 - h\nx 0 4\n";
 * console.log(rawDeltas(text).series.x["0"].a.delta); // [undefined, 10]
 * ```
 */
export function rawDeltas(
  data: string | Uint8Array | RawStats,
  { job, path = "raw stats" }: RawDeltaOptions = {},
): RawDeltas {
  const errors: FormatError[] = [];
  let host = "";
  const listeners: JobFilter[] = [];
  const bytes = bytesOf(data);
  const outline = new RawOutline(path);
  outline.push(bytes);
  const withEnd = new Set(outline.end().flatMap((part) => part.withEnd));
  if (outline.refusal !== undefined) {
    return { host, times: [], series: {}, corrections: [], errors: [outline.refusal] };
  }
  const node = new RawNode("", listeners, { withEnd });
  const collected = new NodeSeries("");
  listeners.push(new JobFilter(job, collected));
  const handler = node.startFile((error) => void errors.push(error));
  const seen = new SeenTimes();
  const scanner = new RawScanner(path, {
    ...handler,
    property(name, value) {
      if (name === "hostname") host = value;
    },
  }, () => seen);
  scanner.push(bytes);
  scanner.end();
  node.endSample();
  // by entries: a file may call a device anything, "__proto__" too
  const series = Object.fromEntries(
    [...collected.types].sort(([a], [b]) => a < b ? -1 : 1).map(([type, devices]) => [
      type,
      Object.fromEntries([...devices].map(([device, keys]) => [
        device,
        Object.fromEntries(
          [...keys].map(([name, key]) => [name, seriesOf(collected.times.length, key)]),
        ),
      ])),
    ]),
  );
  const times = collected.times.map((us) => us / 1e6);
  return { host, times, series, corrections: collected.corrections, errors };
}

/** @param count Times of the node. */
function seriesOf(count: number, { key, unit, first, raw, delta }: KeySeries): RawDeltaSeries {
  const list = (values: readonly Exact[]) => {
    const all = new Array<Exact | undefined>(count).fill(undefined);
    values.forEach((value, i) => {
      if (value === value) all[first + i] = value;
    });
    return all;
  };
  return {
    unit: unit.name,
    scale: unit.scale,
    kind: key.kind,
    raw: list(raw),
    delta: key.kind === "event" ? list(delta) : undefined,
  };
}

function bytesOf(data: string | Uint8Array | RawStats): Uint8Array {
  if (data instanceof Uint8Array) return data;
  return new TextEncoder().encode(typeof data === "string" ? data : stringifyRawStats(data));
}
