/**
 * The journal of a run: what its report would be if its monitor ended now, beside the rings.
 *
 * A report in rows: a frame, the tree, and the regions. An entry writes the rows that changed, each into
 * the older one of its two slots, and then commits them in the older one of two heads. So a
 * monitor that is killed while it writes, at any instruction, leaves the entry before.
 *
 * ```
 * heads, 2 x 64 bytes:  "JMJRNL\0" version | entry u64 | end u64 | FNV-1a of these u32
 * cells from 128 on, to the end in the newest valid head:
 *   capacity u32 | FNV-1a of it u32 | 2 slots, each: entry u64 | bytes u32 | FNV-1a of the bytes u32 | bytes
 * bytes:                kind (F, T, R) | name, LF (F: path of the report; R: the region) | text
 * ```
 *
 * A row that has outgrown its slots gets a larger cell; of rows with one name the newest counts. Space is
 * taken when the file is made, and ahead of need: later there may be none, and then rows that have a place
 * go on. The file is in memory and is removed with the session; who removes a session makes its report
 * first.
 * @module
 */
import { joinReportParts, type ReportParts } from "../../formats/report.ts";
import { closeFile, O, openFile, readWhole } from "../../os/files.ts";
import { errno, type Libc, libc } from "../../os/libc.ts";

const MAGIC = new TextEncoder().encode("JMJRNL\0\x02");
const HEAD_BYTES = 64;
const HEAD_USED = 24;
const CELLS_AT = 2 * HEAD_BYTES;
const CELL_BYTES = 8;
const SLOT_BYTES = 16;
/** First size of the file; it doubles. */
const FILE_BYTES = 256 * 1024;
/** Room of a slot beyond what its first row takes. */
const SLOT_ROOM_FACTOR = 1.25;
const SPARE_BYTES = 64;
const MAX_BYTES = 1 << 30;
/** The name of the first cell's row is in them: the path of the report. */
const FIRST_BYTES = 8 * 1024;
const FILE = "journal";
const LF = 10;
const FRAME = "F".charCodeAt(0);
/** errno(3). */
const EOPNOTSUPP = 95;

interface Cell {
  at: number;
  capacity: number;
  /** Slot with the older text. */
  next: 0 | 1;
}

/** Writes the journal of a session. */
export class Journal implements Disposable {
  readonly #reportPath: string;
  readonly #calls: Pick<Libc, "fallocate" | "pwriteAt">;
  readonly #encoder = new TextEncoder();
  readonly #cells = new Map<string, Cell>();
  #buffer = new Uint8Array(4096);
  /** A cell that is being made. */
  #fresh = new Uint8Array(4096);
  #fd: number;
  /** Bytes of the file, and those that cells take. */
  #size = 0;
  #end = CELLS_AT;
  #entry = 0;

