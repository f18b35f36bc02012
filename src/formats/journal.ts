/**
 * The journal of a run, `REPORT.partial`: what its report would be if its monitor ended now.
 *
 * A report in rows: a frame, the tree, and the regions. An entry writes the rows that changed, each into
 * the older one of its two slots, and then commits them in the older one of two heads. So a
 * monitor that is killed while it writes, at any instruction, leaves the entry before.
 *
 * ```
 * heads, 2 x 64 bytes:  "JMJRNL\0" version | entry u64 | end u64 | FNV-1a of these u32
 * cells from 128 on, to the end in the newest valid head:
 *   capacity u32 | FNV-1a of it u32 | 2 slots, each: entry u64 | bytes u32 | FNV-1a of the bytes u32 | bytes
 * bytes:                kind (F, T, R) | name, LF (F: session of the run; R: the region) | text
 * ```
 *
 * Of rows with one name the newest counts: a row that has outgrown its slots got a larger cell. A tree counts
 * only with the frame of its entry: beside later times it would be wrong.
 * @module
 */
import { joinReportParts } from "./report.ts";

/** Begins a head; the last byte is the version. */
export const MAGIC = new TextEncoder().encode("JMJRNL\0\x03");
/** Bytes of a head, and those of them that its checksum covers. */
export const HEAD_BYTES = 64, HEAD_USED = 24;
/** Offset of the first cell. */
export const CELLS_AT = 2 * HEAD_BYTES;
/** Bytes of a cell and of a slot before their content. */
export const CELL_BYTES = 8, SLOT_BYTES = 16;

const decoder = new TextDecoder();

/** A report as a journal has it. */
export interface Journaled {
  /** Name of the run's session. */
  readonly session: string;
  /** Regions in no order. */
  readonly report: string;
}

/** The newest entry of a journal; `undefined`: there is none. */
export function parseJournal(file: Uint8Array): Journaled | undefined {
  if (file.length < CELLS_AT) return undefined;
  const heads = [headOf(file, 0), headOf(file, HEAD_BYTES)].filter((head) => head !== undefined)
    .sort((a, b) => b.entry - a.entry);
  if (heads.length === 0) return undefined;
  const [{ entry, end }] = heads;
  const rows = new Map<string, { entry: number; text: string }>();
  for (const bytes of cellsOf(file, end)) {
    const row = slotsOf(bytes).filter((slot) => slot.entry <= entry)
      .sort((a, b) => b.entry - a.entry)[0];
    if (row === undefined) continue;
    const text = decoder.decode(row.bytes);
    const at = text.indexOf("\n");
    const name = text.slice(0, at);
    if ((rows.get(name)?.entry ?? 0) > row.entry) continue;
    rows.set(name, { entry: row.entry, text: text.slice(at + 1) });
  }
  const frame = [...rows].find(([name]) => name.startsWith("F"));
  if (frame === undefined) return undefined;
  const tree = rows.get("T");
  return {
    session: frame[0].slice(1),
    report: joinReportParts({
      frame: frame[1].text,
      regions: [...rows].filter(([name]) => name.startsWith("R")).map(([, { text }]) => text),
      tree: tree?.entry === frame[1].entry ? tree.text : "",
    }),
  };
}

/** Text of a report from the bytes of its file: of a journal its newest entry; "" if it has none. */
export function reportText(file: Uint8Array): string {
  const isJournal = MAGIC.every((byte, i) => file[i] === byte);
  return isJournal ? parseJournal(file)?.report ?? "" : decoder.decode(file);
}

function headOf(file: Uint8Array, at: number): { entry: number; end: number } | undefined {
  const head = file.subarray(at, at + HEAD_BYTES);
  const view = viewOf(head);
  if (!MAGIC.every((byte, i) => head[i] === byte)) return undefined;
  if (view.getUint32(HEAD_USED, true) !== fnv(head.subarray(0, HEAD_USED))) return undefined;
  return { entry: Number(view.getBigUint64(8, true)), end: Number(view.getBigUint64(16, true)) };
}

function* cellsOf(file: Uint8Array, end: number): Generator<Uint8Array> {
  for (let at = CELLS_AT; at + CELL_BYTES <= Math.min(end, file.length);) {
    const view = viewOf(file.subarray(at, at + CELL_BYTES));
    const capacity = view.getUint32(0, true);
    if (view.getUint32(4, true) !== fnv(file.subarray(at, at + 4))) return;
    const size = CELL_BYTES + 2 * (SLOT_BYTES + capacity);
    if (at + size > file.length) return;
    yield file.subarray(at + CELL_BYTES, at + size);
    at += size;
  }
}

/** The sound ones of a cell. */
function slotsOf(cell: Uint8Array): { entry: number; bytes: Uint8Array }[] {
  const half = cell.length >> 1;
  return [cell.subarray(0, half), cell.subarray(half)].flatMap((slot) => {
    const view = viewOf(slot);
    const entry = Number(view.getBigUint64(0, true));
    const bytes = slot.subarray(SLOT_BYTES, SLOT_BYTES + view.getUint32(8, true));
    return entry > 0 && view.getUint32(12, true) === fnv(bytes) ? [{ entry, bytes }] : [];
  });
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** FNV-1a of 32 bits. */
export function fnv(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash >>> 0;
}
