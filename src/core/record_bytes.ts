/**
 * Records of sampling, where they lie. Truth: perf_event_open(2).
 * @module
 */

/** Bytes with whole records, as numbers of several sizes. */
export interface RecordBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
}

/** Records of one ring. */
export interface RingPiece {
  readonly records: RecordBytes;
  /** 0: the ring is no CPU's. */
  readonly cpu: number;
  readonly from: number;
  readonly to: number;
}

/** A profile, which takes records. */
export interface RecordUser {
  /** Offset of the first record later than a moment; bytes that are no record end the search. */
  endOf(records: RecordBytes, from: number, to: number, ns: number): number;
  /** Takes records of several CPUs, which are overwritten later. */
  take(pieces: readonly RingPiece[]): void;
}
