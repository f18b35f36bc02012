/**
 * Columns of counters in little memory: most of them grow by small steps, or not at all, so a value
 * is kept as the step from the one before, one byte or a few.
 *
 * Chunks of all columns are in common slabs, in the order in which they were filled. Slabs beyond
 * what memory may hold are written to a file, once, and read from there chunk by chunk.
 * @module
 */
import { grown } from "../core/grow.ts";

const CHUNK_BYTES = 256;
/** Number of chunks per page, for chunks that are being filled. */
const PAGE_CHUNKS = 4096;
const MOST_SLAB_BYTES = 1 << 20;

/** Where slabs go that memory may not hold. */
export interface Spill {
  /** Writes at a place; false where there is no room. */
  write(bytes: Uint8Array<ArrayBuffer>, at: number): boolean;
  /** Fills the bytes from a place on. */
  read(bytes: Uint8Array<ArrayBuffer>, at: number): void;
}

/** Columns of whole numbers, packed. */
export class ColumnStore {
  readonly #limit: number;
  readonly #slabBytes: number;
  readonly #slabChunks: number;
  readonly #openSpill: () => Spill | undefined;
  #spill: Spill | undefined | null;
  #spilled = 0;
  /** By number of the slab: itself, or where it begins in the file. */
  #slabs: (Uint8Array<ArrayBuffer> | number)[] = [];
  #held = 0;
  #current: Uint8Array<ArrayBuffer>;
  #filled = 0;
  /** Memory of chunks that are being filled, and its numbers that are free. */
  readonly #pages: Uint8Array<ArrayBuffer>[] = [];
  #free: number[] = [];
  readonly #chunk = new Uint8Array(CHUNK_BYTES);

  /**
   * @param limit Bytes of full chunks that memory may hold.
   * @param openSpill Is called once when there are more. Without a file, memory holds them all.
   */
  constructor(limit: number, openSpill: () => Spill | undefined = () => undefined) {
    this.#limit = limit;
    this.#slabChunks = Math.max(1, Math.floor(Math.min(limit / 16, MOST_SLAB_BYTES) / CHUNK_BYTES));
    this.#slabBytes = this.#slabChunks * CHUNK_BYTES;
    this.#current = new Uint8Array(this.#slabBytes);
    this.#openSpill = openSpill;
  }

  /** Forgets all columns; their memory and their file go to the next ones. */
  reset(): void {
    this.#slabs = [];
    this.#held = this.#spilled = this.#filled = 0;
    this.#free = this.#pages.flatMap((_, page) => numbersOf(page));
  }

  /** A new column. */
  column(): Column {
    return new Column(this);
  }

  /** Memory for a chunk to be filled: its number. */
  take(): number {
    if (this.#free.length === 0) {
      this.#free = numbersOf(this.#pages.length);
      this.#pages.push(new Uint8Array(PAGE_CHUNKS * CHUNK_BYTES));
    }
    return this.#free.pop()!;
  }

  /** The page of such a chunk. */
  page(number: number): Uint8Array<ArrayBuffer> {
    return this.#pages[Math.floor(number / PAGE_CHUNKS)];
  }

  /** Gives such memory back. */
  giveBack(number: number): void {
    this.#free.push(number);
  }

  /** Keeps a chunk; its number among those that are kept. */
  keep(page: Uint8Array<ArrayBuffer>, from: number): number {
    this.#current.set(page.subarray(from, from + CHUNK_BYTES), this.#filled);
    this.#filled += CHUNK_BYTES;
    const number = this.#slabs.length * this.#slabChunks + this.#filled / CHUNK_BYTES - 1;
    if (this.#filled === this.#slabBytes) this.#put();
    return number;
  }

  /** Copies a chunk that was kept. */
  copy(number: number, to: Uint8Array<ArrayBuffer>, at: number): void {
    const index = Math.floor(number / this.#slabChunks);
    const from = (number % this.#slabChunks) * CHUNK_BYTES;
    const slab = index === this.#slabs.length ? this.#current : this.#slabs[index];
    if (typeof slab !== "number") to.set(slab.subarray(from, from + CHUNK_BYTES), at);
    else {
      this.#spill!.read(this.#chunk, slab + from);
      to.set(this.#chunk, at);
    }
  }

  #put(): void {
    this.#filled = 0;
    if (this.#held + this.#slabBytes > this.#limit) {
      if (this.#spill === undefined) this.#spill = this.#openSpill() ?? null;
      if (this.#spill?.write(this.#current, this.#spilled)) {
        this.#slabs.push(this.#spilled);
        this.#spilled += this.#slabBytes;
        return;
      }
    }
    this.#held += this.#slabBytes;
    this.#slabs.push(this.#current);
    this.#current = new Uint8Array(this.#slabBytes);
  }
}

/** Numbers of the chunks of a page. */
function numbersOf(page: number): number[] {
  return Array.from({ length: PAGE_CHUNKS }, (_, i) => (page + 1) * PAGE_CHUNKS - 1 - i);
}

/** Whole numbers from 0 to 2^53, in the order in which they were appended. */
export class Column {
  readonly #store: ColumnStore;
  readonly #chunks: number[] = [];
  #number = -1;
  #page: Uint8Array<ArrayBuffer> | undefined;
  #at = 0;
  #end = 0;

  constructor(store: ColumnStore) {
    this.#store = store;
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
    this.#page![this.#at++] = value;
  }

  /** Nothing follows: gives up what is for filling only. */
  end(): void {
    if (this.#page === undefined) return;
    this.#chunks.push(this.#store.keep(this.#page, this.#end - CHUNK_BYTES));
    this.#store.giveBack(this.#number);
    this.#page = undefined;
    this.#at = this.#end;
  }

  #next(): void {
    if (this.#page === undefined) {
      this.#number = this.#store.take();
      this.#page = this.#store.page(this.#number);
      this.#end = (this.#number % PAGE_CHUNKS + 1) * CHUNK_BYTES;
    } else this.#chunks.push(this.#store.keep(this.#page, this.#end - CHUNK_BYTES));
    this.#at = this.#end - CHUNK_BYTES;
  }

  /**
   * All bytes of a column that has ended, from the beginning of a buffer on.
   *
   * @param into What may be written over.
   * @returns The same buffer, or a longer one. The contents after the column are not specified.
   */
  read(into: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const chunks = this.#chunks;
    const bytes = chunks.length * CHUNK_BYTES;
    const all = bytes <= into.length ? into : grown(into, bytes);
    for (let i = 0; i < chunks.length; i++) {
      this.#store.copy(chunks[i], all, i * CHUNK_BYTES);
    }
    return all;
  }
}
