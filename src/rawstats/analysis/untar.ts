/**
 * The files in a tar archive, one after the other: days of raw stats are archived so.
 *
 * Blocks of 512 bytes. A header has the size in octal at 124, the type at 156, `ustar` at 257; POSIX
 * pax(1), "ustar Interchange Format". Contents are padded to whole blocks.
 * @module
 */

const BLOCK_BYTES = 512;
const SIZE_AT = 124, SIZE_BYTES = 12, TYPE_AT = 156, MAGIC_AT = 257;
/** Plain files: type `0` or, in old archives, NUL. */
const PLAIN_TYPES = [48, 0];
const decoder = new TextDecoder();

/** Do these bytes begin an archive? */
export function isTar(head: Uint8Array): boolean {
  return head.length >= BLOCK_BYTES &&
    decoder.decode(head.subarray(MAGIC_AT, MAGIC_AT + 5)) === "ustar";
}

/** Takes an archive in pieces. */
export class TarReader {
  readonly #header = new Uint8Array(BLOCK_BYTES);
  #filled = 0;
  /** Bytes of contents that follow, and of padding after them. */
  #content = 0;
  #padding = 0;
  /** Are the contents those of a plain file? */
  #isPlain = false;

  /** Contents of plain files in the next piece. */
  *push(piece: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < piece.length;) {
      const left = piece.length - at;
      let taken: number;
      if (this.#content > 0) {
        taken = Math.min(left, this.#content);
        if (this.#isPlain) yield piece.subarray(at, at + taken);
        this.#content -= taken;
      } else if (this.#padding > 0) {
        taken = Math.min(left, this.#padding);
        this.#padding -= taken;
      } else {
        taken = Math.min(left, BLOCK_BYTES - this.#filled);
        this.#header.set(piece.subarray(at, at + taken), this.#filled);
        this.#filled += taken;
        if (this.#filled === BLOCK_BYTES) this.#begin();
      }
      at += taken;
    }
  }

  #begin(): void {
    const size = decoder.decode(this.#header.subarray(SIZE_AT, SIZE_AT + SIZE_BYTES));
    this.#filled = 0;
    this.#content = Number.parseInt(size, 8) || 0;
    this.#padding = (BLOCK_BYTES - this.#content % BLOCK_BYTES) % BLOCK_BYTES;
    this.#isPlain = PLAIN_TYPES.includes(this.#header[TYPE_AT]);
  }
}
