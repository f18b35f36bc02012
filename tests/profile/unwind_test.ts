/** Walks of stacks that are made by hand. */
import { assertEquals } from "@std/assert";
import { AddressSpace } from "../../src/profile/address_space.ts";
import type { Fde } from "../../src/profile/frame_rows.ts";
import { EXPRESSION, REGISTER, SAME, UNDEFINED, X86_64 } from "../../src/profile/machine.ts";
import { type CodeTables, DEPTH_MOST, END, Unwinder } from "../../src/profile/unwind.ts";

const SP = 0x7ffc0000, CODE = 0x1000, MADE = 0x800000;

/** One row for a function: register and offset of the frame's address, rules of rbx, rbp, r12 to r15, and return. */
function fde(start: number, row: readonly number[], more: Partial<Fde> = {}): Fde {
  const all = { start, end: start + 0x100, isSignal: false, expressions: [] };
  return Object.assign(all, { rows: Int32Array.from([0, ...row]) }, more);
}

const BY_SP = (size: number, rbp = SAME) => [7, size, SAME, rbp, SAME, SAME, SAME, SAME, -8];
const LAST = [7, 8, SAME, SAME, SAME, SAME, SAME, SAME, UNDEFINED];

/** Walks a stack of words; addresses relative to the code. */
function walk(
  fdes: readonly Fde[],
  words: readonly number[],
  registers: Readonly<Record<number, number>>,
  code: Partial<CodeTables> = {},
) {
  const unwinder = new Unwinder(X86_64, {
    fde: (_, address) => fdes.find(({ start, end }) => address >= start && address < end),
    callBefore: code.callBefore ?? (() => 1),
    hasFrame: code.hasFrame ?? (() => undefined),
    entryRow: code.entryRow ?? (() => undefined),
    isSameFunction: () => false,
    isOutermost: code.isOutermost ?? (() => false),
    leavesStack: code.leavesStack ?? (() => false),
  });
  const space = new AddressSpace(1);
  space.add({ start: CODE, end: 0x100000, module: 0, bias: 0, isMade: false });
  space.add({ start: MADE, end: MADE + 0x1000, module: 1, bias: 0, isMade: true });
  const bytes = new BigUint64Array(words.map(BigInt)).buffer;
  const record = { words: new Uint32Array(bytes), view: new DataView(bytes) };
  const all = new Float64Array(17);
  all[7] = SP;
  for (const [number, value] of Object.entries(registers)) all[Number(number)] = value;
  const depth = unwinder.walk(space, all, record, 0, words.length * 8);
  return {
    addresses: [...unwinder.addresses.subarray(0, depth)],
    guessed: [...unwinder.isGuessed.subarray(0, depth)],
    end: unwinder.end,
  };
}

Deno.test("a walk follows return addresses by the stack pointer to the outermost frame", () => {
  const fdes = [fde(0x1000, BY_SP(16)), fde(0x2000, BY_SP(8)), fde(0x3000, LAST)];
  const { addresses, end } = walk(fdes, [0, 0x2010, 0x3010], { 16: 0x1004 });
  assertEquals([addresses, end], [[0x1004, 0x200f, 0x300f], END.root]);
});

Deno.test("a walk restores the frame pointer that a function saved", () => {
  const byFrame = [6, 16, SAME, -16, SAME, SAME, SAME, SAME, -8];
  const fdes = [fde(0x1000, byFrame), fde(0x2000, byFrame), fde(0x3000, LAST)];
  const words = [SP + 16, 0x2010, 0, 0x3010];
  const { addresses, end } = walk(fdes, words, { 6: SP, 16: 0x1004 });
  assertEquals([addresses, end], [[0x1004, 0x200f, 0x300f], END.root]);
});

Deno.test("the frame of a signal is looked up at the instruction itself", () => {
  // rsp + 160 as .eh_frame has it for the vdso and __restore_rt: expressions.
  const expressions = [
    Uint8Array.of(0x77, 0x08, 0x06), // the word at rsp + 8
    Uint8Array.of(0x77, 0x00), // rsp
  ];
  const rules = [EXPRESSION | 0, 0, SAME, SAME, SAME, SAME, SAME, SAME, EXPRESSION | 1];
  const fdes = [
    fde(0x1000, BY_SP(8)),
    fde(0x1fff, rules, { isSignal: true, expressions }),
    fde(0x3000, LAST),
  ];
  const { addresses, end } = walk(fdes, [0x2000, 0x3000, SP + 40], { 16: 0x1004 });
  assertEquals([addresses, end], [[0x1004, 0x2000, 0x3000], END.root]);
});

Deno.test("a walk says why it ended", () => {
  const fdes = [fde(0x1000, BY_SP(64)), fde(0x2000, BY_SP(0))];
  assertEquals(walk(fdes, [0, 0], { 16: 0x1004 }).end, END.cut);
  assertEquals(walk([fde(0x1000, BY_SP(8)), fdes[1]], [0x2001], { 16: 0x1004 }).end, END.bad);
  assertEquals(walk([], [0, 0], { 6: 0, 16: 0x1004 }, { callBefore: () => 0 }).end, END.root);
  assertEquals(walk([], [0, 0], { 6: SP + 64, 16: 0x1004 }, { callBefore: () => 0 }).end, END.cut);
  assertEquals(walk([], [1, 1], { 6: SP, 16: 0x1004 }, { callBefore: () => 0 }).end, END.noTable);
  assertEquals(walk([], [], { 16: 0x10 }).end, END.bad);
});

Deno.test("endless recursion ends", () => {
  const words = new Array(2 * DEPTH_MOST).fill(0x1010);
  const { addresses, end } = walk([fde(0x1000, BY_SP(8))], words, { 16: 0x1010 });
  assertEquals([addresses.length, end], [DEPTH_MOST, END.depth]);
});

