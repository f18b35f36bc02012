/**
 * Records that a formatter must hold until it knows its columns: entries in columns of their own,
 * while an object per record would take ten times the room.
 * @module
 */

import { Snapshot } from "../model/snapshot.ts";

/** Entries per chunk; a chunk is never copied. */
const CHUNK_BITS = 14, CHUNK = 1 << CHUNK_BITS;
/** Kind of a reference; that of an immediate is its type. */
const REFERENCE = 255;

interface Chunk {
  readonly node: Int32Array;
  readonly kind: Uint8Array;
  readonly num: Float64Array;
}

export class RecordStore {
  /** Number of records. */
  count = 0;
  readonly #chunks: Chunk[] = [];
  /** Number of the entry behind each record. */
  readonly #ends: Float64Array[] = [];
  #entries = 0;
  /** Values that are no plain numbers, by number of entry. */
  readonly #others = new Map<number, string | bigint>();
  readonly #record = new Snapshot();

  add(record: Snapshot): void {
    let chunk = this.#chunks[this.#chunks.length - 1];
    for (let i = 0; i < record.count; i++) {
      const at = this.#entries++, slot = at & CHUNK - 1;
      if (slot === 0) this.#chunks.push(chunk = newChunk());
      const { node, kind, num } = chunk;
      node[slot] = record.node[i];
      if (record.immediate[i] === 0) {
        kind[slot] = REFERENCE;
        continue;
      }
      kind[slot] = record.type[i];
      num[slot] = record.num[i];
      const other = record.obj[i];
      if (other !== null) this.#others.set(at, other);
    }
    const slot = this.count & CHUNK - 1;
    if (slot === 0) this.#ends.push(new Float64Array(CHUNK));
    this.#ends[this.#ends.length - 1][slot] = this.#entries;
    this.count++;
  }

  /** The record of this number, from 0; valid until the next. */
  record(number: number): Snapshot {
    const record = this.#record, end = this.#endOf(number);
    record.clear();
    for (let at = this.#endOf(number - 1); at < end; at++) {
      const { node, kind, num } = this.#chunks[Math.floor(at / CHUNK)], slot = at & CHUNK - 1;
      const other = this.#others.size > 0 ? this.#others.get(at) : undefined;
      if (kind[slot] === REFERENCE) record.pushNode(node[slot]);
      else if (other !== undefined) record.pushValue(node[slot], kind[slot], other);
      else record.pushNumber(node[slot], kind[slot], num[slot]);
    }
    return record;
  }

  #endOf(number: number): number {
    return number < 0 ? 0 : this.#ends[number >>> CHUNK_BITS][number & CHUNK - 1];
  }
}

function newChunk(): Chunk {
  return {
    node: new Int32Array(CHUNK),
    kind: new Uint8Array(CHUNK),
    num: new Float64Array(CHUNK),
  };
}
