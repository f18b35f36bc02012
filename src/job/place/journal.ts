/**
 * Writes the journal of a run (`formats/journal.ts`) beside the report that it will have.
 *
 * Space is taken ahead of need: later there may be none, and then rows that have a place go on. At the end of
 * the run the report replaces the file. Of a killed run the file remains, and `recover.ts` makes the report from it.
 * @module
 */
import {
  CELL_BYTES,
  CELLS_AT,
  fnv,
  HEAD_BYTES,
  HEAD_USED,
  MAGIC,
  SLOT_BYTES,
} from "../../formats/journal.ts";
import type { ReportParts } from "../../formats/report.ts";
import { unwritable } from "../../os/files/whole_file.ts";
import { closeFile } from "../../os/files.ts";
import { ERRNO, errno, errorText, type Libc, libc } from "../../os/libc.ts";
import { OutputPlace } from "../../os/output_place.ts";
import { OsError } from "../../os/user_file.ts";

/** First size of the file; it doubles. */
const FILE_BYTES = 32 * 1024;
/** Room of a slot beyond what its first row takes. */
const SLOT_ROOM_FACTOR = 1.25;
const SPARE_BYTES = 64;
const MAX_BYTES = 1 << 30;
/** errno(3). */
const EOPNOTSUPP = 95;

interface Cell {
  at: number;
  capacity: number;
  /** Slot with the older text. */
  next: 0 | 1;
}

/** System calls by which a journal is written. */
export type JournalCalls = Pick<Libc, "fallocate" | "pwriteAt" | "fsync">;

/** Writes a journal. */
export class Journal implements Disposable {
  readonly #session: string;
  readonly #syncs: boolean;
  readonly #calls: JournalCalls;
  readonly #encoder = new TextEncoder();
  readonly #cells = new Map<string, Cell>();
  #buffer = new Uint8Array(4096);
  /** A cell that is being made. */
  #fresh = new Uint8Array(4096);
  /** Place of the file until it has its name. */
  #place: OutputPlace | undefined;
  #fd: number;
  /** Bytes of the file, and those that cells take. */
  #size = 0;
  #end = CELLS_AT;
  #entry = 0;
  /** errno(3) of what failed first in an entry; 0: nothing did. */
  #failure = 0;

  /**
   * @param path It has that name from its first entry on, in place of an older file.
   * @param session Name of the run's session.
   * @param options `syncs`: an entry is on the file server before {@linkcode write} returns. @default false
   * @throws {AccessError} If it cannot be made.
   */
  constructor(
    path: string,
    session: string,
    { syncs = false, calls = libc() }: { syncs?: boolean; calls?: JournalCalls } = {},
  ) {
    [this.#session, this.#syncs, this.#calls] = [session, syncs, calls];
    try {
      this.#place = new OutputPlace(path);
      this.#fd = this.#place.besideByName().release();
    } catch (error) {
      this.#place?.[Symbol.dispose]();
      throw unwritable(path, error);
    }
  }

  /**
   * Writes an entry: the frame, and what is given of tree and regions. Regions that are not given stay as they were.
   *
   * @param names Of the regions, one each.
   * @throws {OsError} If a part of it has no room: then what is there stays as it was, the rest is written.
   */
  write({ frame, regions, tree }: ReportParts, names: readonly string[]): void {
    this.#entry++;
    this.#failure = 0;
    // If the frame has no room the one before stays, and the entry counts all the same.
    const hasFrame = this.#row(`F${this.#session}`, frame);
    regions.forEach((text, i) => this.#row(`R${names[i]}`, text));
    if (tree !== "") this.#row("T", tree);
    const head = new Uint8Array(HEAD_BYTES);
    const view = new DataView(head.buffer);
    head.set(MAGIC);
    view.setBigUint64(8, BigInt(this.#entry), true);
    view.setBigUint64(16, BigInt(this.#end), true);
    view.setUint32(HEAD_USED, fnv(head.subarray(0, HEAD_USED)), true);
    const isCommitted = this.#put(head, HEAD_BYTES, (this.#entry + 1) % 2 * HEAD_BYTES);
    if (hasFrame && isCommitted) this.#name();
    if (this.#syncs && this.#calls.fsync(this.#fd) !== 0) this.#failure ||= errno() || ERRNO.EIO;
    if (this.#failure !== 0) throw new OsError(this.#failure, errorText(this.#failure));
  }

  /** The run restarts: nothing before counts. */
  clear(): void {
    // Without a valid head there is nothing in it, until the next entry.
    const heads = new Uint8Array(CELLS_AT);
    heads.set(MAGIC);
    this.#put(heads, CELLS_AT, 0);
    this.#cells.clear();
    this.#end = CELLS_AT;
  }

  /** Readers see its entry. */
  get isThere(): boolean {
    return this.#place === undefined;
  }

  /** Gives the file its name, with the first entry: readers see none without. */
  #name(): void {
    if (this.#place === undefined) return;
    this.#place.rename();
    this.#place[Symbol.dispose]();
    this.#place = undefined;
  }

  [Symbol.dispose](): void {
    this.#place?.[Symbol.dispose]();
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
    this.#failure ||= ERRNO.ENOSPC;
    return false;
  }

  #put(bytes: Uint8Array<ArrayBuffer>, size: number, at: number): boolean {
    const written = Number(this.#calls.pwriteAt(this.#fd, bytes, BigInt(size), BigInt(at)));
    if (written !== size) this.#failure ||= written < 0 ? errno() || ERRNO.EIO : ERRNO.ENOSPC;
    return written === size;
  }
}
