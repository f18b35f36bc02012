/**
 * Processors whose stacks can be unwound: registers, rows of call frame information, and instructions. Truth:
 * System V ABI for x86-64; DWARF for the Arm 64-bit Architecture; Linux asm/perf_regs.h and asm/sigcontext.h.
 * @module
 */
import { type EntryFrame, entryFrame } from "./entry_code.ts";

/** Rules of a register in a row: it has the same value in the caller, or its value is lost. */
export const SAME = 0x7fffffff, UNDEFINED = 0x7ffffffe;
/** The rule's kind: the value lies where expression i says, is its result, is in register r. */
export const EXPRESSION = 0x40000000, VALUE = 0x50000000, REGISTER = 0x60000000;
export const KIND_MASK = 0x70000000, INDEX_MASK = 0x0fffffff;

/** A kind of processor. Registers have the numbers of DWARF. */
export interface Machine {
  /** Name in messages. */
  readonly name: string;
  /** Number in the head of ELF files. */
  readonly elf: number;
  /** The kernel maps code from multiples of this many bytes on, or of a fraction of it. */
  readonly pageBytes: number;
  /** Registers that a sample has, by the kernel's bits, and the order in which they come. */
  readonly sampledMask: number;
  readonly sampled: readonly number[];
  /** Numbers of registers are below it. */
  readonly registers: number;
  readonly stackPointer: number;
  readonly framePointer: number;
  readonly instructionPointer: number;
  /** The register in which a call leaves the return address; −1: it is on the stack. */
  readonly link: number;
  /** The register that stands for the return address in call frame information. */
  readonly returnColumn: number;
  /** Code has addresses below it; what a return address has above it is a signature. */
  readonly codeEnd: number;
  /** Registers with a rule in each row: those that a call keeps. */
  readonly kept: readonly number[];
  /** The row at a function's start: see frame_rows.ts. */
  readonly firstRow: readonly number[];
  /** A frame pointer points to the lowest words of the frame, not to the highest. */
  readonly hasLowRecord: boolean;
  /** The frame of a signal, if it must be known by the instructions that a handler returns to. */
  readonly signal?: SignalFrame;
  /** Bytes before a return address that may be a call. */
  readonly callBytes: number;
  /** The function that the direct call at the end of these bytes calls. @param address End of the bytes. */
  callTarget(code: Uint8Array, address: number): number | undefined;
  /** Do the bytes end in a call by a register or by memory? */
  isIndirectCall(code: Uint8Array): boolean;
  /** Is there an instruction that sets the frame pointer to the function's own frame? */
  setsFrame(code: Uint8Array, at: number): boolean;
  /** Do the bytes begin with a return: the frame of the function is gone? */
  isReturn(code: Uint8Array): boolean;
  /** The frame that these first instructions of a function make; `undefined`: not known. */
  entryFrame(code: Uint8Array): EntryFrame | undefined;
  readonly linkage: Linkage;
}

/** Frame that the kernel makes for a signal handler. */
export interface SignalFrame {
  /** The handler returns to these instructions. */
  readonly code: readonly number[];
  readonly row: readonly number[];
  readonly expressions: readonly Uint8Array[];
}

/** Entries of procedure linkage tables. */
export interface Linkage {
  /** Type of a relocation whose addend is a resolver. */
  readonly indirectRelative: number;
  /** Bytes before the first entry, and of an entry. @param code Begin of the section. */
  layout(code: Uint8Array, entrySize: number): { readonly head: number; readonly step: number };
  /** Address of the word through which the entry jumps. */
  jumpTarget(code: Uint8Array, start: number): number | undefined;
}

/** A row without rules: address, register and offset of the frame's address, then all that a call keeps. */
function row(base: number, offset: number, rules: readonly number[], back: number): number[] {
  return [0, base, offset, ...rules, back];
}

const X86_KEPT = [3, 6, 12, 13, 14, 15];

/** x86-64, also called AMD64. */
export const X86_64: Machine = {
  name: "x86-64",
  elf: 62,
  pageBytes: 4096,
  // ax bx cx dx si di bp sp ip, r8 to r15.
  sampledMask: 0xff01ff,
  sampled: [0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15],
  registers: 17,
  stackPointer: 7,
  framePointer: 6,
  instructionPointer: 16,
  link: -1,
  returnColumn: 16,
  codeEnd: Infinity,
  kept: X86_KEPT,
  // The return address lies on top of the stack.
  firstRow: row(7, 8, X86_KEPT.map(() => SAME), -8),
  hasLowRecord: false,
  callBytes: 8,
  // call rel32
  callTarget(code, address) {
    if (code[3] !== 0xe8) return undefined;
    return address + (code[4] | code[5] << 8 | code[6] << 16 | code[7] << 24);
  },
  // call r/m64 (ff /2), of two to seven bytes
  isIndirectCall(code) {
    return [2, 3, 4, 6, 7].some((length) => {
      const at = code.length - length, operand = code[at + 1];
      if (code[at] !== 0xff || (operand >> 3 & 7) !== 2) return false;
      const mode = operand >> 6, base = operand & 7;
      const hasIndex = mode !== 3 && base === 4 ? 1 : 0;
      const offset = mode === 1 ? 1 : mode === 2 || (mode === 0 && base === 5) ? 4 : 0;
      return 2 + hasIndex + offset === length;
    });
  },
  // mov %rsp,%rbp or lea n(%rsp),%rbp
  setsFrame(code, at) {
    if (code[at] !== 0x48) return false;
    const [operation, operand, base] = code.subarray(at + 1, at + 4);
    if (operation === 0x8d) return (operand === 0x6c || operand === 0xac) && base === 0x24;
    return operation === 0x89 && operand === 0xe5 || operation === 0x8b && operand === 0xec;
  },
  isReturn: (code) => code[0] === 0xc3,
  entryFrame,
  linkage: {
    indirectRelative: 37,
    // Entries have 16 bytes, those of .plt.got at least 8; the first one jumps to the dynamic linker.
    layout: (_, entrySize) => ({ head: 0, step: entrySize === 8 ? 8 : 16 }),
    // jmp *n(%rip)
    jumpTarget(code, start) {
      for (let at = 0; at + 6 <= code.length; at++) {
        if (code[at] === 0xff && code[at + 1] === 0x25) return start + at + 6 + i32(code, at + 2);
      }
    },
  },
};

