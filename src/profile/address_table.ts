/**
 * Units of debug information by address: .debug_aranges. Many files have none, or not of all units.
 * Truth: DWARF 5, section 6.1.2.
 * @module
 */
import { firstAbove, viewOf, word } from "./elf.ts";

/** Bytes of the smallest set: its head, and one pair of addresses. */
const SET_LEAST = 32, PAIR_BYTES = 16, ADDRESS_BYTES = 8, VERSION = 2;
/** Mark of a length of 8 bytes, which follows. */
const LONG = 0xffffffff;

/** Code of a unit: its addresses, and the unit's offset in .debug_info. */
type Row = [start: number, end: number, unit: number];

/** Places of the units' code. */
export class AddressTable {
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  /** Offset of each one's unit in .debug_info. */
  readonly units: Float64Array;

  constructor(section: Uint8Array) {
    const rows = rowsOf(section).sort(([a], [b]) => a - b);
    const column = (i: number) => Float64Array.from(rows, (row) => row[i]);
    [this.#starts, this.#ends, this.units] = [column(0), column(1), column(2)];
  }

  /** Offset of the unit whose code holds an address; -1: there is none. */
  find(address: number): number {
    const i = firstAbove(this.#starts, this.#starts.length, address) - 1;
    return i >= 0 && address < this.#ends[i] ? this.units[i] : -1;
  }
}

/** Rows of a section; a set that is wrong ends them. */
function rowsOf(section: Uint8Array): Row[] {
  const view = viewOf(section), rows: Row[] = [];
  for (let at = 0; at + SET_LEAST <= section.length;) {
    const isLong = view.getUint32(at, true) === LONG;
    const offset = (place: number) => isLong ? word(view, place) : view.getUint32(place, true);
    const lengthAt = isLong ? at + 4 : at, versionAt = at + (isLong ? 12 : 4);
    const end = versionAt + offset(lengthAt), unit = offset(versionAt + 2);
    if (!(end > versionAt && end <= section.length)) break;
    const sizesAt = versionAt + (isLong ? 10 : 6);
    const isKnown = view.getUint16(versionAt, true) === VERSION &&
      view.getUint16(sizesAt, true) === ADDRESS_BYTES;
    // Pairs begin at a multiple of their size.
    const first = at + Math.ceil((sizesAt + 2 - at) / PAIR_BYTES) * PAIR_BYTES;
    for (let pair = first; isKnown && pair + PAIR_BYTES <= end; pair += PAIR_BYTES) {
      const start = word(view, pair), bytes = word(view, pair + ADDRESS_BYTES);
      if (bytes > 0) rows.push([start, start + bytes, unit]);
    }
    at = end;
  }
  return rows;
}
