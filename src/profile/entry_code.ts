/**
 * Frames of functions without call frame information, from their first instructions. Assembly of x86-64 has no
 * tables where its author wrote none, as in OpenBLAS. Truth: Intel's manual, volume 2, appendix A.
 * @module
 */

/** The frame that the first instructions of a function made. */
export interface EntryFrame {
  /** Register, and its distance from the address above the return address. */
  readonly base: number;
  readonly offset: number;
  /** Saved registers, and where they lie: distance from the same address. */
  readonly saved: ReadonlyMap<number, number>;
}

const SP = 4, BP = 5;
/** Registers in the order of instructions, by their numbers in DWARF. */
const DWARF = [0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15];
/** Operations with an operand byte that change no more than a register, flags, or memory; by bytes after it. */
const PLAIN: ReadonlyMap<number, number> = new Map([
  ...[0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29, 0x2b, 0x31, 0x33, 0x39, 0x3b, 0x63, 0x85, 0x88]
    .map((operation) => [operation, 0] as const),
  ...[0x89, 0x8a, 0x8b, 0x8d, 0xd1, 0xd3].map((operation) => [operation, 0] as const),
  ...[0x6b, 0x80, 0x83, 0xc1].map((operation) => [operation, 1] as const),
  ...[0x69, 0x81, 0xc7].map((operation) => [operation, 4] as const),
]);
/** Moves and sums of vectors, and empty instructions (after 0f), which have no more bytes. */
const VECTOR = /^(1[0-7f]|2[89ae]|5[47-9c-e]|6[ef]|7[ef]|b[67ef]|d6|ef)$/;

/** An operand byte with what follows it. */
interface Operand {
  readonly register: number;
  /** Number of the register or of the base. */
  readonly base: number;
  readonly isRegister: boolean;
  readonly offset: number;
  readonly end: number;
}

/**
 * Follows the instructions from a function's start on, up to the first branch or unknown one.
 *
 * @returns `undefined` if it cannot be said where the frame is.
 */
export function entryFrame(code: Uint8Array): EntryFrame | undefined {
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  const saved = new Map<number, number>();
  /** Register that has an older stack pointer, and how far that was below. */
  let kept: { readonly base: number; readonly offset: number } | undefined;
  let depth = 8, isAligned = false, hasRoom = false, at = 0;
  const ended = (isWhole: boolean): EntryFrame | undefined => {
    const isByKept = kept !== undefined && (isAligned || kept.base === DWARF[BP]);
    if (isByKept) return { ...kept!, saved };
    if (isAligned || !(isWhole || hasRoom)) return undefined;
    return { base: DWARF[SP], offset: depth, saved };
  };
  while (at < code.length) {
    let next = at, isVector = false;
    while ([0x2e, 0x66, 0xf2, 0xf3].includes(code[next])) next++;
    const rex = (code[next] & 0xf0) === 0x40 ? code[next++] : 0;
    let operation = code[next++];
    // push
    if ((operation & 0xf8) === 0x50) {
      depth += 8;
      const register = DWARF[operation & 7 | (rex & 1) << 3];
      if (!isAligned && !saved.has(register)) saved.set(register, -depth);
      at = next;
      continue;
    }
    if (operation === 0x90 || (operation & 0xf8) === 0xb8) {
      at = next + (operation === 0x90 ? 0 : (rex & 8) !== 0 ? 8 : 4);
      continue;
    }
    // vzeroupper
    if (operation === 0xc5 && code[next] === 0xf8 && code[next + 1] === 0x77) {
      at = next + 2;
      continue;
    }
    // A branch ends the entry.
    if ((operation & 0xf0) === 0x70 || [0xe8, 0xe9, 0xeb, 0xff].includes(operation)) {
      return ended(true);
    }
    if (operation === 0x0f) {
      operation = code[next++];
      if ((operation & 0xf0) === 0x80) return ended(true);
      // endbr64
      if (operation === 0x1e && code[next] === 0xfa) {
        at = next + 1;
        continue;
      }
      isVector = true;
      if (operation === undefined || !VECTOR.test(operation.toString(16))) return ended(false);
    }
    const more = isVector ? 0 : PLAIN.get(operation);
    const operand = more === undefined ? undefined : operandAt(view, next, rex);
    if (operand === undefined || operand.end + more! > code.length) {
      return ended(false);
    }
    const { register, base, isRegister, offset, end } = operand, isWide = (rex & 8) !== 0;
    at = end + more!;
    if (isVector) continue;
    if (operation === 0x83 || operation === 0x81) {
      if (!isRegister || base !== SP) continue;
      const value = operation === 0x83 ? view.getInt8(end) : view.getInt32(end, true);
      const kind = register & 7;
      // sub, add, and
      if (kind === 5 || kind === 0) {
        depth += kind === 5 ? value : -value;
        hasRoom ||= kind === 5;
      } else if (kind === 4) isAligned = true;
      else if (kind !== 7) return ended(false);
      continue;
    }
    const isStore = operation === 0x89;
    if (isStore && !isRegister && base === SP && isWide && !isAligned) {
      const place = offset - depth;
      if (place < -8 && !saved.has(DWARF[register])) saved.set(DWARF[register], place);
      continue;
    }
    const from = isStore ? register : base, to = isStore ? base : register;
    const isMove = isRegister && (isStore || operation === 0x8b);
    if (isMove && from === SP && !isAligned) kept = { base: DWARF[to], offset: depth };
    else if (isMove && to === SP || (operation === 0x8b || operation === 0x8d) && register === SP) {
      return undefined;
    }
  }
  return ended(true);
}

function operandAt(view: DataView, at: number, rex: number): Operand | undefined {
  if (at >= view.byteLength) return undefined;
  const byte = view.getUint8(at), mode = byte >> 6, low = byte & 7;
  const register = byte >> 3 & 7 | (rex & 4) << 1, hasIndex = mode !== 3 && low === 4;
  if (hasIndex && at + 1 >= view.byteLength) return undefined;
  const index = hasIndex ? view.getUint8(at + 1) : 0, first = hasIndex ? index & 7 : low;
  const isFar = mode === 2 || mode === 0 && first === 5;
  const from = at + 1 + (hasIndex ? 1 : 0), end = from + (mode === 1 ? 1 : isFar ? 4 : 0);
  if (end > view.byteLength) return undefined;
  const offset = mode === 1 ? view.getInt8(from) : isFar ? view.getInt32(from, true) : 0;
  // A base with an index, or none at all, is no place in the frame.
  const isPlain = !hasIndex || index >> 3 === 4 && (rex & 2) === 0;
  const base = isPlain && !(mode === 0 && first === 5) ? first | (rex & 1) << 3 : -1;
  return { register, base, isRegister: mode === 3, offset, end };
}