const ARM_FP = 29, ARM_LINK = 30, ARM_SP = 31, ARM_PC = 32;
/** Registers x19 to x30. */
const ARM_KEPT = Array.from({ length: 12 }, (_, i) => 19 + i);
/**
 * Offset of x0 in struct rt_sigframe: siginfo (128), then in ucontext the fields before the registers (176), and the
 * fault's address; after the 31 registers come sp and pc.
 */
const ARM_SAVED = 128 + 176 + 8;
const BTI = 0xd503245f, PUSH_LINK = 0xa9bf7bf0, JUMP = 0xd61f0220;

/** aarch64, also called Arm64. */
export const AARCH64: Machine = {
  name: "aarch64",
  elf: 183,
  // 4, 16 or 64 KiB.
  pageBytes: 65536,
  // x0 to x30, sp, pc.
  sampledMask: 0x1ffffffff,
  sampled: Array.from({ length: 33 }, (_, i) => i),
  registers: 33,
  stackPointer: ARM_SP,
  framePointer: ARM_FP,
  instructionPointer: ARM_PC,
  link: ARM_LINK,
  returnColumn: ARM_LINK,
  // Above it, pointer authentication has its bits.
  codeEnd: 2 ** 48,
  kept: ARM_KEPT,
  firstRow: row(ARM_SP, 0, ARM_KEPT.map(() => SAME), REGISTER | ARM_LINK),
  hasLowRecord: true,
  signal: {
    // mov x8, #139 (rt_sigreturn); svc #0
    code: [0xd2801168, 0xd4000001],
    row: row(EXPRESSION | 0, 0, ARM_KEPT.map((_, i) => EXPRESSION | 2 + i), EXPRESSION | 1),
    expressions: [
      // The saved sp itself: the word is read.
      Uint8Array.of(...saved(ARM_SP), 0x06),
      saved(ARM_PC),
      ...ARM_KEPT.map(saved),
    ],
  },
  callBytes: 4,
  // bl
  callTarget(code, address) {
    const word = u32(code, 0);
    if ((word & 0xfc000000) >>> 0 !== 0x94000000) return undefined;
    return address - 4 + (word << 6 >> 6) * 4;
  },
  // blr, and with a signature blraa, blrab, blraaz, blrabz
  isIndirectCall(code) {
    const word = u32(code, 0);
    return (word & 0xfffffc1f) >>> 0 === 0xd63f0000 || (word & 0xfefff800) >>> 0 === 0xd63f0800;
  },
  // add x29, sp, #n
  setsFrame(code, at) {
    return at % 4 === 0 && at + 4 <= code.length &&
      (u32(code, at) & 0xff8003ff) >>> 0 === 0x910003fd;
  },
  // ret, retaa, retab
  isReturn: (code) => [0xd65f03c0, 0xd65f0bff, 0xd65f0fff].includes(u32(code, 0)),
  entryFrame: () => undefined,
  linkage: {
    indirectRelative: 1032,
    // A static program has no entry of the dynamic linker. Entries with a check (bti, autia1716) have 24 bytes.
    layout(code) {
      const head = u32(code, u32(code, 0) === BTI ? 4 : 0) === PUSH_LINK ? 32 : 0;
      return { head, step: u32(code, head + 12) === JUMP ? 16 : 24 };
    },
    // adrp x16, page; ldr x17, [x16, #n]
    jumpTarget(code, start) {
      for (let at = 0; at + 8 <= code.length; at += 4) {
        const page = u32(code, at), load = u32(code, at + 4);
        if ((page & 0x9f00001f) >>> 0 !== 0x90000010) continue;
        if ((load & 0xffc003ff) >>> 0 !== 0xf9400211) continue;
        const pages = (page << 8 >> 13 << 2 | page >>> 29 & 3) * 4096;
        return start + at - (start + at) % 4096 + pages + (load >>> 10 & 0xfff) * 8;
      }
    },
  },
};

/** Expression for the place of a register in the frame of a signal: an offset from sp. */
function saved(register: number): Uint8Array<ArrayBuffer> {
  const offset = ARM_SAVED + 8 * register;
  return Uint8Array.of(0x70 + ARM_SP, offset & 127 | 128, offset >> 7);
}

function u32(code: Uint8Array, at: number): number {
  return i32(code, at) >>> 0;
}

function i32(code: Uint8Array, at: number): number {
  return code[at] | code[at + 1] << 8 | code[at + 2] << 16 | code[at + 3] << 24;
}

/** The processor that this program was built for. */
export const OWN_MACHINE: Machine = Deno.build.arch === "aarch64" ? AARCH64 : X86_64;
