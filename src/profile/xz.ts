/**
 * Unpacks .xz data, as the small symbol tables (`.gnu_debugdata`) of Fedora's and Red Hat's programs are.
 * Truth: "The .xz File Format" 1.2, tukaani.org/xz; the LZMA specification of the LZMA SDK; LZMA2 as in xz-utils.
 * Checksums are not looked at: what is damaged has wrong sizes or distances.
 * @module
 */

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
const STREAM_HEADER = 12, LZMA2 = 0x21;
/** Bytes of a check by its number: none, CRC32, CRC64, SHA-256, and what is reserved. */
const CHECK_BYTES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];
/** Symbols of one library take some MB. */
const OUTPUT_MOST = 1 << 28;

/** Sizes of LZMA's models, by its specification. */
const STATES = 12, POSITIONS = 16, LENGTHS = 4, SLOTS = 64, ALIGN = 16, LITERAL = 0x300;
/** Distances that have models of their own end at this slot. */
const MODELLED_SLOT = 14, FULL_DISTANCES = 128;
/** The shortest match, bytes. */
const MATCH_LENGTH = 2;

class Damaged extends Error {}

/** Unpacked bytes; `undefined`: they are damaged, or packed in another way. */
export function unxz(packed: Uint8Array): Uint8Array | undefined {
  try {
    return blocks(packed);
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
}

function blocks(packed: Uint8Array): Uint8Array {
  if (MAGIC.some((byte, i) => packed[i] !== byte)) throw new Damaged();
  const out = new Output(), check = CHECK_BYTES[packed[7] & 15];
  let at = STREAM_HEADER;
  // The index follows the blocks: it begins with 0.
  while (packed[at] > 0) {
    const header = 4 * (packed[at] + 1), flags = packed[at + 1];
    let field = at + 2;
    const skip = () => {
      while (packed[field++] >= 128);
    };
    // The sizes of the block.
    if ((flags & 0x40) !== 0) skip();
    if ((flags & 0x80) !== 0) skip();
    if ((flags & 3) !== 0 || packed[field] !== LZMA2) throw new Damaged();
    const end = unpackChunks(packed, at + header, out);
    at += Math.ceil((end - at) / 4) * 4 + check;
  }
  if (packed[at] === undefined) throw new Damaged();
  return out.bytes.subarray(0, out.length);
}

/** The bytes that are unpacked so far. */
class Output {
  bytes = new Uint8Array(1 << 16);
  length = 0;
  /** The dictionary begins here. */
  #first = 0;

  forget(): void {
    this.#first = this.length;
  }

  /** Bytes of the dictionary. */
  get known(): number {
    return this.length - this.#first;
  }

  push(byte: number): void {
    if (this.length === this.bytes.length) {
      if (this.length >= OUTPUT_MOST) throw new Damaged();
      const longer = new Uint8Array(2 * this.length);
      longer.set(this.bytes);
      this.bytes = longer;
    }
    this.bytes[this.length++] = byte;
  }

  /** The byte so many before the end. */
  back(distance: number): number {
    if (distance > this.known) throw new Damaged();
    return this.bytes[this.length - distance];
  }
}

/** Unpacks chunks of LZMA2. @returns Offset of their end. */
function unpackChunks(packed: Uint8Array, first: number, out: Output): number {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const lzma = new Lzma(packed, out);
  for (let at = first;;) {
    const control = packed[at++];
    if (control === 0) return at;
    if (!(control >= 128 || control <= 2) || at + 5 > packed.length) throw new Damaged();
    const size = view.getUint16(at) + 1, reset = control >> 5 & 3;
    at += 2;
    if (control === 1 || control >= 128 && reset === 3) out.forget();
    if (control < 128) {
      for (let i = 0; i < size; i++) out.push(packed[at++] ?? 0);
      continue;
    }
    const packedSize = view.getUint16(at) + 1;
    at += 2;
    if (at + packedSize > packed.length) throw new Damaged();
    if (reset >= 2) lzma.properties(packed[at++]);
    if (reset >= 1) lzma.reset();
    lzma.chunk(at, ((control & 31) << 16) + size);
    at += packedSize;
  }
}

/** Probabilities of bits, one half each. */
function half(count: number): Uint16Array {
  return new Uint16Array(count).fill(1024);
}

/** Models of a match's length. */
class LengthModel {
  readonly choice = half(2);
  readonly low = half(POSITIONS * 8);
  readonly middle = half(POSITIONS * 8);
  readonly high = half(256);
}

/** Decoder of LZMA: a coder of ranges, and models of literals, lengths and distances. */
class Lzma {
  #at = 0;
  #range = 0;
  #code = 0;
  #state = 0;
  /** The last four distances. */
  #distances = [1, 1, 1, 1];
  #contextBits = 0;
  #literalPositions = 0;
  #positions = 0;
  #isMatch = half(0);
  #isRepeated = half(0);
  #isRepeated0 = half(0);
  #isRepeated1 = half(0);
  #isRepeated2 = half(0);
  #isLong = half(0);
  #literals = half(0);
  #slots = half(0);
  #modelled = half(0);
  #align = half(0);
  #length = new LengthModel();
  #repeatedLength = new LengthModel();

  constructor(readonly packed: Uint8Array, readonly out: Output) {}

  /** Bits of literals' contexts and of positions, packed in one byte. */
  properties(byte: number): void {
    if (byte >= 9 * 5 * 5) throw new Damaged();
    this.#contextBits = byte % 9;
    const rest = Math.floor(byte / 9);
    this.#literalPositions = (1 << rest % 5) - 1;
    this.#positions = (1 << Math.floor(rest / 5)) - 1;
  }

  reset(): void {
    this.#state = 0;
    this.#distances = [1, 1, 1, 1];
    this.#isMatch = half(STATES * POSITIONS);
    this.#isRepeated = half(STATES);
    this.#isRepeated0 = half(STATES);
    this.#isRepeated1 = half(STATES);
    this.#isRepeated2 = half(STATES);
    this.#isLong = half(STATES * POSITIONS);
    this.#literals = half(LITERAL * (this.#literalPositions + 1) << this.#contextBits);
    this.#slots = half(LENGTHS * SLOTS);
    this.#modelled = half(FULL_DISTANCES);
    this.#align = half(ALIGN);
    this.#length = new LengthModel();
    this.#repeatedLength = new LengthModel();
  }

  /** Unpacks so many bytes, which begin at a place. */
  chunk(at: number, size: number): void {
    const { out } = this, end = out.length + size;
    if (this.#isMatch.length === 0) throw new Damaged();
    this.#at = at;
    this.#range = 0xffffffff;
    this.#code = 0;
    for (let i = 0; i < 5; i++) this.#code = (this.#code << 8 | this.#byte()) >>> 0;
    while (out.length < end) {
      const position = out.known & this.#positions, index = this.#state * POSITIONS + position;
      if (this.#bit(this.#isMatch, index) === 0) this.#literal();
      else this.#match(position, end);
    }
  }

  #literal(): void {
    const { out } = this, before = out.known > 0 ? out.back(1) : 0;
    const context = ((out.known & this.#literalPositions) << this.#contextBits) +
      (before >> 8 - this.#contextBits);
    const first = LITERAL * context;
    let symbol = 1;
    if (this.#state >= 7) {
      let match = out.back(this.#distances[0]);
      while (symbol < 256) {
        const expected = match >> 7 & 1;
        match <<= 1;
        const bit = this.#bit(this.#literals, first + (1 + expected << 8) + symbol);
        symbol = symbol << 1 | bit;
        if (bit !== expected) break;
      }
    }
    while (symbol < 256) symbol = symbol << 1 | this.#bit(this.#literals, first + symbol);
    out.push(symbol & 255);
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  #match(position: number, end: number): void {
    const { out } = this, state = this.#state, index = state * POSITIONS + position;
    let length: number;
    if (this.#bit(this.#isRepeated, state) === 0) {
      length = MATCH_LENGTH + this.#lengthOf(this.#length, position);
      this.#distances = [this.#distance(length), ...this.#distances.slice(0, 3)];
      this.#state = state < 7 ? 7 : 10;
    } else if (this.#isShort(state, index)) {
      length = 1;
      this.#state = state < 7 ? 9 : 11;
    } else {
      length = MATCH_LENGTH + this.#lengthOf(this.#repeatedLength, position);
      this.#state = state < 7 ? 8 : 11;
    }
    if (out.length + length > end) throw new Damaged();
    const [distance] = this.#distances;
    for (let i = 0; i < length; i++) out.push(out.back(distance));
  }

  /** Takes one of the last four distances. @returns Is it a match of one byte? */
  #isShort(state: number, index: number): boolean {
    if (this.#bit(this.#isRepeated0, state) === 0) return this.#bit(this.#isLong, index) === 0;
    const which = this.#bit(this.#isRepeated1, state) === 0
      ? 1
      : 2 + this.#bit(this.#isRepeated2, state);
    this.#distances.unshift(...this.#distances.splice(which, 1));
    return false;
  }

  #distance(length: number): number {
    const model = Math.min(length - MATCH_LENGTH, LENGTHS - 1);
    const slot = this.#tree(this.#slots, model * SLOTS, SLOTS);
    if (slot < 4) return slot + 1;
    const bits = (slot >> 1) - 1, base = (2 | slot & 1) << bits;
    if (slot < MODELLED_SLOT) return base + this.#reversed(this.#modelled, base - slot, bits) + 1;
    let high = 0;
    for (let i = 4; i < bits; i++) high = high * 2 + this.#plainBit();
    return (base >>> 0) + high * 16 + this.#reversed(this.#align, 0, 4) + 1;
  }

  #lengthOf({ choice, low, middle, high }: LengthModel, position: number): number {
    if (this.#bit(choice, 0) === 0) return this.#tree(low, position * 8, 8);
    if (this.#bit(choice, 1) === 0) return 8 + this.#tree(middle, position * 8, 8);
    return 16 + this.#tree(high, 0, 256);
  }

  /** A number of as many bits as its size has, the highest first. */
  #tree(models: Uint16Array, first: number, size: number): number {
    let symbol = 1;
    while (symbol < size) symbol = symbol << 1 | this.#bit(models, first + symbol);
    return symbol - size;
  }

  /** A number of some bits, the lowest first. */
  #reversed(models: Uint16Array, first: number, bits: number): number {
    let symbol = 1, sum = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(models, first + symbol);
      symbol = symbol << 1 | bit;
      sum |= bit << i;
    }
    return sum;
  }

  #bit(models: Uint16Array, index: number): 0 | 1 {
    const model = models[index], bound = (this.#range >>> 11) * model;
    const bit = this.#code < bound ? 0 : 1;
    if (bit === 0) {
      this.#range = bound;
      models[index] = model + (2048 - model >> 5);
    } else {
      this.#range -= bound;
      this.#code -= bound;
      models[index] = model - (model >> 5);
    }
    this.#fill();
    return bit;
  }

  /** A bit without a model. */
  #plainBit(): 0 | 1 {
    this.#range >>>= 1;
    const bit = this.#code < this.#range ? 0 : 1;
    if (bit === 1) this.#code -= this.#range;
    this.#fill();
    return bit;
  }

  #fill(): void {
    if (this.#range >= 1 << 24) return;
    this.#range = this.#range << 8 >>> 0;
    this.#code = (this.#code << 8 | this.#byte()) >>> 0;
  }

  #byte(): number {
    return this.packed[this.#at++] ?? 0;
  }
}
