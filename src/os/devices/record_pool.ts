/**
 * Bytes that were copied out of rings, for records of all of them in one turn.
 * @module
 */
import { grown } from "../../core/grow.ts";

/** Records of one ring in these bytes. */
export interface RingPiece {
  /** 0: the ring is no CPU's. */
  readonly cpu: number;
  readonly from: number;
  readonly to: number;
}

/** The bytes, as numbers of several sizes. */
export class RecordPool {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(1 << 16);
  view: DataView<ArrayBuffer> = new DataView(this.bytes.buffer);
  words: Uint32Array<ArrayBuffer> = new Uint32Array(this.bytes.buffer);

  /** Makes room for so many bytes in all. */
  protected reserve(length: number): void {
    if (length <= this.bytes.length) return;
    const longer = grown(this.bytes, length);
    this.bytes = longer;
    this.view = new DataView(longer.buffer);
    this.words = new Uint32Array(longer.buffer, 0, longer.length >> 2);
  }
}
