/**
 * Columns of counters in little memory: most of them grow by small steps, or not at all, so a value
 * is kept as the step from the one before, one byte or a few.
 *
 * Chunks of all columns are in common slabs, in the order in which they were filled. When memory may
 * hold no more of them, all go to a file, those of a column side by side, to be read at once.
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
  readonly #slabBytes: number;
  readonly #slabChunks: number;
  /** Chunks that memory may hold, and those that it may hold until there is room in the file. */
  readonly #limit: number;
  #most: number;
  readonly #openSpill: () => Spill | undefined;
  #spill: Spill | undefined | null;
  #spilled = 0;
  /** In use is as much as is filled. */
  readonly #slabs: Uint8Array<ArrayBuffer>[] = [];
  /** Chunks in them. */
  #filled = 0;
  /** Columns that have chunks in them. */
  #columns: Column[] = [];
  /** Memory of chunks that are being filled, and its numbers that are free. */
  readonly #pages: Uint8Array<ArrayBuffer>[] = [];
  #free: number[] = [];

  /**
   * @param limit Bytes of full chunks that memory may hold.
   * @param openSpill Is called once when there are more. Without a file, memory holds them all.
   */
  constructor(limit: number, openSpill: () => Spill | undefined = () => undefined) {
    this.#slabChunks = Math.max(1, Math.floor(Math.min(limit / 16, MOST_SLAB_BYTES) / CHUNK_BYTES));
    this.#slabBytes = this.#slabChunks * CHUNK_BYTES;
    this.#limit = this.#most = Math.max(1, Math.floor(limit / this.#slabBytes)) * this.#slabChunks;
    this.#openSpill = openSpill;
  }

  /** Forgets all columns; their memory and their file go to the next ones. */
  reset(): void {
    this.#columns = [];
    this.#spilled = this.#filled = 0;
    this.#free = this.#pages.flatMap((_, page) => numbersOf(page));
  }

  /** A new column. */
  column(): Column {
    return new Column(this);
  }

  /** A column has its first chunk that memory holds. */
  holds(column: Column): void {
    this.#columns.push(column);
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

  /** Keeps a chunk; its number among those that memory holds. */
  keep(page: Uint8Array<ArrayBuffer>, from: number): number {
    if (this.#filled === this.#most) this.#most = this.#empty() ? this.#limit : 2 * this.#most;
    const number = this.#filled++;
    const index = Math.floor(number / this.#slabChunks);
    const slab = this.#slabs[index] ??= new Uint8Array(this.#slabBytes);
    const at = (number % this.#slabChunks) * CHUNK_BYTES;
    slab.set(page.subarray(from, from + CHUNK_BYTES), at);
    return number;
  }

  /** Copies a chunk that memory holds. */
  copy(number: number, to: Uint8Array<ArrayBuffer>, at: number): void {
    const slab = this.#slabs[Math.floor(number / this.#slabChunks)];
    const from = (number % this.#slabChunks) * CHUNK_BYTES;
    to.set(slab.subarray(from, from + CHUNK_BYTES), at);
  }

  /** Reads what is in the file. */
  read(into: Uint8Array<ArrayBuffer>, at: number): void {
    this.#spill!.read(into, at);
  }

  /** Writes all that memory holds to the file; false where there is no room for it. */
  #empty(): boolean {
    if (this.#spill === undefined) this.#spill = this.#openSpill() ?? null;
    const spill = this.#spill;
    if (spill === null) return false;
    const buffer = new Uint8Array(this.#slabBytes);
    const spills: number[] = [];
    let inBuffer = 0, at = this.#spilled;
    const write = () => {
      if (!spill.write(buffer.subarray(0, inBuffer), at)) return false;
      at += inBuffer;
      inBuffer = 0;
      return true;
    };
    for (const { held } of this.#columns) {
      spills.push(at + inBuffer);
      for (const number of held) {
        this.copy(number, buffer, inBuffer);
        inBuffer += CHUNK_BYTES;
        if (inBuffer === buffer.length && !write()) return false;
      }
    }
    if (!write()) return false;
    this.#spilled = at;
    this.#filled = 0;
    this.#columns.forEach((column, i) => column.spill(spills[i]));
    this.#columns = [];
    return true;
  }
}

/** Numbers of the chunks of a page. */
function numbersOf(page: number): number[] {
  return Array.from({ length: PAGE_CHUNKS }, (_, i) => (page + 1) * PAGE_CHUNKS - 1 - i);
}

/** Whole numbers from 0 to 2^53, in the order in which they were appended. */
export class Column {
  readonly #store: ColumnStore;
  /** Numbers of chunks that memory holds; before them are those in the file. */
  readonly held: number[] = [];
  /** Where those in the file are, and how many follow. */
  readonly #spilled: number[] = [];
  #count = 0;
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

  /** Is all of it in a chunk that is being filled? */
  get isShort(): boolean {
    return this.#count === 0;
  }

  /** Bytes of such a column. */
  get shortLength(): number {
    return this.#page === undefined ? 0 : this.#at - (this.#end - CHUNK_BYTES);
  }

  /** Appends such a column to another one, and gives up what it has. */
  moveTo(other: Column): void {
    if (this.#page === undefined) return;
    for (let at = this.#end - CHUNK_BYTES; at < this.#at; at++) other.byte(this.#page[at]);
    this.#store.giveBack(this.#number);
    this.#page = undefined;
    this.#at = this.#end;
  }

  /** Nothing follows: gives up what is for filling only. */
  end(): void {
    if (this.#page === undefined) return;
    this.#keep(this.#page);
    this.#store.giveBack(this.#number);
    this.#page = undefined;
    this.#at = this.#end;
  }

  /** The chunks that memory held are in the file now. */
  spill(at: number): void {
    this.#spilled.push(at, this.held.length);
    this.held.length = 0;
  }

  #keep(page: Uint8Array<ArrayBuffer>): void {
    const number = this.#store.keep(page, this.#end - CHUNK_BYTES);
    if (this.held.length === 0) this.#store.holds(this);
    this.held.push(number);
    this.#count++;
  }

  #next(): void {
    if (this.#page === undefined) {
      this.#number = this.#store.take();
      this.#page = this.#store.page(this.#number);
      this.#end = (this.#number % PAGE_CHUNKS + 1) * CHUNK_BYTES;
    } else this.#keep(this.#page);
    this.#at = this.#end - CHUNK_BYTES;
  }

  /**
   * All bytes of a column that has ended, from the beginning of a buffer on.
   *
   * @param into What may be written over.
   * @returns The same buffer, or a longer one. The contents after the column are not specified.
   */
  read(into: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const bytes = this.#count * CHUNK_BYTES;
    const all = bytes <= into.length ? into : grown(into, bytes);
    let at = 0;
    for (let i = 0; i < this.#spilled.length; i += 2) {
      const length = this.#spilled[i + 1] * CHUNK_BYTES;
      this.#store.read(all.subarray(at, at + length), this.#spilled[i]);
      at += length;
    }
    for (const number of this.held) {
      this.#store.copy(number, all, at);
      at += CHUNK_BYTES;
    }
    return all;
  }
}
