/** First instructions of functions that have no call frame information. */
import { assertEquals } from "@std/assert";
import { entryFrame } from "../../src/profile/entry_code.ts";
import { Random } from "../fuzz/random.ts";

/** Registers by their numbers in DWARF. */
const RBX = 3, RBP = 6, RSP = 7, R12 = 12, R13 = 13, R14 = 14, R15 = 15;
// mov %rbx,(%rsp), and so on for rbp, r12, r13, r14 and r15.
const SAVES = "48891c24 48896c2408 4c89642410 4c896c2418 4c89742420 4c897c2428";

function frame(hex: string) {
  const found = entryFrame(Uint8Array.fromHex(hex.replaceAll(" ", "")));
  return found && [found.base, found.offset, Object.fromEntries(found.saved)];
}

Deno.test("a function that makes room on the stack: dgemm_kernel_PRESCOTT of OpenBLAS", () => {
  const saved = {
    [RBX]: -136,
    [RBP]: -128,
    [R12]: -120,
    [R13]: -112,
    [R14]: -104,
    [R15]: -96,
  };
  // sub $0x80,%rsp; the saves; mov 0x88(%rsp),%r10
  const code = `4881ec80000000 ${SAVES} 4c8b942488000000`;
  assertEquals(frame(code), [RSP, 136, saved]);
  assertEquals(frame("4881ec80000000 48891c24"), [RSP, 136, { [RBX]: -136 }]);
});

Deno.test("a function that aligns the stack keeps the old pointer: dgemm_kernel_HASWELL", () => {
  const saved = { [RBX]: -104, [RBP]: -96, [R12]: -88, [R13]: -80, [R14]: -72, [R15]: -64 };
  // sub $0x60,%rsp; the saves; vzeroupper; mov 0x68(%rsp),%r10; mov %rsp,%rbx; sub $0x7080,%rsp
  const start = `4883ec60 ${SAVES} c5f877 4c8b542468 4889e3 4881ec80700000`;
  assertEquals(frame(start), [RSP, 104 + 0x7080, saved]);
  // and $-4096,%rsp; cmp $0,%rdi
  assertEquals(frame(`${start} 4881e400f0ffff 4883ff00`), [RBX, 104, saved]);
  // Without a kept pointer nothing tells where the frame is.
  assertEquals(frame("4883ec60 4881e400f0ffff"), undefined);
});

Deno.test("a function that pushes registers, up to a branch", () => {
  // push %r12; xor %eax,%eax; jne
  assertEquals(frame("4154 31c0 75f0"), [RSP, 16, { [R12]: -16 }]);
  // push %rbp; mov %rsp,%rbp; sub $16,%rsp
  assertEquals(frame("55 4889e5 4883ec10"), [RBP, 16, { [RBP]: -16 }]);
  // push %rbx; cpuid, which is not read: more pushes may follow.
  assertEquals(frame("53 0fa2 4154"), undefined);
  // lea 8(%rsp),%rsp
  assertEquals(frame("4883ec10 488d642408 31c0"), undefined);
});

Deno.test("any bytes give a frame or none", () => {
  const random = new Random(20261130);
  for (let number = 0; number < 20_000; number++) {
    const code = Uint8Array.from({ length: random.below(64) }, () => random.below(256));
    const found = entryFrame(code);
    if (found !== undefined) assertEquals(Number.isSafeInteger(found.offset), true);
  }
});
