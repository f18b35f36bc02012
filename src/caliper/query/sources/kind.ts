/**
 * Kind of an input file, by its first bytes: standard input has no name.
 *
 * ```
 * GEOPM Version: 3.1.0+joulemark.0.1.0      a report; other programs begin with another key
 * # geopm_version: 3.1.0+joulemark.0.1.0    a trace or an event log
 * $hpcperfstats 2.3.5                       raw stats
 * ```
 * Everything else is read as a `.cali` stream, whose reader logs lines that it cannot parse.
 * Readers of the other kinds are loaded when they are needed (`open.ts`).
 * @module
 */

import type { ReadBytes } from "./source.ts";

export type InputKind = "cali" | "report" | "trace" | "rawstats";

/** The header lines of a trace come in any order. */
const KINDS: readonly (readonly [kind: InputKind, begin: RegExp])[] = [
  ["trace", /^# (geopm_version|start_time|profile_name|node_name|agent):/],
  ["rawstats", /^\$[a-z][a-z_]* /],
  // Other programs that write reports again have comments, keys in any order, quotes and tags.
  [
    "report",
    /^(\uFEFF|\xEF\xBB\xBF|%[^\n]*\n|---\s|#[^\n]*\n|!!(map|str)\s|\?\s|[\s{])*["']?(GEOPM Version|Hosts|Profile|Agent|Policy|Start Time)["']?\s*:/,
  ],
  // A report of a run that goes on, or was killed: formats/journal.ts.
  ["report", /^JMJRNL\0/],
  // The text format of GEOPM 1.0 and 1.1.
  ["report", /^#+ geopm /],
];

/** Number of bytes that identify a `.cali` stream and joulemark's own files. */
const MIN_HEAD_BYTES = 24;
/** Bytes in which a report of another program shows. */
const HEAD_BYTES = 4096;
/** Begins every line of a `.cali` stream. */
const RECORD = "__rec=";

/** An input that has to be unpacked first. */
export class PackedInput extends Error {}

/** The kind of an input from its first bytes. */
export function inputKind(head: string): InputKind {
  return KINDS.find(([, begin]) => begin.test(head))?.[0] ?? "cali";
}

/**
 * The kind of an input, and all of its bytes.
 *
 * @param read Gives the bytes; the first are read at once.
 * @throws {PackedInput} If it is packed by gzip.
 */
export function recognised(read: ReadBytes): { kind: InputKind; read: ReadBytes } {
  const first = new Uint8Array(HEAD_BYTES);
  let head: Uint8Array | null = first, filled = 0;
  const text = () => String.fromCharCode(...first.subarray(0, filled));
  const isKnown = () => text().startsWith(RECORD) || inputKind(text()) !== "cali";
  while (filled < MIN_HEAD_BYTES || filled < HEAD_BYTES && !isKnown()) {
    const count = read(
      first.subarray(filled, filled < MIN_HEAD_BYTES ? MIN_HEAD_BYTES : HEAD_BYTES),
    );
    if (count === null) break;
    filled += count;
  }
  if (filled >= 2 && head[0] === 0x1f && head[1] === 0x8b) throw new PackedInput();
  const kind = inputKind(text());
  const all: ReadBytes = (into) => {
    if (head === null) return read(into);
    const count = Math.min(filled, into.length);
    into.set(head.subarray(0, count));
    head = count < filled ? head.subarray(count) : null;
    filled -= count;
    // An empty input ends at once.
    return count > 0 ? count : read(into);
  };
  return { kind, read: all };
}