Deno.test("code that a process made is walked by frame pointers", () => {
  const { addresses, end } = walk([fde(0x2000, LAST)], [0, 0x2010], { 6: SP, 16: MADE + 4 });
  assertEquals([addresses, end], [[MADE + 4, 0x200f], END.root]);
});

Deno.test("without a table the next return address on the stack is a guess", () => {
  const words = [5, 0x2010, 0x3010];
  const callBefore: CodeTables["callBefore"] = (_, address) => address === 0x3010 ? 2 : 1;
  const weak = walk([fde(0x2000, LAST), fde(0x3000, LAST)], words, { 16: 0x1004 });
  assertEquals([weak.addresses, weak.guessed], [[0x1004, 0x200f], [0, 1]]);
  const sure = walk([fde(0x3000, LAST)], words, { 16: 0x1004 }, { callBefore });
  assertEquals([sure.addresses, sure.guessed], [[0x1004, 0x300f], [0, 0]]);
});

Deno.test("the first instructions of a function lead to its caller before older return addresses", () => {
  // 0x4010 is what an earlier call left; rbx was saved at the frame's end.
  const words = [SP + 24, 0x4010, 0x2010, 0, 0, 0x3010], registers = { 16: 0x1004 };
  const entryRow = () => fde(0x1000, [7, 24, -24, SAME, SAME, SAME, SAME, SAME, -8]);
  const byRbx = [3, 24, SAME, SAME, SAME, SAME, SAME, SAME, -8];
  const fdes = [fde(0x2000, byRbx), fde(0x3000, LAST)];
  const found = walk(fdes, words, registers, { entryRow });
  assertEquals([found.addresses, found.guessed], [[0x1004, 0x200f, 0x300f], [0, 0, 0]]);
  // The instructions after the first ones have moved the stack pointer: no call is before that word.
  const callBefore: CodeTables["callBefore"] = (_, address) => address === 0x2010 ? 0 : 1;
  const moved = walk([fde(0x4000, LAST)], words, registers, { entryRow, callBefore });
  assertEquals([moved.addresses, moved.guessed], [[0x1004, 0x400f], [0, 1]]);
  assertEquals(walk(fdes, words.slice(0, 2), registers, { entryRow }).end, END.cut);
});

Deno.test("without a frame of its own a function has its return address on top", () => {
  // The frame pointer is the caller's: its own return address is 0x3010.
  const words = [0x2010, 0, SP + 32, 0x3010], registers = { 6: SP + 16, 16: 0x1004 };
  const callers = (hasFrame: boolean) => {
    const { addresses, guessed } = walk([fde(0x3000, LAST)], words, registers, {
      hasFrame: (_, address) => address < 0x2000 ? hasFrame : true,
    });
    return [addresses, guessed];
  };
  assertEquals(callers(false), [[0x1004, 0x200f, 0x300f], [0, 0, 0]]);
  assertEquals(callers(true), [[0x1004, 0x300f], [0, 0]]);
});

Deno.test("a walk by frame pointers ends at a function that nothing calls", () => {
  const words = [SP + 16, 0x3001], isOutermost = (_: number, address: number) => address >= 0x3000;
  const callBefore = () => 0 as const;
  const { addresses, end } = walk([], words, { 6: SP, 16: 0x1004 }, { callBefore, isOutermost });
  assertEquals([addresses, end], [[0x1004, 0x3000], END.root]);
});

Deno.test("a function that changes to another stack has no callers on this one", () => {
  const leavesStack = (_: number, address: number) => address >= 0x2000 && address < 0x3000;
  const fdes = [fde(0x1000, BY_SP(8)), fde(0x3000, LAST)], words = [0x2010, 0x3010];
  const { addresses, end } = walk(fdes, words, { 16: 0x1004 }, { leavesStack });
  assertEquals([addresses, end], [[0x1004, 0x200f], END.switched]);
  // The innermost function may not have changed it yet.
  const first = walk(fdes.slice(1), [0x3010], { 16: 0x2004 }, { leavesStack });
  assertEquals([first.addresses, first.end], [[0x2004, 0x300f], END.root]);
});

Deno.test("a walk ends where a frame was made to return into the first instruction of a function", () => {
  const callBefore: CodeTables["callBefore"] = (_, address) => address === 0x2000 ? 0 : 1;
  const fdes = [fde(0x1000, BY_SP(8)), fde(0x2000, BY_SP(8)), fde(0x3000, LAST)];
  const words = [0x2000, 0x3010];
  const made = walk(fdes, words, { 16: 0x1004 }, { callBefore });
  assertEquals([made.addresses, made.end], [[0x1004, 0x2000], END.root]);
  const called = walk(fdes, words, { 16: 0x1004 });
  assertEquals([called.addresses, called.guessed], [[0x1004, 0x1fff, 0x300f], [0, 0, 1]]);
});

Deno.test("a rule that names another register", () => {
  const rules = [7, 8, SAME, SAME, SAME, SAME, SAME, SAME, REGISTER | 3];
  const { addresses } = walk([fde(0x1000, rules), fde(0x2000, LAST)], [0], {
    3: 0x2010,
    16: 0x1004,
  });
  assertEquals(addresses, [0x1004, 0x200f]);
});

Deno.test("expressions that never end, or take more than there is, have no value", () => {
  for (const code of [[0x2f, 0xfd, 0xff], [0x22], [0x16], [0x28, 0, 0], [0xff], []]) {
    const rules = [EXPRESSION | 0, 0, SAME, SAME, SAME, SAME, SAME, SAME, -8];
    const expressions = [Uint8Array.from(code)];
    assertEquals(walk([fde(0x1000, rules, { expressions })], [0], { 16: 0x1004 }).end, END.cut);
  }
});
