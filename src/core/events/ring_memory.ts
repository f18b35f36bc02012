/** Reading, and the one kind of writing, that the monitor does in a ring file. */
export interface RingMemory {
  /** Bytes read at an offset, fewer at the end of the file, none on error. */
  read(offset: number, into: Uint8Array): number;
  /** Writes at an offset. */
  write(offset: number, bytes: Uint8Array): void;
  [Symbol.dispose](): void;
}
