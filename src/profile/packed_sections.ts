/**
 * Compressed debug sections of a file, which others read as if they were not compressed: at offsets behind the file.
 * Truth: System V ABI, "Section Compression"; GNU's older sections `.zdebug_`.
 * @module
 */
import { type ElfFile, type ReadAt, type Section, viewOf, word } from "./elf.ts";

const NOBITS = 8, COMPRESSED = 0x800;
/** Types of compression, and bytes before the compressed ones. */
const ZLIB = 1, ZSTD = 2, HEADER_BYTES = 24, GNU_HEADER_BYTES = 12;
/** "ZLIB". */
const GNU_MAGIC = 0x5a4c4942;
/** A section that is larger, or all of a file together, take too long and too much memory. */
const SECTION_MOST = 1 << 28, ALL_MOST = 1 << 29;
/** Offset of the first unpacked section, and the distance to the next one. */
const FIRST_AT = 2 ** 50, DISTANCE = 2 ** 32;

interface Packed {
  readonly name: string;
  /** Offset and length of the compressed bytes in the file. */
  readonly offset: number;
  readonly length: number;
  readonly method: number;
  readonly size: number;
  bytes?: Uint8Array;
}

/** The sections of a file, none of them compressed. */
export class PackedSections {
  readonly file: ElfFile;
  /** The first section that cannot be read, and why; empty: there is none so far. */
  refused = "";
  readonly #read: ReadAt;
  readonly #packed: Packed[] = [];
  #left = ALL_MOST;

  constructor(file: ElfFile, read: ReadAt) {
    this.#read = read;
    this.file = Object.assign({}, file, { sections: file.sections.map((s) => this.#plain(s)) });
  }

  /** Reads the file, or a section behind it. */
  readonly read: ReadAt = (offset, length) => {
    if (offset < FIRST_AT) return this.#read(offset, length);
    const packed = this.#packed.at(Math.floor((offset - FIRST_AT) / DISTANCE));
    if (packed === undefined) return new Uint8Array();
    const from = (offset - FIRST_AT) % DISTANCE;
    return (packed.bytes ??= this.#unpacked(packed)).subarray(from, from + length);
  };

  /** A section that can be read like any other one; one that cannot is empty. */
  #plain(section: Section): Section {
    const { flags, kind, offset } = section, isGnu = section.name.startsWith(".zdebug_");
    const isPacked = isGnu || (flags & COMPRESSED) !== 0;
    if (kind === NOBITS || !isPacked && !section.name.startsWith(".debug_")) return section;
    const name = isGnu ? `.${section.name.slice(2)}` : section.name;
    const plain = (at: number, size: number): Section => {
      return Object.assign({}, section, { name, flags: flags & ~COMPRESSED, offset: at, size });
    };
    const headerBytes = !isPacked ? 0 : isGnu ? GNU_HEADER_BYTES : HEADER_BYTES;
    const header = viewOf(this.#read(offset, headerBytes)), isWhole = section.size >= headerBytes;
    if (header.byteLength < headerBytes || !isWhole) {
      return plain(offset, this.#refuse(name, "is truncated"));
    }
    const size = !isPacked
      ? section.size
      : isGnu
      ? header.getUint32(4) * DISTANCE + header.getUint32(8)
      : word(header, 8);
    const method = isGnu
      ? header.getUint32(0) === GNU_MAGIC ? ZLIB : 0
      : isPacked
      ? header.getUint32(0, true)
      : ZLIB;
    if (size >= SECTION_MOST || section.size >= SECTION_MOST) {
      const megabytes = Math.max(size, section.size) / 1e6;
      return plain(offset, this.#refuse(name, `is too large (${megabytes.toPrecision(3)} MB)`));
    }
    if (!isPacked) return section;
    if (method !== ZLIB && method !== ZSTD) {
      return plain(offset, this.#refuse(name, `has the unknown compression ${method}`));
    }
    const length = section.size - headerBytes;
    const number = this.#packed.push({ name, offset: offset + headerBytes, length, method, size });
    return plain(FIRST_AT + (number - 1) * DISTANCE, size);
  }

  /** @returns The size of a section that is not read. */
  #refuse(name: string, why: string): 0 {
    this.refused ||= `${name} ${why}`;
    return 0;
  }

  #unpacked({ name, offset, length, method, size }: Packed): Uint8Array {
    const isTooMuch = size > this.#left;
    const bytes = isTooMuch ? undefined : unpack(method, this.#read(offset, length), size);
    if (bytes === undefined) this.#refuse(name, isTooMuch ? "is too large" : "is damaged");
    else this.#left -= size;
    return bytes ?? new Uint8Array();
  }
}

/** Bytes that were compressed; `undefined`: they are damaged, or not as many as they claim. */
function unpack(method: number, bytes: Uint8Array, size: number): Uint8Array | undefined {
  if (size === 0) return new Uint8Array();
  try {
    // Loaded where a section needs it: this takes some ms.
    const { inflateSync, zstdDecompressSync } = globalThis.process.getBuiltinModule("node:zlib");
    const made = (method === ZLIB ? inflateSync : zstdDecompressSync)(bytes, {
      maxOutputLength: size,
      // In one piece.
      chunkSize: Math.max(64, size),
    });
    if (made.length === size) return new Uint8Array(made.buffer, made.byteOffset, size);
  } catch {
    // Whatever is wrong with them.
  }
}
