/** Instructions of x86-64, and where functions are left. */
import { assertEquals } from "@std/assert";
import { functionExits } from "../../../src/marks/preload/function_exits.ts";
import { instructionLength } from "../../../src/marks/preload/instruction_length.ts";

const bytes = (text: string) =>
  new Uint8Array(text.replaceAll(" ", "").match(/../g)!.map((pair) => parseInt(pair, 16)));

/** As objdump(1) takes them apart. */
const INSTRUCTIONS = [
  ...["c3", "f3 c3", "c2 08 00", "55", "41 57", "90", "66 90", "cc", "f3 0f 1e fa"],
  ...["48 89 e5", "8b 04 25 10 00 00 00", "48 8b 44 24 08", "48 8b 84 24 08 01 00 00"],
  ...["48 8d 05 00 10 00 00", "66 c7 45 fe 34 12", "c7 45 fc 78 56 34 12", "66 05 34 12"],
  ...["48 b8 11 22 33 44 55 66 77 88", "b8 01 00 00 00", "f6 c1 01", "f6 d1", "f7 c1 01 00 00 00"],
  ...["66 f7 c1 01 00", "48 f7 c0 01 00 00 00", "e8 00 00 00 00", "0f 84 10 00 00 00", "eb 02"],
  ...["ff 25 00 10 00 00", "ff e0", "3e ff e0", "ff 24 c5 00 10 00 00", "0f b6 c0", "0f ba e0 05"],
  ...["66 0f 3a 0f c1 08", "66 0f 38 00 c1", "f2 0f 10 45 f8", "66 0f 70 c0 1b", "0f a2", "0f 05"],
  ...["c5 f8 77", "c5 fd 6f 06", "c5 f9 70 c0 1b", "c4 e2 7d 58 05 00 10 00 00"],
  ...[
    "c4 e3 7d 19 c1 01",
    "62 f1 7c 48 28 06",
    "62 f3 7d 48 19 c1 01",
    "d9 7c 24 02",
    "64 48 8b 04 25 28 00 00 00",
  ],
  ...["69 c0 10 27 00 00", "6b c0 0a", "c8 10 00 00", "a1 11 22 33 44 55 66 77 88", "f0 0f b1 0e"],
];

Deno.test("instructionLength() is that of the manual's maps, prefixes and operands included", () => {
  for (const text of INSTRUCTIONS) {
    const code = bytes(text);
    assertEquals(instructionLength(bytes(`${text} 90 90 90 90 90 90 90 90`), 0), code.length, text);
    // Cut off it has none, rather than another one.
    assertEquals(instructionLength(code.subarray(0, code.length - 1), 0), 0, `${text}, cut`);
  }
});

Deno.test("instructionLength() has no instruction that 64-bit mode does not have", () => {
  for (
    const text of ["06", "60", "82 c0 01", "9a 00 00 00 00 00 00", "ce", "d4 0a", "ea 00", "0f 04"]
  ) {
    assertEquals(instructionLength(bytes(`${text} 90 90 90 90 90 90`), 0), 0, text);
  }
});

const exitsOf = (...texts: string[]) =>
  functionExits(texts.map((text, i) => ({ offset: 0x1000 * (i + 1), code: bytes(text) })));

Deno.test("functionExits() has returns and jumps out of a function, not those within it", () => {
  // push %rbp; test %edi,%edi; je +2; pop %rbp; ret; pop %rbp; jmp 0x2000
  const code = "55 85 ff 74 02 5d c3 5d e9 f3 0f 00 00";
  assertEquals(exitsOf(code), [0x1006, 0x1008]);
  // The jump leads to the function's own cold part.
  assertEquals(exitsOf(code, "90 c3"), [0x1006, 0x2001]);
  // By memory: into another function; by a register or a table: a switch.
  assertEquals(exitsOf("90 ff 25 00 00 00 00"), [0x1001]);
  assertEquals(exitsOf("90 ff e0 c3"), [0x1003]);
  assertEquals(exitsOf("90 ff 24 c5 00 10 00 00 c3"), [0x1008]);
});

Deno.test("functionExits() gives up where anything is unclear", () => {
  assertEquals(exitsOf("90 06 c3"), {
    refused: "joulemark does not know an instruction of this function",
  });
  // Into the middle of an instruction.
  assertEquals(exitsOf("eb 01 b8 01 00 00 00 c3"), {
    refused: "a jump does not lead to the start of an instruction",
  });
  assertEquals(exitsOf("0f 84 00 10 00 00 c3"), {
    refused: "a conditional jump leaves this function",
  });
  assertEquals(exitsOf("c3"), { refused: "the function consists only of a return or a jump" });
  // Ends in an instruction.
  assertEquals(exitsOf("90 48 8b"), {
    refused: "joulemark does not know an instruction of this function",
  });
});
