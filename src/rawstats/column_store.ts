/**
 * Columns of counters in little memory: most of them grow by small steps, or not at all, so a value
 * is kept as the step from the one before, one byte or a few.
 *
 * Chunks of all columns lie in common slabs. When the store has taken as much as it may, it goes on
 * counting bytes and keeps none: whoever filled it knows then how much there is, and asks again for
 * a part of the columns at a time.
 * @module
 */

const SLAB_BYTES = 1 << 20;
const CHUNK_BYTES = 256;
const CHUNKS = SLAB_BYTES / CHUNK_BYTES;
/** What a column costs beside its chunks, about. */
const COLUMN_BYTES = 256;

/** Columns of 64-bit counters, packed. */
export class ColumnStore {
  /** Bytes taken, those of columns that were given up included. */
  #taken = 0;
  #full = false;
  readonly #slabs: Uint8Array[] = [];
  #chunks = 0;

  #limit: number;

  /** @param limit Bytes that it may take. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Did something have no room? Then no column can be read. */
  get isFull(): boolean {
    return this.#full;
  }

  /** Forgets all columns; their memory goes to the next ones. */
  reset(limit: number): void {
    this.#limit = limit;
    this.#taken = this.#chunks = 0;
    this.#full = false;
  }

  /** A new column. */
  column(): Column {
    this.#charge(COLUMN_BYTES);
    return new Column(this);
  }

  /** A chunk's number; −1 where there is no room. */
  take(): number {
    this.#charge(CHUNK_BYTES);
    if (this.#full) return -1;
    if (this.#chunks === this.#slabs.length * CHUNKS) this.#slabs.push(new Uint8Array(SLAB_BYTES));
    return this.#chunks++;
  }

  /** The slab of a chunk, and where the chunk begins in it. */
  slab(chunk: number): Uint8Array {
    return this.#slabs[Math.floor(chunk / CHUNKS)];
  }

  #charge(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken > this.#limit) this.#full = true;
  }
}

/** Where bytes go that are only counted. */
const nowhere = new Uint8Array(CHUNK_BYTES);

/** Whole numbers from 0 to 2^53, in the order in which they were appended. */
export class Column {
  readonly chunks: number[] = [];
  #slab: Uint8Array = nowhere;
  #at = CHUNK_BYTES;
  #end = CHUNK_BYTES;
  #before = 0;
  #began = CHUNK_BYTES;

  constructor(readonly store: ColumnStore) {}

  /** Bytes appended. */
  get size(): number {
    return this.#before + this.#at - this.#began;
  }

  /** Appends a number. */
  append(value: number): void {
    while (value >= 128) {
      // whole numbers of 32 bits are quicker
      if (value < 2147483648) {
        this.byte(value & 127 | 128);
        value >>>= 7;
      } else {
        const above = Math.floor(value / 128);
        this.byte(value - above * 128 + 128);
        value = above;
      }
    }
    this.byte(value);
  }

  /** Appends one byte. */
  byte(value: number): void {
    if (this.#at === this.#end) this.#next();
    this.#slab[this.#at++] = value;
  }

  #next(): void {
    this.#before += this.#at - this.#began;
    const chunk = this.store.take();
    if (chunk < 0) {
      this.#slab = nowhere;
      this.#began = 0;
    } else {
      this.chunks.push(chunk);
      this.#slab = this.store.slab(chunk);
      this.#began = (chunk % CHUNKS) * CHUNK_BYTES;
    }
    this.#at = this.#began;
    this.#end = this.#began + CHUNK_BYTES;
  }
}

/** Reads a column from its beginning on. */
export class ColumnReader {
  #slab: Uint8Array = nowhere;
  #at = 0;
  #end = 0;
  #chunk = 0;

  constructor(readonly column: Column) {}

  /** The next number. */
  next(): number {
    let byte = this.byte();
    if (byte < 128) return byte;
    let value = byte & 127;
    let factor = 128;
    do {
      byte = this.byte();
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte >= 128);
    return value;
  }

  /** The next byte. */
  byte(): number {
    if (this.#at === this.#end) {
      const { chunks, store } = this.column;
      const chunk = chunks[this.#chunk++];
      this.#slab = store.slab(chunk);
      this.#at = (chunk % CHUNKS) * CHUNK_BYTES;
      this.#end = this.#at + CHUNK_BYTES;
    }
    return this.#slab[this.#at++];
  }
}