  /**
   * @param reportPath Absolute.
   * @param calls By which the file is written.
   */
  constructor(
    directory: string,
    reportPath: string,
    calls: Pick<Libc, "fallocate" | "pwriteAt"> = libc(),
  ) {
    [this.#reportPath, this.#calls] = [reportPath, calls];
    this.#fd = openFile(`${directory}/${FILE}`, O.RDWR | O.CREAT | O.TRUNC | O.NOFOLLOW, 0o600);
    if (this.#fd >= 0) this.#reach(FILE_BYTES);
  }

  /**
   * Writes an entry: the frame, and what is given of tree and regions; what is not stays as it was.
   *
   * @param names Of the regions, one each.
   */
  write({ frame, regions, tree }: ReportParts, names: readonly string[]): void {
    if (this.#fd < 0) return;
    this.#entry++;
    // If the frame has no room the one before stays, and the entry counts all the same. It stands
    // in front of the others, where journalReportPath() finds it.
    this.#row(`F${this.#reportPath}`, frame);
    regions.forEach((text, i) => this.#row(`R${names[i]}`, text));
    if (tree !== "") this.#row("T", tree);
    const head = new Uint8Array(HEAD_BYTES);
    const view = new DataView(head.buffer);
    head.set(MAGIC);
    view.setBigUint64(8, BigInt(this.#entry), true);
    view.setBigUint64(16, BigInt(this.#end), true);
    view.setUint32(HEAD_USED, fnv(head.subarray(0, HEAD_USED)), true);
    this.#put(head, HEAD_BYTES, this.#entry % 2 * HEAD_BYTES);
  }

  /** The run restarts: nothing before counts. */
  clear(): void {
    if (this.#fd < 0) return;
    // Without a head there is no journal, until the next entry.
    this.#put(new Uint8Array(CELLS_AT), CELLS_AT, 0);
    this.#cells.clear();
    this.#end = CELLS_AT;
  }

  [Symbol.dispose](): void {
    closeFile(this.#fd);
    this.#fd = -1;
  }

  /** @returns False if there is no room for it. */
  #row(name: string, text: string): boolean {
    const most = SLOT_BYTES + 3 * (name.length + text.length + 1);
    if (this.#buffer.length < most) this.#buffer = new Uint8Array(2 * most);
    const buffer = this.#buffer;
    const { written } = this.#encoder.encodeInto(
      `${name.replaceAll("\n", " ")}\n${text}`,
      buffer.subarray(SLOT_BYTES),
    );
    const view = new DataView(buffer.buffer);
    view.setBigUint64(0, BigInt(this.#entry), true);
    view.setUint32(8, written, true);
    view.setUint32(12, fnv(buffer.subarray(SLOT_BYTES, SLOT_BYTES + written)), true);
    const cell = this.#cells.get(name);
    if (cell === undefined || cell.capacity < written) return this.#newCell(name, written);
    const at = cell.at + CELL_BYTES + cell.next * (SLOT_BYTES + cell.capacity);
    cell.next = cell.next === 0 ? 1 : 0;
    return this.#put(buffer, SLOT_BYTES + written, at);
  }

  /** A cell for the slot in the buffer, in one write: there may be very many, and each costs a call. */
  #newCell(name: string, bytes: number): boolean {
    const capacity = 8 * Math.ceil((bytes * SLOT_ROOM_FACTOR + SPARE_BYTES) / 8);
    const size = CELL_BYTES + 2 * (SLOT_BYTES + capacity);
    if (!this.#reach(this.#end + size)) return false;
    if (this.#fresh.length < size) this.#fresh = new Uint8Array(2 * size);
    const fresh = this.#fresh, view = new DataView(fresh.buffer);
    view.setUint32(0, capacity, true);
    view.setUint32(4, fnv(fresh.subarray(0, 4)), true);
    fresh.set(this.#buffer.subarray(0, SLOT_BYTES + bytes), CELL_BYTES);
    // Text of an earlier run that began again does not count: the other slot is empty.
    const other = CELL_BYTES + SLOT_BYTES + capacity;
    fresh.fill(0, CELL_BYTES + SLOT_BYTES + bytes, other + SLOT_BYTES);
    if (!this.#put(fresh, other + SLOT_BYTES, this.#end)) return false;
    this.#cells.set(name, { at: this.#end, capacity, next: 1 });
    this.#end += size;
    return true;
  }

  /** Takes space up to a size. */
  #reach(size: number): boolean {
    if (size <= this.#size) return true;
    const wanted = Math.max(FILE_BYTES, 2 * this.#size, size);
    for (const bytes of [wanted, size]) {
      if (bytes > MAX_BYTES) continue;
      const more = bytes - this.#size;
      const isTaken = this.#calls.fallocate(this.#fd, 0, BigInt(this.#size), BigInt(more)) === 0 ||
        // File systems that take no space unwritten.
        (errno() === EOPNOTSUPP && this.#put(new Uint8Array(more), more, this.#size));
      if (!isTaken) continue;
      this.#size = bytes;
      return true;
    }
    return false;
  }

  #put(bytes: Uint8Array<ArrayBuffer>, size: number, at: number): boolean {
    return Number(this.#calls.pwriteAt(this.#fd, bytes, BigInt(size), BigInt(at))) === size;
  }
}

/** A report as a journal has it. */
export interface Journaled {
  readonly reportPath: string;
  /** Regions in no order. */
  readonly report: string;
}

/** The newest entry of a session's journal; `undefined`: there is none. */
export function readJournal(directory: string): Journaled | undefined {
  const file = readWhole(`${directory}/${FILE}`, MAX_BYTES);
  if (file === undefined || file.length < CELLS_AT) return undefined;
  const heads = [headOf(file, 0), headOf(file, HEAD_BYTES)].filter((head) => head !== undefined)
    .sort((a, b) => b.entry - a.entry);
  if (heads.length === 0) return undefined;
  const [{ entry, end }] = heads;
  const rows = new Map<string, { entry: number; text: string }>();
  for (const bytes of cellsOf(file, end)) {
    const row = slotsOf(bytes).filter((slot) => slot.entry <= entry)
      .sort((a, b) => b.entry - a.entry)[0];
    if (row === undefined) continue;
    const text = new TextDecoder().decode(row.bytes);
    const at = text.indexOf("\n");
    const name = text.slice(0, at);
    if ((rows.get(name)?.entry ?? 0) > row.entry) continue;
    rows.set(name, { entry: row.entry, text: text.slice(at + 1) });
  }
  const frame = [...rows].find(([name]) => name.startsWith("F"));
  if (frame === undefined) return undefined;
  return {
    reportPath: frame[0].slice(1),
    report: joinReportParts({
      frame: frame[1].text,
      regions: [...rows].filter(([name]) => name.startsWith("R")).map(([, { text }]) => text),
      tree: rows.get("T")?.text ?? "",
    }),
  };
}

/**
 * The path of the report of a session's journal, from its first bytes: each run that starts asks for that,
 * of each journal that waits for its directory to come back. `undefined`: it is not among them.
 */
export function journalReportPath(directory: string): string | undefined {
  const file = readWhole(`${directory}/${FILE}`, FIRST_BYTES);
  if (file === undefined || file.length < CELLS_AT) return undefined;
  if (headOf(file, 0) === undefined && headOf(file, HEAD_BYTES) === undefined) return undefined;
  // The frame may be longer than that, but its name is the same in both slots, whatever becomes of the rest.
  const row = file.subarray(CELLS_AT + CELL_BYTES + SLOT_BYTES), end = row.indexOf(LF);
  return row[0] === FRAME && end > 0 ? new TextDecoder().decode(row.subarray(1, end)) : undefined;
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

function fnv(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash >>> 0;
}
