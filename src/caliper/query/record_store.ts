/**
 * Records that a formatter must hold until it knows its columns: entries in columns of their own,
 * where an object per record would take ten times the room.
 * @module
 */

import { Snapshot } from "../model/snapshot.ts";
import type { ContextTree } from "../model/tree.ts";

/** Entries per chunk; a chunk is never copied. */
const CHUNK_BITS = 14, CHUNK = 1 << CHUNK_BITS;

interface Chunk {
  readonly node: Int32Array;
  readonly immediate: Uint8Array;
  readonly type: Uint8Array;
  readonly num: Float64Array;
}

export class RecordStore {
  readonly #chunks: Chunk[] = [];
  /** Number of entries of each record. */
  readonly #counts: Uint32Array[] = [];
  #records = 0;
  #entries = 0;
  /** Values that are no plain numbers, by number of entry. */
  readonly #others = new Map<number, string | bigint>();

  add(record: Snapshot): void {
    if ((this.#records & CHUNK - 1) === 0) this.#counts.push(new Uint32Array(CHUNK));
    this.#counts[this.#records >>> CHUNK_BITS][this.#records & CHUNK - 1] = record.count;
    this.#records++;
    for (let i = 0; i < record.count; i++) {
      const at = this.#entries++, slot = at & CHUNK - 1;
      if (slot === 0) this.#chunks.push(newChunk());
      const { node, immediate, type, num } = this.#chunks[this.#chunks.length - 1];
      node[slot] = record.node[i];
      immediate[slot] = record.immediate[i];
      if (record.immediate[i] === 0) continue;
      type[slot] = record.type[i];
      num[slot] = record.num[i];
      const other = record.obj[i];
      if (other !== null) this.#others.set(at, other);
    }
  }

  /** All records in their order; each is valid until the next. */
  *records(tree: ContextTree): Generator<Snapshot> {
    const record = new Snapshot();
    let at = 0;
    for (let r = 0; r < this.#records; r++) {
      record.clear();
      const end = at + this.#counts[r >>> CHUNK_BITS][r & CHUNK - 1];
      for (; at < end; at++) {
        const { node, immediate, type, num } = this.#chunks[at >>> CHUNK_BITS];
        const slot = at & CHUNK - 1;
        const other = this.#others.size > 0 ? this.#others.get(at) : undefined;
        if (immediate[slot] === 0) record.pushReference(tree, node[slot]);
        else if (other !== undefined) record.pushValue(node[slot], type[slot], other);
        else record.pushNumber(node[slot], type[slot], num[slot]);
      }
      yield record;
    }
  }
}

function newChunk(): Chunk {
  return {
    node: new Int32Array(CHUNK),
    immediate: new Uint8Array(CHUNK),
    type: new Uint8Array(CHUNK),
    num: new Float64Array(CHUNK),
  };
}
