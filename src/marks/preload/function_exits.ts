/**
 * Exits of a function: its returns, and its jumps into other functions.
 *
 * A probe inside an instruction would break the program, so the code is read from its first byte to
 * its last, every jump within it has to meet an instruction, and a function with any unclear
 * instruction has no exits here. The return address on the stack is left alone, as exceptions and
 * backtraces need it.
 * @module
 */
import { instructionLength, PREFIXES } from "./instruction_length.ts";

/** Code of a function, or of a part of it that the compiler put elsewhere. */
export interface CodePart {
  /** Offset of the function in the file. */
  readonly offset: number;
  readonly code: Uint8Array;
}

/** Offsets in the file; a reason if they cannot be determined. */
export type Exits = readonly number[] | { readonly refused: string };

/** @param parts The function's own code first. */
export function functionExits(parts: readonly CodePart[]): Exits {
  const exits: number[] = [];
  const starts = new Set<number>();
  const targets: number[] = [];
  const isInside = (offset: number) =>
    parts.some((p) => offset >= p.offset && offset < p.offset + p.code.length);
  for (const { offset, code } of parts) {
    let at = 0;
    while (at < code.length) {
      const length = instructionLength(code, at);
      if (length === 0) {
        return { refused: "joulemark does not know an instruction of this function" };
      }
      starts.add(offset + at);
      const opcodeAt = opcodeOf(code, at);
      const jump = jumpOf(code, opcodeAt, at + length);
      if (isReturn(code[opcodeAt]) || jump === "leaves") exits.push(offset + at);
      else if (typeof jump === "object") {
        const target = offset + jump.to;
        if (isInside(target)) targets.push(target);
        else if (jump.isConditional) return { refused: "a conditional jump leaves this function" };
        else exits.push(offset + at);
      }
      at += length;
    }
  }
  if (targets.some((target) => !starts.has(target))) {
    return { refused: "a jump does not lead to the start of an instruction" };
  }
  if (exits.includes(parts[0].offset)) {
    return { refused: "the function consists only of a return or a jump" };
  }
  // One that never returns has none.
  return exits;
}

/** First byte of an instruction's opcode, behind the prefixes. */
function opcodeOf(code: Uint8Array, start: number): number {
  let at = start;
  while (PREFIXES.has(code[at])) at++;
  return (code[at] & 0xf0) === 0x40 ? at + 1 : at;
}

const isReturn = (opcode: number): boolean => opcode === 0xc3 || opcode === 0xc2;

function jumpOf(
  code: Uint8Array,
  opcodeAt: number,
  end: number,
): { to: number; isConditional: boolean } | "leaves" | undefined {
  const opcode = code[opcodeAt], second = code[opcodeAt + 1];
  const near = () => end + (code[end - 1] << 24 >> 24);
  const far = () =>
    end + (code[end - 4] | code[end - 3] << 8 | code[end - 2] << 16 | code[end - 1] << 24);
  if (opcode === 0xe9) return { to: far(), isConditional: false };
  if (opcode === 0xeb) return { to: near(), isConditional: false };
  if ((opcode & 0xf0) === 0x70 || (opcode >= 0xe0 && opcode <= 0xe3)) {
    return { to: near(), isConditional: true };
  }
  if (opcode === 0x0f && (second & 0xf0) === 0x80) return { to: far(), isConditional: true };
  // JMP by a register, or by a table with an index alone, is a switch; by memory it calls what follows.
  if (opcode === 0xff && (second & 0x38) === 0x20 && second >> 6 !== 3) {
    const isTable = second === 0x24 && (code[opcodeAt + 2] & 7) === 5;
    return isTable ? undefined : "leaves";
  }
  return undefined;
}
