/**
 * Lengths of x86-64 instructions in 64-bit mode: "Instruction Format" and the opcode maps of Intel's
 * Software Developer's Manual, volume 2, appendix A. An unknown one has no length, so that the
 * search for instructions fails instead of guessing.
 * @module
 */

/** Behind the opcode: a ModRM byte, and an immediate. */
const MODRM = 1, IMM8 = 2, IMM_Z = 4, IMM16 = 8, BAD = 16, GROUP3 = 32, MOFFS = 64, IMM_V = 128;

const ONE = new Uint8Array(256);
const TWO = new Uint8Array(256).fill(MODRM);

function set(
  map: Uint8Array,
  what: number,
  ...ranges: readonly (number | readonly [number, number])[]
) {
  for (const range of ranges) {
    const [from, to] = typeof range === "number" ? [range, range] : range;
    map.fill(what, from, to + 1);
  }
}

for (let row = 0; row < 0x40; row += 8) {
  set(ONE, MODRM, [row, row + 3]);
  set(ONE, IMM8, row + 4);
  set(ONE, IMM_Z, row + 5);
  set(ONE, BAD, [row + 6, row + 7]);
}
set(ONE, BAD, [0x60, 0x62], 0x82, 0x9a, 0xc4, 0xc5, 0xce, [0xd4, 0xd6], 0xea, 0x0f);
set(ONE, MODRM, 0x63, [0x84, 0x8e], [0xd0, 0xd3], [0xd8, 0xdf], 0xfe, 0xff);
// POP; with another number in it, an AMD prefix that no compiler makes any more.
set(ONE, BAD, 0x8f);
set(ONE, IMM_Z, 0x68, 0xa9, 0xe8, 0xe9);
set(ONE, IMM8, 0x6a, [0x70, 0x7f], 0xa8, [0xb0, 0xb7], 0xcd, [0xe0, 0xe7], 0xeb);
set(ONE, MODRM | IMM_Z, 0x69, 0x81, 0xc7);
set(ONE, MODRM | IMM8, 0x6b, 0x80, 0x83, 0xc0, 0xc1, 0xc6);
set(ONE, MOFFS, [0xa0, 0xa3]);
set(ONE, IMM_V, [0xb8, 0xbf]);
set(ONE, IMM16, 0xc2, 0xca);
set(ONE, IMM16 | IMM8, 0xc8);
set(ONE, MODRM | GROUP3, 0xf6, 0xf7);

set(TWO, 0, [0x05, 0x09], 0x0b, 0x0e, [0x30, 0x37], 0x77, [0xa0, 0xa2], [0xa8, 0xaa], [0xc8, 0xcf]);
set(TWO, BAD, 0x04, 0x0a, 0x0c, [0x24, 0x27], [0x36, 0x36], [0x38, 0x3f], 0x78, 0x79, [0xa6, 0xa7]);
set(TWO, IMM_Z, [0x80, 0x8f]);
set(TWO, MODRM | IMM8, 0x0f, [0x70, 0x73], 0xa4, 0xac, 0xba, 0xc2, [0xc4, 0xc6]);

/** Bytes that may precede the opcode; REX is not among them. */
export const PREFIXES: ReadonlySet<number> = new Set(
  [0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65],
);

const MAX_INSTRUCTION_BYTES = 15;

/**
 * Bytes of the instruction that begins at a place; 0: it is none that is known, or the code ends in it.
 */
export function instructionLength(code: Uint8Array, start: number): number {
  let at = start, isShort = false, isNarrow = false, rex = 0;
  while (at < code.length && PREFIXES.has(code[at])) {
    if (code[at] === 0x66) isShort = true;
    if (code[at] === 0x67) isNarrow = true;
    at++;
  }
  if (at < code.length && (code[at] & 0xf0) === 0x40) rex = code[at++];
  let what: number;
  const opcode = code[at++];
  if (opcode === undefined) return 0;
  if (opcode === 0xc5 || opcode === 0xc4 || opcode === 0x62) {
    if (rex !== 0) return 0;
    const map = opcode === 0xc5 ? 1 : code[at] & (opcode === 0xc4 ? 0x1f : 7);
    at += opcode === 0xc5 ? 1 : opcode === 0xc4 ? 2 : 3;
    const second = code[at++];
    if (second === undefined || map < 1 || map > 6 || map === 4) return 0;
    const isImmediate = map === 3 || (map === 1 && (TWO[second] & IMM8) !== 0);
    // VZEROUPPER is the only one without operands.
    what = map === 1 && second === 0x77 ? 0 : MODRM | (isImmediate ? IMM8 : 0);
  } else if (opcode === 0x0f) {
    const second = code[at++];
    if (second === undefined) return 0;
    if (second === 0x38 || second === 0x3a) {
      at++;
      what = MODRM | (second === 0x3a ? IMM8 : 0);
    } else what = TWO[second];
  } else what = opcode === 0x8f && (code[at] & 0x38) === 0 ? MODRM : ONE[opcode];
  if ((what & BAD) !== 0) return 0;
  if ((what & MODRM) !== 0) {
    const modrm = code[at++];
    if (modrm === undefined) return 0;
    const mod = modrm >> 6, rm = modrm & 7;
    if (mod !== 3) {
      let base = rm;
      if (rm === 4) base = code[at++] & 7;
      if (mod === 1) at++;
      else if (mod === 2 || base === 5) at += 4;
    }
    // TEST alone of its group has an immediate.
    if ((what & GROUP3) !== 0 && (modrm & 0x30) === 0) {
      at += opcode === 0xf6 ? 1 : isShort && (rex & 8) === 0 ? 2 : 4;
    }
  }
  if ((what & IMM8) !== 0) at++;
  if ((what & IMM16) !== 0) at += 2;
  if ((what & MOFFS) !== 0) at += isNarrow ? 4 : 8;
  if ((what & IMM_V) !== 0) at += (rex & 8) !== 0 ? 8 : isShort ? 2 : 4;
  if ((what & IMM_Z) !== 0) {
    // Jumps and calls have four bytes after any prefix.
    const isBranch = opcode === 0xe8 || opcode === 0xe9 || opcode === 0x0f;
    at += isShort && (rex & 8) === 0 && !isBranch ? 2 : 4;
  }
  const length = at - start;
  return length <= MAX_INSTRUCTION_BYTES && at <= code.length ? length : 0;
}
