/**
 * Bytes that were copied out of rings: records of one turn, and those of earlier turns that wait for the annotations
 * of their time.
 * @module
 */
import { grown } from "../../core/grow.ts";
import type { RecordBytes, RecordUser, RingPiece } from "../../core/record_bytes.ts";

/** Bytes for records that wait: of a ring, 16 KiB stacks of 5 s at 199 Hz; of all rings. */
const RING_WAITING = 1 << 24, ALL_WAITING = 1 << 28;

/** The bytes that were copied. */
export class RecordPool implements RecordBytes {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(1 << 16);
  view: DataView<ArrayBuffer> = new DataView(this.bytes.buffer);
  words: Uint32Array<ArrayBuffer> = new Uint32Array(this.bytes.buffer);
  /** Part of the fullest ring that the last turn emptied; 0: not known. */
  fullest = 0;
  /** Had new records to stay in their rings, because too many waited? */
  wasFull = false;
  #pieces: Omit<RingPiece, "records">[] = [];
  #used = 0;

  /** Begins a turn: records that wait go to the begin of the bytes. */
  protected begin(): void {
    this.#used = 0;
    this.#pieces = this.#pieces.map(({ cpu, from, to }) => {
      const moved = { cpu, from: this.#used, to: this.#used += to - from };
      this.bytes.copyWithin(moved.from, from, to);
      return moved;
    });
  }

  /** Is there room for new records? If too many wait, new ones stay in their rings, which may overflow. */
  protected hasRoom(length: number, rings: number): boolean {
    const most = Math.min(ALL_WAITING, RING_WAITING * rings);
    const hasRoom = this.#used === 0 || this.#used + length <= most;
    this.wasFull ||= !hasRoom;
    return hasRoom;
  }

  /** Makes room for bytes after the ones in use. @returns Their offset. */
  protected reserve(length: number): number {
    const to = this.#used + length;
    if (to > this.bytes.length) {
      const longer = this.bytes = grown(this.bytes, to + 8 - to % 8);
      this.view = new DataView(longer.buffer);
      this.words = new Uint32Array(longer.buffer, 0, longer.length >> 2);
    }
    return this.#used;
  }

  /** Adds records that were copied to the reserved bytes. */
  protected copied(cpu: number, length: number): void {
    this.#pieces.push({ cpu, from: this.#used, to: this.#used += length });
  }

  /** Records up to a moment, which leave the pool; later records wait for the next turn. */
  protected upTo(ns: number, user: RecordUser): RingPiece[] {
    const taken: RingPiece[] = [], waiting: Omit<RingPiece, "records">[] = [];
    for (const { cpu, from, to } of this.#pieces) {
      const end = user.endOf(this, from, to, ns);
      if (end > from) taken.push({ records: this, cpu, from, to: end });
      if (end < to) waiting.push({ cpu, from: end, to });
    }
    this.#pieces = waiting;
    return taken;
  }
}
